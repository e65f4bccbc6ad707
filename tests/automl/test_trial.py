"""One candidate on all splits."""

import time
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import (
    BoostedTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from coterie.automl.candidates import Candidate, choose_candidates
from coterie.automl.clock import Clock, Deadline, OutOfTime
from coterie.automl.splits import Plan, further_splits
from coterie.automl.trial import (
    Attempt,
    Trial,
    ask_unseen,
    fit_again,
    gain_of_mean,
    likely_gain,
    noise_of,
    prepared,
    run_trial,
)
from tests.automl.material import labelled, numbered

LONG = 1e6


def own(estimator, **more):
    return Candidate("own", "own", lambda s: clone(estimator), **more)


def test_unseen_is_what_cross_validation_predicts():
    situation, material, folds, _ = labelled()
    trial = run_trial(own(LogisticRegression()), situation, material, Clock(LONG))
    expected = cross_val_predict(
        LogisticRegression(),
        material.matrix,
        material.truth,
        cv=material.splits,
        method="predict_proba",
    )
    np.testing.assert_allclose(trial.unseen, expected)
    assert len(trial.models) == len(np.unique(folds))


def test_repeats_are_averaged():
    situation, material, _, _ = labelled(plan=Plan(3, 2))
    trial = run_trial(own(LogisticRegression()), situation, material, Clock(LONG))
    row, said = 0, []
    for train, test in material.splits:
        if row in test:
            model = LogisticRegression().fit(material.matrix[train], material.truth[train])
            said.append(model.predict_proba(material.matrix[[row]])[0])
    assert len(said) == 2
    np.testing.assert_allclose(trial.unseen[row], np.mean(said, axis=0))


def test_only_rows_that_were_held_out_have_an_answer():
    situation, material, folds, _ = labelled(plan=Plan(3, hold_out=True))
    trial = run_trial(own(LogisticRegression()), situation, material, Clock(LONG))
    np.testing.assert_array_equal(material.covered, np.flatnonzero(folds == 0))
    train, test = material.splits[0]
    model = LogisticRegression().fit(material.matrix[train], material.truth[train])
    np.testing.assert_allclose(trial.unseen, model.predict_proba(material.matrix[test]))


@pytest.mark.slow
@pytest.mark.parametrize("make", [labelled, numbered])
def test_rounds_are_best_for_all_held_out_rows_together(make):
    """For each shape of trees, as many rounds as a plain search over them finds."""
    situation, material, _, _ = make(300, Plan(4))
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    trial = run_trial(boost, situation, material, Clock(LONG))
    shapes = [seat.estimator.growth for seat in trial.models]
    assert shapes == ["leaf", "symmetric"] * 2
    for turn in range(2):
        ends = [len(seat.estimator.pool_) for seat in trial.models[turn::2]]
        best = max(ends)
        losses = {}
        for rounds in (max(1, best // 2), best, best + 5):
            total = 0.0
            for (train, test), end in zip(material.splits[turn::2], ends, strict=True):
                # Held-out rows had stopped some models before.
                own = min(rounds, end) if end < best else rounds
                model = prepared(boost, situation, {"max_iter": own}, turn)
                fitted = model.fit(material.matrix[train], material.truth[train])
                if material.n_classes:
                    said = fitted.predict_proba(material.matrix[test])
                    total += log_loss(material.truth[test], said) * len(test)
                else:
                    said = fitted.predict(material.matrix[test])
                    total += ((said - material.truth[test]) ** 2).sum()
            losses[rounds] = total
        assert losses[best] == min(losses.values())


@pytest.mark.slow
def test_the_first_candidate_is_what_boosted_trees_averages():
    """Its models have the settings that BoostedTrees chooses for the same folds."""
    situation, material, _, _ = labelled(300, Plan(4))
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    X, y = material.matrix, material.truth
    whole = BoostedTreesClassifier(random_state=0).fit(X, y)
    estimator = boost.make(situation)
    for name in ("learning_rate", "max_iter"):
        assert getattr(estimator, name) == whole.chosen_[name].value
    train, test = material.splits[1]
    fitted = prepared(boost, situation, {}, 1).fit(X[train], y[train], X_val=X[test], y_val=y[test])
    assert fitted.chosen_["max_depth"].value == whole.chosen_["max_depth (symmetric)"].value


def test_a_forest_goes_on_with_fewer_trees():
    situation, material, _, _ = labelled()
    forest = RandomForestClassifier(40, random_state=0)
    attempt = Attempt(own(forest), situation, material, Clock(LONG))
    attempt.open()
    attempt.shrink(0.25)
    trial = attempt.finish()
    assert [len(seat.estimator.pool_) for seat in trial.models] == [40, 40, 10]
    assert trial.note == "10 trees for lack of time"


@pytest.mark.slow
def test_models_of_further_splits():
    situation, material, folds, _ = labelled(plan=Plan(3, hold_out=True))
    more = further_splits([folds], Plan(3, hold_out=True), None)
    material = replace(material, further=more)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    trial = run_trial(boost, situation, material, Clock(LONG))
    again = fit_again(boost, situation, material, trial.recipe, numbers=[1, 2])
    assert [seat.estimator.growth for seat in again] == ["symmetric", "leaf"]
    (rounds,) = trial.recipe.rounds
    assert len(again[1].estimator.pool_) == rounds
    # Nothing was judged of its shape, so the rows it leaves out tell.
    other = again[0].estimator
    train, test = more[0]
    own = prepared(boost, situation, {}, 1).set_params(max_iter=len(other.pool_) + 1)
    longer = own.fit(material.matrix[train], material.truth[train])
    losses = [
        log_loss(material.truth[test], model.predict_proba(material.matrix[test]))
        for model in (longer, other)
    ]
    assert losses[1] < losses[0]


def test_what_the_mean_of_the_models_gains():
    situation, material, _, metric = labelled(600)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    trial = run_trial(boost, situation, material, Clock(LONG))
    gain, error = gain_of_mean(boost, situation, material, trial, metric)
    train, rows = material.splits[0]
    other = prepared(boost, situation, {}, 1).set_params(max_iter=trial.recipe.rounds[1])
    other.fit(material.matrix[train], material.truth[train])
    cells, truth = material.matrix[rows], material.truth[rows]
    first, second = trial.models[0].ask(cells), other.predict_proba(cells)
    apart = (metric.loss(truth, first) + metric.loss(truth, second)) / 2
    together = metric.loss(truth, (first + second) / 2)
    assert gain == pytest.approx(2 * (1 - 1 / 3) * (apart - together))
    assert gain > error > 0
    # Asked about twice, rows know half of the mean of two models already.
    twice = replace(material, splits=material.splits * 2)
    trial.recipe.rounds.extend(trial.recipe.rounds)
    again, _ = gain_of_mean(boost, situation, twice, trial, metric)
    assert again == pytest.approx(2 * (1 / 2 - 1 / 6) * (apart - together))


def test_what_few_rows_say_of_the_gain_counts_for_little():
    """With a standard error as large as what is usual, half of the way is gone."""
    assert likely_gain(2.0) == pytest.approx(0.02)
    assert likely_gain(2.0, (0.5, 0.02)) == pytest.approx((0.5 + 0.02) / 2)
    assert likely_gain(2.0, (0.5, 100.0)) == pytest.approx(0.02, rel=1e-3)
    assert likely_gain(-0.0, (0.5, 0.1)) == 0.0


@pytest.mark.slow
def test_a_class_that_a_fold_never_saw_has_no_chance():
    situation, material, _, _ = labelled()
    codes = material.truth.copy()
    codes[material.splits[0][1][0]] = 2
    rare = type(material)(material.matrix, codes, material.splits, 3)
    for name in ("gradient boosting", "extra trees"):
        (candidate,) = choose_candidates([name], interpretable=False)
        trial = run_trial(candidate, situation, rare, Clock(LONG))
        assert trial.unseen.shape == (150, 3)
        np.testing.assert_allclose(trial.unseen.sum(axis=1), 1)
        assert (trial.unseen[material.splits[0][1], 2] == 0).all()


@pytest.mark.slow
def test_weights_reach_members_and_the_choice_of_rounds():
    plain = labelled()
    weight = np.where(plain[1].truth == 1, 5.0, 1.0)
    situation, material, _, _ = labelled(weight=weight)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    for candidate in (boost, own(make_pipeline(StandardScaler(), LogisticRegression()))):
        heavy = run_trial(candidate, situation, material, Clock(LONG)).unseen
        light = run_trial(candidate, plain[0], plain[1], Clock(LONG)).unseen
        assert heavy[:, 1].mean() > light[:, 1].mean() + 0.05


class Slow(LogisticRegression):
    """Takes its time."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.2)
        return super().fit(X, y, sample_weight)


def test_the_first_splits_tell_what_the_others_take():
    situation, material, _, _ = labelled(plan=Plan(5))
    attempt = Attempt(own(Slow()), situation, material, Clock(LONG))
    attempt.open()
    assert len(attempt.models) == 2
    assert attempt.rest_seconds >= 0.2
    assert attempt.said().shape == (len(attempt.opening.covered), 2)
    assert attempt.finish().unseen.shape == (150, 2)


def test_what_does_not_fit_into_the_time_is_given_up():
    situation, material, _, _ = labelled()
    with pytest.raises(OutOfTime, match="1 of 3 splits"):
        run_trial(own(Slow()), situation, material, Clock(0.3))


@pytest.mark.slow
def test_boosting_stops_when_its_time_is_over():
    situation, material, _, _ = labelled(plan=Plan(3, hold_out=True))
    endless = HistGradientBoostingClassifier(
        max_iter=20_000, learning_rate=1e-4, early_stopping=False
    )
    trial = run_trial(own(endless, rounds=True), situation, material, Clock(2.0))
    assert trial.note.endswith("for lack of time")
    assert len(trial.models[0].estimator.pool_) < 20_000
    assert trial.models[0].estimator.callbacks is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gradient boosting, sampled", "random forest"])
def test_models_are_fitted_again_from_their_recipe(name):
    situation, material, _, _ = labelled()
    (candidate,) = choose_candidates([name], interpretable=False)
    trial = run_trial(candidate, situation, material, Clock(LONG))
    again = fit_again(candidate, situation, material, trial.recipe)
    np.testing.assert_array_equal(ask_unseen(again, material), trial.unseen)


def test_other_cells_can_be_asked_about():
    situation, material, _, _ = labelled()
    trial = run_trial(own(LogisticRegression()), situation, material, Clock(LONG))
    np.testing.assert_array_equal(ask_unseen(trial.models, material), trial.unseen)
    shuffled = material.matrix[::-1]
    assert not np.allclose(ask_unseen(trial.models, material, shuffled), trial.unseen)


def test_deadlines_are_no_part_of_models():
    assert Deadline(0.0)(3, None)


@pytest.mark.slow
def test_boosting_far_from_its_end_is_given_up_if_there_are_other_members(monkeypatch):
    situation, material, _, _ = labelled(300)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    monkeypatch.setattr(Deadline, "__call__", lambda self, round_, trace: round_ >= 4)
    monkeypatch.setattr(Deadline, "left", property(lambda self: 0.0))
    trial = run_trial(boost, situation, material, Clock(LONG))
    assert "rounds for lack of time" in trial.note
    with pytest.raises(OutOfTime, match="rounds"):
        run_trial(boost, situation, material, Clock(LONG), thorough=True)


@pytest.mark.slow
def test_lanes_change_nothing():
    situation, material, _, _ = labelled(300)
    chosen = choose_candidates(["gradient boosting", "random forest"], interpretable=False)
    for candidate in chosen:
        alone = run_trial(candidate, situation, material, Clock(LONG))
        with parallel_config(backend="threading", n_jobs=2):
            beside = run_trial(candidate, situation, material, Clock(LONG))
        np.testing.assert_array_equal(alone.unseen, beside.unseen)
        assert alone.recipe == beside.recipe


def test_members_of_one_shape_gain_less_from_the_mean_of_their_models():
    known, other = (Trial("", "", np.zeros((1, 1)), noise=noise) for noise in (0.2, 0.0))
    np.testing.assert_allclose(noise_of([known, other]), [0.2, 0.06])
    assert noise_of([other]).tolist() == [0.0]

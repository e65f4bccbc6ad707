"""One candidate on all splits."""

import time

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import HistGradientBoostingClassifier
from coterie.automl.candidates import Candidate, choose_candidates
from coterie.automl.clock import Clock, Deadline, OutOfTime
from coterie.automl.splits import Plan
from coterie.automl.trial import (
    ask_unseen,
    fit_again,
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


@pytest.mark.parametrize("make", [labelled, numbered])
def test_rounds_are_best_for_all_held_out_rows_together(make):
    """As many rounds as a plain search over them finds, from the splits that went on longest."""
    situation, material, _, _ = make(300)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    trial = run_trial(boost, situation, material, Clock(LONG))
    best = int(trial.note.split()[0])
    assert {len(seat.estimator.pool_) for seat in trial.models[1:]} == {best}
    losses = {}
    for rounds in (max(1, best // 2), best, best + 5):
        model = boost.make(situation).set_params(max_iter=rounds)
        total = 0.0
        for train, test in material.splits[1:]:
            fitted = clone(model).fit(material.matrix[train], material.truth[train])
            if material.n_classes:
                said = fitted.predict_proba(material.matrix[test])
                total += log_loss(material.truth[test], said) * len(test)
            else:
                said = fitted.predict(material.matrix[test])
                total += ((said - material.truth[test]) ** 2).sum()
        losses[rounds] = total
    assert losses[best] == min(losses.values())


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


def test_what_does_not_fit_into_the_time_is_given_up():
    situation, material, _, _ = labelled()
    with pytest.raises(OutOfTime, match="1 of 3 splits"):
        run_trial(own(Slow()), situation, material, Clock(0.5))


def test_boosting_stops_when_its_time_is_over():
    situation, material, _, _ = labelled(plan=Plan(3, hold_out=True))
    endless = HistGradientBoostingClassifier(
        max_iter=20_000, learning_rate=1e-4, early_stopping=False
    )
    trial = run_trial(own(endless, rounds=True), situation, material, Clock(2.0))
    assert trial.note.endswith("for lack of time")
    assert len(trial.models[0].estimator.pool_) < 20_000
    assert trial.models[0].estimator.callbacks is None


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


def test_boosting_far_from_its_end_is_given_up_if_there_are_other_members(monkeypatch):
    situation, material, _, _ = labelled(300)
    (boost,) = choose_candidates(["gradient boosting"], interpretable=False)
    monkeypatch.setattr(Deadline, "__call__", lambda self, round_, trace: round_ >= 4)
    monkeypatch.setattr(Deadline, "left", property(lambda self: 0.0))
    trial = run_trial(boost, situation, material, Clock(LONG))
    assert trial.note.endswith("rounds for lack of time")
    with pytest.raises(OutOfTime, match="rounds of the first split"):
        run_trial(boost, situation, material, Clock(LONG), thorough=True)


def test_lanes_change_nothing():
    situation, material, _, _ = labelled(300)
    chosen = choose_candidates(["gradient boosting", "random forest"], interpretable=False)
    for candidate in chosen:
        alone = run_trial(candidate, situation, material, Clock(LONG))
        with parallel_config(backend="threading", n_jobs=2):
            beside = run_trial(candidate, situation, material, Clock(LONG))
        np.testing.assert_array_equal(alone.unseen, beside.unseen)
        assert alone.recipe == beside.recipe

"""Gradient boosting whose settings suit the table: what is averaged, and what can be overridden."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import log_loss

import coterie
from coterie import BoostedTreesClassifier, BoostedTreesRegressor, HistGradientBoostingRegressor

X, Y = load_breast_cancer(return_X_y=True)
NUMBERS, SIZES = load_diabetes(return_X_y=True)
SMALL = {"n_folds": 3, "max_iter": 15, "learning_rate": 0.2, "random_state": 0}


def small(**params):
    return BoostedTreesClassifier(**SMALL | params)


def test_one_model_is_that_of_the_engine():
    settings = {"max_leaf_nodes": 8, "min_samples_leaf": 5, "l2_regularization": 2.0}
    settings |= {"max_iter": 12, "learning_rate": 0.1}
    ours = BoostedTreesRegressor(
        growth="leaf", subsample=1.0, colsample_bytree=1.0, effort="single", **settings
    )
    plain = HistGradientBoostingRegressor(early_stopping=False, **settings)
    expected = plain.fit(NUMBERS, SIZES).predict(NUMBERS)
    np.testing.assert_array_equal(ours.fit(NUMBERS, SIZES).predict(NUMBERS), expected)


def test_the_forest_is_the_mean_of_the_models():
    model = small(calibrate=False).fit(X, Y)
    assert model.n_models_ == 3
    table = model._admit(X)
    scores = []
    for number, start in enumerate(model.starts_):
        part = model.pool_.take(np.flatnonzero(model.model_of_round_ == number))
        scores.append(start + 3 * part.raw(table)[:, 0])
    assert np.std(scores, axis=0).max() > 0.01
    np.testing.assert_allclose(model.decision_function(X), np.mean(scores, axis=0), rtol=1e-9)


def test_models_grow_leaf_by_leaf_and_symmetric_in_turn():
    model = small(max_depth=3, max_leaf_nodes=8, keep_best=False).fit(X, Y)
    assert model.chosen_["growth"].value == ("leaf", "symmetric")
    for number in range(3):
        trees = model.pool_.take(np.flatnonzero(model.model_of_round_ == number)).forest
        levels = [set(_questions(trees[t : t + 1])) for t in range(len(trees))]
        assert all(len(level) <= 3 for level in levels) == (number == 1)


def _questions(tree):
    """The (column, threshold) of every node that asks."""
    inner = tree.nodes["left"] >= 0
    return zip(tree.features[inner], tree.nodes["threshold"][inner], strict=True)


@pytest.mark.slow
def test_rounds_are_the_best_of_all_folds_together():
    noisy = np.where(np.random.default_rng(0).random(len(Y)) < 0.3, 1 - Y, Y)
    params = {"growth": "leaf", "max_iter": 60, "n_iter_no_change": 60, "calibrate": False}
    model = small(**params).fit(X, noisy)
    whole = small(**params, keep_best=False).fit(X, noisy)
    assert whole.n_iter_ == 180
    curves = [
        whole.trace_["validation_loss"][whole.model_of_round_ == number] for number in range(3)
    ]
    best = int(np.mean(curves, axis=0).argmin()) + 1
    assert best < 50
    assert np.bincount(model.model_of_round_).tolist() == [best] * 3
    assert model.stop_reason_ == "best_round"
    staged = list(whole.staged_decision_function(X))
    np.testing.assert_allclose(model.decision_function(X), staged[3 * best - 1], rtol=1e-9)


@pytest.mark.slow
def test_temperature_makes_held_out_rows_more_probable():
    noisy = np.where(np.random.default_rng(0).random(len(Y)) < 0.25, 1 - Y, Y)
    params = {"learning_rate": 0.5, "keep_best": False, "max_iter": 30}
    plain = small(calibrate=False, **params).fit(X[::2], noisy[::2])
    calm = small(calibrate=True, **params).fit(X[::2], noisy[::2])
    assert plain.temperature_ == 1.0
    assert calm.temperature_ < 0.9
    np.testing.assert_allclose(
        calm.decision_function(X), calm.temperature_ * plain.decision_function(X), rtol=1e-9
    )
    losses = [log_loss(noisy[1::2], m.predict_proba(X[1::2])) for m in (calm, plain)]
    assert losses[0] < losses[1]


def test_every_choice_can_be_overridden_and_is_seen():
    chosen = BoostedTreesRegressor(**SMALL).fit(NUMBERS, SIZES).chosen_
    assert {"growth", "subsample", "max_depth (symmetric)", "max_leaf_nodes (leaf)"} <= set(chosen)
    assert not {"n_folds", "max_iter", "learning_rate"} & set(chosen)
    assert all(choice.reason for choice in chosen.values())
    own = {"max_depth": 3, "max_leaf_nodes": 5, "min_samples_leaf": 4, "l2_regularization": 0.5}
    own |= {"subsample": 0.9, "colsample_bytree": 0.9, "growth": "level", "n_iter_no_change": 5}
    assert BoostedTreesRegressor(**SMALL | own).fit(NUMBERS, SIZES).chosen_ == {}


@pytest.mark.slow
def test_given_rows_take_the_place_of_folds():
    model = small(n_folds="auto").fit(X[::2], Y[::2], X_val=X[1::2], y_val=Y[1::2])
    assert model.n_models_ == 2
    assert model.temperature_ == 1.0
    assert len(model.validation_score_) > 1
    model = small(early_stopping=True, validation_fraction=0.3).fit(X, Y)
    assert model.n_models_ == 2
    model = small(early_stopping=False).fit(X, Y)
    assert len(model.validation_score_) == 0
    assert model.n_iter_ == 30


def test_a_class_too_rare_to_be_held_out():
    iris, species = load_iris(return_X_y=True)
    keep = np.r_[0:100, 100:102]
    model = small(max_iter=5).fit(iris[keep], species[keep])
    assert np.isfinite(model.predict_proba(iris)).all()
    assert model.n_models_ == 3
    few = small().fit(iris[[0, 1, 50, 51]], species[[0, 1, 50, 51]])
    assert few.n_models_ == 1
    assert "n_folds" not in few.chosen_


def test_a_model_to_start_from_is_one_for_all():
    model = small(init=DummyClassifier(strategy="prior")).fit(X, Y)
    assert model.n_models_ == 1
    assert isinstance(model.init_, DummyClassifier)


@pytest.mark.slow
def test_warm_start_adds_to_every_model():
    params = {"n_iter_no_change": 50, "keep_best": False, "subsample": 0.7}
    model = small(warm_start=True, max_iter=4, **params).fit(X, Y)
    assert model.n_iter_ == 12
    model.set_params(max_iter=10).fit(X, Y)
    whole = small(max_iter=10, **params).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X), rtol=1e-9)
    with pytest.raises(ValueError, match="max_iter=3 must be larger"):
        model.set_params(max_iter=3).fit(X, Y)
    with pytest.raises(ValueError, match="keeps 3 models, but the current settings need 4"):
        model.set_params(max_iter=12, n_folds=4).fit(X, Y)


@pytest.mark.slow
def test_time_is_kept():
    model = small(max_iter=100_000, time_limit=0.2, n_iter_no_change=100_000).fit(X, Y)
    assert model.n_models_ == 1
    assert model.trace_["seconds"].sum() < 5


def test_dropped_trees_keep_their_weights():
    model = small(boosting="dart", drop_rate=0.5, skip_drop=0.0).fit(X, Y)
    assert model.score(X, Y) > 0.9


def test_effort_fast_draws_nothing():
    first = BoostedTreesClassifier(effort="single", max_iter=10, random_state=1).fit(X, Y)
    second = BoostedTreesClassifier(effort="single", max_iter=10, random_state=2).fit(X, Y)
    assert first.n_models_ == 1
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))


def test_explanations_are_exact_and_files_keep_all(tmp_path):
    model = small().fit(X, Y)
    found = coterie.shap_values(model, X[:5])
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, model.decision_function(X[:5]))
    coterie.save(model, tmp_path / "model.coterie")
    loaded = coterie.load(tmp_path / "model.coterie")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.chosen_ == model.chosen_


@pytest.mark.slow
def test_columns_of_many_words_become_statistics():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 17, 900)
    y = (rng.normal(size=17)[words] + rng.normal(size=900) > 0).astype(int)
    frame = pd.DataFrame({"few": pd.Categorical(words % 3), "many": pd.Categorical(words)})
    model = small().fit(frame, y)
    assert list(model.ordered_.statistics) == [1]
    assert model.score(frame, y) > 0.65
    unseen = frame.assign(many=pd.Categorical([99] * 900))
    assert np.isfinite(model.predict_proba(unseen)).all()
    watched = small().fit(frame[:870], y[:870], X_val=frame[870:], y_val=y[870:])
    expected = log_loss(y[870:], watched.predict_proba(frame[870:]))
    assert watched.n_models_ == 2
    assert expected < log_loss(y[870:], np.full((30, 2), 0.5))
    assert small(high_cardinality="split").fit(frame, y).ordered_ is None
    assert small(effort="single").fit(frame, y).ordered_ is None


@pytest.mark.slow
def test_functions_as_losses_are_not_judged_by_their_value():
    def squares(y, raw):
        return raw - y, np.ones_like(y)

    model = BoostedTreesRegressor(loss=squares, random_state=0).fit(NUMBERS, SIZES)
    assert model.n_models_ == 2
    judged = BoostedTreesRegressor(**SMALL, loss=squares, scoring="error").fit(NUMBERS, SIZES)
    assert judged.n_models_ == 3


def test_eval_sets_decide_too():
    model = small().fit(X[::2], Y[::2], eval_set=[(X[1::2], Y[1::2])], eval_names=["other"])
    assert model.n_models_ == 2
    assert "other_loss" in model.trace_.names
    assert model.stop_reason_ in ("best_round", "max_iter")


def test_several_outputs():
    both = np.column_stack([SIZES, -SIZES])
    model = BoostedTreesRegressor(**SMALL).fit(NUMBERS, both)
    assert model.predict(NUMBERS).shape == both.shape
    assert model.score(NUMBERS, both) > 0.4


def test_the_first_rounds_are_a_model():
    model = small().fit(X, Y)
    staged = list(model.staged_decision_function(X))
    np.testing.assert_allclose(model[:6].decision_function(X), staged[5], rtol=1e-9)

"""From admitted rows to results: parts, rows given to watch, small weights."""

import numpy as np
import pytest

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tests.boosting.gradient.tables import SMALL, numbers, three_classes, two_classes

WATCHED = {**SMALL, "early_stopping": True}


def test_given_rows_are_only_watched():
    X, y = numbers(300)
    plain = HistGradientBoostingRegressor(**SMALL).fit(X, y)
    watched = HistGradientBoostingRegressor(n_iter_no_change=50, **WATCHED)
    watched.fit(X, y, X_val=X[:50], y_val=y[:50] * 2)
    size = watched.n_iter_
    np.testing.assert_allclose(
        watched.predict(X), list(plain.staged_predict(X))[size - 1], rtol=1e-12
    )
    expected = 0.5 * np.mean((2 * y[:50] - watched.predict(X[:50])) ** 2)
    assert -watched.validation_score_[-1] == pytest.approx(expected)


def test_labels_of_given_rows_are_those_of_the_fit():
    X, y = three_classes(300)
    names = np.array(["low", "mid", "top"])
    model = HistGradientBoostingClassifier(**WATCHED)
    some = y != 0  # codes of the labels by themselves would begin at "mid"
    model.fit(X, names[y], X_val=X[some], y_val=names[y[some]])
    p = model.predict_proba(X[some])
    expected = -np.log(p[np.arange(len(p)), y[some]]).mean()
    assert -model.validation_score_[-1] == pytest.approx(expected)
    with pytest.raises(ValueError, match="'else'"):
        model.fit(X, names[y], X_val=X[:2], y_val=["low", "else"])


@pytest.mark.parametrize(
    ("params", "given", "message"),
    [
        ({}, {"X_val": 1}, "y_val was not"),
        ({}, {"y_val": 1}, "X_val was not"),
        ({"early_stopping": False}, {"X_val": 1, "y_val": 1}, "early_stopping is False"),
        ({}, {"X_val": 1, "y_val": 1, "init_score_val": np.zeros(50)}, "together"),
    ],
)
def test_rows_to_watch_are_checked(params, given, message):
    X, y = numbers(50)
    parts = {"X_val": X, "y_val": y}
    given = {name: parts.get(name, value) for name, value in given.items()}
    with pytest.raises(ValueError, match=message):
        HistGradientBoostingRegressor(**params).fit(X, y, **given)


@pytest.mark.slow
def test_held_out_rows_are_not_learnt_from():
    X, y = numbers(100)
    settings = {**WATCHED, "max_iter": 1}
    first = HistGradientBoostingRegressor(**settings).fit(X, y)
    held = 0
    for row in range(100):
        moved = y + (np.arange(100) == row)
        second = HistGradientBoostingRegressor(**settings).fit(X, moved)
        same = np.array_equal(first.predict(X), second.predict(X))
        assert same == np.array_equal(first.train_score_, second.train_score_)
        assert not np.array_equal(first.validation_score_, second.validation_score_)
        held += same
    assert held == 10


def test_number_of_rows_held_out():
    X, y = numbers(300)
    weight = np.random.default_rng(0).uniform(0.5, 1, 300)
    model = HistGradientBoostingRegressor(**{**WATCHED, "validation_fraction": 40})
    model.fit(X, y, weight)
    assert model.estimators_[0].tree_.n_node_samples[0] == 260


def test_weights_of_any_size_learn():
    X, y = two_classes(300)
    weight = np.random.default_rng(0).uniform(0.5, 1, 300)
    expected = HistGradientBoostingClassifier(**SMALL).fit(X, y, weight).decision_function(X)
    tiny = HistGradientBoostingClassifier(**SMALL).fit(X, y, weight * 1e-12).decision_function(X)
    np.testing.assert_allclose(tiny, expected, rtol=1e-6, atol=1e-9)


def test_vector_leaves_are_one_tree_a_round():
    X, y = three_classes(600)
    X_new, y_new = three_classes(600, seed=5)
    settings = {**SMALL, "max_iter": 40}
    vector = HistGradientBoostingClassifier(multiclass="vector", **settings).fit(X, y)
    each = HistGradientBoostingClassifier(**settings).fit(X, y)
    assert vector.n_trees_per_iteration_ == vector.pool_.width == 1
    assert each.n_trees_per_iteration_ == each.pool_.width == 3
    assert vector.pool_.forest.values.shape[1] == 3
    assert abs(vector.score(X_new, y_new) - each.score(X_new, y_new)) < 0.05
    assert vector.decision_function(X).shape == (600, 3)
    assert vector.apply(X).shape == (600, 40)


def test_results():
    X, y = numbers(300)
    model = HistGradientBoostingRegressor(**WATCHED).fit(X, y)
    assert model.do_early_stopping_
    assert model.n_iter_ == len(model.pool_) == len(model.trace_) == len(model.estimators_)
    assert {"seconds", "leaves", "weight"} <= set(model.trace_.names)
    assert model.trace_["leaves"].max() <= 8
    assert model.start_.shape == (1,)
    assert not hasattr(model, "scored_")

"""Shapley interaction values, against brute force and the package shap."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from coterie import (
    DecisionTreeRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from coterie.interpretation import shap_values
from tests.boosting.gradient.tables import numbers, three_classes


def expected(view, x, known, node=0):
    """What a tree says of a row of which some columns are known."""
    left, right = view.children_left[node], view.children_right[node]
    if left < 0:
        return view.value[node].ravel()[0]
    if view.feature[node] in known:
        value = x[view.feature[node]]
        goes = view.missing_go_to_left[node] if np.isnan(value) else value <= view.threshold[node]
        return expected(view, x, known, left if goes else right)
    weights = view.weighted_n_node_samples
    share = weights[left] / (weights[left] + weights[right])
    first, second = (expected(view, x, known, child) for child in (left, right))
    return share * first + (1 - share) * second


def brute_force(view, x, i, j, d):
    total = 0.0
    others = [column for column in range(d) if column not in (i, j)]
    for size in range(len(others) + 1):
        factor = factorial(size) * factorial(d - size - 2) / (2 * factorial(d - 1))
        for some in map(set, combinations(others, size)):
            both, first = expected(view, x, some | {i, j}), expected(view, x, some | {i})
            second, none = expected(view, x, some | {j}), expected(view, x, some)
            total += factor * (both - first - second + none)
    return total


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_brute_force(missing):
    X, y = numbers(200, missing=missing)
    tree = DecisionTreeRegressor(max_depth=5).fit(X, y)
    found = shap_values(tree, X[:4], interactions=True).interactions
    for row in range(4):
        for i, j in combinations(range(X.shape[1]), 2):
            known = brute_force(tree.tree_, X[row], i, j, X.shape[1])
            assert found[row, i, j] == pytest.approx(known, rel=1e-5, abs=1e-6)
            assert found[row, j, i] == pytest.approx(known, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingRegressor(max_iter=10),
        RandomForestRegressor(n_estimators=5, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_rows_add_up_to_the_values(model):
    X, y = numbers(missing=0.1)
    model.fit(X, y)
    found = shap_values(model, X[:20], interactions=True)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-9)
    np.testing.assert_allclose(found.interactions, found.interactions.swapaxes(1, 2), atol=1e-12)
    assert shap_values(model, X[:2]).interactions is None


def test_every_class_has_its_own():
    X, y = three_classes()
    model = HistGradientBoostingClassifier(max_iter=5, n_jobs=2).fit(X, y)
    found = shap_values(model, X[:20], interactions=True)
    assert found.interactions.shape == (20, X.shape[1], X.shape[1], 3)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-9)


def test_an_additive_model_has_none():
    X, y = numbers()
    model = HistGradientBoostingRegressor(max_depth=1).fit(X, y)
    found = shap_values(model, X[:10], interactions=True).interactions
    np.testing.assert_allclose(found, found * np.eye(X.shape[1]), atol=1e-12)


@pytest.mark.slow
def test_shap_says_the_same():
    shap = pytest.importorskip("shap")
    from sklearn.tree import DecisionTreeRegressor as Theirs

    X, y = numbers(300)
    theirs = Theirs(max_depth=4, random_state=0).fit(X, y)
    ours = DecisionTreeRegressor(max_depth=4).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    known = shap.TreeExplainer(theirs).shap_interaction_values(X[:15])
    found = shap_values(ours, X[:15], interactions=True).interactions
    np.testing.assert_allclose(found, known, atol=1e-4)


def test_a_background_has_no_interactions():
    X, y = numbers()
    model = HistGradientBoostingRegressor(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="combined with background"):
        shap_values(model, X, background=X, interactions=True)

"""Medians in the nodes of trees grown by absolute error."""

import numpy as np
import pytest
import sklearn
from sklearn import tree as sk

import coterie

X = np.random.default_rng(0).integers(0, 30, size=(200, 3)).astype(np.float32)
Y = X[:, 0] * (X[:, 1] > 10) + np.random.default_rng(1).normal(size=200) ** 3
WEIGHT = np.random.default_rng(2).integers(1, 5, size=200).astype(float)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_inner_nodes_hold_medians(weight):
    if weight is not None and tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9):
        pytest.skip("scikit-learn 1.6 takes another weighted median")
    settings = {"criterion": "absolute_error", "max_depth": 3, "random_state": 0}
    ours = coterie.DecisionTreeRegressor(**settings).fit(X, Y, weight)
    theirs = sk.DecisionTreeRegressor(**settings).fit(X, Y, weight)
    np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value)
    means = coterie.DecisionTreeRegressor(max_depth=4).fit(X, Y, weight)
    assert not hasattr(means, "medians_")


def test_medians_keep_to_the_constraints():
    tree = coterie.DecisionTreeRegressor(
        criterion="absolute_error", monotonic_cst=[1, 0, -1], random_state=0
    ).fit(X, Y)
    nodes = tree.tree_
    value = nodes.value[:, 0, 0]
    for column, sign in ((0, 1), (2, -1)):
        for node in np.flatnonzero(nodes.feature == column):
            left, right = nodes.children_left[node], nodes.children_right[node]
            assert sign * value[left] <= sign * value[right]


def test_pruned_branches_become_medians():
    settings = {"criterion": "absolute_error", "random_state": 0}
    for alpha in (0.02, 0.1, 0.5):
        ours = coterie.DecisionTreeRegressor(ccp_alpha=alpha, **settings).fit(X, Y)
        leaves, said = ours.apply(X), ours.predict(X)
        for leaf in np.unique(leaves):
            inside = leaves == leaf
            np.testing.assert_allclose(said[inside], np.median(Y[inside]))
    whole = coterie.DecisionTreeRegressor(**settings).fit(X, Y)
    assert 1 < ours.get_n_leaves() < whole.get_n_leaves() / 4
    assert coterie.RandomForestRegressor(2, ccp_alpha=0.1, **settings).fit(X, Y).score(X, Y) > 0.3

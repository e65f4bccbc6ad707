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


def cost(y, weight):
    """The least weighted sum of distances to one number, which is one of the targets."""
    return min((weight * np.abs(y - middle)).sum() for middle in y)


# The last ones are too different to be taken by the list of ranked rows.
@pytest.mark.parametrize("weights", [(1, 2), (1, 17), (1, 400)])
@pytest.mark.parametrize("distinct", [4, 1000])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_first_split_is_the_best_one(weights, distinct, offset):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.integers(12, size=(40, 2)).astype(np.float32)
        y, weight = offset + rng.integers(distinct, size=40) / 8, rng.integers(*weights, size=40)
        stump = coterie.DecisionTreeRegressor(
            criterion="absolute_error", max_depth=1, min_samples_leaf=3
        ).fit(x, y, weight)
        found = [
            cost(y[left], weight[left]) + cost(y[~left], weight[~left])
            for column in x.T
            for left in (column <= cut for cut in np.unique(column))
            if 3 <= left.sum() <= len(y) - 3
        ]
        leaves = stump.apply(x)
        parts = [leaves == leaf for leaf in np.unique(leaves)]
        assert len(parts) == 2
        got = sum(cost(y[part], weight[part]) for part in parts)
        np.testing.assert_allclose(got, min(found), rtol=1e-9)
        nodes = stump.tree_
        shares = nodes.weighted_n_node_samples[1:] * nodes.impurity[1:]
        np.testing.assert_allclose(shares.sum(), got, rtol=1e-5)


@pytest.mark.parametrize("missing", [False, True])
def test_drawn_splits_say_medians_and_distances(missing):
    x, y = X.copy(), np.round(Y, 1)
    if missing:
        x[::7, 0] = np.nan
    tree = coterie.ExtraTreeRegressor(criterion="absolute_error", max_depth=4, random_state=0).fit(
        x, y, WEIGHT
    )
    nodes, reached = tree.tree_, tree.decision_path(x).toarray().astype(bool)
    assert nodes.node_count > 9
    for node in range(nodes.node_count):
        inside = reached[:, node]
        np.testing.assert_allclose(
            nodes.impurity[node] * WEIGHT[inside].sum(),
            cost(y[inside], WEIGHT[inside]),
            rtol=1e-5,
            atol=1e-6,
        )

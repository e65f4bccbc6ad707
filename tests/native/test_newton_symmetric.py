"""Trees all nodes of a level of which are split alike."""

import numpy as np
import pytest

from coterie.native import NewtonGrowth, NewtonTable, Slopes, encode, find_bins, grow_newton


def grow(X, gradient, hessian=None, *, categorical=None, plain=False, **settings):
    bins = find_bins(X, categorical=categorical)
    codes = encode(X, bins)
    table = NewtonTable.of(codes, bins)
    if plain:
        table = NewtonTable(np.ascontiguousarray(codes), np.asfortranarray(codes), bins)
    leaves = np.empty(len(X), dtype=np.int32)
    given = {"symmetric": True, "max_leaf_nodes": None, "min_samples_leaf": 1, **settings}
    growth = NewtonGrowth(min_child_weight=1e-3, **given)
    tree = grow_newton(table, Slopes(gradient, hessian), growth, leaves=leaves)
    np.testing.assert_array_equal(tree.values[leaves], tree.predict(X))
    return tree, leaves


def score(g, h, rows, l2):
    return g[rows].sum() ** 2 / (h[rows].sum() + l2)


def rules(X):
    """Rows that go left, for every boundary of every column."""
    for j in range(X.shape[1]):
        gone = np.isnan(X[:, j])
        known = np.unique(X[~gone, j])
        for missing_left in (False, True) if gone.any() else (False,):
            last = len(known) - (missing_left or not gone.any())
            for value in known[:last]:
                yield (X[:, j] <= value) | (gone & missing_left)


def parts(node, left, least):
    sides = node & left, node & ~left
    return sides if min(side.sum() for side in sides) >= least else (node,)


def by_hand(X, g, h, *, depth, l2, least):
    """Values of the rows, from a search over all rules of every level."""

    def worth(nodes):
        return sum(score(g, h, node, l2) for node in nodes)

    nodes = [np.ones(len(X), dtype=bool)]
    for _ in range(depth):
        best = nodes
        for left in rules(X):
            found = [part for node in nodes for part in parts(node, left, least)]
            if worth(found) > worth(best) + 1e-9:
                best = found
        if best is nodes:
            break
        nodes = best
    values = np.empty(len(X))
    for node in nodes:
        values[node] = -g[node].sum() / (h[node].sum() + l2)
    return values, len(nodes)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("least", "l2"), [(1, 1.0), (6, 0.0)])
def test_equals_a_search_over_all_rules(seed, least, l2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(60, 3)).astype(float)
    if seed % 2:
        X[rng.random(X.shape) < 0.15] = np.nan
    g, h = rng.normal(size=60), rng.uniform(0.5, 1.5, 60)
    tree, leaves = grow(X, g, h, max_depth=3, l2=l2, min_samples_leaf=least)
    expected, n_leaves = by_hand(X, g, h, depth=3, l2=l2, least=least)
    np.testing.assert_allclose(tree.values[leaves, 0], expected)
    assert len(tree.values) == n_leaves


def test_nodes_of_a_level_have_one_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = 4 * (X[:, 3] > 0) + 2 * (X[:, 1] > 0.5) * (X[:, 3] > 0) + (X[:, 0] > 0)
    tree, _ = grow(X, y.mean() - y, max_depth=3, min_samples_leaf=20)
    level, columns = [0], []
    while level:
        inner = [k for k in level if tree.nodes["left"][k] >= 0]
        rules = {(int(tree.features[k]), tree.nodes["threshold"][k]) for k in inner}
        columns.append(sorted(rules))
        level = [c for k in inner for c in (tree.nodes["left"][k], tree.nodes["left"][k] + 1)]
    assert [[column for column, _ in rules] for rules in columns] == [[3], [1], [0], []]
    assert len(tree.values) == 8


def test_one_level_is_a_stump():
    rng = np.random.default_rng(1)
    X, g = rng.normal(size=(500, 4)), rng.normal(size=500)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = rng.integers(0, 9, 500)
    settings = {"categorical": np.arange(4) == 3, "max_depth": 1, "l2": 2.0}
    one, _ = grow(X, g, **settings)
    other, _ = grow(X, g, symmetric=False, **settings)
    np.testing.assert_array_equal(one.nodes, other.nodes)
    np.testing.assert_allclose(one.values, other.values)


def sparse_table(rng, n):
    X = rng.integers(1, 60, size=(n, 8)) * (rng.random((n, 8)) < 0.2).astype(float)
    X[rng.random(n) < 0.05, 3] = np.nan
    X[:, 7] = rng.integers(0, 5, size=n) * (X[:, 6] > 0)
    return X, np.arange(8) == 7


@pytest.mark.parametrize("precision", ["packed", "exact"])
def test_layout_threads_and_precision_change_nothing(precision):
    """Slopes of three levels lose nothing when packed."""
    rng = np.random.default_rng(2)
    X, categorical = sparse_table(rng, 9000)
    g = np.sign(rng.integers(-1, 2, 9000) + (X[:, 0] > 30) - (X[:, 7] == 2)).astype(float)
    h = (rng.random(9000) < 0.7).astype(float)
    settings = {"categorical": categorical, "max_depth": 5, "min_samples_leaf": 30}
    exact, _ = grow(X, g, h, precision="exact", **settings)
    for plain in (False, True):
        tree, leaves = grow(X, g, h, precision=precision, plain=plain, **settings)
        np.testing.assert_array_equal(tree.nodes, exact.nodes)
        np.testing.assert_allclose(tree.values, exact.values, rtol=1e-12)
        assert np.bincount(leaves).min() >= 30


def test_limits_hold():
    rng = np.random.default_rng(3)
    X, g = rng.normal(size=(2000, 6)), rng.normal(size=2000)
    assert len(grow(X, g, max_depth=3)[0].values) == 8
    assert len(grow(X, g, max_depth=9, max_leaf_nodes=31)[0].values) <= 31
    assert len(grow(X, g, max_depth=9, min_gain=1e9)[0].values) == 1
    assert len(grow(X, np.zeros(2000), max_depth=9)[0].values) == 1
    assert len(grow(X[:1], g[:1], max_depth=9)[0].values) == 1


def test_monotone_columns_stay_monotone():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2000, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1]
    tree, _ = grow(X, y.mean() - y, max_depth=6, monotone=np.array([1, 0], dtype=np.int8))
    grid = np.column_stack([np.linspace(-3, 3, 200), np.zeros(200)])
    assert (np.diff(tree.predict(grid)[:, 0]) >= 0).all()


def test_interactions_are_kept_apart():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1000, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]
    groups = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    tree, _ = grow(X, y.mean() - y, max_depth=4, interactions=groups)
    used = {int(j) for j in tree.features[tree.nodes["left"] >= 0]}
    assert used <= {0, 1} or used <= {2, 3}
    assert len(used) == 2

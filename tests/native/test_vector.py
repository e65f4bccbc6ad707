"""One tree for all scores."""

import numpy as np
import pytest

from coterie.native import (
    Effort,
    NewtonGrowth,
    NewtonTable,
    Slopes,
    encode,
    find_bins,
    grow_newton,
    grow_vector,
)

RNG = np.random.default_rng(0)


def table(n=500, d=4, scores=3, missing=0.0, kind=np.float64):
    X = np.round(RNG.normal(size=(n, d)), 1)
    gradient = np.stack([X[:, k % d] + 0.1 * RNG.normal(size=n) for k in range(scores)], axis=1)
    X[RNG.random((n, d)) < missing] = np.nan
    bins = find_bins(X)
    hessian = RNG.uniform(0.5, 2.0, size=gradient.shape)
    order = np.asfortranarray
    return X, encode(X, bins), bins, order(gradient.astype(kind)), order(hessian.astype(kind))


def best_first_cut(X, gradient, hessian, l2, least):
    """The split of the root by trying all of them."""
    best = (0.0, None)
    mean = hessian.mean(axis=1)

    def worth(rows):
        return (gradient[rows].sum(axis=0) ** 2).sum() / (mean[rows].sum() + l2)

    everything = np.ones(len(X), dtype=bool)
    for j in range(X.shape[1]):
        for cut in np.unique(X[:, j])[:-1]:
            left = X[:, j] <= cut
            if min(left.sum(), (~left).sum()) < least:
                continue
            gain = worth(left) + worth(~left) - worth(everything)
            if gain > best[0]:
                best = (gain, (j, left))
    return best


@pytest.mark.parametrize("precision", ["packed", "exact"])
@pytest.mark.parametrize("scores", [2, 3, 7, 30])
def test_the_first_split_is_the_best(precision, scores):
    X, codes, bins, gradient, hessian = table(scores=scores)
    growth = NewtonGrowth(
        max_leaf_nodes=2, min_samples_leaf=20, l2=1.0, precision=precision, min_child_weight=0.0
    )
    leaves = np.empty(len(X), dtype=np.int32)
    tree = grow_vector(codes, bins, Slopes(gradient, hessian), growth, leaves=leaves)
    gain, (column, left) = best_first_cut(X, gradient, hessian, 1.0, 20)
    assert tree.features[0] == column
    np.testing.assert_array_equal(leaves == 0, left)
    for leaf, rows in enumerate((left, ~left)):
        steps = -gradient[rows].sum(axis=0) / (hessian[rows].sum(axis=0) + 1.0)
        np.testing.assert_allclose(tree.values[leaf], steps, rtol=1e-9)
    risk = tree.weight.astype(float) * tree.impurity
    assert risk[0] - risk[1] - risk[2] == pytest.approx(gain, rel=1e-4)
    np.testing.assert_array_equal(tree.n_samples, [500, left.sum(), (~left).sum()])


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_one_score_is_a_tree_on_slopes(missing):
    X, codes, bins, gradient, hessian = table(scores=1, missing=missing)
    growth = NewtonGrowth(max_leaf_nodes=12, min_samples_leaf=10, l2=0.5, precision="exact")
    vector = grow_vector(codes, bins, Slopes(gradient, hessian), growth)
    slopes = Slopes(np.ascontiguousarray(gradient[:, 0]), np.ascontiguousarray(hessian[:, 0]))
    leaves = np.empty(len(X), dtype=np.int32)
    plain = grow_newton(NewtonTable.of(codes, bins), slopes, growth, leaves=leaves)
    assert len(vector.values) == len(plain.values)
    np.testing.assert_allclose(vector.predict(X), plain.predict(X), rtol=1e-9)


@pytest.mark.parametrize("precision", ["packed", "exact"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_threads_and_leaves(precision, kind):
    X, codes, bins, gradient, hessian = table(6000, scores=5, missing=0.1, kind=kind)
    growth = NewtonGrowth(max_leaf_nodes=20, precision=precision)
    trees = []
    for n_threads in (1, 3):
        leaves = np.empty(len(X), dtype=np.int32)
        slopes = Slopes(gradient, hessian)
        effort = Effort(n_threads)
        tree = grow_vector(codes, bins, slopes, growth, leaves=leaves, effort=effort)
        np.testing.assert_array_equal(tree.predict(X), tree.values[leaves])
        trees.append(tree)
    assert trees[0].nodes.tobytes() == trees[1].nodes.tobytes()
    assert trees[0].values.tobytes() == trees[1].values.tobytes()


def test_rows_columns_and_limits():
    X, codes, bins, gradient, hessian = table()
    rows = np.arange(0, 500, 2, dtype=np.int32)
    growth = NewtonGrowth(max_depth=2, columns=np.array([1, 2], dtype=np.int32), max_features=1)
    tree = grow_vector(codes, bins, Slopes(gradient, hessian, rows), growth, seed=3)
    inner = tree.nodes["left"] >= 0
    assert set(tree.features[inner]) <= {1, 2}
    assert tree.depths()[0] <= 2
    assert tree.n_samples[0] == 250
    half = grow_vector(
        np.ascontiguousarray(codes[::2]),
        bins,
        Slopes(np.asfortranarray(gradient[::2]), np.asfortranarray(hessian[::2])),
        growth,
        seed=3,
    )
    np.testing.assert_allclose(half.predict(X), tree.predict(X))


def test_interactions_are_kept_apart():
    _, codes, bins, gradient, _ = table(2000)
    groups = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    growth = NewtonGrowth(max_leaf_nodes=16, interactions=groups)
    tree = grow_vector(codes, bins, Slopes(gradient), growth)
    parent = {}
    for node in np.flatnonzero(tree.nodes["left"] >= 0):
        for child in (tree.nodes["left"][node], tree.nodes["left"][node] + 1):
            parent[child] = node
    used = set()
    for node in np.flatnonzero(tree.nodes["left"] < 0):
        at, columns = node, set()
        while at in parent:
            at = parent[at]
            columns.add(int(tree.features[at]))
        assert columns <= {0, 1} or columns <= {2, 3}
        used |= columns
    assert len(used) > 2 or used <= {0, 1} or used <= {2, 3}


def test_categories_are_split_as_sets():
    codes = RNG.integers(0, 5, size=(1000, 1))
    gradient = np.zeros((1000, 2))
    gradient[np.isin(codes[:, 0], (1, 3)), 0] = 1.0
    gradient[np.isin(codes[:, 0], (1, 3)), 1] = -2.0
    X = codes.astype(float)
    bins = find_bins(X, categorical=np.array([True]))
    tree = grow_vector(
        encode(X, bins), bins, Slopes(np.asfortranarray(gradient)), NewtonGrowth(max_leaf_nodes=2)
    )
    said = tree.predict(np.arange(5.0)[:, None])
    np.testing.assert_allclose(said[[1, 3]], [[-1.0, 2.0]] * 2)
    np.testing.assert_allclose(said[[0, 2, 4]], 0.0)


def test_bad_slopes():
    _, codes, bins, gradient, hessian = table()
    with pytest.raises(ValueError, match="gradients of the loss are NaN"):
        grow_vector(codes, bins, Slopes(gradient * np.nan, hessian), NewtonGrowth())
    with pytest.raises(ValueError, match="hessian: negative"):
        grow_vector(codes, bins, Slopes(gradient, -hessian), NewtonGrowth())
    bad = Slopes(gradient, hessian, np.array([3, 2], dtype=np.int32))
    with pytest.raises(ValueError, match="rows: ascending"):
        grow_vector(codes, bins, bad, NewtonGrowth())

import numpy as np
import pytest

from coterie.native import NewtonGrowth, NewtonTable, Slopes, encode, find_bins, grow_newton
from coterie.native.halves import Shard, grow_from_shards

N = 3000


def task(**settings):
    """A table with missing values and categories; slopes whose sums are exact as they are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6)).round(1)
    X[:, 4] = rng.integers(0, 9, size=N)
    X[rng.random(N) < 0.1, 1] = np.nan
    signal = X[:, 0] + np.nan_to_num(X[:, 1]) * (X[:, 4] % 3) + rng.normal(size=N)
    bins = find_bins(X, categorical=np.arange(6) == 4)
    hessian = rng.integers(1, 16, size=N) / 16
    return encode(X, bins), bins, (8 * signal).round() / 8, hessian, NewtonGrowth(**settings)


def shards_of(codes, bins, gradient, hessian, growth, cuts):
    return [
        Shard(
            NewtonTable(
                np.ascontiguousarray(codes[begin:end]), np.asfortranarray(codes[begin:end]), bins
            ),
            Slopes(gradient[begin:end], None if hessian is None else hessian[begin:end]),
            growth,
            first_row=begin,
        )
        for begin, end in zip([0, *cuts], [*cuts, N], strict=True)
    ]


@pytest.mark.parametrize("precision", ["packed", "exact"])
@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 20},
        {"max_leaf_nodes": 20, "min_samples_leaf": 100},
        {"max_leaf_nodes": None, "max_depth": 4, "level_wise": True, "min_gain": 20.0},
        {"max_leaf_nodes": None, "max_depth": 4, "symmetric": True, "min_samples_leaf": 60},
        {"monotone": np.array([1, -1, 0, 0, 0, 0], dtype=np.int8), "l2": 1.0, "max_features": 3},
        {"max_leaf_nodes": 1},
    ],
    ids=["leaf", "strict", "level", "symmetric", "monotone", "root"],
)
def test_halves_grow_the_tree_of_one_call_however_rows_are_spread(settings, precision):
    codes, bins, gradient, hessian, growth = task(**settings, precision=precision)
    table = NewtonTable(codes, np.asfortranarray(codes), bins)
    leaves = np.empty(N, dtype=np.int32)
    whole = grow_newton(table, Slopes(gradient, hessian), growth, seed=3, leaves=leaves)
    for cuts in ([], [700, 701, 2500]):
        shards = shards_of(codes, bins, gradient, hessian, growth, cuts)
        tree = grow_from_shards(shards, add=lambda arrays: np.sum(arrays, axis=0), seed=3)
        for name in ("nodes", "values", "n_samples", "weight", "impurity", "categories"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(whole, name))
        np.testing.assert_array_equal(np.concatenate([s.leaves for s in shards]), leaves)


def test_a_column_that_packed_sums_misjudge_is_counted():
    """The case above must reach the question that only row counts answer."""
    codes, bins, gradient, hessian, growth = task(
        max_leaf_nodes=20, min_samples_leaf=100, precision="packed"
    )
    (shard,) = shards_of(codes, bins, gradient, hessian, growth, [])
    asked = []
    shard.codes = lambda node, column, size: (
        asked.append(column) or Shard.codes(shard, node, column, size)
    )
    grow_from_shards([shard], add=lambda arrays: arrays[0], seed=3)
    assert asked


def test_what_does_not_fit_is_refused():
    codes, bins, gradient, hessian, growth = task()
    (shard,) = shards_of(codes, bins, gradient, hessian, growth, [])
    shard.open(shard.scale(), seed=0)
    with pytest.raises(ValueError, match="one flag per column"):
        shard.histogram(0, np.zeros(2, dtype=np.uint8))
    with pytest.raises(IndexError):
        shard.histogram(5, np.zeros(6, dtype=np.uint8))
    with pytest.raises(ValueError, match="one per code of the column"):
        shard.codes(0, 0, 3)

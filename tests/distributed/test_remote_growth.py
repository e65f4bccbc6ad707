import numpy as np
import pytest

from coterie.distributed.course import layout_of
from coterie.distributed.holders import HolderLostError
from coterie.distributed.remote_growth import RemoteGround, persist, within
from coterie.native import NewtonGrowth, NewtonTable, Slopes, encode, find_bins, grow_newton
from tests.distributed.models import Direct

N = 2000


@pytest.mark.parametrize("precision", ["packed", "exact"])
@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 15},
        {"max_leaf_nodes": 15, "min_samples_leaf": 90},
        {"max_leaf_nodes": None, "max_depth": 4, "level_wise": True},
        {"max_leaf_nodes": None, "max_depth": 4, "symmetric": True, "min_samples_leaf": 60},
        {"in_middle": True, "max_depth": 5},
        {"max_leaf_nodes": 1},
    ],
    ids=["leaf", "strict", "level", "symmetric", "middle", "root"],
)
def test_trees_are_those_of_one_call_whoever_has_the_rows(settings, drawn, precision):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4)).round(1)
    X[:, 3] = rng.integers(0, 7, size=N)
    X[rng.random(N) < 0.1, 1] = np.nan
    bins = find_bins(X, categorical=np.arange(4) == 3, max_bins=20)
    codes = encode(X, bins)
    rows = np.flatnonzero((rng.random(N) < 0.3) & (np.arange(N) >= 5)).astype(np.int32)
    gradient = X[:, 0] + np.nan_to_num(X[:, 1]) * (X[:, 3] % 3) + rng.normal(size=N)
    slopes = Slopes(gradient, rng.random(N), rows if drawn else None)
    growth = NewtonGrowth(**settings, precision=precision)
    table, leaves = NewtonTable(codes, np.asfortranarray(codes), bins), np.empty(N, dtype=np.int32)
    whole = grow_newton(table, slopes, growth, seed=3, leaves=leaves)
    for cuts, failing in (([], ()), ([5, 700, 1500], ()), ([900], (2, 7))):
        holders = Direct(codes, bins, cuts, failing)
        found = np.empty(N, dtype=np.int32)
        tree = RemoteGround(None, growth, 1, layout_of(bins), found, holders).grow(slopes, 3)
        for name in ("nodes", "values", "n_samples", "weight", "impurity", "categories"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(whole, name))
        np.testing.assert_array_equal(found, leaves)


def test_sums_next_to_a_power_of_two_have_one_grid():
    """Weights that add up to 2048, or to a little less in another order."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3)).round(2)
    bins = find_bins(X)
    codes, share = encode(X, bins), 2048 / N
    slopes = Slopes(share * X[:, 0] / 3, np.full(N, share))
    table, leaves = NewtonTable(codes, np.asfortranarray(codes), bins), np.empty(N, dtype=np.int32)
    whole = grow_newton(table, slopes, NewtonGrowth(), leaves=leaves)
    for cut in range(100, N, 300):
        ground = RemoteGround(
            None, NewtonGrowth(), 1, layout_of(bins), leaves, Direct(codes, bins, [cut])
        )
        np.testing.assert_array_equal(ground.grow(slopes, 0).values, whole.values)


def test_what_is_lost_is_tried_again():
    tries = iter([HolderLostError, HolderLostError, None])

    def attempt():
        if (error := next(tries)) is not None:
            raise error
        return "done"

    assert persist(attempt) == "done"


def test_rows_are_counted_within_a_holder():
    rows = np.array([1, 5, 6, 9])
    assert within(rows, slice(5, 9)).tolist() == [0, 1]
    assert within(None, slice(5, 9)) is None

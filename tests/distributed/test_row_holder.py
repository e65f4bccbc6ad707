import numpy as np

from coterie.core import Pool
from coterie.data import Schema
from coterie.distributed import row_holder
from coterie.distributed.course import Step
from coterie.distributed.row_holder import Held, Place, RowHolder, pour, together
from coterie.native import (
    Forest,
    NewtonGrowth,
    NewtonTable,
    Slopes,
    encode,
    find_bins,
    grow_newton,
)

N = 300


def holder(n_rows=N, n_watched=0, uses=None):
    X = np.random.default_rng(0).normal(size=(N, 3)).round(1)
    bins = find_bins(X)
    codes = encode(X, bins)
    made = RowHolder(Held(Schema(3), bins, n_rows, 0, n_watched=n_watched), "its name")
    for part, first in ((slice(100), 0), (slice(100, N), 100)):
        bits = [None if uses is None else np.packbits(uses[part] == use) for use in (1, 2)]
        starts = [first, 0] if uses is None else [np.sum(uses[:first] == use) for use in (1, 2)]
        assert pour(codes[part], Place("its name", *bits, *starts))
    return X, codes, made


def test_answers_of_holders_add_up():
    assert together([np.array([1.0]), None, np.array([2.0])]).tolist() == [3.0]
    assert together([None, None]) is None
    X, _, one = holder()
    scales = [one.begin(NewtonGrowth(), Slopes(X[:, j].copy())) for j in (0, 1)]
    assert together(scales).rows == 2 * N


def test_a_holder_takes_the_rows_it_is_told():
    uses = np.random.default_rng(1).integers(0, 3, N).astype(np.uint8)
    sizes = [int(np.sum(uses == use)) for use in (1, 2)]
    _, codes, some = holder(*sizes, uses)
    np.testing.assert_array_equal(some.table.codes, codes[uses == 1])
    np.testing.assert_array_equal(some.table.by_column, codes[uses == 1])
    np.testing.assert_array_equal(some.watched, codes[uses == 2])


def test_rows_find_no_holder_that_is_elsewhere():
    _, codes, one = holder()
    assert not pour(codes, Place("another name", None, None, 0, 0))
    del one
    assert not pour(codes, Place("its name", None, None, 0, 0))


def test_watched_rows_find_their_leaves_and_votes():
    uses = np.ones(N, dtype=np.uint8)
    uses[::3] = 2
    X, codes, one = holder(200, 100, uses)
    table = NewtonTable(codes, np.asfortranarray(codes), one.table.bins)
    found = np.empty(N, dtype=np.int32)
    growth = NewtonGrowth(max_leaf_nodes=8)
    trees = [grow_newton(table, Slopes(X[:, j].copy()), growth, leaves=found) for j in (0, 1)]
    both = Forest.concatenate(trees)
    pool = Pool(both, np.array([0.5]), 2)
    leaves, votes = one.watched_leaves(both), one.watched_votes(pool)
    np.testing.assert_array_equal(votes, (0.5 * both.values[:, 0])[leaves])
    assert len(np.unique(votes[:, 1])) == len(trees[1].values)


def test_where_memory_is_short_bins_are_kept_once(monkeypatch):
    trees = []
    for limit in (np.inf, 3 * N):
        monkeypatch.setattr(row_holder, "memory_limit", lambda limit=limit: limit)
        X, _, one = holder()
        assert np.shares_memory(one.table.codes, one.table.by_column) == (limit < np.inf)
        scale = one.begin(NewtonGrowth(), Slopes(X[:, 0].copy()))
        found = one.step(Step((scale, 0), counts=[(0, np.zeros(3, dtype=np.uint8))]))
        trees.append(found.histograms[0])
    np.testing.assert_array_equal(*trees)


def test_a_step_divides_parts_and_counts():
    X, _, one = holder()
    scale = one.begin(NewtonGrowth(), Slopes(X[:, 0].copy()))
    assert scale.rows == N
    found = one.step(Step((scale, 0), counts=[(0, np.zeros(3, dtype=np.uint8))]))
    cells = found.histograms[0].reshape(-1, 3)
    assert cells[:, 2].sum() == 3 * N
    first = cells[: one.table.bins.counts[0] + 1]
    assert one.leaf_sums([0]).tolist() == [[first[:, 0].sum(), N]]


def test_no_row_to_learn_from_is_no_answer():
    X, _, one = holder()
    drawn = np.array([], dtype=np.int32)
    assert one.begin(NewtonGrowth(), Slopes(X[:, 0].copy(), None, drawn)) is None
    assert one.step(Step()) is None
    assert one.leaf_sums([0, 1]).tolist() == [[0, 0], [0, 0]]


def test_rows_that_were_not_learnt_from_find_their_leaves_and_votes():
    X, codes, one = holder()
    leaves = np.empty(N, dtype=np.int32)
    table = NewtonTable(codes, np.asfortranarray(codes), one.table.bins)
    tree = grow_newton(table, Slopes(X[:, 0] + X[:, 1]), NewtonGrowth(), leaves=leaves)
    one.leaves = np.full(N, -1, dtype=np.int32)
    found = one.find_leaves(tree)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, leaves)
    votes = one.votes(Pool(tree, np.array([0.5])))
    np.testing.assert_array_equal(votes, 0.5 * tree.values[leaves])

"""Tables of which only the filled cells are held: the very trees of full tables."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from coterie.native import (
    Growth,
    Labels,
    NewtonGrowth,
    NewtonTable,
    Slopes,
    SparseCodes,
    SparseRows,
    Values,
    check_table,
    encode,
    encode_sparse,
    find_bins,
    find_sparse_bins,
    grow,
    grow_newton,
    grow_vector,
    row_hashes,
)

N = 300


def assert_same_forest(first, second):
    for name in ("nodes", "n_samples", "weight", "impurity", "values", "categories"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def words(n=N, d=60, filled=0.05, seed=0, kind="counts", missing=False):
    """Few filled cells: counts, or many different numbers on both sides of zero."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, d))
    cells = rng.random((n, d)) < filled * 2 * rng.random(d)
    size = int(cells.sum())
    X[cells] = rng.poisson(0.7, size) + 1 if kind == "counts" else rng.normal(size=size)
    if missing:
        X[rng.random((n, d)) < 0.01] = np.nan
    return X


def tables(X, max_bins=255, weight=None):
    """Codes of the full and of the sparse table, and their bins."""
    bins = find_bins(X, max_bins=max_bins, weight=weight)
    cells = sparse.csc_array(X)
    own = find_sparse_bins(cells, max_bins=max_bins, weight=weight)
    for name in ("offsets", "lower", "upper"):
        np.testing.assert_array_equal(getattr(own, name), getattr(bins, name))
    return encode(X, bins), encode_sparse(cells, bins), bins


def targets(X, kind, seed=1):
    rng = np.random.default_rng(seed)
    score = np.nan_to_num(X)[:, :8].sum(axis=1) + 0.3 * rng.normal(size=len(X))
    if kind == "two":
        return Labels((score > 0.5).astype(np.int32)[:, None], (2,)), "gini"
    if kind == "many":
        return Labels(rng.integers(0, 4, (len(X), 1)).astype(np.int32), (4,)), "entropy"
    if kind == "labels":
        return Labels(rng.integers(0, 3, (len(X), 2)).astype(np.int32), (3, 3)), "gini"
    if kind == "values":
        return Values(np.column_stack([score, -score * rng.random(len(X))])), "squared_error"
    if kind == "absolute":
        return Values(score[:, None]), "absolute_error"
    if kind == "times":
        return Values(
            np.where(rng.random(len(X)) < 0.3, -1, 1)[:, None] * np.exp(score)[:, None]
        ), "log_rank_score"
    return Values(score[:, None]), "squared_error"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_bins", [2, 12, 20, 255])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_and_codes_are_those_of_the_full_table(dtype, max_bins, weighted):
    X = words(kind="numbers", filled=0.3, missing=True).astype(dtype)
    X[:, 0], X[:, 1], X[:, 2] = 0, np.nan, np.arange(N) % 7 - 3
    X[1:, 3] = np.nan
    weight = np.random.default_rng(2).random(N) + 0.1 if weighted else None
    full, few, bins = tables(X, max_bins, weight)
    np.testing.assert_array_equal(few.toarray(), full)
    assert len(few.rows) < X.size / 2
    assert not np.any(few.codes == np.repeat(few.usual, np.diff(few.starts)))
    check_table(few, bins)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_of_rows_cuts_alike(monkeypatch, weighted):
    monkeypatch.setattr("coterie.native.bins.SAMPLE_ROWS", 50)
    monkeypatch.setattr("coterie.native.sparse_codes.SAMPLE_ROWS", 50)
    weight = np.random.default_rng(2).random(N) + 0.1 if weighted else None
    for filled in (0.02, 0.2, 0.45):
        tables(words(kind="numbers", filled=filled), 20, weight)
        tables(words(filled=filled), 4, weight)


@pytest.mark.parametrize("width", [60, 1500])
def test_hashes_are_those_of_the_full_table(width):
    X = words(d=width)
    full, few, bins = tables(X)
    bits = np.arange(N, dtype=np.uint64)
    hashes = row_hashes(full, bins, bits)
    np.testing.assert_array_equal(row_hashes(few, bins, bits), hashes)
    assert len(np.unique(hashes)) == N
    same = row_hashes(full, bins, np.zeros(N, np.uint64))
    assert len(np.unique(same)) == len(np.unique(full, axis=0))


GROWTHS = {
    "deep": {},
    "drawn": {"max_features": 7},
    "all_drawn": {"max_features": 60},
    "random": {"random_thresholds": True, "max_features": 9},
    "random_counted": {"random_thresholds": True, "max_features": 9, "min_samples_leaf": 3},
    "best_first": {"max_leaf_nodes": 25},
    "best_first_drawn": {"max_leaf_nodes": 25, "max_features": 12},
    "leaves": {"min_samples_leaf": 4, "max_depth": 6},
    "stump": {"max_depth": 1},
    "some": {"columns": np.arange(0, 60, 3, dtype=np.int32)},
}


@pytest.mark.parametrize("max_bins", [255, 1000])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["two", "many", "labels", "value", "values", "absolute", "times"])
@pytest.mark.parametrize("how", GROWTHS)
def test_trees_are_those_of_the_full_table(how, kind, missing, max_bins):
    numbers = "numbers" if max_bins > 255 else "counts"
    X = words(n=700 if max_bins > 255 else N, kind=numbers, filled=0.25, missing=missing)
    X[:, 0] = np.random.default_rng(3).normal(size=len(X))  # a full column among the others
    full, few, bins = tables(X, max_bins)
    target, criterion = targets(X, kind)
    growth = Growth(criterion=criterion, **GROWTHS[how])
    rng = np.random.default_rng(4)
    for weight in (None, rng.poisson(1.0, len(X)).astype(float), rng.random(len(X))):
        leaves = np.full((2, len(X)), -1, dtype=np.int32)
        trees = [
            grow(codes, bins, target, growth, weight=weight, seed=5, leaves=own)
            for codes, own in zip((full, few), leaves, strict=True)
        ]
        assert_same_forest(*trees)
        np.testing.assert_array_equal(*leaves)
        assert len(trees[0].nodes) > 1


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [3, 40, None])
def test_large_and_small_nodes_agree(wanted):
    X = words(n=3000, d=400, filled=0.02)
    full, few, bins = tables(X)
    target, criterion = targets(X, "two")
    growth = Growth(criterion=criterion, max_features=wanted)
    assert_same_forest(*(grow(codes, bins, target, growth, seed=1) for codes in (full, few)))


NEWTONS = {
    "leaves": {"max_leaf_nodes": 12},
    "levels": {"max_leaf_nodes": None, "max_depth": 4, "level_wise": True},
    "symmetric": {"max_leaf_nodes": None, "max_depth": 4, "symmetric": True},
    "few": {"min_samples_leaf": 20, "max_leaf_nodes": 12},
    "drawn": {"max_features": 10, "level_features": 30, "in_middle": True},
}


@pytest.mark.parametrize("precision", ["packed", "exact"])
@pytest.mark.parametrize("some", [False, True])
@pytest.mark.parametrize("max_bins", [255, 1000])
@pytest.mark.parametrize("how", NEWTONS)
def test_newton_trees_are_those_of_the_full_table(how, max_bins, some, precision):
    X = words(n=700, filled=0.2, kind="numbers", missing=True)
    full, few, bins = tables(X, max_bins)
    rng = np.random.default_rng(6)
    gradient = np.nan_to_num(X)[:, :8].sum(axis=1) + rng.normal(size=len(X))
    rows = np.flatnonzero(rng.random(len(X)) < 0.6).astype(np.int32) if some else None
    slopes = Slopes(gradient, rng.random(len(X)), rows)
    growth = NewtonGrowth(l2=1.0, precision=precision, **NEWTONS[how])
    leaves = np.empty((2, len(X)), dtype=np.int32)
    trees = [
        grow_newton(NewtonTable.of(codes, bins), slopes, growth, seed=7, leaves=own)
        for codes, own in zip((full, few), leaves, strict=True)
    ]
    assert_same_forest(*trees)
    np.testing.assert_array_equal(*leaves)
    assert len(trees[0].values) > 2


@pytest.mark.parametrize("precision", ["packed", "exact"])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_vector_trees_are_those_of_the_full_table(n_threads, precision):
    X = words(missing=True)
    full, few, bins = tables(X)
    rng = np.random.default_rng(8)
    gradient, hessian = rng.normal(size=(N, 5)), rng.random((N, 5))
    growth = NewtonGrowth(precision=precision, columns=np.arange(1, 60, 2, dtype=np.int32))
    leaves = np.empty((2, N), dtype=np.int32)
    trees = [
        grow_vector(codes, bins, Slopes(gradient, hessian), growth, leaves=own)
        for codes, own in zip((full, few), leaves, strict=True)
    ]
    assert_same_forest(*trees)
    np.testing.assert_array_equal(*leaves)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_forests_walk_sparse_rows(dtype, n_threads):
    X = words(n=900, missing=True).astype(dtype)
    full, _, bins = tables(X)
    target, criterion = targets(X, "two")
    growth = Growth(criterion=criterion, max_features=5)
    forest = type(grow(full, bins, target, growth)).concatenate(
        [grow(full, bins, target, growth, seed=seed) for seed in range(3)]
    )
    rows, weight = SparseRows(sparse.csr_array(X)), np.array([0.3, 0.5, 0.2])
    np.testing.assert_array_equal(
        forest.predict(rows, tree_weight=weight, n_threads=n_threads),
        forest.predict(X, tree_weight=weight),
    )
    np.testing.assert_array_equal(forest.apply(rows, n_threads=n_threads), forest.apply(X))
    with pytest.raises(ValueError, match="number of columns"):
        forest.predict(SparseRows(sparse.csr_array(X[:, 1:])))


def test_cells_of_one_place_add_up_in_prediction():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    bins = find_bins(X)
    tree = grow(encode(X, bins), bins, Values(X), Growth())
    twice = sparse.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), (1, 1))
    assert tree.predict(SparseRows(twice)) == 3.0


def test_rows_and_columns_of_codes():
    X = words(missing=True)
    full, few, _ = tables(X)
    rows, columns = np.random.default_rng(0).integers(0, N, 50), np.array([5, 3, 40])
    for key in (
        (rows, slice(None)),
        (slice(None), columns),
        (rows, columns),
        (slice(10, 90, 3), slice(None, 20)),
        np.ix_(rows, columns),
    ):
        own = few[key]
        expected = full[key] if isinstance(key[0], slice) or isinstance(key[1], slice) else None
        expected = full[np.ix_(rows, columns)] if expected is None else expected
        np.testing.assert_array_equal(own.toarray(), expected)
        assert own.shape == expected.shape
        assert own.dtype == full.dtype
    again = pickle.loads(pickle.dumps(few))
    np.testing.assert_array_equal(again.toarray(), full)
    order = np.argsort(full[:, 0], kind="stable")
    same = (full[order][1:] == full[order][:-1]).all(axis=1)
    np.testing.assert_array_equal(few.like_before(order), same)


def broken(**changed):
    good = {
        "n_rows": 3,
        "starts": np.array([0, 1, 2]),
        "rows": np.array([1, 0], np.uint32),
        "codes": np.array([1, 1], np.uint8),
        "usual": np.zeros(2, np.uint8),
    }
    return SparseCodes(**{**good, **changed})


@pytest.mark.parametrize(
    "codes",
    [
        broken(starts=np.array([0, 1])),
        broken(starts=np.array([0, 1, 3])),
        broken(starts=np.array([0, 1, 1])),
        broken(starts=np.array([0, 3, 2])),
        broken(starts=np.array([0, -1, 2])),
        broken(starts=np.array([1, 1, 2])),
        broken(rows=np.array([1, 3], np.uint32)),
        broken(codes=np.array([1, 3], np.uint8)),
        broken(codes=np.array([1, 0], np.uint8)),
        broken(codes=np.array([1], np.uint8)),
        broken(usual=np.array([0, 3], np.uint8)),
        broken(usual=np.zeros(1, np.uint8)),
        broken(starts=np.array([0, 2, 2]), rows=np.array([1, 1], np.uint32)),
    ],
)
def test_codes_that_would_be_read_out_of_bounds_are_refused(codes):
    bins = find_bins(np.array([[0.0, 0.0], [1.0, 1.0]]))
    check_table(broken(), bins)
    with pytest.raises(ValueError, match=r"codes|sparse"):
        check_table(codes, bins)


def test_codes_of_other_bins_are_refused():
    X = words()
    _, few, bins = tables(X)
    with pytest.raises(ValueError, match="number of columns"):
        grow(few, bins[:-1], Values(X[:, :1].copy()), Growth())

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from coterie.native import (
    Classes,
    Effort,
    Forest,
    NewtonGrowth,
    NewtonTable,
    Scores,
    Slopes,
    add_votes,
    encode,
    find_bins,
    grow_classes,
    grow_newton,
    grow_scores,
    logistic_slopes,
    softmax_slopes,
    squared_slopes,
)

USUAL = {"max_leaf_nodes": 31, "min_samples_leaf": 20, "min_child_weight": 1e-3}


def boosted(X, y, *, logistic, rounds=10, categorical=None, n_threads=1, rate=0.1, **settings):
    """Scores after some rounds, and the trees."""
    bins = find_bins(X, categorical=categorical)
    table = NewtonTable.of(encode(X, bins), bins)
    mean = y.mean()
    raw = np.full(len(y), np.log(mean / (1 - mean)) if logistic else mean)
    gradient, hessian = np.empty(len(y)), np.empty(len(y))
    leaves, trees = np.empty(len(y), dtype=np.int32), []
    growth = NewtonGrowth(**{**USUAL, **settings})
    for seed in range(rounds):
        if logistic:
            logistic_slopes(raw, y, None, gradient, hessian)
        else:
            squared_slopes(raw, y, None, gradient)
        slopes = Slopes(gradient, hessian if logistic else None)
        effort = Effort(n_threads=n_threads)
        tree = grow_newton(table, slopes, growth, seed=seed, leaves=leaves, effort=effort)
        np.testing.assert_array_equal(tree.values[leaves], tree.predict(X))
        add_votes(raw, leaves, rate * tree.values[:, 0])
        trees.append(tree)
    return raw, Forest.concatenate(trees)


def table_of(seed, *, missing=False):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(300, 2500))
    X = rng.integers(0, 40, size=(n, 5)).astype(float)
    y = X[:, 0] * X[:, 1] / 50 + np.sin(X[:, 2]) + rng.normal(size=n)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("categories", [None, [0, 3]])
@pytest.mark.parametrize("l2", [0.0, 3.0])
def test_equals_scikit_learn_split_by_split(missing, categories, l2):
    X, y = table_of(9, missing=missing)
    kinds = None
    if categories is not None:
        kinds = np.isin(np.arange(X.shape[1]), categories)
    peer = {
        "max_iter": 5,
        "early_stopping": False,
        "categorical_features": categories,
        "l2_regularization": l2,
    }
    theirs = HistGradientBoostingRegressor(**peer).fit(X, y).predict(X)
    ours, _ = boosted(X, y, logistic=False, rounds=5, categorical=kinds, l2=l2)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    label = (y > np.quantile(y, 0.4)).astype(float)
    theirs = HistGradientBoostingClassifier(**peer).fit(X, label).decision_function(X)
    ours, _ = boosted(X, label, logistic=True, rounds=5, categorical=kinds, l2=l2)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "threshold", "values"),
    [
        ({"l2": 1.0}, 2.5, [0.0, 4 / 3]),
        ({}, 3.5, [1 / 3, 3.0]),
        ({"l2": 1.0, "l1": 1.0}, 2.5, [0.0, 1.0]),
        ({"l2": 1.0, "max_delta_step": 0.5}, 2.5, [0.0, 0.5]),
        ({"l2": 1.0, "min_gain": 2.13}, 2.5, [0.0, 4 / 3]),
        ({"l2": 1.0, "min_gain": 2.14}, 0.0, [0.8]),
        ({"l2": 1.0, "min_gain": 2.14, "level_wise": True}, 0.0, [0.8]),
    ],
)
def test_regularised_leaves_of_four_points(settings, threshold, values):
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    bins, leaves = find_bins(X), np.empty(4, dtype=np.int32)
    table = NewtonTable.of(encode(X, bins), bins)
    growth = NewtonGrowth(max_depth=1, **settings)
    tree = grow_newton(table, Slopes(-np.array([0.0, 0.0, 1.0, 3.0])), growth, leaves=leaves)
    assert tree.nodes["threshold"][0] == threshold
    np.testing.assert_allclose(tree.values[:, 0], values)


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["packed", "exact"])
def test_the_number_of_threads_does_not_matter(precision):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.logistic(size=len(X)) > 0).astype(float)
    one, _ = boosted(X, y, logistic=True, rounds=3, precision=precision)
    for n_threads in (2, 5):
        many, _ = boosted(X, y, logistic=True, rounds=3, precision=precision, n_threads=n_threads)
        np.testing.assert_array_equal(one, many)


@pytest.mark.slow
def test_packed_sums_lose_no_accuracy():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60_000, 10))
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3]
    y = (score + rng.logistic(size=len(X)) > 0).astype(float)
    train, test = slice(0, 40_000), slice(40_000, None)

    def loss(precision):
        _, forest = boosted(X[train], y[train], logistic=True, rounds=40, precision=precision)
        raw = 0.1 * forest.predict(X[test])[:, 0]
        return np.mean(np.logaddexp(0, raw) - y[test] * raw)

    assert loss("packed") == pytest.approx(loss("exact"), abs=1e-3)


def test_heavy_tails_are_summed_exactly():
    # One gradient sets the scale: packed, all others would be rounded to a level or two.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30_000, 3))
    gradient = np.sign(X[:, 0]) * 1e-3
    gradient[7] = 1e6
    bins = find_bins(X)
    table, leaves = NewtonTable.of(encode(X, bins), bins), np.empty(len(X), dtype=np.int32)
    growth = {"max_leaf_nodes": 4, "min_samples_leaf": 1000}
    auto = grow_newton(table, Slopes(gradient), NewtonGrowth(**growth), leaves=leaves)
    exact = grow_newton(
        table, Slopes(gradient), NewtonGrowth(**growth, precision="exact"), leaves=leaves
    )
    np.testing.assert_array_equal(auto.values, exact.values)
    np.testing.assert_array_equal(auto.nodes, exact.nodes)


def test_bundles_change_nothing():
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 9, size=2000)
    X = np.column_stack([np.eye(9)[kind], rng.normal(size=(2000, 2))])
    X[rng.random(2000) < 0.1, 2] = np.nan
    y = np.cos(kind) + X[:, 9] + rng.normal(size=2000)
    bins = find_bins(X)
    codes = encode(X, bins)
    plain = NewtonTable(codes, np.asfortranarray(codes), bins)
    leaves, some = np.empty((2, len(X)), dtype=np.int32), np.arange(0, 2000, 3, dtype=np.int32)
    for columns, rows, compact, settings in (
        (None, None, False, {}),
        (np.array([0, 2, 5, 9], dtype=np.int32), None, True, {}),
        (None, some, False, {"precision": "packed", "min_samples_leaf": 30}),
    ):
        bundled = NewtonTable.of(codes, bins, compact=compact)
        assert bundled.codes.shape == bundled.by_column.shape < codes.shape
        growth = NewtonGrowth(**{**USUAL, **settings}, columns=columns)
        slopes = Slopes(y.mean() - y, rows=rows)
        one = grow_newton(bundled, slopes, growth, leaves=leaves[0])
        other = grow_newton(plain, slopes, growth, leaves=leaves[1])
        np.testing.assert_array_equal(one.nodes, other.nodes)
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(*leaves)


def test_joint_columns_change_nothing():
    rng = np.random.default_rng(6)
    X = np.column_stack([rng.integers(0, k, size=9000) for k in (16, 16, 12, 5, 3)]).astype(float)
    X[rng.random(9000) < 0.1, 3] = np.nan
    y = X[:, 0] * X[:, 1] / 50 + np.nan_to_num(X[:, 3]) + rng.normal(size=9000)
    bins = find_bins(X)
    joined = NewtonTable.of(encode(X, bins), bins)
    assert joined.joint.n_columns == 2
    plain = replace(joined, joint=None)
    leaves = np.empty(len(X), dtype=np.int32)
    slopes = Slopes(y.mean() - y, np.abs(y) + 0.1)
    for columns in (None, np.array([0, 2, 3], dtype=np.int32)):
        growth = NewtonGrowth(**USUAL, columns=columns)
        one, other = (
            grow_newton(table, slopes, growth, leaves=leaves) for table in (joined, plain)
        )
        np.testing.assert_array_equal(one.nodes, other.nodes)
        np.testing.assert_array_equal(one.values, other.values)
    foreign = replace(joined, codes=joined.codes[:5000], by_column=joined.by_column[:5000])
    with pytest.raises(ValueError, match="another table"):
        grow_newton(foreign, Slopes(y[:5000]), growth, leaves=leaves[:5000])


def test_a_compact_layout_grows_the_same_trees():
    X, y = table_of(5, missing=True)
    bins = find_bins(X)
    codes, leaves = encode(X, bins), np.empty(len(y), dtype=np.int32)
    grown = [
        grow_newton(
            NewtonTable.of(codes, bins, compact=compact),
            Slopes(y.mean() - y),
            NewtonGrowth(**USUAL),
            leaves=leaves,
        )
        for compact in (False, True)
    ]
    assert np.shares_memory(NewtonTable.of(codes, bins, compact=True).by_column, codes)
    np.testing.assert_array_equal(grown[0].nodes, grown[1].nodes)
    np.testing.assert_array_equal(grown[0].values, grown[1].values)


def test_counting_unusual_codes_alone_changes_nothing():
    rng = np.random.default_rng(4)
    X = rng.integers(1, 60, size=(9000, 8)) * (rng.random((9000, 8)) < 0.2).astype(float)
    X[rng.random(9000) < 0.05, 3] = np.nan
    X[:, 7] = rng.integers(0, 5, size=9000) * (X[:, 6] > 0)
    y = X[:, 0] + np.nan_to_num(X[:, 3]) * (X[:, 7] == 2) + rng.normal(size=9000)
    bins = find_bins(X, categorical=np.arange(8) == 7)
    codes = encode(X, bins)
    sparse = NewtonTable.of(codes, bins)
    assert sparse.unusual is not None
    plain = NewtonTable(np.ascontiguousarray(codes), np.asfortranarray(codes), bins)
    leaves = np.empty(len(X), dtype=np.int32)
    for precision in ("packed", "exact"):
        for columns in (None, np.array([0, 3, 7], dtype=np.int32)):
            growth = NewtonGrowth(**USUAL, columns=columns, precision=precision)
            one = grow_newton(sparse, Slopes(y.mean() - y), growth, leaves=leaves)
            other = grow_newton(plain, Slopes(y.mean() - y), growth, leaves=leaves)
            np.testing.assert_array_equal(one.nodes, other.nodes)
            np.testing.assert_array_equal(one.values, other.values)
    with pytest.raises(ValueError, match="made for another table"):
        grow_newton(
            replace(sparse, codes=codes[:10], by_column=codes[:10]),
            Slopes(y[:10]),
            NewtonGrowth(),
            leaves=leaves[:10],
        )


def test_rows_left_out_get_the_leaf_that_prediction_gives_them():
    X, y = table_of(5, missing=True)
    bins = find_bins(X, categorical=np.array([True, False, False, False, True]))
    table, leaves = NewtonTable.of(encode(X, bins), bins), np.empty(len(y), dtype=np.int32)
    rows = np.arange(0, len(y), 3, dtype=np.int32)
    tree = grow_newton(table, Slopes(-y, rows=rows), NewtonGrowth(**USUAL), leaves=leaves)
    np.testing.assert_array_equal(tree.values[leaves], tree.predict(X))
    assert tree.n_samples[0] == len(rows)


def test_monotone_and_interactions():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(3000, 3))
    y = X[:, 0] + np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
    monotone = np.array([1, 0, 0], dtype=np.int8)
    _, forest = boosted(X, y, logistic=False, monotone=monotone)
    grid = np.column_stack([np.linspace(-3, 3, 200), np.full(200, 0.3), np.full(200, -0.4)])
    assert (np.diff(forest.predict(grid)[:, 0]) >= -1e-12).all()
    apart = np.array([[1, 1, 0], [0, 0, 1]], dtype=bool)
    _, forest = boosted(X, y, logistic=False, interactions=apart)
    for tree in range(len(forest)):
        used = set(forest[tree].features[forest[tree].nodes["left"] >= 0].tolist())
        assert not ({0, 1} & used and 2 in used) or _paths_apart(forest[tree])


def _paths_apart(tree):
    """Whether no path from the root uses column 2 together with column 0 or 1."""
    stack = [(0, frozenset())]
    while stack:
        at, above = stack.pop()
        left = tree.nodes["left"][at]
        if left < 0:
            if 2 in above and above & {0, 1}:
                return False
            continue
        here = above | {int(tree.features[at])}
        stack += [(int(left), here), (int(left) + 1, here)]
    return True


@pytest.mark.slow
def test_column_draws():
    X, y = table_of(7)
    bins = find_bins(X)
    table, leaves = NewtonTable.of(encode(X, bins), bins), np.empty(len(y), dtype=np.int32)

    def roots(**draw):
        growth = NewtonGrowth(**USUAL, **draw)
        trees = [
            grow_newton(table, Slopes(-y), growth, seed=seed, leaves=leaves) for seed in range(40)
        ]
        return {int(tree.features[0]) for tree in trees}

    assert len(roots()) == 1
    assert len(roots(max_features=1)) == X.shape[1]
    assert len(roots(level_features=1)) == X.shape[1]


def test_level_wise_growth_fills_levels():
    X, y = table_of(8)
    bins = find_bins(X)
    table, leaves = NewtonTable.of(encode(X, bins), bins), np.empty(len(y), dtype=np.int32)
    growth = NewtonGrowth(max_leaf_nodes=None, max_depth=3, level_wise=True)
    tree = grow_newton(table, Slopes(-y), growth, leaves=leaves)
    assert len(tree.values) == 8
    growth = NewtonGrowth(max_leaf_nodes=6, level_wise=True)
    assert grow_newton(table, Slopes(-y), growth, leaves=leaves).depths()[0] == 3


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_classes_one_after_the_other_are_as_all_at_once(weighted, order):
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(1300, 3)), rng.integers(0, 4, 1300).astype(np.int32)
    weight = rng.uniform(0.5, 2, 1300) if weighted else None
    bins, leaves = find_bins(X), np.empty(1300, dtype=np.int32)
    table = NewtonTable.of(encode(X, bins), bins)
    raw = rng.normal(size=(1300, 4)).copy(order)
    other, slopes = raw.copy(order), np.empty((2, 4, 1300), dtype=np.float32)
    softmax_slopes(raw, y, weight, *slopes)
    growth, seeds = NewtonGrowth(**USUAL), np.arange(4, dtype=np.uint64)
    given = Scores(Slopes(slopes[0].T, slopes[1].T), raw, 0.1, 2.0)
    room = np.empty((2, 1300), dtype=np.float32), np.empty((2, 1300))
    classes = Classes(y, weight, other, *room, 0.1, 2.0)
    grown = (
        grow_scores(table, given, growth, seeds=seeds, leaves=leaves),
        grow_classes(table, classes, growth, seeds=seeds, leaves=leaves),
    )
    np.testing.assert_array_equal(grown[0].nodes, grown[1].nodes)
    np.testing.assert_array_equal(raw, other)
    with pytest.raises(ValueError, match="one number per row"):
        grow_classes(table, replace(classes, y=y[1:]), growth, seeds=seeds, leaves=leaves)
    with pytest.raises(ValueError, match="one column per seed"):
        grow_classes(table, classes, growth, seeds=seeds[1:], leaves=leaves)


def test_softmax_slopes():
    rng = np.random.default_rng(9)
    raw, y, weight = rng.normal(size=(700, 4)), rng.integers(0, 4, size=700), rng.random(700)
    gradient, hessian = np.empty((4, 700)), np.empty((4, 700))
    softmax_slopes(raw, y.astype(np.int32), weight, gradient, hessian)
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(gradient.T, weight[:, None] * (p - np.eye(4)[y]), atol=1e-14)
    np.testing.assert_allclose(hessian.T, weight[:, None] * p * (1 - p), atol=1e-14)
    again = np.empty((4, 700)), np.empty((4, 700))
    softmax_slopes(np.asfortranarray(raw), y.astype(np.int32), weight, *again)
    assert np.array_equal(again, (gradient, hessian))
    with pytest.raises(ValueError, match="slopes: those of a class must lie side by side"):
        softmax_slopes(raw, y.astype(np.int32), weight, gradient, np.empty((700, 4)).T)


def test_bad_arrays_are_refused():
    X = np.array([[1.0], [2.0], [3.0]])
    bins, leaves = find_bins(X), np.empty(3, dtype=np.int32)
    table = NewtonTable.of(encode(X, bins), bins)

    def grow(slopes, growth=None, leaves=leaves):
        return grow_newton(table, slopes, growth or NewtonGrowth(), leaves=leaves)

    fine = np.array([0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="gradient: one number per row"):
        grow(Slopes(fine[:2]))
    with pytest.raises(ValueError, match="gradients of the loss are NaN"):
        grow(Slopes(np.array([0.0, np.nan, 1.0])))
    with pytest.raises(ValueError, match="hessian: negative"):
        grow(Slopes(fine, -fine))
    with pytest.raises(ValueError, match="rows: ascending"):
        grow(Slopes(fine, rows=np.array([0, 3], dtype=np.int32)))
    with pytest.raises(ValueError, match="columns: ascending"):
        grow(Slopes(fine), NewtonGrowth(columns=np.array([1], dtype=np.int32)))
    with pytest.raises(ValueError, match="leaves: one per row"):
        grow(Slopes(fine), leaves=leaves[:2])
    with pytest.raises(ValueError, match="a leaf lies outside"):
        add_votes(np.zeros(2), np.array([0, 5], dtype=np.int32), np.zeros(2))


def rare_columns(rng, n, n_columns):
    """Columns that hold something but zero in few rows each, some of them in a corner only."""
    share = np.geomspace(0.005, 0.3, n_columns)
    X = rng.integers(1, 9, size=(n, n_columns)) * (rng.random((n, n_columns)) < share)
    X = X.astype(float)
    X[rng.random(X.shape) < 0.02] = np.nan
    return X


@pytest.mark.slow
@pytest.mark.parametrize("n", [700, 6000])
def test_columns_that_can_part_no_node_are_left_out_rightly(n):
    """Most of them cannot leave twenty rows on both sides, at once or further down."""
    rng = np.random.default_rng(6)
    X = np.column_stack([rng.integers(0, 30, size=(n, 3)), rare_columns(rng, n, 30)])
    y = np.sin(X[:, 0]) + np.nan_to_num(X[:, 20:]).sum(axis=1) / 5 + rng.normal(size=n)
    theirs = HistGradientBoostingRegressor(max_iter=5, early_stopping=False).fit(X, y).predict(X)
    ours, _ = boosted(X, y, logistic=False, rounds=5)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    label = (y > np.median(y)).astype(float)
    peer = HistGradientBoostingClassifier(max_iter=5, early_stopping=False).fit(X, label)
    ours, _ = boosted(X, label, logistic=True, rounds=5, n_threads=3)
    np.testing.assert_allclose(ours, peer.decision_function(X), atol=1e-5)


def test_packed_sums_obey_limits_they_do_not_count():
    """Slopes of three levels lose nothing when packed, so trees are those of exact sums."""
    rng = np.random.default_rng(7)
    n = 9000
    X = np.column_stack([rng.normal(size=(n, 2)), rare_columns(rng, n, 12)])
    gradient = rng.integers(-1, 2, size=n).astype(float) + (X[:, 0] > 1.5)
    gradient = np.sign(gradient)
    hessian = (rng.random(n) < 0.2).astype(float)
    bins = find_bins(X)
    table = NewtonTable.of(encode(X, bins), bins)
    leaves = np.empty(n, dtype=np.int32)
    for least in (20, 300, 1500):
        grown = [
            grow_newton(
                table,
                Slopes(gradient, hessian),
                NewtonGrowth(max_leaf_nodes=31, min_samples_leaf=least, precision=precision),
                leaves=leaves,
            )
            for precision in ("packed", "exact")
        ]
        assert np.bincount(leaves).min() >= least
        np.testing.assert_array_equal(grown[0].nodes, grown[1].nodes)
        np.testing.assert_allclose(grown[0].values, grown[1].values, rtol=1e-12)


def test_constant_columns_change_no_tree():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(2_000, 3)), rng.integers(0, 3, (2_000, 2))])
    y = X[:, 0] + X[:, 3]
    grown = []
    for table in (X, np.column_stack([X, np.ones((2_000, 3))])):
        bins, leaves = find_bins(table), np.empty(2_000, dtype=np.int32)
        rows = NewtonTable.of(encode(table, bins), bins)
        tree = grow_newton(rows, Slopes(-y), NewtonGrowth(), leaves=leaves)
        grown.append(tree.values[leaves])
    assert len(np.unique(grown[0])) > 20
    np.testing.assert_array_equal(*grown)

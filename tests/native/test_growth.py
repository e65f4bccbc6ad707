"""Growing: against brute force, and what must never change a tree."""

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.native import Effort, Forest, Growth, Labels, Values, encode, find_bins, grow

CRITERIA = {
    "labels": ["gini", "entropy", "misclassification"],
    "values": ["squared_error", "poisson", "absolute_error"],
}


def labels(y):
    return Labels(
        np.ascontiguousarray(y, dtype=np.int32).reshape(len(y), -1), (int(np.max(y)) + 1,)
    )


def values(y):
    return Values(np.ascontiguousarray(y, dtype=np.float64).reshape(len(y), -1))


def fit(X, target, growth=None, *, categorical=None, max_bins=255, **more):
    bins = find_bins(X, categorical=categorical, max_bins=max_bins)
    return grow(encode(X, bins), bins, target, growth or Growth(), **more)


def cost(criterion, y, w):
    """Impurity times weight of a node, from the definition."""
    total = w.sum()
    if criterion in CRITERIA["labels"]:
        p = np.bincount(y.astype(int), weights=w) / total
        p = p[p > 0]
        return (
            total
            * {
                "gini": 1 - (p**2).sum(),
                "entropy": -(p * np.log2(p)).sum(),
                "misclassification": 1 - p.max(),
            }[criterion]
        )
    mean = (w * y).sum() / total
    if criterion == "squared_error":
        return (w * (y - mean) ** 2).sum()
    if criterion == "poisson":
        return (
            (w * np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / mean), 0)).sum()
            if mean > 0
            else np.inf
        )
    order = np.argsort(y)
    median = y[order][np.searchsorted(np.cumsum(w[order]), total / 2)]
    return (w * np.abs(y - median)).sum()


def best_gain(criterion, X, y, w, categorical):
    """Largest decrease over every split of every column, missing values on either side."""
    gains = [-np.inf]
    for j in range(X.shape[1]):
        x = X[:, j]
        present = np.unique(x[~np.isnan(x)])
        if categorical[j]:
            sides = itertools.chain.from_iterable(
                itertools.combinations(present, r) for r in range(len(present) + 1)
            )
            lefts = [np.isin(x, side) for side in sides]
        else:
            lefts = [x <= t for t in present]
        for left in lefts:
            for side in (left, left | np.isnan(x)):
                if side.any() and not side.all():
                    gains.append(
                        cost(criterion, y, w)
                        - cost(criterion, y[side], w[side])
                        - cost(criterion, y[~side], w[~side])
                    )
    return max(gains)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_a_stump_is_the_best_split_there_is(data):
    kind = data.draw(st.sampled_from(["labels", "values"]))
    criterion = data.draw(st.sampled_from(CRITERIA[kind]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n, classes = (
        data.draw(st.integers(4, 16)),
        data.draw(st.integers(2, 4)) if kind == "labels" else 0,
    )
    X = rng.integers(0, 5, size=(n, 3)).astype(float)
    X[rng.random(X.shape) < 0.15] = np.nan
    # Ordering categories is optimal for two classes and squared error only.
    categorical = np.array([False, False, classes == 2 or criterion == "squared_error"])
    y = rng.integers(0, classes, n) if classes else rng.integers(0, 6, n).astype(float)
    w = rng.integers(1, 4, n).astype(float)
    target = Labels(y.astype(np.int32)[:, None], (classes,)) if classes else values(y)
    tree = fit(
        X, target, Growth(criterion=criterion, max_depth=1), categorical=categorical, weight=w
    )
    expected = best_gain(criterion, X, y.astype(float), w, categorical)
    risk = tree.weight.astype(float) * tree.impurity
    assert tree.impurity[0] == pytest.approx(
        cost(criterion, y.astype(float), w) / w.sum(), abs=1e-5
    )
    if len(tree.nodes) == 1:
        assert expected <= 1e-6 or tree.impurity[0] < 1e-9
    else:
        assert risk[0] - risk[1] - risk[2] == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("max_bins", [255, 60_000])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    "growth",
    [
        Growth(),
        Growth(max_features=2),
        Growth(max_features=2, random_thresholds=True),
        Growth(max_leaf_nodes=40),
        Growth(min_samples_leaf=5),
    ],
)
def test_walking_raw_rows_ends_where_growing_put_them(growth, missing, max_bins):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    X[:, 4] = rng.integers(0, 30, size=3000)
    X[rng.random(X.shape) < missing] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 4]) % 3 + rng.normal(size=3000)
    tree = fit(
        X, values(y), growth, categorical=np.array([False] * 4 + [True]), max_bins=max_bins, seed=1
    )
    leaf = tree.apply(X)[:, 0]
    counts = np.bincount(leaf, minlength=len(tree.nodes))
    is_leaf = tree.nodes["left"] < 0
    np.testing.assert_array_equal(counts[is_leaf], tree.n_samples[is_leaf])
    sums = np.bincount(leaf, weights=y, minlength=len(tree.nodes))[is_leaf]
    np.testing.assert_allclose(
        tree.values[~tree.nodes["left"][is_leaf], 0], sums / counts[is_leaf], rtol=1e-9
    )
    assert counts[is_leaf].min() >= growth.min_samples_leaf


def test_leaves_are_reported_for_visited_rows():
    X, y = example(3000)
    weight = np.random.default_rng(0).integers(0, 3, 3000).astype(float)
    leaves = np.full(3000, -1, dtype=np.int32)
    tree = fit(X, values(y), Growth(max_features=2), weight=weight, leaves=leaves)
    expected = ~tree.nodes["left"][tree.apply(X)[:, 0]]
    np.testing.assert_array_equal(leaves, np.where(weight > 0, expected, -1))
    with pytest.raises(ValueError, match="leaves"):
        fit(X, values(y), leaves=leaves[1:].copy())


def same_tree(a, b):
    return all(
        np.array_equal(getattr(a, f), getattr(b, f))
        for f in ("nodes", "values", "impurity", "categories")
    )


def example(n=4000, outputs=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, np.stack([X[:, k] * X[:, k + 1] + rng.normal(size=n) for k in range(outputs)], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "growth", [Growth(max_depth=7), Growth(max_features=2), Growth(max_leaf_nodes=31)]
)
def test_threads_do_not_change_the_tree(growth):
    X, y = example(150_000)
    one = fit(X, values(y), growth, seed=5)
    assert same_tree(one, fit(X, values(y), growth, seed=5, effort=Effort(4)))


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize(
    "growth", [Growth(), Growth(max_features=2), Growth(max_features=2, random_thresholds=True)]
)
def test_row_order_does_not_change_the_tree(growth, outputs):
    X, y = example(1000, outputs)
    shuffled = np.random.default_rng(1).permutation(len(X))
    one = fit(X, values(y), growth, seed=5)
    assert same_tree(one, fit(X[shuffled], values(y[shuffled]), growth, seed=5))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("classes", [2, 5])
def test_weights_are_repetitions_and_zero_is_absence(criterion, classes):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, classes, 200)
    weight = rng.integers(0, 4, 200)
    growth = Growth(criterion=criterion, max_features=2)
    weighted = fit(X, labels(y), growth, weight=weight.astype(float), seed=3)
    keep = weight > 0
    dropped = fit(X[keep], labels(y[keep]), growth, weight=weight[keep].astype(float), seed=3)
    repeated = fit(np.repeat(X, weight, axis=0), labels(np.repeat(y, weight)), growth, seed=3)
    new = rng.normal(size=(500, 4))
    np.testing.assert_array_equal(weighted.predict(X), dropped.predict(X))
    np.testing.assert_allclose(dropped.predict(new), repeated.predict(new))


@pytest.mark.parametrize("random_thresholds", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("classes", [2, 3])
def test_light_weights_give_the_tree_of_heavy_ones(classes, criterion, random_thresholds):
    # Weights up to 255 are counted as whole numbers, heavier ones summed as doubles.
    rng = np.random.default_rng(classes)
    n = 900
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(0, 2, n),
            rng.integers(0, 40, n),
            np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 9, n)),
        ]
    )
    y = (X[:, 0] + X[:, 2] / 20 + rng.normal(size=n) > 1).astype(np.int32)
    y += (classes > 2) * (X[:, 1] > 0)
    bins = find_bins(X, max_bins=65_535)
    weight = rng.poisson(1.0, n).astype(float)
    growth = Growth(criterion, max_features=2, random_thresholds=random_thresholds)
    light, heavy = (
        grow(encode(X, bins), bins, Labels(y[:, None], (classes,)), growth, weight=w, seed=3)
        for w in (weight, weight * 256)
    )
    assert len(light.nodes) > 50
    np.testing.assert_array_equal(light.nodes, heavy.nodes)
    np.testing.assert_array_equal(light.values, heavy.values)


def test_one_hot_regression_is_gini():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 4, 400)
    tree = fit(X, labels(y), Growth(criterion="gini"))
    one_hot = fit(X, values(np.eye(4)[y]), Growth())
    np.testing.assert_array_equal(tree.nodes["threshold"], one_hot.nodes["threshold"])
    np.testing.assert_allclose(tree.values, one_hot.values, atol=1e-12)


def test_several_label_outputs_are_one_concatenated_target():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = np.stack([X[:, 0] > 0, rng.integers(0, 3, 300)], axis=1).astype(np.int32)
    tree = fit(X, Labels(y, (2, 3)), Growth(criterion="gini", max_depth=3))
    p = tree.predict(X)
    np.testing.assert_allclose(p[:, :2].sum(axis=1), 1)
    np.testing.assert_allclose(p[:, 2:].sum(axis=1), 1)
    assert ((p[:, 1] > 0.5) == y[:, 0]).mean() > 0.95
    one_hot = np.concatenate([np.eye(2)[y[:, 0]], np.eye(3)[y[:, 1]]], axis=1)
    np.testing.assert_allclose(
        p, fit(X, values(one_hot), Growth(max_depth=3)).predict(X), atol=1e-12
    )


def test_newton_leaves_are_shrunk_and_small_gains_refused():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    tree = fit(X, values(y), Growth(l2=2.0))
    np.testing.assert_allclose(tree.predict(X)[:, 0], [-0.5, -0.5, 0.5, 0.5])  # S / (W + l2)
    # Gain: 4/4 + 4/4 - 0 = 2.
    assert len(fit(X, values(y), Growth(l2=2.0, min_gain=1.99)).nodes) == 3
    assert len(fit(X, values(y), Growth(l2=2.0, min_gain=2.01)).nodes) == 1


def test_heavy_tails_do_not_drown_the_rest():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2000, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=2000)
    y[0], X[0] = 1e9, 50.0
    plain = fit(X[1:], values(y[1:]), Growth(max_depth=6))
    tailed = fit(X, values(y), Growth(max_depth=12))
    error = np.mean((tailed.predict(X[1:])[:, 0] - y[1:]) ** 2)
    assert error <= np.mean((plain.predict(X[1:])[:, 0] - y[1:]) ** 2)


@pytest.mark.parametrize("scale", [1e-60, 1e60, 1e130])
def test_targets_of_any_scale_give_the_same_tree(scale):
    X, y = example(500)
    plain, scaled = fit(X, values(y)), fit(X, values(y * scale))
    np.testing.assert_array_equal(plain.nodes, scaled.nodes)
    np.testing.assert_allclose(scaled.values, plain.values * scale, rtol=1e-12)
    np.testing.assert_allclose(
        scaled.importances() / scale**2, plain.importances(), rtol=1e-3, atol=1e-5
    )
    assert len(scaled.prune(0.01 * scale**2).nodes) == len(plain.prune(0.01).nodes)


def test_drawn_columns_vary_and_all_are_used():
    X, y = example(2000)
    X = np.column_stack([np.zeros(2000), X])
    tree = fit(X, values(y), Growth(max_features=1), seed=9)
    used = np.unique(tree.features[tree.nodes["left"] >= 0])
    np.testing.assert_array_equal(used, np.arange(1, 7))
    assert tree.leaf_counts()[0] == 2000  # a constant column never stops growth
    assert set(fit(X, values(y), Growth(columns=np.array([2, 3], dtype=np.int32))).features) <= {
        0,
        2,
        3,
    }


@pytest.mark.slow
def test_drawn_thresholds_are_uniform_between_the_extremes():
    X = np.array([[0.0], [1.0], [10.0]])
    y = values(np.array([0.0, 1.0, 2.0]))
    drawn = [
        fit(X, y, Growth(max_depth=1, max_features=1, random_thresholds=True), seed=s).nodes[
            "threshold"
        ][0]
        for s in range(2000)
    ]
    quantiles = np.quantile(drawn, [0.1, 0.25, 0.5, 0.75, 0.9])
    np.testing.assert_allclose(quantiles, [1.0, 2.5, 5.0, 7.5, 9.0], atol=0.5)


def test_wrong_targets_are_refused():
    X = np.zeros((3, 1))
    bins = find_bins(X)
    codes = encode(X, bins)
    with pytest.raises(ValueError, match="criterion"):
        grow(codes, bins, values(np.zeros(3)), Growth(criterion="gini"))
    with pytest.raises(ValueError, match="outside its classes"):
        grow(
            codes, bins, Labels(np.full((3, 1), 7, dtype=np.int32), (2,)), Growth(criterion="gini")
        )
    with pytest.raises(ValueError, match="one row per row"):
        grow(codes, bins, values(np.zeros(4)), Growth())
    for bad in (np.array([1.0, -1.0, 1.0]), np.array([1.0, np.nan, 1.0]), np.zeros(3), np.ones(2)):
        with pytest.raises(ValueError, match="weight"):
            grow(codes, bins, values(np.zeros(3)), Growth(), weight=bad)
    with pytest.raises(ValueError, match="columns"):
        grow(codes, bins, values(np.zeros(3)), Growth(columns=np.array([5], dtype=np.int32)))


@pytest.mark.slow
def test_another_thread_can_stop_the_growth():
    X, y = example(200_000)
    bins = find_bins(X)
    codes = encode(X, bins)
    stop = np.zeros(1, dtype=np.uint8)
    effort = Effort(stop=stop)
    timer = threading.Timer(0.05, lambda: stop.__setitem__(0, 1))
    timer.start()

    def grow_for_long():
        for seed in range(1000):
            grow(codes, bins, values(y), Growth(max_features=2), seed=seed, effort=effort)

    with pytest.raises(KeyboardInterrupt):
        grow_for_long()
    timer.join()
    assert isinstance(grow(codes, bins, values(y), Growth(max_depth=2)), Forest)


@pytest.mark.parametrize("criterion", CRITERIA["labels"])
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"min_samples_leaf": 40, "min_weight_leaf": 25.0},
        {"min_impurity_decrease": 0.02, "l2": 1.0},
        {"min_gain": 1e9},
        {"columns": np.array([2, 3], dtype=np.int32)},
    ],
)
def test_the_stump_is_what_the_grower_of_deep_trees_gives(criterion, limits):
    """Directions of no column change nothing but who grows the tree."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4)).round(1)
    X[:, 3] = rng.integers(0, 7, size=500)
    X[rng.random(500) < 0.2, 1] = np.nan
    y = np.nan_to_num(X[:, 1]) + (X[:, 3] % 3) + rng.normal(size=500) > 1
    bins = find_bins(X, categorical=np.arange(4) == 3)
    codes, target = encode(X, bins), Labels(y.astype(np.int32)[:, None], (2,))
    growth = Growth(criterion=criterion, max_depth=1, **limits)
    for weight in (None, rng.integers(0, 3, size=500).astype(float), rng.random(500)):
        grown = []
        for monotone in (None, np.zeros(4, dtype=np.int8)):
            leaves = np.full(500, -1, dtype=np.int32)
            grower = replace(growth, monotone=monotone)
            tree = grow(codes, bins, target, grower, weight=weight, leaves=leaves)
            grown.append((tree, leaves))
        (stump, stump_leaves), (deep, deep_leaves) = grown
        np.testing.assert_array_equal(stump_leaves, deep_leaves)
        for name in ("nodes", "values", "n_samples", "weight", "impurity", "categories"):
            np.testing.assert_array_equal(getattr(stump, name), getattr(deep, name))

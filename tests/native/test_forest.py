"""Forests as arrays: walking, slicing, and refusing what is damaged."""

import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.native import Forest, Growth, Labels, Values, encode, find_bins, grow


def make_forest(trees=5, n=300, *, seed=0, categories=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 70, size=n)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 3]) % 2 > 0.5).astype(np.int32)[:, None]
    bins = find_bins(X, categorical=np.array([False, False, False, categories]))
    codes = encode(X, bins)
    growth = Growth(criterion="gini", max_features=2)
    grown = [grow(codes, bins, Labels(y, (2,)), growth, seed=s) for s in range(trees)]
    return X, Forest.concatenate(grown)


def walk(forest, tree, row):
    """One row down one tree, step by step: the nodes it passes."""
    start, at, path = forest.node_offsets[tree], 0, []
    words = forest.categories[forest.category_offsets[tree] :]
    while True:
        node = forest.nodes[start + at]
        path.append(int(start + at))
        if node["left"] < 0:
            return path
        flags, x = int(node["column"]), row[int(node["column"]) & (2**30 - 1)]
        missing_left = bool(flags >> 31)
        if flags >> 30 & 1:
            position = int(node["threshold"])
            known = not np.isnan(x) and 0 <= x < 64 * int(words[position])
            left = (
                bool(int(words[position + 1 + int(x) // 64]) >> (int(x) % 64) & 1)
                if known
                else missing_left
            )
        else:
            left = missing_left if np.isnan(x) else x <= node["threshold"]
        at = int(node["left"]) + (not left)


def test_walks_follow_the_records():
    X, forest = make_forest()
    leaves, (starts, nodes) = forest.apply(X), forest.decision_path(X)
    sums = forest.predict(X)
    for i in range(0, len(X), 17):
        paths = [walk(forest, t, X[i]) for t in range(len(forest))]
        assert nodes[starts[i] : starts[i + 1]].tolist() == [
            node for path in paths for node in path
        ]
        ends = np.array([path[-1] for path in paths])
        np.testing.assert_array_equal(leaves[i], ends - forest.node_offsets[:-1])
        rows = forest.leaf_offsets[:-1] + ~forest.nodes["left"][ends]
        np.testing.assert_allclose(sums[i], forest.values[rows].sum(axis=0))


def test_any_layout_type_and_thread_count_gives_the_same_bits():
    X, forest = make_forest(n=5000)
    expected = forest.predict(X)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1][::-1]):
        np.testing.assert_array_equal(forest.predict(same), expected)
    np.testing.assert_array_equal(forest.predict(X, n_threads=4), expected)
    np.testing.assert_array_equal(forest.apply(X, n_threads=3), forest.apply(X))
    few = np.concatenate([forest.predict(X[i : i + 1]) for i in range(40)])
    np.testing.assert_array_equal(few, expected[:40])
    narrow = X.astype(np.float32)
    np.testing.assert_array_equal(forest.apply(narrow), forest.apply(narrow.astype(np.float64)))
    assert forest.predict(X[:0]).shape == (0, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_deep_trees_say_what_plain_walks_say(dtype, missing, n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(3000, 6)).astype(dtype)
    if missing:
        X[rng.random(X.shape) < 0.05] = np.nan
    y = rng.integers(n_classes, size=(len(X), 1), dtype=np.int32)
    bins = find_bins(X, max_bins=65_535)
    growth, target = Growth(criterion="gini", max_features=2), Labels(y, (n_classes,))
    grown = [grow(encode(X, bins), bins, target, growth, seed=s) for s in range(3)]
    forest = Forest.concatenate(grown)
    assert np.diff(forest.node_offsets).min() > 1024  # smaller trees are walked in another way
    weight, new = np.array([0.5, 0.3, 2.0]), rng.normal(size=X.shape).astype(dtype)
    if missing:
        new[rng.random(X.shape) < 0.05] = np.nan
    whole = forest.predict(new, tree_weight=weight), forest.apply(new)
    # Too few rows to pay for packing the trees.
    some = forest.predict(new[:200], tree_weight=weight), forest.apply(new[:200])
    for i in range(0, len(new), 30):
        ends = np.array([walk(forest, t, new[i])[-1] for t in range(3)])
        rows = forest.leaf_offsets[:-1] + ~forest.nodes["left"][ends]
        votes = np.zeros(n_classes)
        for t in range(3):
            votes += weight[t] * forest.values[rows[t]]
        for sums, leaves in (whole, some) if i < 200 else (whole,):
            np.testing.assert_array_equal(sums[i], votes)
            np.testing.assert_array_equal(leaves[i], ends - forest.node_offsets[:-1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("categories", [False, True])
def test_batches_and_single_rows_of_small_trees_have_the_same_bits(dtype, categories):
    rng = np.random.default_rng(4)
    X, _ = make_forest(1, 700, categories=categories)
    bins = find_bins(X, categorical=np.array([False, False, False, categories]))
    codes, growth = encode(X, bins), Growth(criterion="squared_error", max_leaf_nodes=31)
    grown = [
        grow(codes, bins, Values(rng.normal(size=(len(X), 1))), growth, seed=s) for s in range(12)
    ]
    forest, weight = Forest.concatenate(grown), rng.random(12)
    rows = X.astype(dtype)
    together = forest.predict(rows, tree_weight=weight, n_outputs=3)
    parts = [
        forest.predict(rows[i : i + 70], tree_weight=weight, n_outputs=3) for i in range(0, 700, 70)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), together)
    # The first rows are walked one way, and later ones another, when a copy has come to pay.
    alone = [forest.predict(rows[i : i + 1], tree_weight=weight, n_outputs=3) for i in range(200)]
    np.testing.assert_array_equal(np.concatenate(alone), together[:200])
    across = np.asfortranarray(rows)[:150:50]
    np.testing.assert_array_equal(
        forest.predict(across, tree_weight=weight, n_outputs=3), together[:150:50]
    )


def test_tree_weights_weigh_trees():
    X, forest = make_forest(3)
    weight = np.array([0.5, 0.0, -2.0])
    expected = sum(w * forest[t].predict(X) for t, w in enumerate(weight))
    np.testing.assert_allclose(forest.predict(X, tree_weight=weight), expected)
    with pytest.raises(ValueError, match="tree_weight"):
        forest.predict(X, tree_weight=np.ones(2))


def test_slices_choices_and_joins():
    X, forest = make_forest()
    each = np.stack([forest[t].predict(X) for t in range(5)])
    np.testing.assert_allclose(forest[1:4].predict(X), each[1:4].sum(axis=0))
    np.testing.assert_allclose(forest[[4, 0, 0]].predict(X), each[[4, 0, 0]].sum(axis=0))
    np.testing.assert_allclose(forest[::2].predict(X), each[::2].sum(axis=0))
    assert len(forest[2:2]) == 0
    assert np.shares_memory(forest[1:3].nodes, forest.nodes)
    np.testing.assert_allclose(
        Forest.concatenate([forest[:2], forest[2:]]).predict(X), forest.predict(X)
    )
    with pytest.raises(IndexError):
        forest[5]


def test_assembling_empties_the_list():
    X, forest = make_forest()
    parts = [forest[:2], forest[2:]]
    np.testing.assert_array_equal(Forest.assemble(parts).predict(X), forest.predict(X))
    assert parts == []


def test_pickles_keep_everything():
    X, forest = make_forest()
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))
    np.testing.assert_array_equal(again.nodes, forest.nodes)


def test_inner_values_are_means_of_their_rows():
    X, forest = make_forest(2)
    values = forest.node_values()
    y = forest[1].predict(X)  # full-grown: the target itself
    root = forest.node_offsets[1]
    np.testing.assert_allclose(values[root], y.mean(axis=0), rtol=1e-6)
    left, right = root + forest.nodes["left"][root] + np.arange(2)
    share = forest.weight[left] / forest.weight[root]
    np.testing.assert_allclose(values[root], share * values[left] + (1 - share) * values[right])


def test_depths_and_importances():
    X, forest = make_forest(3)
    starts, _ = forest[1].decision_path(X)
    assert forest.depths()[1] == np.diff(starts).max() - 1
    importances = forest.importances()
    risk = (forest.weight * forest.impurity).astype(float)
    for t in range(3):
        span = slice(forest.node_offsets[t], forest.node_offsets[t + 1])
        leaves = forest.nodes["left"][span] < 0
        total = (risk[span][0] - risk[span][leaves].sum()) / forest.weight[span][0]
        assert importances[t].sum() == pytest.approx(total, rel=1e-5)


def damaged(forest, **changes):
    names = inspect.signature(Forest).parameters
    fields = dict(zip(names, forest.__reduce__()[1], strict=False))  # medians need not be there
    return Forest(**{**fields, **changes})


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.data())
def test_flipped_bits_are_refused_or_harmless(data):
    """Whatever one bit of the arrays becomes, a walk ends inside them."""
    X, forest = _FOREST
    field = data.draw(
        st.sampled_from(["nodes", "node_offsets", "leaf_offsets", "category_offsets", "categories"])
    )
    raw = bytearray(getattr(forest, field).tobytes())
    bit = data.draw(st.integers(0, 8 * len(raw) - 1))
    raw[bit // 8] ^= 1 << (bit % 8)
    array = np.frombuffer(bytes(raw), dtype=getattr(forest, field).dtype)
    try:
        mutant = damaged(forest, **{field: array})
    except ValueError:
        return
    leaves = mutant.apply(X)
    assert (leaves >= 0).all()
    assert (leaves < np.diff(mutant.node_offsets)).all()
    assert mutant.predict(X).shape == (len(X), 2)


_FOREST = make_forest(2, 120)


def test_arrays_of_wrong_length_are_refused():
    _, forest = make_forest(2)
    for field in ("n_samples", "weight", "impurity", "nodes"):
        with pytest.raises(ValueError, match="damaged forest"):
            damaged(forest, **{field: getattr(forest, field)[:-1]})
    for shape in [(len(forest.nodes) - 1, 2), (len(forest.nodes), 1), (len(forest.nodes),)]:
        with pytest.raises(ValueError, match="damaged forest"):
            damaged(forest, medians=np.zeros(shape))
    with pytest.raises(ValueError, match="damaged forest"):
        damaged(forest, n_features=1)
    with pytest.raises(ValueError, match="columns"):
        forest.predict(np.zeros((2, 3)))


def test_pruning_gives_nested_subtrees():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, :1] + rng.normal(size=(200, 1))
    bins = find_bins(X)
    tree = grow(encode(X, bins), bins, Values(y), Growth())
    alphas, impurities = tree.pruning_path()
    assert alphas[0] == 0
    assert (np.diff(alphas) >= 0).all()
    assert (np.diff(impurities) > 0).all()
    sizes = [tree.prune(alpha).leaf_counts()[0] for alpha in alphas]
    assert sizes[-1] == 1
    assert (np.diff(sizes) <= 0).all()
    for alpha in alphas[:: len(alphas) // 5]:
        pruned = tree.prune(alpha)
        leaf = pruned.nodes["left"] < 0
        np.testing.assert_array_equal(
            np.bincount(pruned.apply(X)[:, 0], minlength=len(leaf))[leaf], pruned.n_samples[leaf]
        )
        residual = np.mean((pruned.predict(X) - y) ** 2)
        assert residual == pytest.approx(
            float((pruned.weight[leaf] * pruned.impurity[leaf]).sum() / 200), rel=1e-4
        )


def test_trees_of_one_value_take_turns_in_the_outputs():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 3))
    bins = find_bins(X)
    codes = encode(X, bins)
    trees = [
        grow(codes, bins, Values(rng.normal(size=(300, 1))), Growth(max_depth=depth))
        for depth in (2, 3, 4, 2, 3, 12)
    ]
    weights = rng.normal(size=6)
    for rows in (3, 300):
        alone = [tree.predict(X[:rows])[:, 0] for tree in trees]
        by_turn = [weights[k] * alone[k] + weights[k + 3] * alone[k + 3] for k in range(3)]
        together = Forest.concatenate(trees).predict(X[:rows], tree_weight=weights, n_outputs=3)
        np.testing.assert_allclose(together, np.column_stack(by_turn), rtol=1e-12)


def test_pickles_of_the_other_byte_order():
    X, forest = make_forest(2)
    kind, arguments = forest.__reduce__()
    swapped = [
        a.byteswap().view(a.dtype.newbyteorder()) if isinstance(a, np.ndarray) else a
        for a in arguments
    ]
    np.testing.assert_array_equal(kind(*swapped).predict(X), forest.predict(X))

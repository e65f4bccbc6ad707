"""Shapley values of forests against their definition."""

import signal
import threading
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from coterie.native import Forest, Growth, Labels, Values, _engine, encode, find_bins, grow
from coterie.native.forest import CATEGORICAL, MISSING_LEFT, NODE


def make_forest(trees=3, *, n_classes=3, n=250, max_features=3):
    """Seven columns: numbers with gaps, and two of categories."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 7))
    X[:, 5:] = rng.integers(0, [5, 70], size=(n, 2))
    X[rng.random(X.shape) < 0.1] = np.nan
    score = np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + np.nan_to_num(X[:, 5:]).sum(1) % 3
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    bins = find_bins(X, categorical=np.arange(7) >= 5)
    labels, codes = Labels(y.astype(np.int32)[:, None], (n_classes,)), encode(X, bins)
    growth = Growth(criterion="gini", max_features=max_features)
    return X, Forest.concatenate([grow(codes, bins, labels, growth, seed=s) for s in range(trees)])


def make_tree(nodes, weight, values, n_features):
    """A tree by hand: nodes are (threshold, column, left)."""
    grown = (
        np.array(nodes, dtype=NODE).view(np.uint64),
        np.zeros(len(nodes), dtype=np.int32),
        np.array(weight, dtype=np.float64),
        np.zeros(len(nodes)),
        np.array(values, dtype=np.float64),
        np.array([], dtype=np.uint64),
        np.array([]),
    )
    return Forest.of_tree(grown, n_features, 1)


def make_chain(columns, share=0.25):
    """Each split has a leaf of `share` of its weight on the left and the next split on the right.

    Leaf t has value t + 1, and rows go left where they are not above zero.
    """
    nodes, weight, n = [(0.0, columns[0], 1)], [1.0], len(columns)
    for t in range(n):
        last = t == n - 1
        nodes += [(0.0, 0, ~t), (0.0, 0, ~n) if last else (0.0, columns[t + 1], 2 * t + 3)]
        weight += [weight[-1] * share, weight[-1] * (1 - share)]
    return make_tree(nodes, weight, np.arange(1.0, n + 2), max(columns) + 1)


def goes_left(tree, node, x):
    column = node["column"]
    missing_left = bool(column & MISSING_LEFT)
    if column & CATEGORICAL:
        at = int(node["threshold"])
        if not 0 <= x < 64 * int(tree.categories[at]):
            return missing_left
        return bool(int(tree.categories[at + 1 + int(x) // 64]) >> int(x) % 64 & 1)
    return missing_left if np.isnan(x) else bool(x <= node["threshold"])


def expected(tree, x, known, at=0):
    """What a tree says of a row of which some columns are known."""
    node, column = tree.nodes[at], int(tree.features[at])
    left = int(node["left"])
    if left < 0:
        return tree.values[~left]
    if column in known:
        return expected(tree, x, known, left + (not goes_left(tree, node, x[column])))
    share = float(tree.weight[left]) / float(tree.weight[left] + tree.weight[left + 1])
    parts = [expected(tree, x, known, child) for child in (left, left + 1)]
    return share * parts[0] + (1 - share) * parts[1]


def shapley(game, d):
    """The definition: a mean of contributions over subsets; the value of the empty set last."""
    value = {known: game(known) for size in range(d + 1) for known in combinations(range(d), size)}
    phi = [
        sum(
            (value[tuple(sorted((*rest, j)))] - value[rest]) / (d * comb(d - 1, len(rest)))
            for size in range(d)
            for rest in combinations([i for i in range(d) if i != j], size)
        )
        for j in range(d)
    ]
    return np.array([*phi, value[()]])


def test_values_are_those_of_the_definition():
    X, forest = make_forest()
    weights = np.array([0.5, 2.0, -1.0])
    got = forest.shap(X, tree_weight=weights)
    trees = [forest[t] for t in range(3)]
    for i in (0, 7, 20):

        def game(known, i=i):
            said = [expected(tree, X[i], known) for tree in trees]
            return np.tensordot(weights, said, axes=1)

        np.testing.assert_allclose(got[i], shapley(game, 7), rtol=0, atol=1e-12)


def test_values_on_a_background_are_those_of_the_definition():
    X, forest = make_forest()
    weights, background = np.array([0.5, 2.0, -1.0]), X[100:115]
    got = forest.shap(X[:3], background=background, tree_weight=weights)
    for i in range(3):

        def game(known, i=i):
            rows = background.copy()
            rows[:, known] = X[i, known]
            return forest.predict(rows, tree_weight=weights).mean(axis=0)

        np.testing.assert_allclose(got[i], shapley(game, 7), rtol=0, atol=1e-12)


@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("n_classes", [2, 11])
def test_values_add_up(n_classes, background):
    X, forest = make_forest(n_classes=n_classes)
    values = forest.shap(X, background=X[:5] if background else None)
    assert values.shape == (len(X), 8, n_classes)
    np.testing.assert_allclose(values.sum(axis=1), forest.predict(X), rtol=0, atol=1e-12)
    assert np.all(values[:, 7] == values[0, 7])
    # The probabilities of a leaf add up to one: what one class gains, others lose.
    np.testing.assert_allclose(values[:, :7].sum(axis=2), 0.0, atol=1e-12)


def test_rows_do_not_depend_on_their_neighbours():
    X, forest = make_forest()
    whole = forest.shap(X)
    for size in (1, 7, 8, 65):
        np.testing.assert_array_equal(forest.shap(X[3 : 3 + size]), whole[3 : 3 + size])
    np.testing.assert_array_equal(forest.shap(X, n_threads=3), whole)
    np.testing.assert_array_equal(forest.shap(np.asfortranarray(X)), whole)
    np.testing.assert_array_equal(forest.shap(X[::-2]), whole[::-2])
    assert forest.shap(X[:0]).shape == (0, 8, 3)


def test_single_precision_rows_walk_as_in_predict():
    X, forest = make_forest()
    narrow = X.astype(np.float32)
    np.testing.assert_array_equal(forest.shap(narrow), forest.shap(narrow.astype(np.float64)))


def test_columns_nobody_asks_for_have_value_zero():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(64, 4)).astype(float)
    bins = find_bins(X)
    target = Values((X[:, 1] * X[:, 3])[:, None])
    tree = grow(encode(X, bins), bins, target, Growth(criterion="squared_error"), seed=0)
    assert set(tree.features[tree.nodes["left"] >= 0]) == {1, 3}
    values = tree.shap(X)
    assert np.all(values[:, [0, 2]] == 0.0)
    assert np.all(values[:, [1, 3]] != 0.0)


def test_equal_columns_have_equal_values():
    # All cells of a grid once, and a target in which the three columns may change places.
    X = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=float)
    bins = find_bins(X)
    target = Values(X.sum(axis=1, keepdims=True) ** 3)
    tree = grow(encode(X, bins), bins, target, Growth(criterion="squared_error"), seed=0)
    values = tree.shap(X)[:, :, 0]
    np.testing.assert_allclose(values[[0, 7], :3], values[[0, 7], :1] @ np.ones((1, 3)))
    np.testing.assert_allclose(values[1, 0], values[1, 1])  # the row (0, 0, 1)


def test_fever_and_cough():
    def leaf(number):
        return (0.0, 0, ~number)

    both = make_tree(
        [(0.5, 0, 1), leaf(0), (0.5, 1, 3), leaf(1), leaf(2)], [4, 2, 2, 1, 1], [0, 0, 80], 2
    )
    cough = make_tree([(0.5, 1, 1), leaf(0), leaf(1)], [4, 2, 2], [0, 10], 2)
    sick = np.array([[1.0, 1.0]])
    np.testing.assert_allclose(both.shap(sick)[0, :, 0], [30, 30, 20])
    together = Forest.concatenate([both, cough])
    np.testing.assert_allclose(together.shap(sick)[0, :, 0], [30, 35, 25])


def chain_value(x, column, other=None):
    """Shapley value of a column in `make_chain` with a column of its own per split, exactly.

    Shares are quarters, so that everything is a whole number but for a power of four. With
    another row, shares are one where that passes and zero elsewhere.
    """
    depth, total = len(x), Fraction(0)
    for leaf in range(column, depth + 1):
        right = np.arange(min(leaf + 1, depth)) < leaf
        if column >= len(right):
            continue
        shares = np.where(right, 3, 1)
        if other is not None:
            shares = 4 * ((other[: len(right)] > 0) == right)
        passed = 4 * ((x[: len(right)] > 0) == right)
        factors = list(zip(shares.tolist(), passed.tolist(), strict=True))
        own_share, own_passed = factors.pop(column)
        # The coefficients of the product of all (1 - t) share + t passed.
        polynomial = [1]
        for z, o in factors:
            longer = zip([*polynomial, 0], [0, *polynomial], strict=True)
            polynomial = [z * low + (o - z) * high for low, high in longer]
        integral = sum(Fraction(c, power + 1) for power, c in enumerate(polynomial))
        total += (leaf + 1) * (own_passed - own_share) * integral / 4 ** (len(factors) + 1)
    return float(total)


@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("depth", [5, 12, 80])
def test_deep_trees_are_as_exact_as_shallow_ones(depth, background):
    chain = make_chain(range(depth))
    X = np.ones((3, depth))
    X[1, 2::3] = X[2, depth // 2] = -1.0
    others = np.where(np.arange(2 * depth).reshape(2, depth) % 5 == 4, -1.0, 1.0)
    got = chain.shap(X, background=others if background else None)[:, :, 0]
    np.testing.assert_allclose(got.sum(axis=1), chain.predict(X)[:, 0], rtol=1e-13)
    for column in {0, depth // 2, depth - 1}:
        exact = [
            np.mean([chain_value(x, column, other) for other in (others if background else [None])])
            for x in X
        ]
        np.testing.assert_allclose(got[:, column], exact, rtol=1e-11, atol=1e-13)


def test_very_long_paths():
    # 3,000 splits on two columns that take turns.
    chain = make_chain([t % 2 for t in range(3000)], share=1e-3)
    X = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    values = chain.shap(X)[:, :, 0]
    np.testing.assert_allclose(values.sum(axis=1), chain.predict(X)[:, 0], rtol=1e-11)


def test_a_column_alone_gets_everything():
    chain = make_chain([0] * 40)
    X = np.array([[-1.0], [1.0]])
    values = chain.shap(X)[:, :, 0]
    np.testing.assert_allclose(values[:, 0], chain.predict(X)[:, 0] - values[:, 1])


def test_a_tree_without_splits_says_what_it_expects():
    tree = make_tree([(0.0, 0, -1)], [3.0], [7.0], 2)
    np.testing.assert_array_equal(tree.shap(np.zeros((1, 2)))[0, :, 0], [0, 0, 7])


def test_nodes_without_weight():
    chain = make_chain(range(4))
    for weight in ([1, 0, 1, 0, 1, 1, 0, 0, 0], np.zeros(9)):
        tree = make_tree(chain.nodes, weight, chain.values, 4)
        X = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
        np.testing.assert_allclose(tree.shap(X).sum(axis=1), tree.predict(X), atol=1e-12)


def test_what_cannot_be_walked_is_refused():
    X, forest = make_forest(1)
    with pytest.raises(ValueError, match="columns differs"):
        forest.shap(X[:, :3])
    with pytest.raises(ValueError, match="background: number of columns"):
        forest.shap(X, background=X[:, :3])
    with pytest.raises(ValueError, match="no rows"):
        forest.shap(X, background=X[:0])
    with pytest.raises(ValueError, match="one per tree"):
        forest.shap(X, tree_weight=np.ones(2))
    chain = make_chain(range(2))
    for weight in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="is no weight"):
            make_tree(chain.nodes, [weight] * 5, chain.values, 2).shap(np.zeros((1, 2)))
    # Each node is the child of the two before it: paths without number.
    shared = [(0.0, 0, t + 1) for t in range(50)] + [(0.0, 0, -1)] * 2
    with pytest.raises(ValueError, match="two parents"):
        make_tree(shared, np.ones(52), [1.0], 1).shap(np.zeros((1, 1)))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals between threads")
def test_ctrl_c_is_noticed():
    X, forest = make_forest(50)
    forest = Forest.concatenate([forest] * 1000)  # many seconds of work
    out, weight = np.zeros((len(X), 8, 3)), forest.weight.astype(np.float64)
    main = threading.main_thread().ident
    timer = threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        _engine.shap(forest._checked, weight, X, X, None, out, 1, True)
    timer.join()
    # Less than the whole was done.
    assert np.abs(out.sum(axis=1) - forest.predict(X)).max() > 1.0

"""Trees in the words of ONNX's operator, walked by hand."""

import numpy as np
import pytest

import coterie
from coterie.export.onnx_trees import tree_arrays

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=200), RNG.integers(0, 70, 200), RNG.integers(0, 4, 200)])
X[RNG.random(X.shape) < 0.1] = np.nan
Y = (np.nan_to_num(X[:, 0]) + np.isin(X[:, 1] % 7, [1, 4])) > 0.5


def walk(arrays, row, n_scores):
    """What the operator adds up for a row, as its documentation says."""
    ends = np.flatnonzero(np.isnan(arrays.members))
    starts = np.append(0, ends + 1)[: len(ends)]
    asking = np.flatnonzero(arrays.mode == 6)
    sets = {n: arrays.members[a:b] for n, a, b in zip(asking, starts, ends, strict=True)}
    scores = np.zeros(n_scores)
    for root in arrays.roots:
        node, leaf = root, 0
        while not leaf:
            x = row[arrays.feature[node]]
            if np.isnan(x):
                yes = arrays.missing_true[node]
            else:
                yes = x in sets[node] if node in sets else x <= arrays.split[node]
            leaf = (arrays.yes_leaf if yes else arrays.no_leaf)[node]
            node = (arrays.yes if yes else arrays.no)[node]
        scores[arrays.target[node]] += arrays.weight[node]
    return scores


@pytest.mark.parametrize("max_depth", [None, 3])
@pytest.mark.parametrize("y", [Y, np.digitize(X[:, 0], [-0.5, 0.5])], ids=["two", "three"])
def test_walks_end_where_the_engine_ends(y, max_depth):
    model = coterie.ExtraTreesClassifier(
        5, max_depth=max_depth, categorical_features=[1, 2], random_state=0
    ).fit(X, y)
    labels = model.schema_.labels
    coded = X.copy()
    for j, known in labels.items():
        coded[:, j] = np.where(np.isnan(X[:, j]), np.nan, np.searchsorted(known, X[:, j]))
    weights = np.array([0.5, 1.0, 2.0, 0.0, -1.0])
    forest = model.pool_.forest
    arrays = tree_arrays(forest, weights, {j: np.arange(len(known)) for j, known in labels.items()})
    expected = forest.predict(coded, tree_weight=weights)
    walked = [walk(arrays, row, expected.shape[1]) for row in coded]
    np.testing.assert_allclose(walked, expected, atol=1e-12)
    assert set(arrays.mode) == {0, 6}


def test_a_tree_is_written_as_often_as_its_leaves_have_votes():
    model = coterie.DecisionTreeClassifier().fit(X[:, :1], Y)  # pure leaves, but for equal rows
    pure = tree_arrays(model.pool_.forest, np.ones(1), {})
    mixed = coterie.DecisionTreeClassifier(max_depth=1).fit(X[:, :1], Y)
    assert len(pure.roots) <= 2
    assert len(tree_arrays(mixed.pool_.forest, np.ones(1), {}).roots) == 2


def test_no_two_nodes_in_a_row_ask_one_column_for_categories():
    model = coterie.ExtraTreesClassifier(9, categorical_features=[1, 2], random_state=0).fit(X, Y)
    codes = {j: np.arange(len(known)) for j, known in model.schema_.labels.items()}
    arrays = tree_arrays(model.pool_.forest, np.ones(9), codes)
    inner = np.flatnonzero((arrays.no_leaf == 0) & (arrays.mode == 6))
    after = arrays.no[inner]
    same = (arrays.mode[after] == 6) & (arrays.feature[after] == arrays.feature[inner])
    assert not same.any()
    assert (arrays.split == -1.0).any()  # there was something to part


def test_a_tree_of_one_leaf_has_a_root():
    model = coterie.DecisionTreeRegressor(min_samples_split=1000).fit(X, X[:, 1] > 3)
    arrays = tree_arrays(model.pool_.forest, np.ones(1), {})
    assert arrays.roots.tolist() == [0]
    assert walk(arrays, X[0], 1) == pytest.approx(model.predict(X[:1]))

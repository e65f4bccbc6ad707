"""Trees as plain lists."""

import numpy as np

from coterie import AdaBoostClassifier, BaggingClassifier, RandomSubspaceClassifier
from coterie.studio.member_trees import MOST_NODES, trees_of


def test_a_stump_is_its_cut():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    (tree,) = trees_of(AdaBoostClassifier(n_estimators=1).fit(X, y), 1)
    assert (tree["feature"][0], tree["threshold"][0]) == (0, 1.5)
    assert [tree["value"][tree["left"][0]], tree["value"][tree["right"][0]]] == [0, 1]


def test_large_trees_are_only_measured():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    tree = trees_of(BaggingClassifier(n_estimators=1, random_state=0).fit(X, y), 1)[0]
    assert 2 * tree["leaves"] - 1 > MOST_NODES
    assert "feature" not in tree


def test_columns_of_subspaces_are_those_of_the_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    model = RandomSubspaceClassifier(n_estimators=3, random_state=0).fit(X, X[:, 5] > 0)
    for tree, shown in zip(trees_of(model, 3), model.estimators_features_, strict=True):
        assert {f for f in tree["feature"] if f >= 0} <= set(shown.tolist())

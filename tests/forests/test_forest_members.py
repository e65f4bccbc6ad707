import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import coterie

X, Y = load_iris(return_X_y=True)
LABELS = np.array(["a", "b", "c"])[Y]


@pytest.fixture(scope="module")
def forest():
    return coterie.RandomForestClassifier(6, min_samples_leaf=2, random_state=0).fit(X, LABELS)


def test_sequence(forest):
    trees = forest.estimators_
    assert len(trees) == len(forest) == 6
    assert repr(trees) == "<6 fitted DecisionTreeClassifier>"
    assert [type(tree) for tree in forest] == [coterie.DecisionTreeClassifier] * 6
    assert len(trees[1:3]) == 2
    assert trees[-1].random_state == forest[5].random_state
    with pytest.raises(IndexError):
        trees[6]


def test_trees_are_fitted(forest):
    votes = np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(votes, forest.predict_proba(X))
    tree = forest.estimators_[0]
    assert set(tree.predict(X)) <= set("abc")
    assert tree.get_depth() > 1
    assert (tree.n_features_in_, tree.max_features_) == (4, 2)
    assert np.shares_memory(tree.pool_.forest.nodes, forest.pool_.forest.nodes)


@pytest.mark.parametrize(
    "kind",
    [coterie.RandomForestClassifier, coterie.RandomForestRegressor, coterie.ExtraTreesRegressor],
)
def test_a_tree_can_be_grown_again_from_its_bag(kind):
    forest = kind(5, max_features=2, bootstrap=True, random_state=3).fit(X, Y)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        again = clone(tree).fit(X, Y, np.bincount(rows, minlength=150))
        np.testing.assert_array_equal(again.pool_.forest.nodes, tree.pool_.forest.nodes)
        alone = clone(tree).fit(X[rows], Y[rows])
        np.testing.assert_allclose(alone.tree_.value, tree.tree_.value)


def test_template(forest):
    tree = forest.estimator_
    assert tree.get_params()["min_samples_leaf"] == 2
    assert tree.class_weight is None
    extra = coterie.ExtraTreesRegressor(max_depth=3).estimator_
    assert isinstance(extra, coterie.ExtraTreeRegressor)
    assert (extra.splitter, extra.max_depth) == ("random", 3)


def test_unfitted():
    assert not hasattr(coterie.RandomForestClassifier(), "estimators_")

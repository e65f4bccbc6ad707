import numpy as np
import pytest
from scipy import sparse
from sklearn import tree as sk
from sklearn.datasets import load_digits, load_iris

import coterie

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def fitted():
    return coterie.DecisionTreeClassifier().fit(X, Y)


def test_names_and_shapes_of_scikit_learn(fitted):
    ours, theirs = fitted.tree_, sk.DecisionTreeClassifier(random_state=0).fit(X, Y).tree_
    arrays = (
        "children_left children_right feature threshold impurity n_node_samples "
        "weighted_n_node_samples missing_go_to_left value"
    )
    for name in arrays.split():
        a, b = getattr(ours, name), getattr(theirs, name)
        assert a.dtype == b.dtype
        assert a.dtype.kind != "i" or a.dtype.char == "q"  # what supertree looks for
        assert a.shape == (ours.node_count, *b.shape[1:])
    for name in ("n_features", "n_outputs", "max_n_classes", "node_count", "n_leaves"):
        assert getattr(ours, name) == getattr(theirs, name)


def test_nodes_hang_together(fitted):
    tree = fitted.tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    left, right = tree.children_left[inner], tree.children_right[inner]
    assert np.all(
        tree.n_node_samples[inner] == tree.n_node_samples[left] + tree.n_node_samples[right]
    )
    leaves = tree.children_left < 0
    assert np.all(tree.feature[leaves] == -2)
    assert np.all(tree.threshold[leaves] == -2)
    assert tree.n_leaves == leaves.sum() == len(inner) + 1
    depths = tree.compute_node_depths()
    assert depths.max() - 1 == tree.max_depth
    assert depths[0] == 1


def test_walking(fitted):
    tree = fitted.tree_
    leaves = tree.apply(X)
    np.testing.assert_array_equal(leaves, fitted.apply(X))
    np.testing.assert_array_equal(tree.apply(sparse.csr_matrix(X)), leaves)
    np.testing.assert_allclose(tree.predict(X), fitted.predict_proba(X))
    path = tree.decision_path(X)
    assert np.all(path.toarray()[np.arange(150), leaves] == 1)
    np.testing.assert_array_equal(path.sum(axis=1).A1, tree.compute_node_depths()[leaves])


def test_values_of_inner_nodes(fitted):
    np.testing.assert_allclose(fitted.tree_.value[0, 0], [1 / 3] * 3)


def test_several_outputs_with_different_classes():
    both = np.column_stack([Y, Y > 0])
    tree = coterie.DecisionTreeClassifier(max_depth=2).fit(X, both).tree_
    assert tree.value.shape == (tree.node_count, 2, 3)
    np.testing.assert_array_equal(tree.n_classes, [3, 2])
    assert np.all(tree.value[:, 1, 2] == 0)
    assert tree.predict(X).shape == (150, 2, 3)


def test_importances_are_those_of_scikit_learn():
    X, y = load_digits(return_X_y=True)
    params = {"max_depth": 6, "min_samples_leaf": 15, "criterion": "entropy"}
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))  # so that no two splits tie
    ours = coterie.DecisionTreeClassifier(**params).fit(X, y, weight)
    theirs = sk.DecisionTreeClassifier(random_state=0, **params).fit(X, y, weight)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-5)
    raw = ours.tree_.compute_feature_importances(normalize=False)
    np.testing.assert_allclose(raw / raw.sum(), ours.feature_importances_)


def test_no_split_no_importance():
    tree = coterie.DecisionTreeClassifier().fit(X, np.zeros(150))
    np.testing.assert_array_equal(tree.feature_importances_, np.zeros(4))
    assert (tree.tree_.node_count, tree.tree_.max_depth) == (1, 0)


def test_categories():
    codes = np.array([[0.0], [1.0], [2.0], [3.0]] * 10)
    tree = coterie.DecisionTreeRegressor(categorical_features=[0])
    view = tree.fit(codes, np.array([5.0, 1.0, 5.0, 1.0] * 10)).tree_
    assert view.is_categorical.tolist() == [True, False, False]
    assert np.isnan(view.threshold[0])
    assert view.categories_left(0).tolist() in ([0, 2], [1, 3])


def test_nodes_are_numbered_depth_first_as_in_scikit_learn():
    column = X[:, 2:3].astype(np.float32)
    ours = coterie.DecisionTreeClassifier(max_depth=3).fit(column, Y)
    theirs = sk.DecisionTreeClassifier(max_depth=3, random_state=0).fit(column, Y)
    for name in ("children_left", "children_right", "feature", "n_node_samples"):
        np.testing.assert_array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name))
    np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value)
    np.testing.assert_array_equal(ours.apply(column), theirs.apply(column))
    paths = [tree.decision_path(column).toarray() for tree in (ours, theirs)]
    np.testing.assert_array_equal(*paths)


def test_arrays_cannot_be_written_to(fitted):
    for name in ("value", "threshold", "feature", "children_left", "impurity", "n_node_samples"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(fitted.tree_, name)[0] = 1

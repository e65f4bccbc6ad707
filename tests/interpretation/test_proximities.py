import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from coterie import (
    DecisionTreeClassifier,
    RandomForestClassifier,
    proximity_embedding,
    proximity_outliers,
    proximity_prototypes,
)
from coterie.forests.proximity import proximity_matrix


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y, RandomForestClassifier(100, random_state=0).fit(X, y).proximity(X)


def test_a_wrong_label_is_an_outlier(iris):
    X, y, _ = iris
    wrong = y.copy()
    wrong[3] = 2
    forest = RandomForestClassifier(100, random_state=0).fit(X, wrong)
    found = proximity_outliers(forest.proximity(X, oob="both"), wrong)
    assert found.argmax() == 3
    assert found[3] > 10


def test_outliers_by_hand():
    proximity = np.array([[1, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1]])
    raw = 3 / np.array([0.26, 0.29, 0.05])
    away = raw - np.median(raw)
    np.testing.assert_allclose(proximity_outliers(proximity), away / np.abs(away).mean())
    assert not proximity_outliers(np.ones((4, 4))).any()
    # Classes are judged by themselves.
    assert not proximity_outliers(np.eye(4) + np.ones((4, 4)), [0, 0, 1, 1]).any()


def test_prototypes_are_typical(iris):
    X, y, proximity = iris
    found = proximity_prototypes(proximity, y, X, n_neighbors=30)
    assert [prototype.label for prototype in found] == [0, 1, 2]
    for prototype in found:
        own = X[y == prototype.label]
        assert y[prototype.row] == prototype.label
        assert np.abs(prototype.centre - np.median(own, axis=0)).max() < 0.5
        assert (prototype.low <= prototype.centre).all()
        assert (y[prototype.neighbours] == prototype.label).all()


def test_a_prototype_has_the_most_neighbours_before_the_closest():
    proximity = np.eye(5)
    proximity[:2, :2] = [[1.0, 0.9], [0.9, 1.0]]
    proximity[2:, 2:] = np.where(np.eye(3), 1.0, 0.2)
    (found,) = proximity_prototypes(proximity, [0] * 5, n_neighbors=3)
    assert found.row == 2
    assert found.neighbours.tolist() == [2, 3, 4]


def test_further_prototypes_are_of_other_rows(iris):
    X, y, proximity = iris
    frame = pd.DataFrame({"length": X[:, 0], "kind": np.where(X[:, 1] > 3, "wide", "slim")})
    found = proximity_prototypes(proximity, y, frame, n_prototypes=2, n_neighbors=20)
    assert len(found) == 6
    assert not set(found[0].neighbours) & set(found[1].neighbours)
    assert found[0].centre[1] in ("wide", "slim")


def test_one_tree_makes_blocks():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)
    leaves = tree.apply(X)[:, None]
    proximity = proximity_matrix(leaves)
    assert set(np.unique(proximity)) == {0.0, 1.0}
    places, share = proximity_embedding(proximity, 2)
    # Rows of a leaf are at one place, and three leaves span a plane.
    assert len(np.unique(places.round(6), axis=0)) == 3
    assert share.sum() == pytest.approx(1)


def test_distances_of_the_embedding(iris):
    proximity = iris[2][::3, ::3]
    places, share = proximity_embedding(proximity, len(proximity))
    found = squareform(pdist(places, "sqeuclidean"))
    np.testing.assert_allclose(found, 1 - proximity, atol=1e-8)
    assert (np.diff(share) < 1e-12).all()


def test_bad_matrices():
    with pytest.raises(ValueError, match="square matrix"):
        proximity_outliers(np.ones((3, 2)))
    with pytest.raises(ValueError, match="y has 2 rows"):
        proximity_outliers(np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="from 1 to 3"):
        proximity_embedding(np.eye(3), 4)

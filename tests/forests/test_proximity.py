import numpy as np
import pytest
from sklearn.datasets import load_iris

import coterie
from coterie.forests.proximity import proximity_blocks, proximity_matrix

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def forest():
    return coterie.RandomForestClassifier(25, random_state=0).fit(X, Y)


def by_hand(leaves, use=None):
    same = leaves[:, None] == leaves[None]
    if use is None:
        return same.mean(axis=2)
    both = use[:, None] & use[None]
    with np.errstate(invalid="ignore"):
        return (same & both).sum(axis=2) / both.sum(axis=2)


def test_share_of_common_leaves(forest):
    proximity = forest.proximity(X)
    np.testing.assert_allclose(proximity, by_hand(forest.apply(X)))
    np.testing.assert_allclose(proximity, proximity.T)
    np.testing.assert_allclose(np.diag(proximity), 1)
    assert np.linalg.eigvalsh(proximity).min() > -1e-9


def test_one_tree_gives_blocks():
    tree = coterie.RandomForestClassifier(1, max_depth=2, random_state=0).fit(X, Y)
    leaves = tree.apply(X)
    np.testing.assert_array_equal(tree.proximity(X), leaves == leaves.T)


def test_trees_that_saw_neither(forest):
    outside = forest.bags_.outside()
    proximity = forest.proximity(X, oob="both")
    np.testing.assert_allclose(proximity, by_hand(forest.apply(X), outside))
    few = coterie.RandomForestClassifier(2, random_state=0).fit(X, Y)
    assert np.isnan(few.proximity(X, oob="both")).any()


def test_other_rows(forest):
    np.testing.assert_allclose(forest.proximity(X[:10], X[50:70]), forest.proximity(X)[:10, 50:70])


def test_blocks(forest):
    leaves = forest.apply(X)
    sizes = [block.shape for _, block in proximity_blocks(leaves, block_rows=64)]
    assert sizes == [(64, 150), (64, 150), (22, 150)]
    np.testing.assert_array_equal(
        np.vstack([block for _, block in proximity_blocks(leaves, block_rows=7)]),
        proximity_matrix(leaves),
    )


def test_refusals(forest):
    with pytest.raises(ValueError, match="oob='one'"):
        forest.proximity(X, oob="one")
    with pytest.raises(ValueError, match="without Y"):
        forest.proximity(X, X, oob="both")
    with pytest.raises(ValueError, match="X has 10 rows, but the ensemble was fitted to 150"):
        forest.proximity(X[:10], oob="both")
    plain = coterie.ExtraTreesClassifier(3).fit(X, Y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        plain.proximity(X, oob="both")


def test_classes_are_close_to_themselves(forest):
    proximity = forest.proximity(X, oob="both")
    within = np.nanmean(proximity[:50, :50])
    assert within > 5 * np.nanmean(proximity[:50, 50:])

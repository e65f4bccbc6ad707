"""Linkage of items that stand for several rows."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from coterie.clustering import adjusted_rand
from coterie.clustering.dendrogram import agglomerate, longest_lived


def distances(n_items, seed=0):
    points = np.random.default_rng(seed).normal(size=(n_items, 3))
    return np.linalg.norm(points[:, None] - points, axis=2)


@pytest.mark.parametrize("kind", ["average", "single"])
def test_against_scipy(kind):
    distance = distances(40)
    theirs = linkage(squareform(distance, checks=False), kind)
    found = agglomerate(distance.copy(), np.ones(40), kind)
    np.testing.assert_allclose(found.heights, theirs[:, 2], rtol=1e-12)
    for n_clusters in (2, 5, 11):
        other = fcluster(theirs, n_clusters, "maxclust")
        assert adjusted_rand(found.cut(n_clusters), other) == 1


def test_an_item_of_three_rows_is_three_rows():
    distance = distances(12)
    times = np.array([1, 3, 1, 2] * 3)
    repeated = np.repeat(np.repeat(distance, times, axis=0), times, axis=1)
    theirs = linkage(squareform(repeated, checks=False), "average")[:, 2]
    found = agglomerate(distance, times.astype(float)).heights
    np.testing.assert_allclose(found, theirs[theirs > 0], rtol=1e-12)


def test_the_longest_life():
    assert longest_lived(np.array([0.25, 0.25, 0.5, 0.5, 0.75, 0.75]), 6) == 3  # k=5 ties
    assert longest_lived(np.array([0.0, 0.25, 1 / 3, 0.5, 0.8333, 0.9306]), 6) == 3
    assert longest_lived(np.array([0.0]), 2) == 2

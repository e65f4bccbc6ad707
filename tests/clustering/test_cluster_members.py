"""Ways to make members."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from coterie.clustering import adjusted_rand
from coterie.clustering.cluster_members import (
    Centres,
    KMeansMaker,
    LeafMaker,
    fit_clusterer,
    labels_of,
)


def rng():
    return np.random.default_rng(0)


def blobs(n_rows=120):
    generator = rng()
    truth = np.arange(n_rows) % 3
    return generator.normal(scale=0.3, size=(n_rows, 4)) + 3 * np.eye(3, 4)[truth], truth


def test_centres_place_rows_as_k_means_does():
    X, _ = blobs()
    model = KMeans(5, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(Centres(model.cluster_centers_).predict(X), model.labels_)
    some = Centres(model.cluster_centers_[:, :2], columns=np.array([0, 1]))
    assert some.predict(X).shape == (120,)


@pytest.mark.parametrize("kind", ["kmeans", "subspace", "projection", "bootstrap"])
def test_kinds_of_k_means(kind):
    X, truth = blobs()
    member, bag = KMeansMaker(kind, 6, 9).fit(X, np.ones(120), rng())
    assert 6 <= len(member.centres) <= 9
    assert adjusted_rand(member.predict(X), truth) > 0.15
    assert (bag is not None) == (kind == "bootstrap")
    if kind == "subspace":
        assert len(member.columns) == 2
        odd, _ = KMeansMaker(kind, 6, 9).fit(X[:, :3], np.ones(120), rng())
        assert len(odd.columns) == 2
    if kind == "projection":
        wide = rng().normal(size=(20, 30))
        narrow, _ = KMeansMaker(kind, 2, 2).fit(wide, np.ones(20), rng())
        assert narrow.directions.shape == (30, 9)  # twice the logarithm of 20 to base 2
    if kind == "bootstrap":
        assert 0.5 < len(bag) / 120 < 0.75


def test_many_rows_are_clustered_in_batches():
    X = np.tile(blobs()[0], (500, 1))
    member, _ = KMeansMaker("kmeans", 12, 12).fit(X, np.ones(len(X)), rng())
    assert adjusted_rand(member.predict(X[:120]), blobs()[1]) > 0.2


def test_leaves():
    X, truth = blobs()
    X[0, 0] = np.nan
    member = LeafMaker(3, 3).fit(X, np.ones(120), rng())
    assert adjusted_rand(member.predict(X), truth) > 0.3
    assert (len(member.trees.estimators_), member.trees.max_depth) == (50, 5)


@pytest.mark.parametrize(
    "clusterer", [KMeans(3, n_init=1), AgglomerativeClustering(3), GaussianMixture(3)]
)
def test_any_clusterer(clusterer):
    X, truth = blobs()
    fitted = fit_clusterer(clusterer, X, np.ones(120), rng())
    assert fitted is not clusterer
    assert adjusted_rand(labels_of(fitted, X), truth) > 0.5


def test_clusterers_may_tell_labels_in_one_call_only():
    class Halves(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def fit_predict(self, X, y=None):
            return (X[:, 0] > np.median(X[:, 0])).astype(int)

    X, _ = blobs()
    assert labels_of(fit_clusterer(Halves(), X, None, rng()), X).sum() == 60

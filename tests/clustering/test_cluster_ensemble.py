"""The cluster ensemble as an estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_moons

from coterie import ClusterEnsemble
from coterie.clustering import CONSENSUS, adjusted_rand
from coterie.clustering import consensus as combine
from coterie.clustering.lookup import narrow


def blobs(n_rows=150, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) % 3
    return rng.normal(scale=0.4, size=(n_rows, 4)) + 3 * np.eye(3, 4)[truth], truth


def small(**params):
    return ClusterEnsemble(**{"n_members": 12, "random_state": 0} | params)


@pytest.mark.slow
@pytest.mark.parametrize("members", ["kmeans", "subspace", "projection", "bootstrap", "embedding"])
def test_all_kinds_of_members(members):
    X, truth = blobs()
    model = small(n_clusters=3, members=members).fit(X)
    assert adjusted_rand(model.labels_, truth) > 0.9
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.member_labels_.shape == (12, 150)
    assert adjusted_rand(model.predict(blobs(60, 1)[0]), blobs(60, 1)[1]) > 0.9
    assert model.anmi_ == max(model.anmi_by_consensus_.values())
    assert (model.confidence_ > 0).all()
    assert model.confidence_.max() <= 1 + 1e-12


@pytest.mark.parametrize("consensus", [*CONSENSUS, "supra"])
def test_all_consensus_functions(consensus):
    X, truth = blobs()
    model = small(n_clusters=3, consensus=consensus).fit(X)
    assert adjusted_rand(model.labels_, truth) > 0.7
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert consensus in ("supra", model.consensus_)


@pytest.mark.slow
def test_the_number_of_clusters_is_found():
    X, truth = blobs()
    model = small(k_min=3).fit(X)
    assert model.n_clusters_ == 3
    assert adjusted_rand(model.labels_, truth) > 0.9


@pytest.mark.slow
def test_moons_that_k_means_cannot_find():
    X, y = make_moons(300, noise=0.05, random_state=0)
    single = KMeans(2, n_init=5, random_state=0).fit(X)
    model = ClusterEnsemble(n_clusters=2, consensus="eac", k_min=12, random_state=0).fit(X)
    assert adjusted_rand(model.labels_, y) > adjusted_rand(single.labels_, y)


def test_lists_of_clusterers():
    X, truth = blobs()
    clusterers = [KMeans(4, n_init=1), KMeans(5, n_init=1), AgglomerativeClustering(3)]
    model = ClusterEnsemble(n_clusters=3, members=clusterers, random_state=0).fit(X)
    assert adjusted_rand(model.labels_, truth) > 0.9
    assert adjusted_rand(model.predict(X), truth) > 0.9  # one of them cannot place new rows


@pytest.mark.slow
def test_bags_may_leave_rows_out():
    X, _ = blobs()
    model = small(n_clusters=3, members="bootstrap", outside="missing").fit(X)
    assert (model.member_labels_ < 0).mean() > 0.2


@pytest.mark.slow
def test_selection_and_stability():
    X, _ = blobs()
    model = small(n_clusters=3, select="quality", share=0.25).fit(X)
    assert len(model.members_) == 3
    assert 0.5 < model.stability_ <= 1


@pytest.mark.slow
def test_missing_values_and_categories_need_trees():
    X, truth = blobs()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[3, "b"] = np.nan
    with pytest.raises(ValueError, match="column 'b' has missing values. Use members='embedding'"):
        small().fit(frame)
    frame["e"] = pd.Categorical(np.array(["x", "y", "z"])[truth])
    with pytest.raises(ValueError, match="column 'e' is categorical"):
        small().fit(frame)
    model = small(n_clusters=3, members="embedding").fit(frame)
    assert adjusted_rand(model.labels_, truth) > 0.9
    np.testing.assert_array_equal(model.predict(frame), model.labels_)


def test_weights_drop_rows():
    X, _ = blobs()
    weight = np.ones(150)
    weight[::5] = 0
    model = small(n_clusters=3).fit(X, sample_weight=weight)
    assert (model.labels_[::5] == -1).all()
    assert np.isnan(model.confidence_[::5]).all()


def test_what_is_refused():
    X, _ = blobs(20)
    with pytest.raises(ValueError, match="kinds of rows"):
        small(n_clusters=15, k_min=2, k_max=2, n_members=2).fit(X)
    with pytest.raises(ValueError, match="k_max=2 must not be less than k_min=5"):
        small(k_min=5, k_max=2).fit(X)


def test_lists_without_clusterers_are_refused():
    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match="empty list"):
        ClusterEnsemble(members=[]).fit(X)
    with pytest.raises(ValueError, match="list of clusterers, but contains 3"):
        ClusterEnsemble(members=[3]).fit(X)
    with pytest.raises(ValueError, match="No member clustered any row"):
        ClusterEnsemble(members=[DBSCAN(eps=1e-9)]).fit(X)


def test_a_cluster_for_every_row():
    rows = np.arange(4.0)[:, None]
    for consensus in ("auto", "cspa"):
        model = ClusterEnsemble(n_clusters=4, n_members=8, consensus=consensus, random_state=0)
        assert len(np.unique(model.fit(rows).labels_)) == 4


def test_many_clusters_have_numbers_of_their_own():
    assert [narrow(np.array([[0, most]])) for most in (2**15 - 1, 2**15)] == [np.int16, np.int32]


@pytest.mark.parametrize("size", [1e-310, 1e290])
def test_numbers_of_any_size_are_standardised(size):
    X, truth = blobs(60)
    assert adjusted_rand(small(n_clusters=3).fit_predict(X * size), truth) > 0.9


def test_numbers_whose_sums_overflow_are_refused():
    with pytest.raises(ValueError, match="at most 1e"):
        ClusterEnsemble().fit(np.array([[1.0, 1e305], [2.0, -1e305], [3.0, 0.0]]))


def test_members_have_more_clusters_than_asked_for_and_at_most_fifty():
    model = ClusterEnsemble(n_clusters=4)
    assert model._range(1000) == (4, 32)
    assert model._range(10**6) == (4, 50)
    assert ClusterEnsemble()._range(100) == (2, 10)
    assert ClusterEnsemble(n_clusters=30)._range(100) == (30, 30)


def test_confidence_is_the_share_of_member_clusters_with_the_label():
    X, _ = blobs(60)
    model = small(n_clusters=3, n_members=4).fit(X)
    expected = np.mean(
        [
            [np.mean(model.labels_[row == row[i]] == model.labels_[i]) for i in range(60)]
            for row in model.member_labels_
        ],
        axis=0,
    )
    np.testing.assert_allclose(model.confidence_, expected)


@pytest.mark.slow
def test_responsibilities_of_a_mixture():
    X, _ = blobs()
    weight = np.ones(150)
    weight[::5] = 0
    model = small(n_clusters=3, consensus="mixture").fit(X, sample_weight=weight)
    found, kept = model.responsibilities_, weight > 0
    assert found.shape == (150, 3)
    assert np.isnan(found[~kept]).all()
    np.testing.assert_allclose(found[kept].sum(axis=1), 1)
    np.testing.assert_array_equal(found[kept].argmax(axis=1), model.labels_[kept])
    # The likelihood from what components say of the members' labels.
    joint = np.log(found[kept].mean(axis=0))
    for row in model.member_labels_[:, kept]:
        chances = np.stack([found[kept][row == label].sum(axis=0) for label in np.unique(row)])
        chances = chances / chances.sum(axis=0) + 1e-300
        joint = joint + np.log(chances)[np.unique(row, return_inverse=True)[1]]
    expected = np.log(np.exp(joint - joint.max()).sum(axis=1)).sum() + joint.max() * kept.sum()
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-2)
    assert not hasattr(small(n_clusters=3).fit(X), "responsibilities_")


def test_a_mixture_of_one_member_has_its_clusters():
    X, _ = blobs()
    found = small(n_members=1, k_min=3, k_max=3, n_clusters=3, consensus="mixture").fit(X)
    np.testing.assert_array_equal(found.responsibilities_, np.eye(3)[found.labels_])
    sizes = np.bincount(found.labels_)
    assert found.log_likelihood_ == pytest.approx(float(sizes @ np.log(sizes / 150)))
    one = small(n_clusters=1, consensus="mixture").fit(X)
    assert (one.responsibilities_ == 1).all()


@pytest.mark.slow
def test_unique_reaches_the_consensus():
    X = np.random.default_rng(0).random((60, 2))
    plain, apart = (
        small(n_clusters=3, n_members=6, k_min=6, k_max=9, consensus="mcla", unique=unique).fit(X)
        for unique in (False, True)
    )
    labels = combine(apart.member_labels_, 3, "mcla", unique=True)
    assert adjusted_rand(apart.labels_, labels) == 1
    assert adjusted_rand(apart.labels_, plain.labels_) < 1
    assert 0 <= apart.stability_ <= 1

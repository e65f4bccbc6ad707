"""Consensus by name, and what every consensus function promises."""

import warnings

import numpy as np
import pytest

from coterie.clustering import (
    CONSENSUS,
    Labellings,
    adjusted_rand,
    anmi,
    choose_members,
    consensus,
    nmi,
    stability,
    supra,
)
from coterie.clustering.supra import agree, count_clusters
from tests.clustering.seven import EXPECTED, LABELS

every = pytest.mark.parametrize("method", [*CONSENSUS, "auto", "supra"])


def noisy(n_members=9, n_rows=90, noise=0.15, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], n_rows // 3)
    wrong = rng.random((n_members, n_rows)) < noise
    labels = np.where(wrong, rng.integers(0, 3, (n_members, n_rows)), truth)
    names = np.array([rng.permutation(3) for _ in range(n_members)])
    return truth, np.take_along_axis(names, labels, axis=1)


def quiet(*args, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return consensus(*args, **params)


@every
def test_a_noisy_truth_is_found(method):
    truth, labels = noisy()
    assert adjusted_rand(quiet(labels, 3, method), truth) > (0.8 if method == "hgpa" else 0.93)


@every
def test_names_of_clusters_and_the_order_of_rows_do_not_matter(method):
    _, labels = noisy(seed=1)
    rng = np.random.default_rng(2)
    found = quiet(labels, 3, method)
    renamed = np.array([rng.permutation(3)[row] + 4 for row in labels])
    order = rng.permutation(labels.shape[1])
    least = 0.8 if method == "hgpa" else 0.93
    assert adjusted_rand(quiet(renamed, 3, method), found) > least
    np.testing.assert_array_equal(quiet(labels[:, order], 3, method), found[order])


@every
def test_copies_of_one_clustering_return_it(method):
    truth, _ = noisy()
    assert adjusted_rand(quiet([truth] * 4, 3, method), truth) == 1
    _, labels = noisy(seed=3)
    twice = quiet(np.repeat(labels, 2, axis=0), 3, method)
    assert adjusted_rand(twice, quiet(labels, 3, method)) > (0.8 if method == "hgpa" else 0.93)


@every
def test_a_member_of_one_cluster_says_nothing(method):
    _, labels = noisy(seed=4)
    lump = np.vstack([labels, np.zeros((1, labels.shape[1]), dtype=int)])
    least = 0.8 if method == "hgpa" else 0.93
    assert adjusted_rand(quiet(lump, 3, method), quiet(labels, 3, method)) > least


@pytest.mark.slow
def test_supra_keeps_what_agrees_most():
    found, places = Labellings.read(LABELS)
    agreed = agree(found, 3, "supra", np.random.default_rng(0))
    assert set(agreed.anmi) == {"cspa", "hgpa", "mcla", "hbgf", "eac"}
    assert agreed.anmi[agreed.name] == max(agreed.anmi.values())
    assert agreed.name == "cspa"  # all find the same: the first wins
    assert anmi(agreed.codes[places], LABELS) == pytest.approx(agreed.anmi["cspa"])
    assert adjusted_rand(agreed.codes[places], EXPECTED) == 1


@pytest.mark.slow
def test_the_number_of_clusters_is_found():
    assert consensus(LABELS).tolist() == EXPECTED
    rng = np.random.default_rng(0)
    _, many = noisy(30, 30_000, 0.1)
    found, _ = Labellings.read(many)
    assert found.n_tuples > 5000
    assert count_clusters(found, rng) == 3


def test_rows_that_nobody_clustered():
    labels = np.hstack([LABELS, np.full((4, 1), -1)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = consensus(labels, 3)  # four methods, and one warning
    (told,) = [str(each.message) for each in caught]
    assert told.startswith("1 rows were not clustered by any member")
    assert found[-1] == -1
    assert adjusted_rand(found[:-1], EXPECTED) == 1


def test_what_is_refused():
    with pytest.raises(ValueError, match="n_clusters=7, but the members distinguish only 6 kinds"):
        consensus(LABELS, 7)
    with pytest.raises(ValueError, match="method='best' is not allowed"):
        consensus(LABELS, 3, "best")


def test_one_member_is_returned_or_cut():
    assert nmi(consensus(LABELS[:1]), LABELS[0]) == pytest.approx(1)
    assert consensus(LABELS[:1], 2, "eac").max() == 1
    assert consensus(LABELS, 1).tolist() == [0] * 7


def test_stability():
    _, clear = noisy(noise=0.02)
    _, vague = noisy(noise=0.6)
    settings = {"n_draws": 6}
    assert stability(clear, 3, "mcla", **settings) > stability(vague, 3, "mcla", **settings)


@pytest.mark.parametrize("how", ["quality", "jc", "cas"])
def test_members_worth_asking(how):
    _, labels = noisy(6)
    rng = np.random.default_rng(0)
    junk = rng.integers(0, 3, (2, labels.shape[1]))
    found, _ = Labellings.read(np.vstack([labels, junk]))
    chosen = choose_members(found, how, 0.5)
    assert len(chosen) == 4
    if how == "quality":
        assert set(chosen) <= set(range(6))
    assert choose_members(found, how, 1.0).tolist() == list(range(8))


def test_copies_are_chosen_last():
    _, labels = noisy(5, noise=0.5)
    found, _ = Labellings.read(np.vstack([labels, labels[:1], labels[:1]]))
    chosen = choose_members(found, "jc", 5 / 7, alpha=0.0)
    assert len(set(chosen) & {0, 5, 6}) == 1


def test_with_many_tuples_all_pairs_are_not_compared(monkeypatch):
    found, _ = Labellings.read(LABELS)
    tried = agree(found, 3, "auto", np.random.default_rng(0)).anmi
    assert list(tried) == ["cspa", "mcla", "hbgf", "eac"]
    monkeypatch.setattr(supra, "_FEW", 5)
    assert list(agree(found, 3, "auto", np.random.default_rng(0)).anmi) == ["mcla", "hbgf"]


@pytest.mark.parametrize(("method", "asked"), [("eac", None), ("mixture", None), ("hbgf", 3)])
def test_some_find_the_number_in_their_own_way(monkeypatch, method, asked):
    seen = []

    def note(labellings, n_clusters, rng, **_):
        seen.append(n_clusters)
        return np.zeros(labellings.n_tuples, dtype=np.int32)

    monkeypatch.setitem(supra.CONSENSUS, method, note)
    consensus(LABELS, method=method)
    assert seen == [asked]

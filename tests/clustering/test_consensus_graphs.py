"""Consensus by graphs on the seven objects."""

import itertools

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from coterie.clustering import Labellings, adjusted_rand, co_association
from coterie.clustering.consensus_graphs import (
    bipartite_partition,
    bipartite_values,
    column_cut,
    evidence_accumulation,
    hypergraph_partition,
    jaccard,
    meta_clustering,
    meta_clusters,
    normalised_similarity,
    similarity_partition,
)
from coterie.clustering.dendrogram import agglomerate
from tests.clustering.seven import EXPECTED, LABELS

FOUND, PLACES = Labellings.read(LABELS)


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(
    "method",
    [
        evidence_accumulation,
        similarity_partition,
        hypergraph_partition,
        meta_clustering,
        bipartite_partition,
    ],
)
def test_all_find_the_three_clusters(method):
    assert adjusted_rand(method(FOUND, 3, rng())[PLACES], EXPECTED) == 1


def test_evidence_decides_on_three():
    for missing in ("all", "available"):
        codes = evidence_accumulation(FOUND, None, rng(), missing=missing)
        assert adjusted_rand(codes[PLACES], EXPECTED) == 1
    single = evidence_accumulation(FOUND, None, rng(), linkage="single")
    assert single.max() == 2
    lone = evidence_accumulation(FOUND, None, rng(), linkage="single", missing="available")
    assert lone.max() == 5


@pytest.mark.parametrize(
    ("kind", "missing", "heights"),
    [
        ("average", "all", [0.25, 0.25, 0.5, 0.5, 0.875, 0.95]),
        ("average", "available", [0, 0.25, 1 / 3, 0.5, 5 / 6, 0.930556]),
        ("single", "all", [0.25, 0.25, 0.5, 0.5, 0.75, 0.75]),
    ],
)
def test_heights_of_seven_objects(kind, missing, heights):
    distance = 1 - co_association(LABELS, missing=missing)
    np.testing.assert_allclose(agglomerate(distance, np.ones(7), kind).heights, heights, atol=1e-6)


def test_tuples_give_the_dendrogram_of_all_rows():
    generator = np.random.default_rng(1)
    labels = generator.integers(0, 3, (4, 60))
    weights = generator.uniform(0.5, 2, 4)
    distance = 1 - co_association(labels, weights=weights)
    np.fill_diagonal(distance, 0)
    heights = linkage(squareform(distance, checks=False), "average")[:, 2]
    found, _ = Labellings.read(labels, weights)
    own = agglomerate(1 - found.similarity(), found.counts).heights
    # Rows of one tuple are merged at zero.
    np.testing.assert_allclose(own, heights[-len(own) :], atol=1e-12)


def test_eigenvalues_by_hand():
    values = np.sort(np.linalg.eigvalsh(normalised_similarity(FOUND)))[::-1]
    np.testing.assert_allclose(values[:3], [1, 0.823672, 0.249010], atol=1e-6)
    sigma, rows, clusters = bipartite_values(FOUND, 4)
    np.testing.assert_allclose(sigma, [1, 0.948945, 0.776920, 0.586293], atol=1e-6)
    incidence = FOUND.incidence.toarray()[PLACES]
    whole = np.block([[np.zeros((7, 7)), incidence], [incidence.T, np.zeros((11, 11))]])
    scale = 1 / np.sqrt(whole.sum(axis=1))
    adjacency = np.sort(np.linalg.eigvalsh(whole * scale[:, None] * scale))[::-1]
    np.testing.assert_allclose(adjacency[:4], sigma, atol=1e-12)
    # Both sides are of one eigenvector of the whole graph.
    vector = np.concatenate([rows[PLACES, 1], clusters[:, 1]])
    turned = (whole * scale[:, None] * scale) @ vector
    np.testing.assert_allclose(turned, sigma[1] * vector, atol=1e-12)


def test_meta_clusters_by_hand():
    groups, association = meta_clusters(FOUND, 3)
    names = [
        f"{q + 1}:{c}" for q, c in zip(FOUND.owners, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2], strict=True)
    ]
    parts = {frozenset(np.array(names)[groups == g]) for g in range(3)}
    assert parts == {
        frozenset({"1:3", "2:1", "3:3"}),
        frozenset({"1:2", "2:3", "3:2", "4:1"}),
        frozenset({"1:1", "2:2", "3:1", "4:2"}),
    }
    by_row = {tuple(np.round(column, 6)) for column in association[PLACES].T}
    assert by_row == {
        (0, 0, 0, 0, round(1 / 3, 6), 1, 1),
        (0.25, 0, 0.25, 1, 0.5, 0, 0),
        (0.75, 1, 0.5, 0, 0.25, 0, 0),
    }
    assert jaccard(FOUND)[0, 6] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_the_least_cut_is_found():
    best = min(
        column_cut(FOUND, np.array(codes)[FOUND_FIRST])
        for codes in itertools.product(range(3), repeat=7)
        if np.bincount(codes, minlength=3).max() <= 3 and codes[5] == codes[6]
    )
    assert best == 4
    assert column_cut(FOUND, hypergraph_partition(FOUND, 3, rng())) == 4


FOUND_FIRST = np.array([int(np.flatnonzero(place == PLACES)[0]) for place in range(6)])


@pytest.mark.parametrize("name", ["EAC", "CSPA"])
def test_too_many_pairs_are_refused(name):
    many = Labellings(
        np.arange(20_001, dtype=np.int32)[None, :], np.ones(20_001), np.ones(1), np.array([20_001])
    )
    method = {"EAC": evidence_accumulation, "CSPA": similarity_partition}[name]
    with pytest.raises(ValueError, match=f"{name} compares all pairs of 20001 .* 3.2 GB"):
        method(many, 3, rng())


def test_no_group_has_two_clusters_of_one_member():
    # Two members halve what the third has whole: by linkage alone halves join.
    labels = [[0, 0, 0, 0, 1, 1], [0, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1], [0, 1, 1, 1, 2, 2]]
    found, places = Labellings.read(labels)
    plain, _ = meta_clusters(found, 2)
    groups, association = meta_clusters(found, 2, unique=True)

    def twice(codes):
        pairs = [pair for pair in zip(codes, found.owners, strict=True) if pair[0] >= 0]
        return len(pairs) - len(set(pairs))

    assert twice(plain) > 0
    assert twice(groups) == 0
    assert set(groups) == {-1, 0, 1}
    assert association.shape == (found.n_tuples, 2)
    codes = meta_clustering(found, 2, rng(), unique=True)[places]
    assert adjusted_rand(codes, labels[0]) == 1
    # On the seven objects linkage keeps them apart without being told.
    same, _ = meta_clusters(FOUND, 3, unique=True)
    assert adjusted_rand(same, meta_clusters(FOUND, 3)[0]) == 1


def test_rows_of_lost_clusters_go_to_the_most_similar_group():
    labels = [[0, 0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1, 1]]
    found, places = Labellings.read(labels, [1.0, 0.0])  # its second member has no say
    codes = meta_clustering(found, 2, rng(), unique=True)[places]
    assert codes.tolist() == [0, 0, 0, 1, 1, 1, 1]

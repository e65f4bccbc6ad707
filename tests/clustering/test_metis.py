"""Balanced parts of graphs by METIS."""

import sys

import numpy as np
import pytest

from coterie import ClusterEnsemble
from coterie.clustering import Labellings, adjusted_rand, consensus
from coterie.clustering.consensus_graphs import meta_clusters
from coterie.clustering.metis import cut_graph
from tests.clustering.seven import EXPECTED, LABELS

FOUND, PLACES = Labellings.read(LABELS)


def test_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(ImportError, match=r"pip install 'coterie\[metis\]'"):
        consensus(LABELS, 3, "cspa", partition="metis")


def test_what_is_refused():
    with pytest.raises(ValueError, match="partition='kahip' is not allowed"):
        consensus(LABELS, 3, "cspa", partition="kahip")
    with pytest.raises(ValueError, match="Omit one of them"):
        consensus(LABELS, 3, "mcla", partition="metis", unique=True)


@pytest.mark.every_case
@pytest.mark.parametrize("method", ["cspa", "mcla", "hbgf"])
def test_all_find_the_three_clusters(method):
    pytest.importorskip("pymetis")
    for seed in range(8):
        found = consensus(LABELS, 3, method, partition="metis", random_state=seed)
        assert adjusted_rand(found, EXPECTED) == 1


def test_meta_clusters_by_hand():
    pytest.importorskip("pymetis")
    groups, _ = meta_clusters(FOUND, 3, partition="metis")
    assert adjusted_rand(groups, [0, 1, 2, 2, 0, 1, 0, 1, 2, 1, 0]) == 1


@pytest.mark.parametrize("unit", [1.0, 1e-7, 1e9])
def test_parts_are_balanced_by_size_and_follow_weights(unit):
    pytest.importorskip("pymetis")
    # A path whose weakest edge would leave the last vertex alone.
    path = np.diag([5.0, 5.0, 2.0, 5.0, 5.0, 1.0], 1) * unit
    graph = path + path.T + np.eye(7) * 9 * unit
    parts = cut_graph(graph, np.ones(7), 2, np.random.default_rng(0))
    assert adjusted_rand(parts, [0, 0, 0, 1, 1, 1, 1]) == 1
    sizes = np.array([1.0, 1, 1, 1, 1, 1, 6]) * unit
    parts = cut_graph(graph, sizes, 2, np.random.default_rng(0))
    assert adjusted_rand(parts, [0, 0, 0, 0, 0, 0, 1]) == 1


def test_parts_are_as_large_as_each_other():
    pytest.importorskip("pymetis")
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(100, 2)), rng.normal(size=(20, 2)) + 6])
    params = {"n_clusters": 2, "n_members": 8, "k_min": 6, "random_state": 0, "consensus": "cspa"}
    spectral = ClusterEnsemble(**params).fit(X)
    metis = ClusterEnsemble(**params, partition="metis").fit(X)
    assert np.bincount(spectral.labels_).min() == 20
    assert np.bincount(metis.labels_).min() > 40

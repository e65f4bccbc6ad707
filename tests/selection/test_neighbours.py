import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from coterie.selection.neighbours import ApproximateSearch, ExactSearch, nearest_of, smallest


@pytest.mark.parametrize("n_columns", [2, 20])
@pytest.mark.parametrize("n_points", [5, 3000])
def test_exact_search_equals_scikit_learn(n_columns, n_points):
    rng = np.random.default_rng(0)
    points, queries = rng.normal(size=(n_points, n_columns)), rng.normal(size=(50, n_columns))
    distances, near = ExactSearch().fit(points).kneighbors(queries, 5)
    theirs = NearestNeighbors(n_neighbors=5, algorithm="brute").fit(points).kneighbors(queries)
    np.testing.assert_allclose(distances, theirs[0])
    np.testing.assert_array_equal(near, theirs[1])


def test_far_from_the_origin_nothing_is_lost():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2000, 12)) + 1e5
    distances, near = ExactSearch().fit(points).kneighbors(points[:100], 3)
    assert near[:, 0].tolist() == list(range(100))
    assert (distances[:, 0] == 0).all()


def test_among_equals_the_first():
    points = np.zeros((40, 10))
    assert ExactSearch().fit(points).kneighbors(points[:1], 35)[1][0].tolist() == list(range(35))


def test_among_many_equals_the_first():
    points = np.random.default_rng(0).integers(0, 2, size=(3000, 8)).astype(float)
    near = ExactSearch().fit(points).kneighbors(points[:50], 7)[1]
    off = ((points[:50, None] - points) ** 2).sum(axis=2)
    np.testing.assert_array_equal(near, np.argsort(off, axis=1, kind="stable")[:, :7])


def test_nearest_of_candidates():
    points = np.array([[0.0], [3.0], [1.0]])
    distances, near = nearest_of(np.array([[0.9]]), points, np.array([[2, 1, 0]]), 2)
    assert near.tolist() == [[2, 0]]
    assert distances[0] == pytest.approx([0.1, 0.9])


def test_smallest_by_folds():
    values = np.random.default_rng(0).normal(size=(20, 1600)).astype(np.float32)
    found = np.sort(smallest(values, 9), axis=1)
    np.testing.assert_array_equal(found, np.sort(np.argsort(values, axis=1)[:, :9], axis=1))


@pytest.mark.slow
def test_approximate_search_finds_most():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(30, 10)) * 5
    points = centres[rng.integers(0, 30, 5000)] + rng.normal(size=(5000, 10))
    queries = centres[rng.integers(0, 30, 200)] + rng.normal(size=(200, 10))
    exact = ExactSearch().fit(points).kneighbors(queries, 7)[1]
    distances, found = ApproximateSearch().fit(points).kneighbors(queries, 7)
    recall = np.mean([len(np.intersect1d(a, b)) for a, b in zip(exact, found, strict=True)]) / 7
    assert recall > 0.9
    off = np.linalg.norm(queries[:, None, :] - points[found], axis=2)
    np.testing.assert_allclose(distances, off, atol=1e-8)
    assert (np.diff(distances, axis=1) >= 0).all()
    assert all(len(set(row)) == 7 for row in found.tolist())


def test_all_cells_are_all_points():
    points = np.random.default_rng(0).normal(size=(300, 9))
    exact = ExactSearch().fit(points).kneighbors(points, 5)
    found = ApproximateSearch(n_cells=10, n_probes=10).fit(points).kneighbors(points, 5)
    np.testing.assert_array_equal(found[1], exact[1])


def test_cells_too_small_for_k_are_searched_together():
    points = np.random.default_rng(0).normal(size=(50, 9))
    distances, near = ApproximateSearch(n_probes=1).fit(points).kneighbors(points, 40)
    assert np.isfinite(distances).all()
    assert all(len(set(row)) == 40 for row in near.tolist())

import numpy as np
import pytest

from coterie.native import NearPoints

KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy tails": lambda rng, shape: rng.standard_t(1.5, size=shape),
    "very heavy tails": lambda rng, shape: rng.lognormal(0.0, 3.0, size=shape),
    "few levels": lambda rng, shape: rng.integers(0, 3, size=shape).astype(float),
    "far away": lambda rng, shape: rng.normal(size=shape) + 1e5,
    "small": lambda rng, shape: rng.normal(size=shape) * 1e-150,
    "all the same": lambda rng, shape: np.ones(shape),
}


def by_hand(points, queries, number):
    """The nearest by all exact distances; of equals, the first."""
    off = np.array([((points - query) ** 2).sum(axis=1) for query in queries])
    return np.sort(np.argsort(off, axis=1, kind="stable")[:, :number], axis=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(1, 1), (63, 3), (64, 8), (200, 9), (3000, 21)])
def test_nearest_of_all(kind, shape):
    rng = np.random.default_rng(0)
    points = KINDS[kind](rng, shape)
    # Among the points, on them, beyond them, and so far away that rough distances wrap around.
    queries = np.vstack(
        [KINDS[kind](rng, shape)[:40], points[:5], points[:5] * 10, points[:5] + 1e4]
    )
    number = min(len(points), 9)
    found = NearPoints(points).nearest(queries, number)
    np.testing.assert_array_equal(found, by_hand(points, queries, number))
    again = NearPoints(points).nearest(queries, number, n_threads=3)
    np.testing.assert_array_equal(found, again)


def test_all_points_are_the_nearest():
    points = np.random.default_rng(0).normal(size=(130, 7))
    found = NearPoints(points).nearest(points[:3], 130)
    assert (found == np.arange(130)).all()


def test_arrays_that_do_not_fit_are_refused():
    known = NearPoints(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="one to all points"):
        known.nearest(np.zeros((1, 2)), 4)
    with pytest.raises(ValueError, match="one number per coordinate"):
        known.nearest(np.zeros((1, 3)), 1)

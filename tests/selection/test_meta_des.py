import numpy as np
import pytest

from coterie.selection import MetaDES, Region, meta_features
from tests.selection.hand import random_pool


def region_of(pool, profiles=None):
    near = pool["near"] if profiles is None else profiles
    return Region(
        pool["hits"],
        pool["y"],
        pool["labels"],
        pool["chances"],
        pool["chances"].shape[2],
        pool["near"],
        pool["away"],
        None,
        near,
        pool["said"],
        pool["chances_said"],
    )


def test_features_by_hand():
    pool = random_pool(k=3, n_members=2)
    features = meta_features(region_of(pool), 2)
    assert features.shape == (2, 15, 2 * 3 + 2 + 2)
    near, t, q = pool["near"][4], 1, 4
    wanted = [
        *pool["hits"][t, near],
        *(pool["chances"][t, j, pool["y"][j]] for j in near),
        pool["hits"][t, near].mean(),
        *pool["hits"][t, near[:2]],
        pool["chances_said"][t, q].max(),
    ]
    assert features[t, q] == pytest.approx(np.array(wanted, dtype=float))


def competent_pool():
    """Members that are right or wrong about a whole half of the line; each row is a query."""
    rng = np.random.default_rng(0)
    n = 200
    place = np.sort(rng.uniform(size=n))
    y = rng.integers(0, 2, n)
    knows = np.stack([place < 0.5, place >= 0.5])
    labels = np.where(knows, y, 1 - y)
    chances = np.eye(2)[labels] * 0.6 + 0.2
    apart = np.abs(place[:, None] - place)
    np.fill_diagonal(apart, np.inf)
    near = np.argsort(apart, axis=1)[:, :5]
    away = np.take_along_axis(apart, near, axis=1)
    return {
        "hits": labels == y,
        "y": y,
        "labels": labels,
        "chances": chances,
        "near": near,
        "away": away,
        "said": labels,
        "chances_said": chances,
    }, knows


def test_it_learns_who_knows_where():
    pool, knows = competent_pool()
    region = region_of(pool)
    learnt = MetaDES().learn(region, np.ones(len(pool["y"])))
    assert learnt.coefficients.shape == (2 * 5 + 5 + 2 + 1,)
    features = meta_features(region, 5)
    score = features @ learnt.coefficients[1:] + learnt.coefficients[0]
    np.testing.assert_allclose(learnt.competence(region), 1 / (1 + np.exp(-score)))
    weights = learnt(region)
    assert ((weights > 0) == knows).mean() > 0.97
    assert np.all((weights == 0) | (weights > 0.5))


def test_rows_that_all_agree_on_can_be_left_out():
    pool, _ = competent_pool()
    region = region_of(pool)
    weight = np.ones(len(pool["y"]))
    # Two members never agree here, so that every row is below any consensus from one half on.
    strict, all_rows = MetaDES(consensus=0.5).learn(region, weight), MetaDES().learn(region, weight)
    np.testing.assert_allclose(strict.coefficients, all_rows.coefficients)
    # No row is left: all are taken.
    none = MetaDES(consensus=0.1).learn(region, weight)
    np.testing.assert_allclose(none.coefficients, all_rows.coefficients)


def test_rows_without_weight_teach_nothing():
    pool, _ = competent_pool()
    # Rows 100 and up are of the second half, where the first member knows nothing.
    half = (np.arange(200) < 100).astype(float)
    first = {**pool, "said": pool["said"][:, :100], "near": pool["near"][:100]}
    first |= {"away": pool["away"][:100], "chances_said": pool["chances_said"][:, :100]}
    weighted = MetaDES().learn(region_of(pool), half)
    only = MetaDES().learn(region_of(first), np.ones(100))
    np.testing.assert_allclose(weighted.coefficients, only.coefficients, atol=1e-6)

"""Forces between the documents of a query."""

import numpy as np
import pytest

from coterie.native import rank_slopes

GRADES = np.array([1.0, 3.0, 0.0, 2.0])
GAIN = 2**GRADES - 1
ONE = np.array([0, 4])


def by_hand(raw, gain, swap_worth, truncation):
    """All pairs of one query, one by one."""
    order = np.argsort(-raw, kind="stable")
    place = np.argsort(order)
    gradient, hessian = np.zeros(len(raw)), np.zeros(len(raw))
    for i in range(len(raw)):
        for j in range(len(raw)):
            if gain[i] > gain[j] and min(place[i], place[j]) < truncation:
                worth = swap_worth(i, j, place)
                p = 1 / (1 + np.exp(raw[i] - raw[j]))
                gradient[i] -= worth * p
                gradient[j] += worth * p
                hessian[[i, j]] += worth * p * (1 - p)
    return gradient, hessian


def test_a_query_by_hand():
    gradient, hessian = rank_slopes(np.zeros(4), GAIN, ONE)
    np.testing.assert_allclose(gradient, [0.151875, -0.209306, 0.086475, -0.029044], atol=1e-6)
    np.testing.assert_allclose(hessian, [0.102554, 0.104653, 0.043237, 0.057162], atol=1e-6)
    gradient, hessian = rank_slopes(np.array([0.5, -0.2, 0.3, 0.1]), GAIN, ONE)
    np.testing.assert_allclose(gradient, [0.289055, -0.352858, 0.133577, -0.069773], atol=1e-6)
    np.testing.assert_allclose(
        -gradient / hessian, [-2.493214, 2.870623, -2.422145, 1.617115], atol=1e-6
    )


@pytest.mark.parametrize("truncation", [1, 3, 30])
@pytest.mark.parametrize("swap", ["ndcg", "map", "pairwise"])
def test_every_pair(swap, truncation):
    rng = np.random.default_rng(3)
    raw, gain = rng.normal(size=12), 2.0 ** rng.integers(0, 3, 12) - 1
    discount = 1 / np.log2(np.arange(2, 14))
    ideal = np.sort(gain)[::-1] @ discount

    def precision(ranked):
        hits = np.cumsum(ranked > 0)
        return np.sum((ranked > 0) * hits / np.arange(1, 13)) / hits[-1]

    def worth(i, j, place):
        if swap == "pairwise":
            return 1.0
        if swap == "ndcg":
            return abs(gain[i] - gain[j]) * abs(discount[place[i]] - discount[place[j]]) / ideal
        if gain[j] > 0:
            return 0.0
        ranked = np.empty(12)
        ranked[place] = gain
        before = precision(ranked)
        ranked[[place[i], place[j]]] = ranked[[place[j], place[i]]]
        return abs(precision(ranked) - before)

    found = rank_slopes(raw, gain, np.array([0, 12]), swap=swap, truncation=truncation)
    for mine, expected in zip(found, by_hand(raw, gain, worth, truncation), strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-12)


def test_queries_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 9, 300)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    raw, gain = rng.normal(size=offsets[-1]), rng.integers(0, 4, offsets[-1]).astype(float)
    whole = rank_slopes(raw, gain, offsets)
    several = rank_slopes(raw, gain, offsets, n_threads=3)
    for q in range(300):
        part = slice(offsets[q], offsets[q + 1])
        alone = rank_slopes(raw[part], gain[part], np.array([0, sizes[q]]))
        for one, all_, threaded in zip(alone, whole, several, strict=True):
            assert np.array_equal(one, all_[part])
            assert np.array_equal(one, threaded[part])
    assert abs(whole[0].sum()) < 1e-10


def test_normalising_as_lightgbm():
    raw = np.array([0.5, -0.2, 0.3, 0.1])
    gradient, hessian = rank_slopes(raw, GAIN, ONE, normalise=True)
    assert abs(gradient.sum()) < 1e-12
    # The sum of forces S becomes log2(1 + S): what the largest possible sum of gradients can be.
    plain = rank_slopes(raw * 1.0, GAIN, ONE)[0]
    assert not np.allclose(gradient, plain)
    assert np.abs(gradient).sum() <= np.log2(1 + 2 * np.abs(plain).sum() / 0.01)
    assert (hessian > 0).all()


def test_bad_arrays_are_refused():
    with pytest.raises(ValueError, match="one length"):
        rank_slopes(np.zeros(3), GAIN, ONE)
    with pytest.raises(ValueError, match="offsets"):
        rank_slopes(np.zeros(4), GAIN, np.array([0, 5]))
    with pytest.raises(ValueError, match="ascending"):
        rank_slopes(np.zeros(4), GAIN, np.array([0, 3, 2, 4]))
    with pytest.raises(ValueError, match="NaN"):
        rank_slopes(np.full(4, np.nan), GAIN, ONE)
    with pytest.raises(ValueError, match="swap"):
        rank_slopes(np.zeros(4), GAIN, ONE, swap="median")
    with pytest.raises(ValueError, match="truncation"):
        rank_slopes(np.zeros(4), GAIN, ONE, truncation=0)

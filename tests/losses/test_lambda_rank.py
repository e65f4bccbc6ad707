"""LambdaMART's loss."""

import numpy as np

from coterie.losses import LambdaRankLoss
from coterie.losses.lambda_rank import QueryRows, discounts
from coterie.native import rank_slopes


def documents(seed=0):
    rng = np.random.default_rng(seed)
    queries = rng.integers(0, 6, 40).astype(float)
    return np.column_stack([rng.integers(0, 4, 40), queries]), rng.normal(size=(40, 1))


def test_rows_in_any_order_have_the_same_slopes():
    y, raw = documents()
    order = np.argsort(y[:, 1], kind="stable")
    loss = LambdaRankLoss()
    for mixed, sorted_ in zip(loss.slopes(y, raw), loss.slopes(y[order], raw[order]), strict=True):
        assert np.array_equal(mixed[order], sorted_)


def test_the_gradient_is_that_of_frozen_worths():
    y, raw = documents(1)
    rows = QueryRows.of(y[:, 1])
    step = 1e-6

    def frozen(scores):
        # Forces at the scores of the start, so that places and worths do not change with them.
        total = 0.0
        for q in range(len(rows.sizes)):
            part = rows.order[rows.offsets[q] : rows.offsets[q + 1]]
            gain, start = 2 ** y[part, 0] - 1, raw[part, 0]
            place = np.argsort(np.argsort(-start, kind="stable"))
            ideal = np.sort(gain)[::-1] @ discounts(np.arange(len(part)))
            for i in range(len(part)):
                for j in range(len(part)):
                    if gain[i] > gain[j]:
                        d = discounts(place[[i, j]])
                        worth = (gain[i] - gain[j]) * abs(d[0] - d[1]) / ideal
                        total += worth * np.log1p(np.exp(scores[part[j]] - scores[part[i]]))
        return total

    gradient = LambdaRankLoss().slopes(y, raw)[0][:, 0]
    for i in (0, 7, 23):
        up, down = raw[:, 0].copy(), raw[:, 0].copy()
        up[i] += step
        down[i] -= step
        assert abs((frozen(up) - frozen(down)) / (2 * step) - gradient[i]) < 1e-6


def test_value_is_one_minus_the_ndcg_of_the_query():
    y = np.array([[1, 0], [3, 0], [0, 0], [2, 0], [1, 1]], dtype=float)
    raw = np.array([0.5, -0.2, 0.3, 0.1, 0.0])[:, None]
    np.testing.assert_allclose(LambdaRankLoss().value(y, raw), [1 - 0.587124] * 4 + [0], atol=1e-6)


def test_gains_of_the_user():
    y, raw = documents()
    y = y[np.argsort(y[:, 1], kind="stable")]
    linear = LambdaRankLoss(gains=np.arange(4.0)).slopes(y, raw)[0][:, 0]
    expected = rank_slopes(raw[:, 0].copy(), y[:, 0].copy(), QueryRows.of(y[:, 1]).offsets)[0]
    assert np.array_equal(linear, expected)


def test_only_differences_matter():
    y, raw = documents()
    loss = LambdaRankLoss()
    assert loss.start(y, np.ones(40)).tolist() == [0.0]
    np.testing.assert_allclose(loss.slopes(y, raw)[0], loss.slopes(y, raw + 5)[0], atol=1e-12)

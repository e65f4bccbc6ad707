import numpy as np
import pytest

from coterie.selection import PruningCurve
from coterie.selection.pruning.curve import Judgement, candidates, losses, mean_losses
from tests.selection.pruning.signatures import as_votes, random_votes, vote_error


def test_the_smallest_of_the_best_sizes():
    error = np.array([np.nan, 0.3, 0.21, 0.2, 0.2, 0.25])
    gap = np.array([np.nan, 0.05, 0.02, 0.0, 0.0, 0.1])
    curve = PruningCurve(np.arange(1, 7), error, error, np.full(6, 9.0), gap)
    assert curve.best() == 4
    assert curve.best(1.0) == 3
    assert curve.best(2.0) == 2
    assert curve.best(most=2) == 2
    nothing = np.full(2, np.nan)
    assert PruningCurve(np.array([3, 9]), *(nothing,) * 4).best() == 9


def test_candidates():
    assert [c.tolist() for c in candidates(np.array([2, 0, 1]), 3)] == [[2], [2, 0], [2, 0, 1]]
    subsets = candidates([[0, 2], [1]], 3)
    assert [c.tolist() for c in subsets] == [[1], [0, 2], [0, 1, 2]]


@pytest.mark.parametrize(
    "found", [[0, 0, 1], [0, 1], np.array([0, 1, 3]), [[3]], [[]], [[0, 0]], []]
)
def test_orders_that_are_none(found):
    given = found if isinstance(found, list) and (not found or isinstance(found[0], list)) else None
    with pytest.raises(ValueError, match=r"order|member|sub-ensemble"):
        candidates(np.array(found) if given is None else given, 3)


@pytest.mark.parametrize("nested", [True, False])
def test_losses_are_those_of_each_vote(nested):
    labels, y = random_votes(6, 30, gaps=0.4)
    judged = Judgement(as_votes(labels), y, np.ones(30))
    order = np.array([3, 1, 0, 5, 2, 4])
    subsets = [order[:u] for u in (1, 2, 4, 6)] if nested else [[4], [0, 1], [1, 2, 5]]
    subsets = [np.array(subset) for subset in subsets]
    found = losses(judged, subsets, np.ones(6), True)
    expected = [vote_error(labels, y, subset) for subset in subsets]
    np.testing.assert_allclose(found.mean(axis=1), expected)


def test_squares_by_hand():
    votes = np.array([[1.0, 2.0], [3.0, np.nan]])[:, :, None]
    judged = Judgement(votes, np.array([1.0, 4.0]), np.array([1.0, 3.0]))
    found = losses(judged, [np.array([1]), np.array([0, 1])], np.array([1.0, 3.0]), False)
    # 3 and, for want of an answer, the mean of the truth (1 + 3 x 4) / 4; then (1 + 3 x 3) / 4.
    np.testing.assert_allclose(found, [[4, 0.75**2], [1.5**2, 4]])
    mean, deviation = mean_losses(found, judged.weight)
    assert mean[1] == pytest.approx((2.25 + 12) / 4)
    expected = np.sqrt((2.25 - mean[1]) ** 2 + 9 * (4 - mean[1]) ** 2) / 4
    assert deviation[1] == pytest.approx(expected)


def test_rows_of_which_nobody_speaks_are_left_out():
    votes = np.full((2, 3, 1), np.nan)
    votes[1, 2] = 5.0
    judged = Judgement(votes, np.arange(3.0), np.ones(3)).covered()
    assert judged.truth.tolist() == [2]

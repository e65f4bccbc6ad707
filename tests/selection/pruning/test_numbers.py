import numpy as np
import pytest

from coterie import fusion
from coterie.data import DataError
from coterie.selection import (
    complementary_residuals_order,
    reduced_squares_order,
    residual_orientation_order,
    squares_order,
)
from coterie.selection.pruning.numbers import Answers

RNG = np.random.default_rng(0)
Y = RNG.normal(10, 2, 40)
SAID = Y + RNG.normal(0, 1, (8, 40)) + RNG.normal(0, 0.5, (8, 1))
GAPS = np.where(RNG.random(SAID.shape) < 0.5, np.nan, SAID)


def greedy(cost):
    order: list[int] = []
    while len(order) < len(SAID):
        left = [t for t in range(len(SAID)) if t not in order]
        order.append(left[int(np.argmin([cost([*order, t]) for t in left]))])
    return order


def test_reduced_error_by_the_covariance():
    # The squared error of a mean is the mean of the products of errors.
    products = fusion.error_covariance(SAID, Y)
    expected = greedy(lambda some: products[np.ix_(some, some)].mean())
    assert reduced_squares_order(SAID, Y).tolist() == expected


def test_reduced_error_with_gaps():
    def cost(some):
        heard = ~np.isnan(GAPS[some]).all(axis=0)
        said = np.full(40, Y.mean())
        said[heard] = np.nanmean(GAPS[some][:, heard], axis=0)
        return ((said - Y) ** 2).mean()

    assert reduced_squares_order(GAPS, Y).tolist() == greedy(cost)


def test_complementarity_opposes_the_error_so_far():
    residuals, order = SAID - Y, complementary_residuals_order(SAID, Y)
    assert order[0] == (residuals**2).mean(axis=1).argmin()
    so_far = residuals[order[:3]].mean(axis=0)
    left = [t for t in range(8) if t not in order[:3]]
    assert order[3] == left[int(np.argmin([so_far @ residuals[t] for t in left]))]


def test_orientation_by_hand():
    # The mean of all is (2, 2), the truth is (3, 2): the direction is (1, 0). Deviations (1, 0),
    # (1, 1), (-2, -1) are at 0, 45 and 153 degrees.
    said = [[0.0, 1.0], [3.0, 3.0], [3.0, 2.0]]
    assert residual_orientation_order(said, [3.0, 2.0]).tolist() == [2, 1, 0]


def test_without_direction_the_best_come_first():
    said = [[1.0, 4.0], [2.5, 1.5], [2.5, 0.5]]  # their mean is right
    assert residual_orientation_order(said, [2.0, 2.0]).tolist() == [1, 2, 0]
    assert squares_order(said, [2.0, 2.0]).tolist() == [1, 2, 0]
    assert squares_order([[9.0, np.nan], [1.0, 1.0]], [1.0, 2.0]).tolist() == [1, 0]


def test_heavy_members_count_more():
    said, y = [[0.0, 0.0], [4.0, 4.0], [2.2, 2.2]], [1.0, 1.0]
    assert reduced_squares_order(said, y).tolist() == [0, 2, 1]  # means 0, 1.1, 2.07
    heavy = reduced_squares_order(said, y, member_weight=[3, 1, 1])
    assert heavy.tolist() == [0, 1, 2]  # means 0, 1, 1.24


@pytest.mark.parametrize(
    "order",
    [
        reduced_squares_order,
        complementary_residuals_order,
        residual_orientation_order,
        squares_order,
    ],
)
def test_scale_and_repetitions_do_not_matter(order):
    expected = order(GAPS, Y).tolist()
    assert order(GAPS * 1e30, Y * 1e30).tolist() == expected
    assert order(GAPS * 1e-30, Y * 1e-30).tolist() == expected
    times = RNG.integers(1, 4, 40)
    weighted = order(GAPS, Y, sample_weight=times)
    assert weighted.tolist() == order(np.repeat(GAPS, times, axis=1), np.repeat(Y, times)).tolist()


def test_what_cannot_be_read_is_refused():
    with pytest.raises(DataError, match="shape"):
        Answers.read([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(DataError, match="No member has a prediction"):
        Answers.read([[np.nan]], [1.0])
    with pytest.raises(DataError, match="numbers"):
        Answers.read([[1.0, 2.0]], [1.0])

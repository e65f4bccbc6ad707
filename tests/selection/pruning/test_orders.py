"""Orders of the five members of `signatures`, and of random ones by brute force."""

import numpy as np
import pytest

from coterie.selection import (
    boosting_order,
    complementarity_order,
    margin_distance_order,
    reduced_error_order,
)
from tests.selection.pruning.signatures import HITS, LABELS, Y, as_votes, random_votes, vote_error


def test_reduced_error_by_hand():
    # Best alone: 0, 1 and 4 with 3/8; the first. 0+1: ties on two samples, 3/8, as 0+4 and others.
    # 0+1+4: wrong about two, 1/4. Then 3 (5/16) before 2, which leaves 3/8.
    assert reduced_error_order(LABELS, Y).tolist() == [0, 1, 4, 3, 2]
    path = [vote_error(LABELS, Y, [0, 1, 4, 3, 2][:u], n_classes=2) for u in range(1, 6)]
    assert path == [0.375, 0.375, 0.25, 0.3125, 0.375]


@pytest.mark.parametrize("gaps", [0.0, 0.6])
@pytest.mark.parametrize("seed", range(3))
def test_reduced_error_by_brute_force(seed, gaps):
    labels, y = random_votes(seed=seed, gaps=gaps)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    order: list[int] = []
    while len(order) < len(labels):
        left = [t for t in range(len(labels)) if t not in order]
        errors = [round(vote_error(labels, y, [*order, t], weight), 12) for t in left]
        order.append(left[int(np.argmin(errors))])
    found = reduced_error_order(as_votes(labels), y, sample_weight=weight)
    assert found.tolist() == order


def test_complementarity_by_hand():
    # After 0, samples 4, 5 and 7 are wrong: 4 is right about three of them, 1 about one, 2 about
    # one, 3 about two. After 0 and 4 six samples are tied (1, 2, 3, 4, 5, 7): 1 is right about
    # four of them, 3 about four too, 2 about three; the first. Then 3 before 2.
    assert complementarity_order(LABELS, Y).tolist() == [0, 4, 1, 3, 2]


def test_margin_distance_by_hand():
    # 0 first; then 4, as their signatures cancel on six samples, and so on.
    for aim in (0.075, 0.2):
        assert margin_distance_order(LABELS, Y, aim=aim).tolist() == [0, 4, 3, 1, 2]


@pytest.mark.parametrize("aim", [0.1, "moving"])
def test_margin_distance_by_brute_force(aim):
    labels, y = random_votes(n_samples=25, seed=5)
    signs, n_members = np.where(labels == y, 1.0, -1.0), len(labels)
    order: list[int] = []
    while len(order) < n_members:
        left = [t for t in range(n_members) if t not in order]
        point = 2 * np.sqrt(2 * (len(order) + 1)) / n_members if aim == "moving" else aim
        gaps = [((point - signs[[*order, t]].sum(axis=0) / n_members) ** 2).sum() for t in left]
        order.append(left[int(np.argmin(np.round(gaps, 10)))])
    assert margin_distance_order(labels, y, aim=aim).tolist() == order


def test_boosting_by_hand():
    # 0: error 3/8, so wrong samples (4, 5, 7) weigh 1/6 each and the others 1/10. Errors then:
    # 1: 0.1 + 2/6, 2 and 3 more than that, 4: 3 x 0.1, the least.
    weight = np.where(HITS[0], 0.1, 1 / 6)
    assert weight.sum() == pytest.approx(1)
    errors = (~HITS @ weight)[1:]
    assert np.argmin(errors) + 1 == 4
    assert errors[3] == pytest.approx(0.3)
    assert boosting_order(LABELS, Y).tolist() == [0, 4, 1, 3, 2]


def test_boosting_begins_anew():
    # A perfect member leaves equal weights; members worse than guessing are taken by plain error.
    votes = np.array([[0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [1, 1, 0, 1]])
    assert boosting_order(votes, [0, 0, 0, 0]).tolist() == [0, 2, 1, 3]


@pytest.mark.parametrize(
    "order", [reduced_error_order, complementarity_order, margin_distance_order, boosting_order]
)
def test_weights_are_repetitions(order):
    labels, y = random_votes(seed=7, gaps=0.2)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    repeated = order(as_votes(np.repeat(labels, times, axis=1)), np.repeat(y, times))
    assert order(as_votes(labels), y, sample_weight=times).tolist() == repeated.tolist()


def test_heavy_members_decide():
    # The second is wrong about the last sample, but with weight three it decides alone.
    votes, y = [[1, 1, 0, 0], [1, 0, 1, 1], [1, 1, 0, 1]], [1, 1, 1, 1]
    order = reduced_error_order(votes, y, member_weight=[1, 3, 1])
    assert order[0] == 1
    assert complementarity_order(votes, y, member_weight=[1, 3, 1]).tolist() == [1, 0, 2]


def test_aims_out_of_range():
    with pytest.raises(ValueError, match="aim"):
        margin_distance_order(LABELS, Y, aim=2.0)

from itertools import combinations

import numpy as np
import pytest

from coterie.selection import pareto_numbers_subsets, pareto_subsets, reduced_error_order
from coterie.selection.pruning.ballots import Ballot
from coterie.selection.pruning.numbers import Answers
from coterie.selection.pruning.pareto import Front, mean_cost, vote_cost
from tests.selection.pruning.signatures import as_votes, random_votes, vote_error


def true_front(n_members, cost):
    """Least error by size, where more members make it smaller, by enumeration."""
    front, least = {}, np.inf
    for size in range(1, n_members + 1):
        best = min(cost(list(some)) for some in combinations(range(n_members), size))
        if best < least - 1e-12:
            front[size] = least = best
    return front


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_front_by_enumeration(seed):
    labels, y = random_votes(8, 40, seed=seed)
    expected = true_front(8, lambda some: vote_error(labels, y, some))
    found = {len(s): vote_error(labels, y, s) for s in pareto_subsets(labels, y)}
    assert found == pytest.approx(expected)


def test_front_of_numbers_by_enumeration():
    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    said = y + rng.normal(size=(8, 50)) * rng.uniform(0.5, 3, (8, 1))

    def cost(some):
        return ((said[some].mean(axis=0) - y) ** 2).mean()

    found = {len(s): cost(s) for s in pareto_numbers_subsets(said, y)}
    assert found == pytest.approx(true_front(8, cost))


@pytest.mark.slow
def test_many_members_are_never_worse_than_the_greedy_path():
    labels, y = random_votes(40, 100, seed=5, gaps=0.3)
    subsets = pareto_subsets(as_votes(labels), y, n_rounds=300)
    errors = [vote_error(labels, y, subset) for subset in subsets]
    assert (np.diff([len(s) for s in subsets]) > 0).all()
    assert (np.diff(errors) < 0).all()  # none is better than another in both
    path = reduced_error_order(as_votes(labels), y)
    greedy = [vote_error(labels, y, path[:u]) for u in range(1, 41)]
    for subset, error in zip(subsets, errors, strict=True):
        assert error <= min(greedy[: len(subset)]) + 1e-12
    again = pareto_subsets(as_votes(labels), y, n_rounds=300)
    assert all(np.array_equal(a, b) for a, b in zip(subsets, again, strict=True))


def test_costs_are_those_of_the_vote_and_the_mean():
    labels, y = random_votes(6, 30, seed=2, gaps=0.3)
    rng = np.random.default_rng(0)
    masks = rng.random((5, 6)) < 0.5
    masks[:, 0] = True
    weight = rng.uniform(1, 2, 30)
    found = vote_cost(Ballot.read(as_votes(labels), y, weight))(masks)
    expected = [vote_error(labels, y, np.flatnonzero(mask), weight) for mask in masks]
    np.testing.assert_allclose(found, expected)
    said, truth = rng.normal(size=(6, 30)), rng.normal(size=30)
    found = mean_cost(Answers.read(said, truth))(masks)
    expected = [((said[mask].mean(axis=0) - truth) ** 2).mean() for mask in masks]
    np.testing.assert_allclose(found, expected)


def test_archive_holds_what_is_not_worse_in_both():
    front = Front()
    masks = np.tri(4, dtype=bool)
    assert front.offer(masks[1], 0.3)
    assert not front.offer(masks[2], 0.3)  # more members, no fewer errors
    assert front.offer(masks[3], 0.1)
    assert not front.offer(masks[1], 0.3)  # as good: takes its place
    assert front.offer(masks[0], 0.2)  # better than two members
    assert [subset.tolist() for subset in front.subsets()] == [[0], [0, 1, 2, 3]]
    assert not front.offer(np.zeros(4, dtype=bool), 0.0)

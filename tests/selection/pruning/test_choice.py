import numpy as np
import pytest

from coterie.selection import clustered_subsets, reduced_error_order
from coterie.selection.pruning.choice import ask, prune
from coterie.selection.pruning.curve import Judgement
from tests.selection.pruning.signatures import as_votes, random_votes, vote_error


def judgement(labels, y):
    return Judgement(as_votes(labels), y, np.ones(len(y)))


def test_no_row_judges_an_order_that_it_has_made():
    labels, y = random_votes(8, 40, seed=1)
    found = prune(judgement(labels, y), reduced_error_order, np.ones(8), labels=True)
    np.testing.assert_array_equal(found.order, reduced_error_order(labels, y))
    expected = np.zeros(8)
    for number in range(2):
        test = np.arange(40) % 2 == number
        order = reduced_error_order(labels[:, ~test], y[~test])
        parts = [vote_error(labels[:, test], y[test], order[:u]) for u in range(1, 9)]
        expected += np.array(parts) / 2
    np.testing.assert_allclose(found.curve.choice_error, expected)
    own = [vote_error(labels, y, found.order[:u]) for u in range(1, 9)]
    np.testing.assert_allclose(found.curve.order_error, own)


def test_sizes_are_compared_row_by_row():
    labels, y = random_votes(8, 40, seed=1)
    apart = np.zeros((8, 40))
    for number in range(2):
        test = np.arange(40) % 2 == number
        order = reduced_error_order(labels[:, ~test], y[~test])
        for row in np.flatnonzero(test):
            one = slice(row, row + 1)
            apart[:, row] = [vote_error(labels[:, one], y[one], order[:u]) for u in range(1, 9)]
    for most in (8, 3):
        curve = prune(
            judgement(labels, y), reduced_error_order, np.ones(8), labels=True, most=most
        ).curve
        gaps = apart - apart[apart.mean(axis=1)[:most].argmin()]
        np.testing.assert_allclose(curve.gap_deviation, gaps.std(axis=1) / np.sqrt(40), atol=1e-12)
        assert (curve.gap_deviation < curve.choice_deviation).any()


@pytest.mark.slow
def test_luck_is_not_taken_for_skill():
    # Members that guess: the order finds lucky ones, the other rows do not believe it.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    labels = rng.integers(0, 2, (60, 300))
    votes = np.eye(2)[labels]
    found = prune(Judgement(votes, y, np.ones(300)), reduced_error_order, np.ones(60), labels=True)
    assert found.curve.order_error.min() < 0.35
    assert found.curve.choice_error.min() > 0.4


def test_sub_ensembles_of_several_sizes():
    labels, y = random_votes(6, 60, seed=2)
    copies = labels[[0, 1, 2, 0, 1, 2, 3, 4, 5]]
    found = prune(judgement(copies, y), clustered_subsets, np.ones(9), labels=True)
    assert found.order is None
    assert found.curve.sizes[0] == 1
    assert found.curve.sizes[-2:].tolist() == [6, 9]  # one of each kind, and all
    assert len(found.subset(8)) == 6
    assert len(found.subset(9)) == 9
    assert found.subset(3).tolist() == sorted(found.subset(3))


def test_weights_reach_those_who_take_them():
    labels, y = random_votes(5, 20)
    seen = {}

    def find(votes, truth, *, sample_weight, member_weight=None):
        seen["member"], seen["row"] = member_weight, sample_weight
        return np.arange(5)

    ask(find, judgement(labels, y), np.arange(1.0, 6.0))
    assert seen["member"].tolist() == [1, 2, 3, 4, 5]
    ask(find, judgement(labels, y), np.ones(5))
    assert seen["member"] is None
    ask(lambda votes, truth, *, sample_weight: np.arange(5), judgement(labels, y), np.arange(5.0))


@pytest.mark.parametrize("n_rows", [2, 3])
def test_few_rows(n_rows):
    labels, y = random_votes(4, n_rows)
    found = prune(judgement(labels, y), reduced_error_order, np.ones(4), labels=True, n_folds=10)
    assert np.isfinite(found.curve.choice_error).all()

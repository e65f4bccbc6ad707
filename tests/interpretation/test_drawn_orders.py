"""Shapley values by drawing orders of the columns."""

import itertools

import numpy as np

from coterie.interpretation.drawn_orders import draw_turns, mean_changes


def test_over_all_orders_they_are_the_shapley_values():
    def game(known):  # a product of two columns and a term of the third
        return 4.0 * (known[0] and known[1]) + known[2]

    orders = np.array(list(itertools.permutations(range(3))))
    turns = np.argsort(orders, axis=1) + 1
    answers = np.array([[game(turn <= step) for step in range(4)] for turn in turns])
    np.testing.assert_allclose(mean_changes(answers, turns), [2, 2, 1])


def test_every_column_becomes_known_once_and_each_may_be_first():
    turns = draw_turns(4, 200, np.random.default_rng(0))
    assert (np.sort(turns, axis=1) == [1, 2, 3, 4]).all()
    assert (np.bincount(turns.argmin(axis=1)) > 30).all()

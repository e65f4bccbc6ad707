"""Rows and their scores."""

import numpy as np

from coterie.boosting.gradient.board import Board
from coterie.data import Table
from coterie.losses import HuberLoss, SquaredError

TABLE = Table.read(np.arange(4.0)[:, None])
Y = np.array([0.0, 1.0, 2.0, 9.0])


def test_scores_start_from_constants_or_rows():
    board = Board.at(TABLE, Y, None, np.array([1.0, 2.0]))
    assert board.raw.tolist() == [[1, 2]] * 4
    assert board.raw.flags.f_contiguous
    start = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(Board.at(TABLE, Y, None, start).raw, start)


def test_huber_settles_on_the_residuals():
    board = Board.at(TABLE, Y, None, np.array([0.0]))
    assert board.settled(HuberLoss(alpha=0.5)).delta == 1.0
    loss = SquaredError()
    assert board.settled(loss) is loss
    assert "known_weight" not in vars(Board.at(TABLE, Y, None, np.array([0.0])))


def test_rows_without_weights_weigh_one():
    weight = np.array([1.0, 2.0, 0.5, 3.0])
    assert Board.at(TABLE, Y, None, np.array([0.0])).known_weight.tolist() == [1.0] * 4
    assert Board.at(TABLE, Y, weight, np.array([0.0])).known_weight.tolist() == weight.tolist()

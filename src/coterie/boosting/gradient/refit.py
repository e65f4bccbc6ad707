"""Leaf values of a fitted model, fitted again to other rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.leaves import vector_leaves
from coterie.boosting.gradient.slopes import SlopeMaker
from coterie.core import Pool
from coterie.losses import PointwiseLoss


def refitted(
    pool: Pool, loss: PointwiseLoss, board: Board, decay: float, *, l2: float, share: float
) -> Pool:
    r"""The same trees with leaf values :math:`d\,v_{\text{old}} + (1 - d)\,v_{\text{new}}`.

    Round by round, new values are what the loss asks for at the scores that the rounds before give
    to the rows of the board. Leaves without rows stay as they are.

    Parameters
    ----------
    pool : Pool
        The trees.
    loss : PointwiseLoss
        What is lowered.
    board : Board
        Other rows, with the scores they start from; these change.
    decay : float
        :math:`d`, what is kept of the old values.
    l2 : float
        :math:`\lambda` of Newton steps.
    share : float
        What leaves take of them.
    """
    forest, width = pool.forest, pool.width
    values = forest.values.copy()
    maker = SlopeMaker(board.y, board.weight, board.raw.shape[1])
    nodes = pool.leaves(board.table)
    for number in range(len(forest)):
        round_, score = divmod(number, width)
        if score == 0:
            settled = board.settled(loss)
            gradient, hessian = maker.at(settled, board.raw)
            before = board.raw.copy()
        tree = slice(forest.node_offsets[number], forest.node_offsets[number + 1])
        leaves = ~forest.nodes["left"][tree][nodes[:, number]]
        own = slice(forest.leaf_offsets[number], forest.leaf_offsets[number + 1])
        scores = [score] if width > 1 else list(range(board.raw.shape[1]))
        slopes = gradient, np.ones_like(gradient) if hessian is None else hessian
        n_leaves = len(values[own])
        whole = replace(board, start=before)
        new = share * _new_values(settled, whole, slopes, (leaves, n_leaves), scores, l2)
        seen = np.bincount(leaves, minlength=n_leaves) > 0
        values[own][seen] = decay * values[own][seen] + (1.0 - decay) * new[seen]
        board.raw[:, scores] += pool.weights[round_] * values[own][leaves]
    return replace(pool, members=forest.with_values(values))


def _new_values(
    loss: PointwiseLoss,
    board: Board,
    slopes: tuple[Any, Any],
    leaves: tuple[Any, int],
    scores: list[int],
    l2: float,
) -> Array:
    """What the rows of each leaf ask for, shape (n_leaves, n_scores)."""
    if loss.adaptive:
        given = board.y, board.raw, board.known_weight, *leaves
        return np.column_stack([loss.leaf(*given, k) for k in scores])
    gradient, hessian = (np.broadcast_to(one, slopes[0].shape)[:, scores] for one in slopes)
    steps = vector_leaves(gradient, hessian, *leaves, l2)
    longest = loss.longest_step
    return np.clip(steps, -longest, longest)

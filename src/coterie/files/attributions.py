"""Which columns matter to a model: for all rows, and for single ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.interpretation.drawn_orders import draw_turns, mean_changes

__all__ = ["sampled_shapley", "shuffled_losses"]

Array = NDArray[np.float64]


def shuffled_losses(
    loss: Callable[[Any], float], table: Any, repeats: int = 3, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """How much a loss grows when a column is shuffled: mean and deviation over repeats.

    Parameters
    ----------
    loss : callable
        ``(table) -> float``, for an Arrow table of the same rows.
    table : pyarrow Table
        The rows.
    repeats : int
        How often each column is shuffled.
    seed : int
        Of the shuffling.

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45 (2001).
    """
    rng, base = np.random.default_rng(seed), loss(table)
    found = {}
    for place, name in enumerate(table.column_names):
        grown = []
        for _ in range(repeats):
            shuffled = table.column(name).take(rng.permutation(len(table)))
            grown.append(loss(table.set_column(place, name, shuffled)) - base)
        found[name] = (float(np.mean(grown)), float(np.std(grown)))
    return found


def sampled_shapley(
    ask: Callable[[Any], Array], row: Any, background: Any, samples: int = 100, seed: int = 0
) -> tuple[Array, float]:
    r"""Shapley values of one answer, estimated by drawing orders of the columns.

    In each of `samples` random orders the columns of a background row are replaced one by one by
    those of the explained row; what the answer changes with a column is a draw of its value, and
    the mean of the draws is the estimate [1]_. The values of all columns add up to the answer less
    the mean answer for the background rows drawn.

    Parameters
    ----------
    ask : callable
        ``(table) -> ndarray``: the model's answer for each row of an Arrow table.
    row : pyarrow Table
        The explained row.
    background : pyarrow Table
        Rows to start from.
    samples : int
        How many orders are drawn.
    seed : int
        Of the draws.

    Returns
    -------
    values : ndarray of shape (n_columns,)
        What each column contributes.
    base : float
        The mean answer for the background rows.

    References
    ----------
    .. [1] Štrumbelj & Kononenko, "Explaining prediction models and individual predictions with
       feature contributions", Knowledge and Information Systems 41 (2014).
    """
    import pyarrow as pa

    rng, d = np.random.default_rng(seed), row.num_columns
    starts = rng.integers(0, len(background), samples)
    turns = draw_turns(d, samples, rng)
    both = pa.concat_tables([row, background], promote_options="permissive")
    steps = np.arange(d + 1)
    columns = {}
    for j, name in enumerate(both.column_names):
        known = turns[:, j, None] <= steps  # (samples, d + 1)
        places = np.where(known, 0, starts[:, None] + 1)
        columns[name] = both.column(name).take(pa.array(places.ravel()))
    answers = ask(pa.table(columns)).reshape(samples, d + 1)
    return mean_changes(answers, turns), float(answers[:, 0].mean())

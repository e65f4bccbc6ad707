"""The rows that members are ordered by, and what members say of them.

Equal rows are one row of more weight, and rows are put in an order that depends on what they hold
only. A row is outside a bag if none of its copies is in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted
from coterie.core import repetitions
from coterie.data import DataError
from coterie.selection.adapted import AdaptedPool
from coterie.selection.pruning.curve import Judgement
from coterie.selection.reference_set import Order

_CELLS = 1 << 26  # members times rows times classes; more rows than that do not judge


def judge(
    panel: AdaptedPool,
    admitted: Admitted,
    seed: int,
    *,
    unseen: NDArray[np.bool_] | None = None,
    n_threads: int = 1,
) -> Judgement:
    """Let members speak about rows, where they have not seen them.

    Parameters
    ----------
    panel : AdaptedPool
        The members.
    admitted : Admitted
        The rows.
    seed : int
        Decides their order.
    unseen : ndarray of bool of shape (members, rows), optional
        Which rows each member may speak about; all by default.
    n_threads : int
        Native threads.
    """
    rows, starts = Order.settle(admitted, seed)
    rows, starts, first = _within(rows, starts, panel)
    votes = panel.votes(admitted.table.take(first), n_threads)
    if unseen is not None:
        votes[~np.logical_and.reduceat(unseen[:, rows], starts, axis=1)] = np.nan
    return Judgement(votes, _truth(admitted, first), _mass(admitted, rows, starts))


def judge_by_folds(
    fit: Callable[[Admitted], AdaptedPool],
    admitted: Admitted,
    seed: int,
    n_folds: int,
    n_threads: int,
) -> Judgement:
    """Let members of pools that are fitted without a fold speak about its rows.

    The t-th member of every pool stands for the t-th member of the pool of all rows.

    Parameters
    ----------
    fit : callable
        From rows to the panel of a pool fitted on them.
    admitted : Admitted
        The rows.
    seed : int
        Decides their order.
    n_folds : int
        Number of folds; fewer if fewer rows differ from one another.
    n_threads : int
        Native threads.
    """
    rows, starts = Order.settle(admitted, seed)
    n_folds = min(n_folds, len(starts))
    if n_folds < 2:
        raise DataError("Folds need at least two distinct rows; use more rows.")
    first = rows[starts]
    fold = np.arange(len(starts)) % n_folds
    copies = np.repeat(fold, np.diff(np.append(starts, len(rows))))
    votes: Any = None
    for number in range(n_folds):
        panel = fit(admitted.take(rows[copies != number]))
        asked = np.flatnonzero(fold == number)
        said = panel.votes(admitted.table.take(first[asked]), n_threads)
        votes = np.empty((len(said), len(first), said.shape[2])) if votes is None else votes
        if len(said) != len(votes):
            raise ValueError(
                "The pool has a different number of members in each fold, so folds cannot rank "
                'them. Use validate="oob", or a share of the rows.'
            )
        votes[:, asked] = said
    return Judgement(votes, _truth(admitted, first), _mass(admitted, rows, starts))


def _within(
    rows: NDArray[np.intp], starts: NDArray[np.intp], panel: AdaptedPool
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Rows, where distinct ones begin, and those, as many as memory is for."""
    most = max(1, _CELLS // (panel.n_members * panel.n_outputs))
    if len(starts) <= most:
        return rows, starts, rows[starts]
    chosen = np.linspace(0, len(starts) - 1, most).astype(np.intp)
    ends = np.append(starts[1:], len(rows))
    counts = (ends - starts)[chosen]
    kept = np.concatenate([rows[a:b] for a, b in zip(starts[chosen], ends[chosen], strict=True)])
    begins = np.cumsum(counts) - counts
    return kept, begins, kept[begins]


def _truth(admitted: Admitted, first: NDArray[np.intp]) -> NDArray[Any]:
    truth = admitted.target.encoded[first, 0]
    return np.asarray(truth.astype(np.intp) if admitted.target.kind == "labels" else truth)


def _mass(
    admitted: Admitted, rows: NDArray[np.intp], starts: NDArray[np.intp]
) -> NDArray[np.float64]:
    """What each distinct row counts: how often it is there, or the sum of its weights."""
    weight = np.ones(admitted.table.n_rows) if admitted.weight is None else admitted.weight
    repeats = repetitions(weight)
    given = weight / weight.max() if repeats is None else repeats.astype(np.float64)
    return np.asarray(np.add.reduceat(given[rows], starts))

"""How soft a margin has to be for a vote to have one."""

from __future__ import annotations

import numpy as np

from coterie.core.rule import Array

#: Parts of the share at which the first member alone breaks even, and the least share.
_PARTS, _LEAST = (0.75, 1.1, 0.95, 0.5, 0.0), 0.1


def break_even(hits: Array, weight: Array) -> float:
    r"""The least share of the rows whose worst hits are zero on average, or one if none is.

    Of hits :math:`\pm 1` it is twice the error.

    Parameters
    ----------
    hits : ndarray of shape (n_rows,)
        How right a member is about each row, between -1 and 1.
    weight : ndarray of shape (n_rows,)
        Adds up to one.

    Returns
    -------
    float

    Examples
    --------
    >>> break_even(np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25))
    0.5
    >>> break_even(np.array([1.0, -1.0, -1.0]), np.full(3, 1 / 3))
    1.0
    """
    order = np.argsort(hits)
    hits, weight = hits[order], weight[order]
    sums = np.cumsum(weight * hits)
    first = int(np.searchsorted(hits, 0.0, side="right"))
    reached = np.flatnonzero(sums[first:] >= 0)
    if not first or not len(reached):
        return 0.0 if not first else 1.0
    row = first + int(reached[0])
    # The sum is zero within this row's share.
    share = float(weight[: row + 1].sum() - sums[row] / hits[row])
    return min(share, 1.0)


def softness(hits: Array, weight: Array) -> tuple[float, ...]:
    r"""Shares :math:`\nu` of the soft margin that may suit a table, from its first member.

    With a share above `break_even` the first member alone has a positive soft margin; the others
    add to it, so three quarters of that share are enough as a rule. If labels are wrong, much more
    is better, and if they are not, less. At least 0.1.

    Parameters
    ----------
    hits, weight : ndarray of shape (n_rows,)
        See `break_even`.

    Returns
    -------
    tuple of float
        Different shares, the most usual first.

    Examples
    --------
    >>> softness(np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25))
    (0.375, 0.55, 0.475, 0.25, 0.1)
    """
    # Rounded, so that a weight of two and a row given twice agree in every digit.
    even = break_even(hits, weight)
    shares = [min(max(round(part * even, 6), _LEAST), 1.0) for part in _PARTS]
    return tuple(dict.fromkeys(shares))

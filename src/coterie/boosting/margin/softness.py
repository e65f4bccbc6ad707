"""How soft a margin has to be for a vote to have one."""

from __future__ import annotations

import numpy as np

from coterie.core.rule import Array

#: Part of the share at which the first member alone breaks even, and the least share.
_PART, _LEAST = 0.75, 0.1
#: And what is more than enough.
_AMPLE = 1.1


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


def softness(hits: Array, weight: Array, ample: bool = False) -> float:
    r"""The share :math:`\nu` of the soft margin that suits a table, from its first member.

    With a share above `break_even` the first member alone has a positive soft margin; the others
    add to it, so three quarters of that share are enough as a rule. The more often the first
    member is wrong, the more rows the soft margin is the mean of. At least 0.1.

    Parameters
    ----------
    hits, weight : ndarray of shape (n_rows,)
        See `break_even`.
    ample : bool
        A tenth more than `break_even` instead: with hits of -1 and 1 the margin is positive then.

    Returns
    -------
    float

    Examples
    --------
    >>> softness(np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25))
    0.375
    >>> softness(np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25), ample=True)
    0.55
    """
    # Rounded, so that a weight of two and a row given twice agree in every digit.
    part = _AMPLE if ample else _PART
    return min(max(round(part * break_even(hits, weight), 6), _LEAST), 1.0)

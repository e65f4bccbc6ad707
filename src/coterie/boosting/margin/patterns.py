"""Rows that no member tells apart, taken as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array

#: Hits closer than this are equal: rounding differs between a weight of two and a row given twice.
_DECIMALS = 12


class Patterns:
    """The distinct columns of the matrix of hits, and the weight of the rows that share them.

    All that margin maximisers look for, edges, margins and relative entropies, depends on a row
    through what the members say of it. Rows with the same hits are one column here: few of them
    in the first rounds, and the same ones in any order of the rows.

    Parameters
    ----------
    initial : ndarray of shape (n_rows,)
        The weights boosting began with; they sum to one.

    Attributes
    ----------
    column : ndarray of shape (n_rows,)
        The column of each row.
    prior : ndarray of shape (n_columns,)
        Initial weight of the rows of each column; it sums to one.
    hits : ndarray of shape (n_members, n_columns)
        How right each member is, between -1 and 1.

    Examples
    --------
    >>> patterns = Patterns(np.full(4, 0.25))
    >>> patterns.split(np.array([1.0, -1.0, 1.0, 1.0]))
    array([0])
    >>> patterns.column, patterns.prior, patterns.hits
    (array([1, 0, 1, 1]), array([0.25, 0.75]), array([[-1.,  1.]]))
    """

    def __init__(self, initial: Array) -> None:
        self.initial = initial
        self.column = np.zeros(len(initial), dtype=np.intp)
        self.prior = np.ones(1)
        self.hits = np.empty((0, 1))

    def split(self, hits: Array) -> NDArray[np.intp]:
        """Tell rows apart by the hits of a new member; from which columns new ones came."""
        hits = np.round(hits, _DECIMALS) + 0.0  # no negative zero
        values, code = np.unique(hits, return_inverse=True)
        key = self.column * len(values) + code.reshape(-1)
        found, place = np.unique(key, return_inverse=True)
        parent, value = np.divmod(found, len(values))
        # The first part of a column keeps its place, the others are new ones at the end.
        fresh = np.append(False, parent[1:] == parent[:-1])
        number = parent.copy()
        number[fresh] = len(self.prior) + np.arange(fresh.sum())
        parents = parent[fresh]
        order = np.argsort(number)
        self.column = number[place.reshape(-1)]
        self.hits = np.vstack([self.hits[:, parent[order]], values[value[order]]])
        self.prior = _steady(self.gather(self.initial))
        return parents

    def gather(self, weight: Array) -> Array:
        """The weight of the rows of each column."""
        return np.bincount(self.column, weights=weight).astype(np.float64)

    def spread(self, mass: Array) -> Array:
        """The weight of every row, each column's shared in proportion to the initial weights."""
        weight = self.initial * (mass / self.prior)[self.column]
        return np.asarray(weight / weight.sum())


def _steady(mass: Array) -> Array:
    """The masses to twelve digits, normalised: sums of the same rows in another order agree."""
    scale = 10.0 ** (_DECIMALS - 1 - np.floor(np.log10(mass)))
    mass = np.round(mass * scale) / scale
    return np.asarray(mass / mass.sum())

r"""Rows that repeat: whether they are copies, or what a table of few values looks like anyway.

Rows drawn one by one may repeat, and often do where columns take few values, as in surveys, games
and counts. New rows will repeat the old ones just so: nothing leaks if equal rows are on both sides
of a split, and nothing can be learnt if they never are. Copies are another matter: they were made
of rows that would have been one of a kind, and new rows will have none.

What tells them apart is how surprising the repetition is. Let the columns be dealt to two halves
:math:`A` and :math:`B` that tell rows apart about as well as each other, and let
:math:`N_A, N_B, N` count the pairs of rows that agree in :math:`A`, in :math:`B`, and in all
columns and the target. If agreeing in one half said nothing about the other,
:math:`N_A N_B / \binom{n}{2}` pairs would agree in both. Rows are taken for copies where

1. many more pairs agree than that;
2. most pairs that agree in a half agree in everything: columns depend on each other in any table,
   but where values are few, there are many pairs that agree in a half by chance;
3. equal features come with equal targets;
4. few rows are equal to each other: what is there ten times is no slip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.core.axis import cell_keys
from coterie.data import Table

Keys = NDArray[np.uint64]

_SURPRISING = 10.0  # times as many equal pairs as chance would make
_MOST = 0.5  # of the pairs that agree in a half
_SURE = 0.9  # share of the pairs with equal features that have equal targets
_FEW = 3.0  # rows that a row is equal to, on average
_COLUMNS = 64  # that are looked at; those with most values


@dataclass(frozen=True)
class Twins:
    """Rows that repeat others.

    Parameters
    ----------
    keys : ndarray of uint64 of shape (n_rows,)
        Equal for rows of equal features.
    tags : ndarray of int of shape (n_rows,)
        Rows of equal features and equal tags must be in one fold.
    repeated, whole, clashing : int
        Rows that repeat the features of another one, those that repeat its target too, and those
        whose target is another one.
    pairs : int
        Pairs of rows that are equal, target included.
    chance : float
        How many of them chance would make, about.
    copies : bool
        Whether they are taken for copies.
    """

    keys: Keys
    tags: NDArray[np.intp]
    repeated: int = 0
    whole: int = 0
    clashing: int = 0
    pairs: int = 0
    chance: float = 0.0
    copies: bool = False


def find_twins(table: Table, truth: NDArray[Any], distinct: Sequence[int]) -> Twins:
    """Look for rows that repeat, and judge whether they are copies.

    Parameters
    ----------
    table : Table
        The rows.
    truth : ndarray of shape (n_rows,)
        Codes of classes, or numbers.
    distinct : sequence of int
        Different values of each column, zero where that is not known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    >>> copied = Table.read(np.vstack([X, X[:10]])), np.append(y, y[:10])
    >>> find_twins(*copied, [50] * 4).copies
    True
    >>> survey = Table.read(rng.integers(0, 3, (60, 3)).astype(float)), copied[1]
    >>> find_twins(*survey, [3] * 3).copies
    False
    """
    keys = cell_keys(table)
    n = len(keys)
    repeated = n - len(np.unique(keys))
    if not repeated:
        return Twins(keys, np.zeros(n, dtype=np.intp))
    order = np.lexsort((truth, keys))
    other = np.append(True, np.diff(keys[order]) != 0)  # the first of its features
    fresh = other | np.append(True, np.diff(truth[order]) != 0)  # the first of its kind
    alike, equal = (_pairs(np.diff(np.flatnonzero(np.append(s, True)))) for s in (other, fresh))
    chance, copies = _judge(table, distinct, alike, equal)
    kinds, rows = (_within(other, count) for count in (np.cumsum(fresh), np.arange(n)))
    tags = np.empty(n, dtype=np.intp)
    tags[order] = kinds if copies else rows
    whole, clashing = n - int(fresh.sum()), int(np.count_nonzero(kinds))
    return Twins(keys, tags, repeated, whole, clashing, equal, chance, copies)


def _within(first: NDArray[np.bool_], count: NDArray[np.intp]) -> NDArray[np.intp]:
    """A count that begins anew with every first one."""
    return count - np.maximum.accumulate(np.where(first, count, 0))


def _judge(table: Table, distinct: Sequence[int], alike: int, equal: int) -> tuple[float, bool]:
    """Equal pairs that chance would make, and whether rows are copies; see the module's words."""
    n, values = table.n_rows, np.asarray(distinct)
    telling = np.argsort(-values, kind="stable")[:_COLUMNS]
    telling = telling[values[telling] != 1]
    if len(telling) < 2:  # there are no halves
        return float(equal), False
    first, second = (_agreeing(table, telling[k::2]) for k in (0, 1))
    chance = first * second / (n * (n - 1) / 2)
    copies = (
        0 < equal <= _FEW * n / 2
        and equal >= _SURPRISING * chance
        and equal >= _MOST * min(first, second)
        and equal >= _SURE * alike
    )
    return chance, bool(copies)


def _agreeing(table: Table, columns: NDArray[np.intp]) -> int:
    """Pairs of rows that agree in some columns."""
    return _pairs(np.unique(cell_keys(table[:, columns]), return_counts=True)[1])


def _pairs(times: NDArray[np.intp]) -> int:
    return int((times * (times - 1) // 2).sum())

"""Rows set aside for calibration, by what they hold rather than where they stand."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core.axis import cell_order
from coterie.data import Table

Array = NDArray[np.float64]
Places = NDArray[np.intp]


def fold_numbers(
    table: Table,
    n_folds: int,
    rng: Generator,
    *,
    codes: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> Places:
    """The fold of every row.

    Parameters
    ----------
    table : Table
        The rows.
    n_folds : int
        How many folds.
    rng : Generator
        Shuffles rows that are in an order of their own.
    codes : ndarray of shape (n_rows,), optional
        Classes, which are spread evenly.
    groups : ndarray of shape (n_rows,), optional
        Rows of one group are in one fold.

    Examples
    --------
    >>> table = Table.read([[0.0], [1.0], [2.0], [3.0]])
    >>> sorted(fold_numbers(table, 2, np.random.default_rng(0)).tolist())
    [0, 0, 1, 1]
    """
    folds = np.empty(table.n_rows, dtype=np.intp)
    if groups is not None:
        names, members = np.unique(groups, return_inverse=True)
        if len(names) < n_folds:
            raise ValueError(
                f"{len(names)} groups are too few for {n_folds} folds. Use a smaller cv."
            )
        return (rng.permutation(len(names)) % n_folds)[members]
    shuffled = cell_order(table)[rng.permutation(table.n_rows)]
    if codes is not None:
        shuffled = shuffled[np.argsort(codes[shuffled], kind="stable")]
    folds[shuffled] = np.arange(table.n_rows) % n_folds
    return folds


def strata_of(X: Any, by: Any) -> NDArray[Any]:
    """The values of a column, which tell groups of rows apart.

    Parameters
    ----------
    X : frame or array
        The rows.
    by : str or int
        Name or position of the column.
    """
    if isinstance(by, str):
        try:
            values = np.asarray(X[by])
        except Exception as error:
            raise ValueError(f"by={by!r}: X has no column with this name.") from error
    else:
        dense = X[:, [by]].toarray() if hasattr(X, "toarray") else np.asarray(X)[:, [by]]
        values = dense[:, 0]
    if values.dtype.kind not in ("f", "O"):
        return values
    cells = [None if _missing(x) else x for x in values.tolist()]
    # Missing values are a group too: beyond all numbers, or before all words.
    if all(x is None or isinstance(x, Real) for x in cells):
        return np.array([np.inf if x is None else float(x) for x in cells])
    return np.array(["" if x is None else str(x) for x in cells], dtype=str)


def _missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)
    except TypeError:  # pandas.NA is neither true nor false
        return True

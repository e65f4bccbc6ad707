"""Leaves that say a linear function of some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.tags import tagged

_BLOCK = 1 << 20  # cells looked at together


@tagged
@dataclass(frozen=True)
class LinearLeaves:
    r"""What leaves add to their values: :math:`\sum_j b_j (x_j - c_j)`.

    A cell that is missing or infinite counts as :math:`c_j`. Rows of the arrays are leaves, of one
    tree after the other; where a leaf needs fewer columns than others, slopes are zero.

    Parameters
    ----------
    columns : int32 array of shape (n_leaves, width)
        The columns :math:`j`.
    slopes, centres : float64 arrays of shape (n_leaves, width)
        :math:`b` and :math:`c`.

    Examples
    --------
    >>> slope, centre = np.array([[2.0]]), np.array([[1.0]])
    >>> one = LinearLeaves(np.zeros((1, 1), dtype=np.int32), slope, centre)
    >>> one.add_up(np.array([[4.0], [np.nan]]), np.zeros(2, dtype=np.int64))
    array([6., 0.])
    """

    columns: NDArray[np.int32]
    slopes: NDArray[np.float64]
    centres: NDArray[np.float64]

    @classmethod
    def none(cls, n_leaves: int) -> LinearLeaves:
        """Leaves that add nothing."""
        empty = np.zeros((n_leaves, 0))
        return cls(empty.astype(np.int32), empty, empty)

    @staticmethod
    def concatenate(parts: Sequence[LinearLeaves]) -> LinearLeaves:
        """Put the leaves of several forests end to end."""
        width = max(part.columns.shape[1] for part in parts)

        def join(name: str) -> NDArray[Any]:
            arrays = [getattr(part, name) for part in parts]
            wide = [np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in arrays]
            return np.concatenate(wide)

        return LinearLeaves(join("columns"), join("slopes"), join("centres"))

    def __getitem__(self, leaves: slice) -> LinearLeaves:
        """Some of the leaves."""
        return LinearLeaves(self.columns[leaves], self.slopes[leaves], self.centres[leaves])

    def check(self, n_leaves: int, n_features: int) -> None:
        """Raise ValueError unless there is a row for every leaf, about columns that exist."""
        shapes = {self.columns.shape, self.slopes.shape, self.centres.shape}
        if len(shapes) > 1 or self.columns.ndim != 2 or len(self.columns) != n_leaves:
            raise ValueError(f"damaged forest: linear leaves of shape {sorted(shapes)}")
        if self.columns.dtype.kind != "i" or not (
            np.isfinite(self.slopes).all() and np.isfinite(self.centres).all()
        ):
            raise ValueError("damaged forest: linear leaves are not numbers")
        if self.columns.size and not (0 <= self.columns.min() <= self.columns.max() < n_features):
            raise ValueError("damaged forest: linear leaves of other columns")

    def add_up(self, X: Any, leaves: NDArray[np.integer]) -> NDArray[np.float64]:
        """What each row adds to the value of its leaf.

        Parameters
        ----------
        X : array or csr_array of shape (n_rows, n_columns)
            Numbers.
        leaves : int array of shape (n_rows,)
            The leaf of each row.
        """
        width, found = self.columns.shape[1], np.zeros(X.shape[0])
        if not width:
            return found
        full = isinstance(X, np.ndarray)
        step = max(1, _BLOCK // (width if full else X.shape[1]))
        for begin in range(0, X.shape[0], step):
            part = slice(begin, begin + step)
            rows, own = X[part] if full else X[part].toarray(), leaves[part]
            cells = np.take_along_axis(rows, self.columns[own], axis=1).astype(np.float64)
            cells -= self.centres[own]
            cells[~np.isfinite(cells)] = 0.0
            found[part] = (cells * self.slopes[own]).sum(axis=1)
        return found

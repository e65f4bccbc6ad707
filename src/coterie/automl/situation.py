"""What candidates are told about the table they are to be fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.boosting.gradient.default_rules import is_wide

_MANY_CELLS = 10_000_000  # rows times classes
# Of a booster: rounds; seconds of a fit, of a tree, and for each cell of it.
_ROUNDS, _FIT, _TREE, _CELL = 300, 0.05, 4e-4, 5e-9
Task = Literal["binary", "multiclass", "regression"]


def booster_seconds(n_rows: int, n_columns: int, n_classes: int) -> float:
    """About what one booster takes in one thread, by the size of the table alone.

    Examples
    --------
    >>> round(booster_seconds(15_000, 16, 26))
    13
    """
    trees = _ROUNDS * (n_classes if n_classes > 2 else 1)
    return _FIT + trees * (_TREE + _CELL * n_rows * n_columns)


@dataclass(frozen=True)
class Situation:
    """The table in a few figures.

    Parameters
    ----------
    task : {"binary", "multiclass", "regression"}
        What there is to predict.
    n_rows, n_classes : int
        Size of the table; no classes for numbers.
    cardinalities : ndarray of int of shape (n_columns,)
        Labels of each column of categories, zero for numbers.
    missing, sparse, weighted, binned : bool
        Whether there are gaps, whether the table is sparse, whether rows have weights, whether
        only the bins of the cells are known.
    positive : bool
        Whether the numbers to predict are all above zero, with a long tail.
    seed : int
        Source of randomness.
    max_bins : int
        Maximum number of bins per numeric column in native members.
    metric : str
        What is to be good.
    """

    task: Task
    n_rows: int
    n_classes: int
    cardinalities: NDArray[np.intp]
    missing: bool = False
    sparse: bool = False
    weighted: bool = False
    binned: bool = False
    positive: bool = False
    seed: int = 0
    max_bins: int = 255
    metric: str = "log_loss"

    @property
    def n_columns(self) -> int:
        """Columns that members see."""
        return len(self.cardinalities)

    @property
    def work(self) -> int:
        """Cells of the table, times the classes if there are more than two."""
        return self.n_rows * self.n_columns * (self.n_classes if self.n_classes > 2 else 1)

    @property
    def booster_seconds(self) -> float:
        """About what a booster takes in one thread."""
        return booster_seconds(self.n_rows, self.n_columns, self.n_classes)

    @property
    def compact(self) -> bool:
        """Whether what is said of rows is kept of those alone that were held out."""
        return self.binned or self.n_rows * self.n_classes > _MANY_CELLS

    @property
    def width(self) -> int:
        """Columns of the table as `encoding.as_numbers` makes it, about."""
        numbers = int((self.cardinalities == 0).sum())
        return int(np.minimum(self.cardinalities, 40).sum()) + numbers * (2 if self.missing else 1)

    @property
    def wide(self) -> bool:
        """Whether there are so many more columns than rows that chance finds a good split."""
        return is_wide(self.n_rows, self.n_columns)

    @property
    def categorical(self) -> Any:
        """Mask of the columns of categories, None if there are none, or if bins tell it."""
        mask = (self.cardinalities > 0) & (not self.binned)
        return mask if mask.any() else None

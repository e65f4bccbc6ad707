"""A member of a table's ensemble: the models of all splits, which answer with their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.data import Table
from coterie.learners import ForeignMember
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class TableFoldMember:
    """Models that were fitted to the cells of a table rather than to what the user gave.

    Parameters
    ----------
    seats : tuple of ForeignMember
        One model for each split.
    used : ndarray of int
        The columns they see.
    """

    file_tag: ClassVar[str] = "TableSeat"

    seats: tuple[ForeignMember, ...]
    used: NDArray[np.intp]

    def predict(self, table: Table) -> Array:
        """Mean of what the models say, shape (n_rows, n_outputs)."""
        return self.ask(self.cells(table))

    def cells(self, table: Table) -> Any:
        """What models see of a table."""
        if table.values is None:
            return table.sparse
        return table.values if len(self.used) == table.n_columns else table.values[:, self.used]

    def ask(self, cells: Any) -> Array:
        """Mean of what the models say of cells."""
        total = self.seats[0].ask(cells)
        for seat in self.seats[1:]:
            total = total + seat.ask(cells)
        return np.asarray(total / len(self.seats))

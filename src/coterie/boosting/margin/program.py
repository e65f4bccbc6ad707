"""The linear program of margins, kept alive in HiGHS from round to round."""

from __future__ import annotations

from typing import NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array

#: Members that weigh less than this weigh nothing.
LIGHT = 1e-9


class Solution(NamedTuple):
    """What the program says.

    Attributes
    ----------
    value : float
        The largest edge left, which is the (soft) margin attained.
    mass : ndarray of shape (n_columns,)
        The distribution of least largest edge.
    alphas : ndarray of shape (n_members,)
        The weights of the members of largest margin; they sum to one.
    """

    value: float
    mass: Array
    alphas: Array


class EdgeProgram:
    r"""Minimise :math:`\gamma` under :math:`U_t d \le \gamma`, :math:`\sum d = 1`, :math:`d \le c`.

    One row is added to the live model per member, and columns as patterns split: the basis of
    the round before stays dual feasible, so a few pivots of the dual simplex are enough. The
    multipliers of the rows are the members' weights.

    Parameters
    ----------
    cap : float
        What :math:`d` may be in units of the initial weights, :math:`1/\nu`; infinity for the
        hard margin.

    Examples
    --------
    >>> program = EdgeProgram(np.inf)
    >>> program.add(np.array([[1.0, -1.0]]), np.array([0.5, 0.5]), np.array([0])).value
    -1.0
    >>> found = program.add(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.full(2, 0.5), np.array([]))
    >>> found.value, found.alphas
    (0.0, array([0.5, 0.5]))
    """

    def __init__(self, cap: float) -> None:
        self.cap = cap
        self.model = highspy.Highs()
        for name, value in _OPTIONS.items():
            self.model.setOptionValue(name, value)
        nowhere, nothing, infinite = np.empty(0, dtype=np.int32), np.empty(0), highspy.kHighsInf
        self.model.addRow(1.0, 1.0, 0, nowhere, nothing)  # the masses add up to one
        self.model.addCol(1.0, -infinite, infinite, 0, nowhere, nothing)
        self._add_columns(np.empty((0, 1)))

    def add(self, hits: Array, prior: Array, parents: NDArray[np.intp]) -> Solution | None:
        """Add the last row of `hits`, and solve; None if the solver could not.

        Parameters
        ----------
        hits : ndarray of shape (n_members, n_columns)
            All members, the new one last.
        prior : ndarray of shape (n_columns,)
            Initial weight of each column.
        parents : ndarray of shape (n_new,)
            How many columns at the end are new, and from which they split.
        """
        n_columns = hits.shape[1]
        if len(parents):
            self._add_columns(hits[:-1, n_columns - len(parents) :])
        if np.isfinite(self.cap):
            places = np.arange(1, n_columns + 1, dtype=np.int32)
            upper = np.minimum(self.cap * prior, 1.0)
            if upper.sum() < 1.0:  # by rounding
                upper = np.minimum(upper / upper.sum() * (1 + 1e-15), 1.0)
            self.model.changeColsBounds(n_columns, places, np.zeros(n_columns), upper)
        row = np.append(-1.0, hits[-1])
        used = np.flatnonzero(row).astype(np.int32)
        self.model.addRow(-highspy.kHighsInf, 0.0, len(used), used, row[used])
        return self._solve()

    def _add_columns(self, hits: Array) -> None:
        """Columns at zero that add to the sum and to the rows so far."""
        entries = np.vstack([np.ones(hits.shape[1]), hits]).T
        column, row = np.nonzero(entries)
        starts = np.searchsorted(column, np.arange(len(entries)))
        nothing = np.zeros(len(entries))
        infinite = np.full(len(entries), highspy.kHighsInf)
        self.model.addCols(
            len(entries),
            nothing,
            nothing,
            infinite,
            len(row),
            starts.astype(np.int32),
            row.astype(np.int32),
            entries[column, row],
        )

    def _solve(self) -> Solution | None:
        self.model.run()
        if self.model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        found = self.model.getSolution()
        values = np.array(found.col_value)
        alphas = np.maximum(-np.array(found.row_dual)[1:], 0.0)
        alphas[alphas < LIGHT] = 0.0
        mass = np.maximum(values[1:], 0.0)
        return Solution(float(values[0]), mass / mass.sum(), alphas / alphas.sum())


_OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "threads": 1,
    "solver": "simplex",
    "simplex_strategy": 1,  # dual: what rows are added to stays feasible for it
    # Perturbed costs lead away from a basis that is nearly optimal: eight times the pivots.
    "dual_simplex_cost_perturbation_multiplier": 0.0,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}

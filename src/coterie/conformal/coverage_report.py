"""How often prediction sets hold the truth, by class, by size and by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CoverageRow:
    """The coverage of a group of rows.

    Attributes
    ----------
    kind, value : str, object
        Which rows: "all" of them, or those of a "class", a "size" of set or a "bin" of a column.
    n_rows : int
        How many.
    coverage, low, high : float
        Share of them whose set contains the true value, and its exact 95 % binomial interval.
    size : float
        Mean number of classes in the sets, or mean width of the intervals.
    """

    kind: str
    value: Any
    n_rows: int
    coverage: float
    low: float
    high: float
    size: float

    @classmethod
    def of(cls, kind: str, value: Any, hits: NDArray[np.bool_], sizes: Array) -> CoverageRow:
        """Count hits."""
        n, k = len(hits), int(hits.sum())
        low = float(stats.beta.ppf(0.025, k, n - k + 1)) if k else 0.0
        high = float(stats.beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
        mean = float(np.mean(sizes)) if np.isfinite(sizes).all() else float("inf")
        return cls(kind, value, n, k / n, low, high, mean)


@dataclass(frozen=True)
class CoverageReport:
    """Coverage of prediction sets or intervals on labelled rows.

    Attributes
    ----------
    alpha : float
        Share of rows that may lie outside.
    rows : tuple of CoverageRow
        All rows first, then groups of rows.
    """

    alpha: float
    rows: tuple[CoverageRow, ...]

    @property
    def coverage(self) -> float:
        """Share of all rows whose set contains the true value."""
        return self.rows[0].coverage

    @property
    def size(self) -> float:
        """Mean size of the sets, or width of the intervals."""
        return self.rows[0].size

    def __str__(self) -> str:
        lines = [f"coverage, target {1.0 - self.alpha:g}"]
        for row in self.rows:
            name = "all rows" if row.kind == "all" else f"{row.kind} {row.value}"
            lines.append(
                f"{name:>24}  {row.coverage:.3f} ({row.low:.3f} to {row.high:.3f})  "
                f"size {row.size:.3g}  rows {row.n_rows}"
            )
        return "\n".join(lines)


def coverage_rows(
    hits: NDArray[np.bool_],
    sizes: Array,
    classes: NDArray[Any] | None = None,
    columns: dict[Any, Array] | None = None,
) -> Iterator[CoverageRow]:
    """Coverage over all rows and over groups of rows.

    Parameters
    ----------
    hits : ndarray of bool of shape (n_samples,)
        Whether each set contains the true value.
    sizes : ndarray of shape (n_samples,)
        Number of classes, or width.
    classes : ndarray of shape (n_samples,), optional
        True classes; coverage is then also reported by set size.
    columns : dict of ndarray of shape (n_samples,), optional
        Columns of numbers, cut into four bins each.

    Examples
    --------
    >>> hits, sizes = np.array([True, True, False, True]), np.array([1.0, 1.0, 2.0, 2.0])
    >>> [(row.kind, row.coverage) for row in coverage_rows(hits, sizes)]
    [('all', 0.75)]
    """
    yield CoverageRow.of("all", None, hits, sizes)
    if classes is not None:
        for part, kind in ((classes, "class"), (sizes.astype(int), "size")):
            for value in np.unique(part):
                mine = part == value
                yield CoverageRow.of(kind, value, hits[mine], sizes[mine])
    for name, column in (columns or {}).items():
        known = ~np.isnan(column)
        if not known.any():
            continue
        edges = np.unique(np.quantile(column[known], [0.25, 0.5, 0.75]))
        bins = np.searchsorted(edges, column, side="left")
        for number in np.unique(bins[known]):
            mine = known & (bins == number)
            low = "" if number == 0 else f"{edges[number - 1]:.3g} < "
            high = "" if number == len(edges) else f" <= {edges[number]:.3g}"
            yield CoverageRow.of("bin", f"{low}{name}{high}", hits[mine], sizes[mine])

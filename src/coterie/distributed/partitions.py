"""The partitions of a collection: what they hold, and reading rows of them.

Functions that begin with a partition run on workers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError, KindError, Schema, Table
from coterie.data.numbers import bounded
from coterie.distributed.row_holder import pour
from coterie.distributed.session import NotDistributedError, Session
from coterie.native import Bins, encode

Array = NDArray[Any]

_FOLDED = 64  # rows that are read as one


class Glance(NamedTuple):
    """What is seen of a partition: its number of rows, and rows that show all there is to learn.

    They show every label of categorical columns, and the ends of columns of numbers. `kinds` says
    of every column whether it holds numbers.
    """

    n_rows: int
    telling: Any = None
    kinds: tuple[bool, ...] = ()


class Reading(NamedTuple):
    """How the rows of all partitions are read.

    Parameters
    ----------
    schema : Schema
        The columns.
    dtype : dtype
        Of the cells of the whole table.
    infinite : bool
        Whether infinity may be among them.
    """

    schema: Schema
    dtype: Any
    infinite: bool

    def cells(self, part: Any, rows: Array | None = None) -> Array:
        """The cells of a partition's rows, or of some of them."""
        if rows is not None:
            part = _take(part, rows)
        if not len(part):
            return np.empty((0, self.schema.n_columns), dtype=self.dtype)
        table = Table.under(self.schema, part, owner="fit", infinite=self.infinite)
        if table.values is None:
            raise NotDistributedError.of("Sparse X")
        values = table.values.astype(self.dtype, copy=False)
        return bounded(values) if self.infinite else values


@dataclass(frozen=True)
class Partitions:
    """All partitions of a collection, and where the rows of each begin.

    Parameters
    ----------
    session : Session
        The cluster.
    parts : list of delayed partitions
        Their recipes.
    reading : Reading
        How rows are read.
    offsets : int array of shape (n_parts + 1,)
        Number of the first row of each.
    """

    session: Session
    parts: Sequence[Any]
    reading: Reading
    offsets: NDArray[np.int64]

    @classmethod
    def open(
        cls, session: Session, X: Any, *, categorical: Any = None, infinite: bool = False
    ) -> Partitions:
        """Look at every partition once."""
        parts = recipes(X)
        glances = session.run(glance, parts, [_chosen(categorical, X)] * len(parts))
        telling = [seen.telling for seen in glances if seen.n_rows]
        if not telling:
            raise DataError("Found array with 0 sample(s) while a minimum of 1 is required.")
        _check_alike(glances, getattr(X, "columns", None))
        table = Table.read(_joined(telling), categorical=categorical, infinite=infinite)
        if table.values is None:
            raise NotDistributedError.of("Sparse X")
        offsets = np.cumsum([0, *(seen.n_rows for seen in glances)])
        return cls(session, parts, Reading(table.schema, table.values.dtype, infinite), offsets)

    @property
    def n_rows(self) -> int:
        """Rows of all partitions."""
        return int(self.offsets[-1])

    def split(self, rows: Array | None) -> list[Array | None]:
        """Ascending rows by their partition, counted within it; None for all rows."""
        if rows is None:
            return [None] * len(self.parts)
        cuts = np.searchsorted(rows, self.offsets)
        pairs = zip(cuts[:-1], cuts[1:], self.offsets, strict=False)
        # They travel: short numbers do for the rows of a partition.
        return [(rows[begin:end] - first).astype(np.int32) for begin, end, first in pairs]

    def values(self, rows: Array | None) -> Array:
        """The cells of some rows, here."""
        own = self.split(rows)
        read = self.session.run(read_cells, self.parts, [self.reading] * len(own), own)
        return np.concatenate(read)

    def codes(self, bins: Bins, rows: Array | None, some: Sequence[int]) -> list[Array]:
        """The bins of the rows of some partitions, here; `rows` are counted among all."""
        own = self.split(rows)
        given = [self.reading] * len(some), [bins] * len(some), [own[k] for k in some]
        return self.session.run(read_codes, [self.parts[k] for k in some], *given, names=some)

    def pour(
        self, bins: Bins, some: Sequence[int], places: Sequence[tuple[str, Any]], look: Any
    ) -> list[bool]:
        """Write the bins of partitions to holders, each at an address and with its `Place`.

        Partitions are encoded where they are in memory, or else where they are held. `look` is
        called now and then, and raises if there is no use in waiting on. Says which of the holders
        were there.
        """
        import dask

        reading, cuts = dask.delayed(self.reading), dask.delayed(bins)

        def encoded() -> list[Any]:
            made = []
            for k, (address, _) in zip(some, places, strict=True):
                there = is_in_memory(self.parts[k])
                near = {} if there else {"workers": [address], "allow_other_workers": True}
                with dask.annotate(**near):
                    task = dask.delayed(read_codes, pure=False)
                    made.append(task(self.parts[k], reading, cuts))
            return made

        parts = encoded()

        def renew() -> None:
            parts[:] = encoded()

        where, own = [address for address, _ in places], [place for _, place in places]
        return self.session.run(pour, parts, own, names=some, renew=renew, places=where, look=look)


def recipes(X: Any) -> list[Any]:
    """The partitions of a Dask frame, or the blocks of rows of a Dask array, each delayed."""
    from dask.array import Array as DaskArray
    from dask.base import is_dask_collection

    if isinstance(X, DaskArray):
        if X.ndim != 2:
            raise DataError(f"Expected 2D array, got {X.ndim}D array instead (shape={X.shape}).")
        return list(X.rechunk({1: -1}).to_delayed().ravel())
    if is_dask_collection(X) and hasattr(type(X), "to_delayed") and X.ndim == 2:
        return list(X.to_delayed())
    raise DataError(
        f"X is a Dask {type(X).__name__}, which is not supported. Pass a Dask array or data frame."
    )


def glance(part: Any, chosen: Collection[Any]) -> Glance:
    """Look at a partition; `chosen` columns of numbers are categories too."""
    n_rows = len(part)
    if not n_rows:
        return Glance(0)
    frame = hasattr(part, "iloc")
    names = part.columns if frame else range(part.shape[1])
    kinds = tuple(_is_number(part.iloc[:, j] if frame else part) for j in range(len(names)))
    telling: set[int] = {0}
    for j, name in enumerate(names):
        if name in chosen or j in chosen or not kinds[j]:
            telling.update(_first_ones(part.iloc[:, j] if frame else part[:, j]))
        elif frame:
            telling.update(_ends(_as_numbers(part.iloc[:, j])))
    rows = _take(part, np.array(sorted(telling)))
    if not frame and kinds[0]:  # row by row, as they lie in memory
        ends = [_reduced(np.fmin, part), _reduced(np.fmax, part)]
        rows = np.concatenate([rows, ends])
    return Glance(n_rows, rows, kinds)


def read_cells(part: Any, reading: Reading, rows: Array | None) -> Array:
    """The cells of some rows of a partition."""
    return reading.cells(part, rows)


def read_codes(part: Any, reading: Reading, bins: Bins, rows: Array | None = None) -> Array:
    """The bins of all rows of a partition, or of some."""
    return encode(reading.cells(part, rows), bins)


def is_in_memory(part: Any) -> bool:
    """Whether a partition was persisted, or is made of such that were."""
    from distributed import Future

    steps = part.dask.values()
    return not steps or any(isinstance(step, Future) for step in steps)


def few_values(
    part: Any, reading: Reading, rows: Array | None, columns: Sequence[int], most: int
) -> list[Array]:
    """The different values of some columns, up to one more than `most`; none is missing."""
    cells = reading.cells(part, rows)
    found = []
    for j in columns:
        values = np.unique(cells[:, j])
        found.append(values[~np.isnan(values)][: most + 1])
    return found


def _take(part: Any, rows: Array) -> Any:
    return part.iloc[rows] if hasattr(part, "iloc") else part[rows]


def _is_number(column: Any) -> bool:
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "iufb"
    from pandas.api.types import is_numeric_dtype

    return bool(is_numeric_dtype(column.dtype))


def _as_numbers(column: Any) -> Array:
    if isinstance(column.dtype, np.dtype):
        return np.asarray(column.to_numpy())
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _ends(numbers: Array) -> list[int]:
    """Where the smallest and the largest number are; nowhere if all are missing."""
    ends = np.fmin.reduce(numbers), np.fmax.reduce(numbers)
    return [int(np.argmax(numbers == end)) for end in ends if end == end]


def _reduced(function: np.ufunc, rows: Array) -> Array:
    """``function.reduce(rows, axis=0)``, faster where rows are short: several are read as one."""
    n = len(rows) // _FOLDED * _FOLDED
    if not n or not rows.flags.c_contiguous:
        return np.asarray(function.reduce(rows, axis=0))
    folded = function.reduce(rows[:n].reshape(-1, _FOLDED * rows.shape[1]), axis=0)
    rest = np.concatenate([folded.reshape(_FOLDED, -1), rows[n:]])
    return np.asarray(function.reduce(rest, axis=0))


def _first_ones(column: Any) -> Array:
    """Where each value is seen for the first time."""
    import pandas as pd

    return np.flatnonzero(~pd.Series(column).duplicated().to_numpy())


def _check_alike(glances: Sequence[Glance], names: Any) -> None:
    """Refuse a column of numbers in one partition, and of something else in another."""
    there = [(number, seen) for number, seen in enumerate(glances) if seen.n_rows]
    first, known = there[0][0], there[0][1].kinds
    for number, seen in there[1:]:
        for j, (mine, its) in enumerate(zip(known, seen.kinds, strict=False)):
            if mine != its:
                numbers, others = (first, number) if mine else (number, first)
                label = j if names is None else repr(names[j])
                raise KindError(
                    f"Column {label} contains numbers in partition {numbers} of X, but not in "
                    f"partition {others}. Convert it to the same type in all partitions."
                )


def _chosen(categorical: Any, X: Any) -> list[Any]:
    """Columns of numbers that the user calls categorical, by name or number."""
    if categorical is None or isinstance(categorical, str):
        return []
    chosen = np.asarray(categorical)
    return (np.flatnonzero(chosen) if chosen.dtype == bool else chosen).tolist()


def _joined(parts: Sequence[Any]) -> Any:
    """Rows of several partitions end to end, as Dask would put them."""
    if hasattr(parts[0], "iloc"):
        from dask.dataframe.dispatch import concat

        return concat(list(parts))
    return np.concatenate(parts)

"""Tables that are too large to be held as numbers: read block by block, only bins are kept.

A file is read four times: to find what its columns hold, to see by its first rows which of them are
of no use, to draw the sample that bins are learnt from, and to keep the bins of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.files.allowance import Allowance, row_bytes
from coterie.files.columnar import table_size
from coterie.files.errors import CommandError
from coterie.files.formats import ReadOptions, Source, file_format
from coterie.files.kinds import Columns
from coterie.files.odd import OddCells
from coterie.files.table import find_columns, open_blocks, open_file

__all__ = ["StreamedTable", "is_large", "stream_table"]

_LARGE_BYTES = 200 << 20  # of text
_PACKED = 4  # how much smaller text is when it is packed, about
_LARGE_CELLS = 20_000_000
_FEW_TIMES = 10  # as many cells are held as a whole where rows are few
_FEW_LINES = 4  # as much text likewise
_HEAD_ROWS = 20_000
_SAMPLE_CELLS = 1_500_000
_FEWEST = 10
_MMAP_THRESHOLD = -3  # of glibc
_LARGE_BLOCK = 1 << 20


@dataclass
class StreamedTable:
    """A table of which the bins were kept.

    Attributes
    ----------
    rows : BinnedRows
        The features, a tenth of the rows put at the end at random.
    y : ndarray
        The target in the order of the rows: numbers, or positions in `classes`.
    classes : ndarray or None
        The labels, sorted, if the target is text.
    columns : Columns
        What the columns of the file hold that are used, the target among them.
    dates : tuple of str
        Columns of dates, which became numbers.
    left_out : list of Column
        Columns that were of no use.
    odd : OddCells or None
        Cells that count as missing because they do not fit their columns.
    n_lost : int
        Rows without a target.
    notes : list of str
        What may surprise.
    shortage : str
        What there was no time to read.
    """

    rows: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None
    columns: Columns
    dates: tuple[str, ...] = ()
    left_out: list[Any] = field(default_factory=list)
    odd: Any = None
    n_lost: int = 0
    notes: list[str] = field(default_factory=list)
    shortage: str = ""


def is_large(path: Path) -> bool:
    """Whether a table had better be read block by block, by the size of its file."""
    kind, packing = file_format(path)
    if kind != "parquet":
        n_bytes = path.stat().st_size * (_PACKED if packing else 1)
        few = n_bytes > _LARGE_BYTES and not packing and n_bytes < _HEAD_ROWS * row_bytes(path)
        return n_bytes > _LARGE_BYTES * (_FEW_LINES if few else 1)
    n_rows, n_columns = table_size(path)
    # Bins are no smaller than the numbers of few rows, and blocks of them take as long.
    return n_rows * n_columns > _LARGE_CELLS * (_FEW_TIMES if n_rows < _HEAD_ROWS else 1)


def stream_table(
    path: Path,
    options: ReadOptions,
    target: str,
    seed: int,
    allowance: Allowance | None = None,
) -> StreamedTable:
    """Read a file block by block.

    Parameters
    ----------
    path : Path
        The file.
    options : ReadOptions
        What the user said about it.
    target : str
        The column to predict.
    seed : int
        Of the sample, and of the rows that are held out.
    allowance : Allowance, optional
        How much of the file may be read; all without it.
    """
    from coterie.automl.binned import HELD_OUT
    from coterie.data import RowStream

    _return_large_blocks()
    allowance = allowance or Allowance()
    source = open_file(path, options, allowance)
    columns, notes = find_columns(source, options, allowance)
    if columns.kinds.get(target, "time") == "time":
        raise CommandError("cannot be a target.", "", path, column=target)
    passes = _Passes(source, options, columns, target, allowance)
    left_out = passes.drop_useless()
    sample_rows = int(np.clip(_SAMPLE_CELLS // len(columns.kinds), 10_000, 100_000))
    stream = RowStream(sample_rows=sample_rows, held_out=HELD_OUT, seed=seed)
    truth = _Truth(passes.columns.kinds[target])
    for block, cells in passes:
        stream.look(block)
        truth.add(cells)
    if stream.n_rows < _FEWEST:
        raise CommandError(
            f"{stream.n_rows} rows have a value; at least {_FEWEST} are needed.",
            file=path,
            column=target,
        )
    lost = passes.n_lost
    for block, _ in passes:
        stream.add(block)
    rows, (y, classes) = stream.rows(), truth.ordered(stream.order)
    del stream, truth
    _give_back()
    notes += passes.odd.notes(words=True)
    return StreamedTable(
        rows, y, classes, passes.columns, passes.dates, left_out, passes.odd, lost, notes
    )


@dataclass
class _Passes:
    """A file that is read several times: blocks of features, each with its column of truth."""

    source: Source
    options: ReadOptions
    columns: Columns
    target: str
    allowance: Allowance
    n_lost: int = 0

    def __post_init__(self) -> None:
        self.path = self.source.path

    @property
    def dates(self) -> tuple[str, ...]:
        return tuple(name for name, kind in self.columns.kinds.items() if kind == "time")

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        from pyarrow import compute as pc

        from coterie.automl.dates import DateColumns

        dates, self.n_lost = DateColumns(self.dates), 0
        self.odd = OddCells(self.source, strict=self.options.odd == "error")
        blocks, _ = open_blocks(
            self.path, self.columns, self.options, odd=self.odd, allowance=self.allowance
        )
        for table in blocks:
            known = pc.invert(pc.is_null(table.column(self.target), nan_is_null=True))
            lost = len(table) - pc.sum(known).as_py()
            self.n_lost += lost
            block = table.filter(known) if lost else table
            if len(block):
                cells = block.column(self.target)
                yield dates.apply(block.drop_columns([self.target])), cells

    def drop_useless(self) -> list[Any]:
        """Leave out columns that are of no use, by the first rows, and tell them."""
        import pyarrow as pa

        from coterie.automl.columns import no_use

        head: list[Any] = []
        for block, _ in self:
            head.append(block)
            if sum(map(len, head)) >= _HEAD_ROWS:
                break
        if not head:
            raise CommandError("the column is empty.", "", self.path, column=self.target)
        left_out = no_use(pa.concat_tables(head))
        names = {column.name for column in left_out}
        kept = [name for name in self.columns.kinds if name not in names]
        if len(kept) < 2:
            raise CommandError(
                f"no columns other than {self.target!r} can be used.", file=self.path
            )
        self.columns = self.columns.only(kept)
        return left_out


class _Truth:
    """The target, collected block by block: numbers, or labels as codes."""

    def __init__(self, kind: str) -> None:
        self.text = kind == "text"
        self.codes: dict[str, int] = {}
        self.parts: list[NDArray[Any]] = []

    def add(self, cells: Any) -> None:
        """Take one block."""
        from pyarrow import compute as pc

        if not self.text:
            self.parts.append(cells.to_numpy())
            return
        block = pc.dictionary_encode(cells.combine_chunks())
        own = [self.codes.setdefault(t, len(self.codes)) for t in block.dictionary.to_pylist()]
        self.parts.append(np.array(own, dtype=np.int32)[block.indices.to_numpy()])

    def ordered(self, order: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """All of it, in another order of the rows, and the labels of codes."""
        whole = np.concatenate(self.parts)[order]
        if not self.text:
            return whole, None
        labels = sorted(self.codes)
        place = np.empty(len(labels), dtype=np.min_scalar_type(-len(labels)))
        place[[self.codes[label] for label in labels]] = np.arange(len(labels))
        return place[whole], np.array(labels, dtype=object)


def _return_large_blocks() -> None:
    """Let the C library map large arrays one by one, so that the system gets them back at once.

    Otherwise it keeps what was freed between others that are still in use.
    """
    import ctypes

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, _LARGE_BLOCK)


def _give_back() -> None:
    """Give memory that was freed back to the system, where there is a way to."""
    import ctypes

    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)

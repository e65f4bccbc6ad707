"""Binning a table that is read block by block and never held as a whole."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.data.binned import BinnedRows
from coterie.data.errors import DataError
from coterie.data.sources import FrameSource, open_source
from coterie.data.table import Table
from coterie.native import encode

__all__ = ["RowStream"]


class RowStream:
    """Bins a table in two passes over blocks of rows.

    The first pass (`look`) counts the rows and keeps an even sample of them, from which columns,
    categories and bins are learnt; the second (`add`) keeps the bins of every row. A category that
    the sample does not hold counts as missing.

    Parameters
    ----------
    max_bins : int, default=255
        Most bins of a column of numbers.
    sample_rows : int, default=100_000
        Rows the sample has at least, if there are as many; it may have twice as many.
    held_out : float, default=0.0
        Share of rows, drawn at random, that are put at the end, so that the others need not be
        copied to be learnt from without them; `order` says where each row went.
    seed : int, default=0
        Of the sample, and of the held-out rows.
    n_threads : int, default=1
        Threads of the engine.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import HistGradientBoostingRegressor
    >>> rng = np.random.default_rng(0)
    >>> blocks = [rng.normal(size=(500, 2)) for _ in range(4)]
    >>> stream = RowStream()
    >>> for block in blocks:
    ...     stream.look(block)
    >>> for block in blocks:
    ...     stream.add(block)
    >>> rows = stream.rows()
    >>> rows.codes.shape, rows.codes.dtype
    ((2000, 2), dtype('uint8'))
    >>> model = HistGradientBoostingRegressor(max_iter=5).fit(rows, np.concatenate(blocks)[:, 0])
    """

    def __init__(
        self,
        *,
        max_bins: int = 255,
        sample_rows: int = 100_000,
        held_out: float = 0.0,
        seed: int = 0,
        n_threads: int = 1,
    ) -> None:
        self.max_bins = max_bins
        self.sample_rows = sample_rows
        self.held_out = held_out
        self.seed = seed
        self.n_threads = n_threads
        self.n_rows = 0
        self._rng = np.random.default_rng(seed)
        self._rate = 1.0
        self._sample: list[Any] = []  # containers of the rows that were drawn
        self._rows: BinnedRows | None = None  # all of them, filled up to …
        self._filled = 0
        self._order: NDArray[np.signedinteger[Any]] | None = None
        self._places: NDArray[np.signedinteger[Any]] | None = (
            None  # where each row goes, if rows change places
        )

    @property
    def n_held_out(self) -> int:
        """Rows at the end that are held out."""
        return round(self.held_out * self.n_rows)

    @property
    def order(self) -> NDArray[np.signedinteger[Any]]:
        """The rows as they were read, in the order in which they are kept."""
        if self._order is None:
            self._order = np.arange(self.n_rows, dtype=_small(self.n_rows))
            if self.n_held_out:
                rng = np.random.default_rng((self.seed, 1))
                out = np.zeros(self.n_rows, dtype=bool)
                out[rng.choice(self.n_rows, self.n_held_out, replace=False)] = True
                self._order = np.concatenate([np.flatnonzero(~out), np.flatnonzero(out)]).astype(
                    _small(self.n_rows)
                )
        return self._order

    def look(self, block: Any) -> None:
        """First pass: take note of some rows."""
        if self._rows is not None:
            raise DataError(
                "`look` cannot be called after `add`: the second pass has begun. Use a new "
                "RowStream."
            )
        source = open_source(block, owner="RowStream")
        self.n_rows += source.n_rows
        self._sample.append(source.take(self._drawn(source.n_rows)))
        while sum(part.n_rows for part in self._sample) > 2 * self.sample_rows:
            self._rate /= 2
            self._sample = [part.take(self._half(part.n_rows)) for part in self._sample]

    def add(self, block: Any) -> None:
        """Second pass: keep the bins of the rows, in the order of the first."""
        all_rows = self._begun()
        table = Table.under(all_rows.schema, block, owner="RowStream")
        end = self._filled + table.n_rows
        if end > self.n_rows:
            raise DataError(
                f"The second pass has more rows than the {self.n_rows} of the first. Read the same "
                "blocks twice."
            )
        for part, cells in table.blocks():
            rows = slice(self._filled + part.start, self._filled + part.stop)
            if self._places is None:
                encode(cells, all_rows.bins, out=all_rows.codes[rows], n_threads=self.n_threads)
            else:
                codes = encode(cells, all_rows.bins, n_threads=self.n_threads)
                all_rows.codes[self._places[rows]] = codes
        self._filled = end

    def rows(self) -> BinnedRows:
        """All rows, once both passes are over."""
        rows = self._begun()
        if self._filled < self.n_rows:
            raise DataError(
                f"The second pass has {self._filled} rows, but the first had {self.n_rows}. Add "
                "the missing blocks."
            )
        self._places = None  # as large as a table of a few columns
        return rows

    def _drawn(self, n: int) -> NDArray[np.intp]:
        if self._rate == 1.0:
            return np.arange(n)
        return np.flatnonzero(self._rng.random(n) < self._rate)

    def _half(self, n: int) -> NDArray[np.intp]:
        return np.flatnonzero(self._rng.random(n) < 0.5)

    def _begun(self) -> BinnedRows:
        """Room for all rows, cut as the sample says; the sample is let go."""
        if self._rows is None:
            if not self._sample:
                raise DataError("There are no rows: pass the blocks to the first pass.")
            sample = Table.read(_joined(self._sample))
            binned = sample.bin(max_bins=self.max_bins, seed=self.seed, n_threads=self.n_threads)
            self._sample.clear()
            assert binned.bins is not None
            codes = np.zeros((self.n_rows, binned.n_columns), dtype=binned.bins.dtype)
            self._rows = BinnedRows(binned.schema, binned.bins, codes)
            if self.n_held_out:
                self._places = np.empty(self.n_rows, dtype=_small(self.n_rows))
                self._places[self.order] = np.arange(self.n_rows)
        return self._rows


def _small(n_rows: int) -> type[np.signedinteger[Any]]:
    """The smallest type for positions of rows: they take as much memory as columns do."""
    return np.int32 if n_rows < 2**31 else np.int64


def _joined(parts: list[Any]) -> Any:
    """Containers of rows, end to end."""
    if isinstance(parts[0], FrameSource):
        return nw.concat([part.frame for part in parts]).to_native()
    return np.concatenate([part.native() for part in parts])

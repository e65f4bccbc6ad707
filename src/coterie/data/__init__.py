"""Data as the rest of the library sees them: a `Table` of columns and a `Target`.

How a table is loaded:

1. `open_source` looks at the container of ``X``: an array, a frame or a sparse matrix.
2. Rows of zero weight (`read_weight`) are dropped.
3. `Table.read` types every column, learns the labels of categorical ones (the `Schema`), and
   refuses what cannot be used with an error that names the column and the cure.
   Rows that only members of other packages read may be left unread (`open_opaque`).
4. `Table.bin` cuts every column into bins, once for all members.
5. The fitted estimator keeps the `Schema`; `Table.under` reads new rows by it.

A table too large for memory is binned while it is read, block by block: `RowStream` makes
`BinnedRows` of it, which estimators take as ``X``.
"""

from coterie.data.binned import BinnedRows
from coterie.data.errors import DataError, KindError, OutputsError
from coterie.data.schema import Schema
from coterie.data.sources import (
    ListSource,
    Opaque,
    Source,
    TextSource,
    open_opaque,
    open_source,
    open_texts,
)
from coterie.data.stream import RowStream
from coterie.data.table import Table
from coterie.data.target import Target
from coterie.data.weights import read_weight

__all__ = [
    "BinnedRows",
    "DataError",
    "KindError",
    "ListSource",
    "Opaque",
    "OutputsError",
    "RowStream",
    "Schema",
    "Source",
    "Table",
    "Target",
    "TextSource",
    "open_opaque",
    "open_source",
    "open_texts",
    "read_weight",
]

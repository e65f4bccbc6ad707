"""Data as the rest of the library sees them: a `Table` of columns and a `Target`.

The life of a table:

1. `open_source` looks at the container of ``X``: an array, a frame or a sparse matrix.
2. Rows of zero weight (`read_weight`) are dropped.
3. `Table.read` types every column, learns the labels of categorical ones (the `Schema`), and
   refuses what cannot be used with an error that names the column and the cure.
4. `Table.bin` cuts every column into bins, once for all members.
5. The fitted estimator keeps the `Schema`; `Table.under` reads new rows by it.
"""

from coterie.data.errors import DataError, KindError
from coterie.data.schema import Schema
from coterie.data.sources import Source, open_source
from coterie.data.table import Table
from coterie.data.target import Target
from coterie.data.weights import read_weight

__all__ = [
    "DataError",
    "KindError",
    "Schema",
    "Source",
    "Table",
    "Target",
    "open_source",
    "read_weight",
]

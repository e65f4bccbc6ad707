"""Tables in files, and what models predict for them.

The life of a file:

1. :mod:`~coterie.files.formats` tells its format and compression by its name and opens it.
2. A source (:mod:`~coterie.files.delimited`, :mod:`~coterie.files.jsonlines`,
   :mod:`~coterie.files.columnar`) hands out its rows in blocks; those of text files as text.
3. :mod:`~coterie.files.kinds` finds out what each column holds, in a first pass.
4. :mod:`~coterie.files.convert` turns blocks into typed columns: at fit by what was found, at
   predict by what was found at fit.
"""

from coterie.files.allowance import Allowance
from coterie.files.formats import ReadOptions
from coterie.files.kinds import Columns
from coterie.files.table import Reading, open_blocks, open_file, read_table

__all__ = [
    "Allowance",
    "Columns",
    "ReadOptions",
    "Reading",
    "open_blocks",
    "open_file",
    "read_table",
]

"""Tables from files.

The life of a file:

1. :mod:`~coterie.cli.reading.files` tells its format and compression by its name and opens it.
2. A source (:mod:`~coterie.cli.reading.delimited`, :mod:`~coterie.cli.reading.jsonlines`,
   :mod:`~coterie.cli.reading.columnar`) hands out its rows in blocks; those of text files as text.
3. :mod:`~coterie.cli.reading.kinds` finds out what each column holds, in a first pass.
4. :mod:`~coterie.cli.reading.convert` turns blocks into typed columns: at fit by what was found, at
   predict by what was found at fit.
"""

from coterie.cli.reading.files import ReadOptions
from coterie.cli.reading.kinds import Columns
from coterie.cli.reading.table import Reading, open_blocks, open_file, read_table

__all__ = ["Columns", "ReadOptions", "Reading", "open_blocks", "open_file", "read_table"]

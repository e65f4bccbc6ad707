"""Small public data sets that come with the package.

How a table is loaded:

1. It lies in ``tables/`` as comma-separated text, target last, or is generated
   from its rule (``tic_tac_toe``). Source and licence stand in ``LICENSES.md``.
2. :func:`load_table` reads the text: a column in which every field is a number
   is numeric, any other is categorical, an empty field is missing.
3. The caller gets a :class:`Dataset`: a float64 matrix with categories as codes,
   or a data frame of any kind with categorical columns.
"""

from coterie.datasets.shipped import Dataset, load_table, table_names

__all__ = ["Dataset", "load_table", "table_names"]

"""The native engine and its typed edge.

Life of a forest: 1. :func:`find_bins` cuts every column once; 2. :func:`encode` writes the
bin numbers; 3. :func:`grow` grows a tree on them, given a target and row weights; 4. trees
are put end to end in one :class:`Forest`, plain arrays; 5. the forest walks raw rows:
``predict``, ``apply``, ``decision_path``. Nothing lives in the engine between two calls.
"""

from coterie.native.bins import Bins, check_table, encode, find_bins, row_hashes
from coterie.native.forest import Forest
from coterie.native.growth import Effort, Growth, Labels, Values, grow
from coterie.native.interrupts import obey, obeying, stop_if_told
from coterie.native.newton import (
    NewtonGrowth,
    NewtonTable,
    Slopes,
    add_votes,
    grow_newton,
    logistic_slopes,
    softmax_slopes,
    squared_slopes,
)

__all__ = [
    "Bins",
    "Effort",
    "Forest",
    "Growth",
    "Labels",
    "NewtonGrowth",
    "NewtonTable",
    "Slopes",
    "Values",
    "add_votes",
    "check_table",
    "encode",
    "find_bins",
    "grow",
    "grow_newton",
    "logistic_slopes",
    "obey",
    "obeying",
    "row_hashes",
    "softmax_slopes",
    "squared_slopes",
    "stop_if_told",
]

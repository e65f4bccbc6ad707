"""The native engine and its typed edge.

Life of a forest: 1. :func:`find_bins` cuts every column once; 2. :func:`encode` writes the
bin numbers; 3. :func:`grow` grows a tree on them, given a target and row weights; 4. trees
are put end to end in one :class:`Forest`, plain arrays; 5. the forest walks raw rows:
``predict``, ``apply``, ``decision_path``. Nothing lives in the engine between two calls.
"""

from coterie.native.bins import Bins, encode, find_bins
from coterie.native.forces import rank_slopes
from coterie.native.forest import Forest
from coterie.native.growth import Effort, Growth, Labels, Values, grow
from coterie.native.interrupts import obey, obeying, stop_if_told
from coterie.native.isolation import (
    IsolationSamples,
    SlantedForest,
    cell_hashes,
    grow_isolation,
    grow_slanted,
)
from coterie.native.linear import LinearLeaves
from coterie.native.near import NearPoints
from coterie.native.newton import (
    Classes,
    NewtonGrowth,
    NewtonTable,
    Scores,
    Slopes,
    add_votes,
    grow_classes,
    grow_newton,
    grow_scores,
    logistic_slopes,
    softmax_slopes,
    squared_slopes,
)
from coterie.native.sparse_codes import (
    SparseCodes,
    SparseRows,
    check_table,
    encode_sparse,
    find_sparse_bins,
    row_hashes,
)
from coterie.native.vector import grow_vector

__all__ = [
    "Bins",
    "Classes",
    "Effort",
    "Forest",
    "Growth",
    "IsolationSamples",
    "Labels",
    "LinearLeaves",
    "NearPoints",
    "NewtonGrowth",
    "NewtonTable",
    "Scores",
    "SlantedForest",
    "Slopes",
    "SparseCodes",
    "SparseRows",
    "Values",
    "add_votes",
    "cell_hashes",
    "check_table",
    "encode",
    "encode_sparse",
    "find_bins",
    "find_sparse_bins",
    "grow",
    "grow_classes",
    "grow_isolation",
    "grow_newton",
    "grow_scores",
    "grow_slanted",
    "grow_vector",
    "logistic_slopes",
    "obey",
    "obeying",
    "rank_slopes",
    "row_hashes",
    "softmax_slopes",
    "squared_slopes",
    "stop_if_told",
]

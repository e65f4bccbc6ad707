"""
Binning, growing and walking trees (see coterie.native for the typed edge).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def find_bins(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bins: int, sample_rows: int, seed: int, n_threads: int, crowded: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def find_bins(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bins: int, sample_rows: int, seed: int, n_threads: int, crowded: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Cut each column; returns offsets, lower and upper values of the bins."""

@overload
def encode(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')], n_threads: int) -> None: ...

@overload
def encode(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu')], n_threads: int) -> None: ...

@overload
def encode(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')], n_threads: int) -> None: ...

@overload
def encode(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu')], n_threads: int) -> None:
    """Write the bin number of every value into out."""

def spread_rows(n: int, limit: int, seed: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The rows that bins are judged on."""

@overload
def row_hashes(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def row_hashes(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """Fold the codes of each row into its hash."""

@overload
def row_hashes(codes: SparseCodes8, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def row_hashes(codes: SparseCodes16, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

def exp(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The function of every number, with the same bits on every processor."""

def expm1(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The function of every number, with the same bits on every processor."""

def log(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The function of every number, with the same bits on every processor."""

def log1p(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The function of every number, with the same bits on every processor."""

def expit(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The function of every number, with the same bits on every processor."""

def softplus(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The function of every number, with the same bits on every processor."""

def softmax(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Every row's exponentials, divided by their sum."""

def dot(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The sum of products, in an order of its own."""

class ForestArrays:
    """The arrays of a forest, range-checked."""

    def __init__(self, nodes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], node_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], category_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_columns: int) -> None: ...

@overload
def predict(forest: ForestArrays, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def predict(forest: ForestArrays, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None:
    """
    Add the weighted leaf values of all trees to out; trees of a single value take turns in its columns.
    """

@overload
def predict(forest: ForestArrays, X: SparseRows32, tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def predict(forest: ForestArrays, X: SparseRows64, tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def apply(forest: ForestArrays, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def apply(forest: ForestArrays, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu')], n_threads: int, signals: bool) -> None:
    """Write the leaf node of every row in every tree."""

@overload
def apply(forest: ForestArrays, X: SparseRows32, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def apply(forest: ForestArrays, X: SparseRows64, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def decision_path(forest: ForestArrays, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def decision_path(forest: ForestArrays, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """All nodes each row passes: row starts and node numbers."""

def node_values(forest: ForestArrays, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Values of all nodes: leaves and means of leaves."""

def prune(forest: ForestArrays, n_samples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], impurity: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], medians: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, alpha: float) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """The smallest subtree that is best at complexity alpha."""

def pruning_path(forest: ForestArrays, n_samples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], impurity: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Complexities and impurities of the nested best subtrees."""

@overload
def find_sparse_bins(n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_bins: int, sample_rows: int, seed: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def find_sparse_bins(n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_bins: int, sample_rows: int, seed: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Cut the columns of a sparse table; returns what `find_bins` returns."""

@overload
def encode_sparse(n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], usual: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def encode_sparse(n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')], usual: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def encode_sparse(n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], usual: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def encode_sparse(n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')], usual: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the bin of every cell, and that of zero in every column."""

class SparseRows32:
    """Sparse rows of numbers, range-checked."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> None: ...

class SparseRows64:
    """Sparse rows of numbers, range-checked."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> None: ...

class SparseCodes8:
    """Codes of a sparse table, range-checked."""

    def __init__(self, n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], usual: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class SparseCodes16:
    """Codes of a sparse table, range-checked."""

    def __init__(self, n_rows: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], usual: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Settings:
    """Plain numbers that steer the growth of a tree."""

    def __init__(self) -> None: ...

    @property
    def criterion(self) -> str: ...

    @criterion.setter
    def criterion(self, arg: str, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def min_samples_split(self) -> int: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> int: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...

    @property
    def min_weight_leaf(self) -> float: ...

    @min_weight_leaf.setter
    def min_weight_leaf(self, arg: float, /) -> None: ...

    @property
    def min_impurity_decrease(self) -> float: ...

    @min_impurity_decrease.setter
    def min_impurity_decrease(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def random_thresholds(self) -> bool: ...

    @random_thresholds.setter
    def random_thresholds(self, arg: bool, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def recheck(self) -> int: ...

    @recheck.setter
    def recheck(self, arg: int, /) -> None: ...

    @property
    def min_events_leaf(self) -> int: ...

    @min_events_leaf.setter
    def min_events_leaf(self, arg: int, /) -> None: ...

class GrowArrays:
    """The arrays a tree is grown on besides its codes."""

    def __init__(self, labels: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)] | None, n_classes: Sequence[int], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, interactions: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | None, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def grow(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], arrays: GrowArrays, settings: Settings, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow(codes: SparseCodes8, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], arrays: GrowArrays, settings: Settings, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], arrays: GrowArrays, settings: Settings, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow(codes: SparseCodes16, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], arrays: GrowArrays, settings: Settings, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Grow one tree; returns nodes, n_samples, weight, impurity, values, categories.
    """

@overload
def check_table(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def check_table(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """Raise ValueError unless every code lies within the bins of its column."""

class NewtonGrowth:
    """Plain numbers that steer a tree on slopes."""

    def __init__(self) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def level_wise(self) -> bool: ...

    @level_wise.setter
    def level_wise(self, arg: bool, /) -> None: ...

    @property
    def symmetric(self) -> bool: ...

    @symmetric.setter
    def symmetric(self, arg: bool, /) -> None: ...

    @property
    def in_middle(self) -> bool: ...

    @in_middle.setter
    def in_middle(self, arg: bool, /) -> None: ...

    @property
    def min_samples_split(self) -> int: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> int: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...

    @property
    def min_child_weight(self) -> float: ...

    @min_child_weight.setter
    def min_child_weight(self, arg: float, /) -> None: ...

    @property
    def l1(self) -> float: ...

    @l1.setter
    def l1(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def max_delta_step(self) -> float: ...

    @max_delta_step.setter
    def max_delta_step(self, arg: float, /) -> None: ...

    @property
    def level_features(self) -> int: ...

    @level_features.setter
    def level_features(self, arg: int, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def precision(self) -> int: ...

    @precision.setter
    def precision(self, arg: int, /) -> None: ...

class Workspace:
    """Memory that one tree leaves to the next."""

    def __init__(self) -> None: ...

class Unusual:
    """The unusual codes of a table, row by row."""

    @overload
    def __init__(self, codes: SparseCodes8, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def __init__(self, codes: SparseCodes16, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], usual: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Joint:
    """Columns of few codes, counted as one."""

    @property
    def n_columns(self) -> int:
        """How many columns are counted."""

def join_columns(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int) -> Joint:
    """Join columns of few codes; None if that saves too few of them."""

class NewtonTable:
    """A binned table to grow trees on."""

    @overload
    def __init__(self, *, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], by_column: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bundles: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None, unusual: Unusual | None, joint: Joint | None) -> None: ...

    @overload
    def __init__(self, *, codes: SparseCodes8, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], unusual: Unusual) -> None: ...

    @overload
    def __init__(self, *, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], by_column: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bundles: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None, unusual: Unusual | None, joint: Joint | None) -> None: ...

    @overload
    def __init__(self, *, codes: SparseCodes16, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], unusual: Unusual) -> None: ...

class NewtonSlopes:
    """Slopes, and the rows to learn from."""

    @overload
    def __init__(self, *, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    @overload
    def __init__(self, *, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

class NewtonPlan:
    """Settings, constraints and columns of a tree."""

    def __init__(self, *, settings: NewtonGrowth, monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, interactions: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | None, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def grow_newton(table: NewtonTable, slopes: NewtonSlopes, growth: NewtonPlan, *, seed: int, n_threads: int, workspace: Workspace, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Grow one tree on slopes; returns what `grow` returns."""

@overload
def logistic_slopes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def logistic_slopes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """Slopes of the logistic loss of log-odds."""

@overload
def squared_slopes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def squared_slopes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """Slopes of half the squared error."""

@overload
def softmax_slopes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], n_threads: int) -> None: ...

@overload
def softmax_slopes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], n_threads: int) -> None:
    """Slopes of the multinomial loss."""

def find_bundles(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Columns that are never unusual together: home, first, usual, sizes; and how often each is unusual.
    """

def copy_codes(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')], n_threads: int) -> None:
    """Copy codes from one layout to another."""

def encode_bundles(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], home: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], usual: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')], n_threads: int) -> None:
    """Write the codes of bundles."""

def add_votes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu')], leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None:
    """Add to every row's score the value of its leaf."""

class NewtonScores:
    """Slopes of several scores, and where votes go."""

    @overload
    def __init__(self, *, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], rate: float, longest: float) -> None: ...

    @overload
    def __init__(self, *, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], rate: float, longest: float) -> None: ...

def grow_scores(table: NewtonTable, scores: NewtonScores, growth: NewtonPlan, *, n_threads: int, workspace: Workspace, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> list[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]]:
    """
    Grow a tree for every score and add its votes; returns what `grow` returns of each.
    """

class NewtonClasses:
    """Classes whose slopes are made one after the other, and where votes go."""

    @overload
    def __init__(self, *, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], most: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], rate: float, longest: float) -> None: ...

    @overload
    def __init__(self, *, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], most: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], raw: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], rate: float, longest: float) -> None: ...

def grow_classes(table: NewtonTable, classes: NewtonClasses, growth: NewtonPlan, *, n_threads: int, workspace: Workspace, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> list[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]]:
    """
    Grow a tree for every class and add its votes; returns what `grow` returns of each.
    """

class SlopeScale:
    """What both halves know of the slopes of all rows."""

    def add(self, other: SlopeScale) -> None:
        """Take in the slopes of other rows."""

    @property
    def rows(self) -> int: ...

    def __getstate__(self) -> tuple[float, float, float, float, float, int, bool]: ...

    def __setstate__(self, arg: tuple[float, float, float, float, float, int, bool], /) -> None: ...

def measure_slopes(table: NewtonTable, slopes: NewtonSlopes, growth: NewtonPlan) -> SlopeScale:
    """The scale of the slopes of a table."""

class CodeSplit:
    """A split in terms of codes."""

    @property
    def gain(self) -> float: ...

    @property
    def column(self) -> int: ...

    def __getstate__(self) -> tuple[float, int, bool, bool, bool, int, int, float, float, float, list[int]]: ...

    def __setstate__(self, arg: tuple[float, int, bool, bool, bool, int, int, float, float, float, Sequence[int]], /) -> None: ...

class RowSide:
    """Everything that touches rows while a tree grows."""

    def __init__(self, *, table: NewtonTable, slopes: NewtonSlopes, growth: NewtonPlan, scale: SlopeScale, seed: int, first_row: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], workspace: Workspace, n_threads: int = 1) -> None: ...

    @property
    def packed(self) -> bool: ...

    @property
    def histogram_bytes(self) -> int: ...

    def count(self, node: int, barren: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the histogram of a node."""

    def part(self, node: int, split: CodeSplit) -> int:
        """Move rows; returns how many go left."""

    def divide(self, node: int, left: int) -> None:
        """Make the parts of a node nodes of their own."""

    def count_codes(self, node: int, column: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Add the rows of a node by their code in a column."""

    def leaf_sums(self, nodes: Sequence[int]) -> list[tuple[float, float]]:
        """Sums of the slopes of leaves, and notes the leaf of every row."""

class Decider:
    """Everything that chooses while a tree grows."""

    def __init__(self, *, table: NewtonTable, growth: NewtonPlan, scale: SlopeScale, seed: int) -> None: ...

    def to_part(self) -> list[int]: ...

    def to_count(self) -> list[int]: ...

    def split(self, node: int) -> CodeSplit: ...

    def parted(self, node: int, left_rows: int) -> int:
        """The left child; 0 if the split is refused."""

    def barren(self, node: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def tell(self, node: int, histogram: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Tell the histogram of a node."""

    def left_share(self, node: int) -> float:
        """Which part of a node will go left, by weight."""

    def counted_sibling(self, node: int) -> None:
        """Say that the histogram told of a node is its larger sibling's."""

    def decide(self, count_codes: Callable[[int, int, int], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]) -> None:
        """Look for splits, and what to part next."""

    def leaves(self) -> list[int]: ...

    def write(self, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """The tree, given the sums of its leaves."""

    def last_left(self) -> list[int]:
        """The last code that goes left, of every node of the tree."""

class VectorGrowth:
    """Plain numbers that steer such a tree."""

    def __init__(self) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> int: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...

    @property
    def min_child_weight(self) -> float: ...

    @min_child_weight.setter
    def min_child_weight(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def precision(self) -> int: ...

    @precision.setter
    def precision(self, arg: int, /) -> None: ...

class VectorArrays:
    """The arrays such a tree is grown on."""

    def __init__(self, *, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, interactions: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | None, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def grow_vector(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow_vector(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow_vector(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow_vector(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow_vector(codes: SparseCodes8, arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow_vector(codes: SparseCodes8, arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow_vector(codes: SparseCodes16, arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def grow_vector(codes: SparseCodes16, arrays: VectorArrays, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, growth: VectorGrowth, seed: int, n_threads: int, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Grow a tree whose leaves hold a step for every score."""

@overload
def shap(forest: ForestArrays, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def shap(forest: ForestArrays, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None:
    """Add the Shapley values of all trees to out, the expected value last."""

@overload
def shap_interactions(forest: ForestArrays, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None: ...

@overload
def shap_interactions(forest: ForestArrays, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], tree_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order='C', device='cpu')], n_threads: int, signals: bool) -> None:
    """Add the Shapley interaction values of all trees to out."""

class IsolationSamples:
    """What isolation trees are grown from."""

    def __init__(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_depth: int, path: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def grow_isolation(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], levels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], samples: IsolationSamples, n_threads: int, stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]: ...

@overload
def grow_isolation(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], levels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], samples: IsolationSamples, n_threads: int, stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
    """Grow trees by random cuts along the axes; the parts of a forest."""

@overload
def cell_hashes(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def cell_hashes(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """Fold the cells of each row into its hash."""

def grow_slanted(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], samples: IsolationSamples, width: int, redraw: int, n_threads: int, stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, signals: bool) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Grow trees by random slanted cuts; the parts of a slanted forest."""

class SlantedArrays:
    """The arrays of slanted trees, range-checked."""

    def __init__(self, left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], slants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, n_columns: int) -> None: ...

def slanted_paths(forest: SlantedArrays, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int, signals: bool) -> None:
    """Add the path lengths of all trees to out."""

def rank_slopes(raw: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], swap: str, sigma: float, truncation: int, normalise: bool, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """Slopes of LambdaMART."""

NEAR_STRIP: int = 64

NEAR_MOST: float = 30000.0

def nearest_points(points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: float, slack: float, queries: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """Positions of the nearest points of each query, in ascending order."""

"""Folds that depend on what rows hold, not on their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coterie.data.hashes import ODD, cell_bits
from coterie.data.table import Table

__all__ = ["deal", "row_keys"]

_BLOCK_CELLS = 1 << 20


def deal(keys: NDArray[np.uint64], strata: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    """Fold of every row: different keys of a stratum go to the folds in turn.

    Examples
    --------
    >>> deal(np.array([7, 5, 7, 9], dtype=np.uint64), np.array([0, 0, 0, 1]), 2)
    array([1, 0, 1, 0])
    """
    both = np.stack([strata.astype(np.uint64), keys])
    place = np.unique(both, axis=1, return_inverse=True)[1]
    return np.asarray(place.ravel() % n_folds)


def row_keys(table: Table) -> NDArray[np.uint64]:
    """A number for every row that depends on what it holds only; equal rows have equal ones."""
    rng = np.random.default_rng(20_040_731)
    factors = rng.integers(0, 2**63, table.n_columns, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    keys = np.empty(table.n_rows, dtype=np.uint64)
    step = max(1, _BLOCK_CELLS // max(1, table.n_columns))
    for block, values in table.blocks(_BLOCK_CELLS):
        for start in range(0, len(values), step):
            bits = cell_bits(values[start : start + step])
            bits = (bits ^ (bits >> np.uint64(29))) * ODD
            bits = (bits ^ (bits >> np.uint64(32))) * factors
            begin = block.start + start
            keys[begin : begin + len(bits)] = bits.sum(axis=1, dtype=np.uint64)
    return (keys ^ (keys >> np.uint64(31))) * ODD

"""Proximity: in how many trees two rows share a leaf."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Rows of a block: the dense block of one of them against 100,000 rows takes 200 MB.
_BLOCK_ROWS = 256


def proximity_blocks(
    leaves: NDArray[np.integer],
    others: NDArray[np.integer] | None = None,
    *,
    use: NDArray[np.bool_] | None = None,
    block_rows: int = _BLOCK_ROWS,
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    r"""Blocks of rows of the proximity matrix.

    .. math:: prox(i, j) = \frac{1}{|T_{ij}|} \sum_{t \in T_{ij}} 1[leaf_t(x_i) = leaf_t(x_j)]

    Parameters
    ----------
    leaves : ndarray of shape (n_rows, n_trees)
        Leaf of each row in each tree.
    others : ndarray of shape (n_others, n_trees), optional
        Leaves of the rows to compare with; `leaves` themselves by default.
    use : ndarray of bool of shape (n_rows, n_trees), optional
        Only trees marked for both rows count, :math:`T_{ij}`; NaN where there is none. Only
        without `others`.
    block_rows : int
        Rows of a block.

    Yields
    ------
    rows : slice
        Which rows.
    block : ndarray of shape (n_block, n_others)
        Their proximities.

    Examples
    --------
    >>> leaves = np.array([[1, 2], [1, 3], [4, 3]])
    >>> for rows, block in proximity_blocks(leaves):
    ...     print(block)
    [[1.  0.5 0. ]
     [0.5 1.  0.5]
     [0.  0.5 1. ]]
    """
    width = int(max(leaves.max(), 0 if others is None else others.max())) + 1
    left = _indicator(leaves, width, use)
    right = (left if others is None else _indicator(others, width, None)).T.tocsc()
    marks = None if use is None else sparse.csr_array(use.astype(np.float64))
    for start in range(0, len(leaves), block_rows):
        rows = slice(start, start + block_rows)
        shared = (left[rows] @ right).toarray()
        if marks is None:
            yield rows, shared / leaves.shape[1]
        else:
            trees = (marks[rows] @ marks.T).toarray()
            yield rows, np.divide(shared, trees, out=np.full_like(shared, np.nan), where=trees > 0)


def proximity_matrix(
    leaves: NDArray[np.integer],
    others: NDArray[np.integer] | None = None,
    *,
    use: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """The whole proximity matrix, see `proximity_blocks`."""
    matrix = np.empty((len(leaves), len(leaves if others is None else others)))
    for rows, block in proximity_blocks(leaves, others, use=use):
        matrix[rows] = block
    return matrix


def _indicator(
    leaves: NDArray[np.integer], width: int, use: NDArray[np.bool_] | None
) -> sparse.csr_array:
    """Ones where a row is in a leaf, a column for each node of each tree."""
    n_rows, n_trees = leaves.shape
    columns = leaves.astype(np.int64) + np.arange(n_trees) * width
    ones = np.ones(leaves.size) if use is None else use.ravel().astype(np.float64)
    starts = np.arange(n_rows + 1) * n_trees
    shape = (n_rows, n_trees * width)
    indicator = sparse.csr_array((ones, columns.ravel(), starts), shape=shape)
    indicator.eliminate_zeros()
    return indicator

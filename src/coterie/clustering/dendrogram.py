"""Hierarchical clustering of items that stand for several rows each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Dendrogram(NamedTuple):
    """Merges of clusters, the nearest first.

    Attributes
    ----------
    merges : ndarray of int of shape (n_items - 1, 2)
        An item of each of the two clusters that are merged.
    heights : ndarray of shape (n_items - 1,)
        Distances at which they are, ascending.
    """

    merges: NDArray[np.intp]
    heights: Array

    def cut(self, n_clusters: int) -> NDArray[np.int32]:
        """Clusters of the items when there are so many, numbered by their first items."""
        n_items = len(self.merges) + 1
        parent = np.arange(n_items)

        def root(item: int) -> int:
            while parent[item] != item:
                parent[item] = parent[parent[item]]
                item = int(parent[item])
            return item

        for first, second in self.merges[: n_items - n_clusters]:
            one, other = sorted((root(int(first)), root(int(second))))
            parent[other] = one
        roots = np.array([root(item) for item in range(n_items)])
        return np.unique(roots, return_inverse=True)[1].astype(np.int32)


def agglomerate(distance: Array, sizes: Array, linkage: str = "average") -> Dendrogram:
    r"""Average or single linkage of items that are clusters already.

    An item of size c is c rows: :math:`d(A \cup B, C) = (|A| d(A, C) + |B| d(B, C))/(|A| + |B|)`.
    Chains of nearest neighbours take time and memory of the square of the number of items.

    Parameters
    ----------
    distance : ndarray of shape (n_items, n_items)
        Symmetric; it is overwritten.
    sizes : ndarray of shape (n_items,)
        Rows that each item stands for.
    linkage : {"average", "single"}, default="average"
        How distances of clusters follow from those of their parts.

    Returns
    -------
    Dendrogram

    Examples
    --------
    >>> distance = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]])
    >>> agglomerate(distance, np.array([1.0, 3.0, 1.0])).heights
    array([1. , 2.5])
    """
    n_items = len(distance)
    sizes = sizes.copy()
    np.fill_diagonal(distance, np.inf)
    merges = np.zeros((n_items - 1, 2), dtype=np.intp)
    heights = np.zeros(n_items - 1)
    active = np.ones(n_items, dtype=bool)
    chain: list[int] = []
    for number in range(n_items - 1):
        if not chain:
            chain.append(int(active.argmax()))
        while True:
            last = chain[-1]
            near = int(distance[last].argmin())
            if len(chain) > 1 and distance[last, chain[-2]] <= distance[last, near]:
                near = chain[-2]
                break
            chain.append(near)
        del chain[-2:]
        one, other = min(last, near), max(last, near)
        merges[number], heights[number] = (one, other), distance[one, other]
        if linkage == "single":
            joined = np.minimum(distance[one], distance[other])
        else:
            total = sizes[one] + sizes[other]
            joined = (sizes[one] * distance[one] + sizes[other] * distance[other]) / total
        joined[[one, other]] = np.inf
        distance[one], distance[:, one] = joined, joined
        distance[other], distance[:, other] = np.inf, np.inf
        sizes[one] += sizes[other]
        active[other] = False
    order = np.argsort(heights, kind="stable")
    return Dendrogram(merges[order], heights[order])


def longest_lived(heights: Array, n_most: int) -> int:
    r"""The number of clusters that lasts longest, :math:`h_{n-k+1} - h_{n-k}`, the least of equals.

    Parameters
    ----------
    heights : ndarray of shape (n_rows - 1,)
        Distances at which rows were merged, ascending.
    n_most : int
        Most clusters.

    Examples
    --------
    >>> longest_lived(np.array([0.25, 0.25, 0.5, 0.5, 0.875, 0.95]), 6)
    3
    """
    n_rows = len(heights) + 1
    most = min(n_most, n_rows - 1)
    if most < 2:
        return max(1, min(2, n_rows))
    numbers = np.arange(2, most + 1)
    lives = heights[n_rows - numbers] - heights[n_rows - numbers - 1]
    # Equal but for rounding is equal.
    return int(numbers[np.flatnonzero(lives >= lives.max() - 1e-12)[0]])

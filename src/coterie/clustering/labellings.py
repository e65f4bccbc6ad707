"""Labels that several clusterings give to the same rows, and what can be counted in them.

Rows that all members label alike cannot be told apart by any consensus, so everything is computed
on the distinct tuples of labels, with the number of rows of each. No matrix of rows by rows is
ever made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Labellings:
    """Clusterings of the same rows.

    Parameters
    ----------
    codes : ndarray of int32 of shape (n_members, n_tuples)
        Clusters, numbered from 0 in every member; -1 for rows that a member did not cluster.
    counts : ndarray of float of shape (n_tuples,)
        How many rows have each tuple of labels.
    weights : ndarray of shape (n_members,)
        Weight of each member.
    sizes : ndarray of int of shape (n_members,)
        Clusters of each member.

    Examples
    --------
    >>> labellings, places = Labellings.read([[0, 0, 1, 1], [5, 5, 5, 7]])
    >>> labellings.codes, places
    (array([[0, 1, 1],
           [0, 0, 1]], dtype=int32), array([0, 0, 1, 2]))
    >>> labellings.counts
    array([2., 1., 1.])
    """

    codes: Codes
    counts: Array
    weights: Array
    sizes: NDArray[np.int64]

    @classmethod
    def read(
        cls, labels: ArrayLike, weights: ArrayLike | None = None, row_weight: Array | None = None
    ) -> tuple[Labellings, NDArray[np.intp]]:
        """The distinct tuples of labels, and which of them each row has.

        Parameters
        ----------
        labels : array-like of int of shape (n_members, n_rows)
            Any integers; negative ones mean that a row was not clustered.
        weights : array-like of shape (n_members,), optional
            Weight of each member, ones by default.
        row_weight : ndarray of shape (n_rows,), optional
            Weight of each row.
        """
        given = np.atleast_2d(np.asarray(labels))
        if given.ndim != 2 or given.dtype.kind not in "iu" or not given.size:
            raise ValueError(
                "labels must be integers of shape (n_members, n_rows), one row of labels for "
                f"each clustering, but have shape {given.shape} and type {given.dtype}."
            )
        numbered = [_number(row) for row in given]
        codes = np.stack([codes for codes, _ in numbered])
        sizes = np.array([size for _, size in numbered], dtype=np.int64)
        # Tuples come in the order of their codes, whatever the order of the rows.
        places = np.zeros(given.shape[1], dtype=np.int64)
        for row, size in zip(codes, sizes, strict=True):
            _, places = np.unique(places * (size + 1) + row + 1, return_inverse=True)
        n_tuples = int(places.max()) + 1
        first = np.full(n_tuples, len(places), dtype=np.int64)
        np.minimum.at(first, places, np.arange(len(places)))
        counts = np.bincount(places, weights=row_weight, minlength=n_tuples).astype(np.float64)
        chosen = np.ones(len(given)) if weights is None else np.asarray(weights, dtype=np.float64)
        if chosen.shape != (len(given),) or (chosen < 0).any() or not chosen.any():
            raise ValueError(
                f"weights must be {len(given)} numbers >= 0, one for each member and not all 0."
            )
        return cls(codes[:, first], counts, chosen, sizes), places

    def take(self, members: Any, weights: Array | None = None) -> Labellings:
        """A subset of the members, on the same tuples."""
        weights = self.weights[members] if weights is None else weights
        return replace(self, codes=self.codes[members], weights=weights, sizes=self.sizes[members])

    @property
    def n_members(self) -> int:
        """Number of clusterings."""
        return len(self.codes)

    @property
    def n_tuples(self) -> int:
        """Number of distinct tuples of labels."""
        return self.codes.shape[1]

    @property
    def clustered(self) -> NDArray[np.bool_]:
        """Which tuples were clustered by at least one member."""
        return np.asarray((self.codes >= 0).any(axis=0))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The number of the first cluster of each member, when all are numbered through."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])

    @property
    def n_all(self) -> int:
        """Total number of clusters of all members."""
        return int(self.sizes.sum())

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The member of each cluster."""
        return np.repeat(np.arange(self.n_members), self.sizes)

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """Which tuples are in which clusters, zeros and ones of shape (n_tuples, n_all)."""
        present = (self.codes >= 0).T
        columns = (self.codes.T + self.starts)[present].astype(np.int32)
        ends = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32)
        shape = (self.n_tuples, self.n_all)
        return sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)

    @cached_property
    def overlaps(self) -> Array:
        """Rows that two clusters have in common, shape (n_all, n_all)."""
        found = np.zeros((self.n_all, self.n_all))
        for q in range(self.n_members):
            for s in range(q, self.n_members):
                table = contingency(
                    self.codes[q], self.codes[s], (self.sizes[q], self.sizes[s]), self.counts
                )
                mine = slice(self.starts[q], self.starts[q] + self.sizes[q])
                theirs = slice(self.starts[s], self.starts[s] + self.sizes[s])
                found[mine, theirs] = table
                found[theirs, mine] = table.T
        return found

    def similarity(self, missing: str = "all") -> Array:
        """Share of members that put two tuples in the same cluster, shape (n_tuples, n_tuples)."""
        together = np.zeros((self.n_tuples, self.n_tuples))
        both = np.zeros_like(together) if missing == "available" else None
        for row, weight in zip(self.codes, self.weights, strict=True):
            here = row >= 0
            together += weight * ((row[:, None] == row) & here)
            if both is not None:
                both += weight * (here[:, None] & here)
        if both is None:
            return np.asarray(together / self.weights.sum())
        return np.divide(together, both, out=np.zeros_like(together), where=both > 0)


def _number(row: NDArray[Any]) -> tuple[Codes, int]:
    """Labels as numbers from 0, and how many there are."""
    names, codes = np.unique(row, return_inverse=True)
    gone = int((names < 0).sum())
    return np.where(codes < gone, -1, codes - gone).astype(np.int32), len(names) - gone


def contingency(
    first: Codes, second: Codes, sizes: tuple[Any, Any], counts: Array | None = None
) -> Array:
    """How many rows are in a cluster of the one labelling and one of the other.

    Parameters
    ----------
    first, second : ndarray of int of shape (n,)
        Clusters from 0; rows that are -1 in either are left out.
    sizes : pair of int
        Number of clusters of each.
    counts : ndarray of shape (n,), optional
        Weight of each row.

    Returns
    -------
    ndarray of shape `sizes`

    Examples
    --------
    >>> contingency(np.array([0, 0, 1]), np.array([1, 1, 0]), (2, 2))
    array([[0., 2.],
           [1., 0.]])
    """
    both = (first >= 0) & (second >= 0)
    place = first[both].astype(np.int64) * int(sizes[1]) + second[both]
    weight = None if counts is None else counts[both]
    table = np.bincount(place, weights=weight, minlength=int(sizes[0]) * int(sizes[1]))
    return table.astype(np.float64).reshape(int(sizes[0]), int(sizes[1]))


def co_association(
    labels: ArrayLike, *, weights: ArrayLike | None = None, missing: str = "all"
) -> Array:
    """Co-association matrix: the share of members that put two rows in the same cluster.

    Parameters
    ----------
    labels : array-like of int of shape (n_members, n_rows)
        Clusters; negative for rows that a member did not cluster.
    weights : array-like of shape (n_members,), optional
        Weight of each member.
    missing : {"all", "available"}, default="all"
        Whether shares are of all members, or of those that clustered both rows.

    Returns
    -------
    ndarray of shape (n_rows, n_rows)

    Examples
    --------
    >>> co_association([[0, 0, 1], [0, 1, 1]])
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    found, places = Labellings.read(labels, weights)
    return found.similarity(missing)[np.ix_(places, places)]

"""From the clusters that members put a row in to its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.clustering.labellings import Codes, Labellings, contingency
from coterie.data.hashes import mix
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class TupleTable:
    """Labels of the tuples seen in training, and votes for others.

    Parameters
    ----------
    tuples : ndarray of int16 or int32 of shape (n_members, n_tuples)
        The tuples, in the order of their hashes.
    hashes : ndarray of uint64 of shape (n_tuples,)
        Ascending.
    labels : ndarray of int32 of shape (n_tuples,)
        What they were given.
    shares : ndarray of shape (n_all, n_clusters)
        Of each member cluster, how much has each label.
    starts : ndarray of int of shape (n_members + 1,)
        Where the clusters of each member begin there.
    weights : ndarray of shape (n_members,)
        What members count.
    """

    tuples: NDArray[np.signedinteger[Any]]
    hashes: NDArray[np.uint64]
    labels: NDArray[np.int32]
    shares: Array
    starts: NDArray[np.int64]
    weights: Array

    @classmethod
    def of(
        cls, labellings: Labellings, codes: Codes, given: Codes, places: NDArray[np.intp]
    ) -> TupleTable:
        """The table of a consensus.

        Parameters
        ----------
        labellings : Labellings
            The members.
        codes : ndarray of int32 of shape (n_tuples,)
            Labels of the tuples.
        given : ndarray of int of shape (n_members, n_rows)
            Clusters as members number them.
        places : ndarray of int of shape (n_rows,)
            Tuple of each row.
        """
        first = np.zeros(labellings.n_tuples, dtype=np.intp)
        first[places[::-1]] = np.arange(len(places))[::-1]
        tuples = given[:, first].astype(narrow(given))
        hashes = _hash(tuples)
        order = np.argsort(hashes, kind="stable")
        sizes = given.max(axis=1, initial=-1).astype(np.int64) + 1
        starts = np.concatenate([[0], np.cumsum(sizes)])
        n_clusters = int(codes.max()) + 1
        shares = np.zeros((int(starts[-1]), n_clusters))
        for q, (row, size) in enumerate(zip(tuples, sizes, strict=True)):
            own = row.astype(np.int32)
            shares[starts[q] : starts[q + 1]] = contingency(
                own, codes, (size, n_clusters), labellings.counts
            )
        total = shares.sum(axis=1, keepdims=True)
        shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
        weights = labellings.weights
        return cls(tuples[:, order], hashes[order], codes[order], shares, starts, weights)

    def find(self, given: Codes) -> NDArray[np.int32]:
        """Labels of rows by their member clusters, shape (n_members, n_rows)."""
        hashes = _hash(given)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        known = (self.tuples[:, at] == given).all(axis=0)
        found = self.labels[at].copy()
        if not known.all():
            found[~known] = self._vote(given[:, ~known])
        return found

    def _vote(self, given: Codes) -> NDArray[np.int32]:
        """The label that most of the rows' member clusters have."""
        votes = np.zeros((given.shape[1], self.shares.shape[1]))
        for q, (row, weight) in enumerate(zip(given, self.weights, strict=True)):
            size = self.starts[q + 1] - self.starts[q]
            here = np.flatnonzero((row >= 0) & (row < size))
            votes[here] += weight * self.shares[self.starts[q] + row[here]]
        return np.where(votes.any(axis=1), votes.argmax(axis=1), -1).astype(np.int32)

    def confidence(self, given: Codes, labels: Codes) -> Array:
        """Mean share of rows' member clusters that has their label.

        Parameters
        ----------
        given : ndarray of int of shape (n_members, n_rows)
            Member clusters.
        labels : ndarray of int of shape (n_rows,)
            Labels.
        """
        total, heard = np.zeros(given.shape[1]), np.zeros(given.shape[1])
        for q, (row, weight) in enumerate(zip(given, self.weights, strict=True)):
            here = np.flatnonzero((row >= 0) & (labels >= 0))
            total[here] += weight * self.shares[self.starts[q] + row[here], labels[here]]
            heard[here] += weight
        return np.divide(total, heard, out=np.zeros_like(total), where=heard > 0)


def narrow(labels: Codes) -> type[np.signedinteger[Any]]:
    """A type that holds the labels: hardly any clusterer finds more clusters than int16 can."""
    return np.int16 if labels.max(initial=0) < 2**15 else np.int32


def _hash(tuples: NDArray[np.signedinteger[Any]]) -> NDArray[np.uint64]:
    """A number of 64 bits for every tuple."""
    found = np.zeros(tuples.shape[1], dtype=np.uint64)
    for row in tuples:
        found = mix(found * np.uint64(0x9E3779B97F4A7C15) + row.astype(np.int64).view(np.uint64))
    return found

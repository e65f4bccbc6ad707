"""What members say of the judged samples, read once for all orders.

Members need not speak about every sample: out-of-bag votes are missing where a member has seen the
row. Wherever a formula has a sum over members or samples, it is over the votes that are there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.data.outputs import label_codes, member_weights, sample_weights

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

_TINY = 1e-12  # votes and scores this close are tied
_CELLS = 1 << 22  # members times samples looked at together


@dataclass(frozen=True)
class Ballot:
    """Labels of members, and the truth.

    Attributes
    ----------
    labels : ndarray of int of shape (members, samples)
        Positions of classes; -1 where there is no vote.
    truth : ndarray of int of shape (samples,)
        Positions of the true classes.
    n_classes : int
        Number of classes.
    row : ndarray of shape (samples,)
        Weights of the samples, summing to one.
    member : ndarray of shape (members,)
        What each vote counts.
    """

    labels: Ints
    truth: Ints
    n_classes: int
    row: Array
    member: Array

    @classmethod
    def read(
        cls, votes: Any, truth: Any, sample_weight: Any = None, member_weight: Any = None
    ) -> Ballot:
        """Votes as labels (None or NaN for no vote), or for each class (NaN for no vote)."""
        given = np.asarray(votes)
        read = _of_classes if given.ndim == 3 else _of_labels
        labels, codes, n_classes = read(given, truth)
        if not (labels >= 0).any():
            raise DataError("No member has a prediction for any sample.")
        row = row_shares(sample_weight, len(codes))
        return cls(labels, codes, n_classes, row, member_weights(member_weight, len(labels)))

    @property
    def heard(self) -> NDArray[np.bool_]:
        """Where there are votes, shape (members, samples)."""
        return np.asarray(self.labels >= 0)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Where members are right, shape (members, samples)."""
        return np.asarray(self.labels == self.truth)

    @property
    def signs(self) -> Array:
        """Signatures: 1 where right, -1 where wrong, 0 where there is no vote."""
        return np.where(self.heard, np.where(self.hits, 1.0, -1.0), 0.0)

    @property
    def voters(self) -> Array:
        """How many members speak about each sample, at least one."""
        return np.maximum(self.heard.sum(axis=0), 1.0)

    @property
    def errors(self) -> Array:
        """Share of wrong votes of each member; one half more than any for those never heard."""
        wrong, said = (self.heard & ~self.hits) @ self.row, self.heard @ self.row
        return np.divide(wrong, said, out=np.full(len(said), 1.5), where=said > 0)


def _of_classes(votes: NDArray[Any], truth: Any) -> tuple[Ints, Ints, int]:
    given = votes.astype(np.float64)
    heard = ~np.isnan(given).any(axis=2)
    labels = np.where(heard, np.where(np.isnan(given), -np.inf, given).argmax(axis=2), -1)
    codes = np.asarray(truth)
    if codes.shape != labels.shape[1:] or codes.dtype.kind not in "iu":
        raise DataError(
            f"With votes for each class, truth must contain {labels.shape[1]} class indices, but "
            f"has shape {codes.shape}."
        )
    if not labels.size or codes.min() < 0 or codes.max() >= given.shape[2]:
        raise DataError(f"truth must contain class indices from 0 to {given.shape[2] - 1}.")
    return labels, codes.astype(np.intp), given.shape[2]


def _of_labels(votes: NDArray[Any], truth: Any) -> tuple[Ints, Ints, int]:
    if votes.ndim != 2:
        shapes = "(members, samples) or (members, samples, classes)"
        raise DataError(f"votes must have shape {shapes}, not {votes.shape}.")
    known = np.asarray(truth)
    if known.shape != votes.shape[1:]:
        raise DataError(f"truth must contain {votes.shape[1]} labels, but has shape {known.shape}.")
    heard = np.asarray(votes == votes) if votes.dtype.kind == "f" else np.ones(votes.shape, bool)
    if votes.dtype.kind == "O":
        heard = np.asarray(votes != None)  # noqa: E711  # each element is asked
    filled = np.where(heard, votes, known)
    if votes.dtype.kind in ("f", "O") and known.dtype.kind in "biuSU":
        filled = filled.astype(known.dtype)
    codes, y, classes = label_codes(filled, known)
    assert y is not None
    return np.where(heard, codes, -1).astype(np.intp), y, len(classes)


def row_shares(sample_weight: Any, n_samples: int) -> Array:
    """Weights of samples that sum to one."""
    weight = sample_weights(sample_weight, n_samples)
    if weight is None:
        return np.full(n_samples, 1.0 / n_samples)
    scaled = weight / weight.max()
    return np.asarray(scaled / scaled.sum())


class Tally:
    """Votes of a growing sub-ensemble, and what one more member would make of them.

    Parameters
    ----------
    ballot : Ballot
        Who says what.
    """

    def __init__(self, ballot: Ballot) -> None:
        n_samples, others = len(ballot.truth), ballot.n_classes - 1
        self.ballot = ballot
        self.counts = np.zeros((n_samples, ballot.n_classes))
        self.own = np.zeros(n_samples)
        self.other = np.full(n_samples, 0.0 if others else -np.inf)
        self.n_other = np.full(n_samples, float(others))

    @property
    def losses(self) -> Array:
        """Share of the classes with most votes that are wrong, of each sample."""
        return tie_losses(self.own, self.other, self.n_other)

    def losses_with(self, members: Ints) -> Array:
        """Losses after adding each of some members, shape (members, samples)."""
        ballot, said = self.ballot, self.ballot.labels[members]
        weight = ballot.member[members][:, None]
        right = said == ballot.truth
        wrong = (said >= 0) & ~right & (weight > 0)
        new = self.counts[np.arange(said.shape[1]), said] + weight
        margin = _TINY * np.maximum(1.0, self.other)
        above, level = wrong & (new > self.other + margin), wrong & (new >= self.other - margin)
        other = np.where(above, new, self.other)
        n_other = np.where(above, 1.0, self.n_other + (level & ~above))
        return tie_losses(self.own + weight * right, other, n_other)

    def errors_with(self, members: Ints) -> Array:
        """Weighted error after adding each of some members, shape (members,)."""
        parts = [self.losses_with(some) @ self.ballot.row for some in blocks(members, self.own)]
        return np.concatenate(parts)

    def add(self, member: int) -> None:
        """Count the votes of one more member."""
        ballot, said = self.ballot, self.ballot.labels[member]
        rows = np.flatnonzero(said >= 0)
        self.counts[rows, said[rows]] += ballot.member[member]
        self.own = self.counts[np.arange(len(said)), ballot.truth]
        if ballot.n_classes > 1:
            rest = np.where(np.arange(ballot.n_classes) == ballot.truth[:, None], -1, self.counts)
            self.other = rest.max(axis=1)
            margin = _TINY * np.maximum(1.0, self.other)
            self.n_other = (rest >= (self.other - margin)[:, None]).sum(axis=1).astype(np.float64)


def tie_losses(own: Array, other: Array, n_other: Array) -> Array:
    """0 where the true class has most votes, 1 where it has not, between where it is tied.

    Examples
    --------
    >>> tie_losses(np.array([2.0, 1.0, 1.0]), np.array([1.0, 2.0, 1.0]), np.ones(3))
    array([0. , 1. , 0.5])
    """
    margin = _TINY * np.maximum(1.0, np.abs(own))
    tied = n_other / (n_other + 1.0)
    return np.where(own > other + margin, 0.0, np.where(own < other - margin, 1.0, tied))


def blocks(members: Ints, samples: NDArray[Any]) -> Iterator[Ints]:
    """Members in groups that fit into memory together with their samples."""
    step = max(1, _CELLS // max(1, len(samples)))
    for start in range(0, len(members), step):
        yield members[start : start + step]


def first_least(values: Array) -> int:
    """Position of the first of the least values; rounding makes no difference.

    Examples
    --------
    >>> first_least(np.array([1.0, 0.3, 0.1 + 0.2]))
    1
    """
    least = float(values.min())
    return int(np.argmax(values <= least + _TINY * max(1.0, abs(least))))


def by_score(scores: Array) -> Ints:
    """Members from the least score to the largest; ties in the order of members."""
    scale = max(float(np.abs(scores).max()), np.finfo(float).tiny)
    return np.asarray(np.argsort(np.round(scores / scale, 12), kind="stable"))

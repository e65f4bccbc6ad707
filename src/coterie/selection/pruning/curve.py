"""Errors of sub-ensembles by their size, and the choice of a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.selection.pruning.ballots import Array, Ints, tie_losses
from coterie.tags import tagged


@tagged
@dataclass(frozen=True)
class PruningCurve:
    """Errors of the sub-ensembles considered, from the smallest to all members.

    Parameters
    ----------
    sizes : ndarray of int of shape (n_sizes,)
        Members of each.
    order_error : ndarray of shape (n_sizes,)
        Error on the rows used for the order, which is over-optimistic.
    choice_error : ndarray of shape (n_sizes,)
        Error on rows not used for the order, on which the size is chosen. Misclassification rate or
        mean squared error; a row without any member's prediction counts as a random guess of the
        class, or as the mean. NaN if there were too few rows.
    choice_deviation : ndarray of shape (n_sizes,)
        Standard error of `choice_error`.
    gap_deviation : ndarray of shape (n_sizes,)
        Standard error of the difference to the least `choice_error`, row by row. Ensembles of
        different sizes make mostly the same errors, so it is far smaller than `choice_deviation`.

    Examples
    --------
    >>> error, gap = np.array([0.3, 0.21, 0.2, 0.2]), np.array([0.05, 0.02, 0.0, 0.01])
    >>> curve = PruningCurve(np.arange(1, 5), error - 0.1, error, np.full(4, 0.04), gap)
    >>> curve.best(), curve.best(1.0), curve.best(0.0, most=1)
    (3, 2, 1)
    """

    sizes: Ints
    order_error: Array
    choice_error: Array
    choice_deviation: Array
    gap_deviation: Array

    def best(self, deviations: float = 0.0, most: int | None = None) -> int:
        """The smallest size whose error is close to the lowest.

        Parameters
        ----------
        deviations : float, default=0.0
            Tolerance, in standard errors of the difference to the lowest error.
        most : int, optional
            The largest size to consider; the smallest of all is always considered.

        Returns
        -------
        int
        """
        error = np.where(np.isnan(self.choice_error), np.inf, self.choice_error)
        if most is not None:
            error = np.where(self.sizes <= max(most, int(self.sizes.min())), error, np.inf)
        if not np.isfinite(error).any():
            return int(self.sizes[-1])
        least = int(error.argmin())
        slack = 1e-12 * max(abs(float(error[least])), np.finfo(float).tiny)
        # Where nothing is known of a size, its error is infinite, whatever may be lost.
        lost = deviations * np.nan_to_num(self.gap_deviation)
        return int(self.sizes[np.argmax(error <= error[least] + lost + slack)])


class Judgement(NamedTuple):
    """What is known of the judged rows, each of which is there once.

    Attributes
    ----------
    votes : ndarray of shape (members, rows, classes or 1)
        NaN where a member has no say.
    truth : ndarray of shape (rows,)
        Positions of classes, or numbers.
    weight : ndarray of shape (rows,)
        Weight of each row.
    """

    votes: Array
    truth: NDArray[Any]
    weight: Array

    def take(self, rows: Ints) -> Judgement:
        """Some of the rows."""
        return Judgement(self.votes[:, rows], self.truth[rows], self.weight[rows])

    def covered(self) -> Judgement:
        """The rows that at least one member speaks about."""
        heard = ~np.isnan(self.votes[:, :, 0])
        return self.take(np.flatnonzero(heard.any(axis=0)))


def candidates(found: Any, n_members: int) -> list[Ints]:
    """Sub-ensembles to choose from, from the smallest to all members.

    Parameters
    ----------
    found : ndarray of int of shape (n_members,) or list of ndarray of int
        An order, whose beginnings they are; or the sub-ensembles themselves.
    n_members : int
        Number of members.
    """
    if not is_order(found):
        subsets = [np.asarray(subset, dtype=np.intp) for subset in found]
        _check_subsets(subsets, n_members)
        subsets = sorted(subsets, key=len)
        every = np.arange(n_members)
        return subsets if len(subsets[-1]) == n_members else [*subsets, every]
    order = np.asarray(found)
    if order.shape != (n_members,) or not np.array_equal(np.sort(order), np.arange(n_members)):
        raise ValueError(
            f"An order must contain each of the {n_members} members once, or be a list of arrays "
            f"of members; the function returned {order!r}."
        )
    return [order[: size + 1] for size in range(n_members)]


def is_order(found: Any) -> bool:
    """Whether an order was found, and not a list of sub-ensembles.

    Examples
    --------
    >>> is_order([1, 0]), is_order([[1], [0, 1]])
    (True, False)
    """
    return not isinstance(found, list) or (len(found) > 0 and np.ndim(found[0]) == 0)


def _check_subsets(subsets: Sequence[Ints], n_members: int) -> None:
    for subset in subsets:
        inside = subset.ndim == 1 and len(subset) and 0 <= subset.min() <= subset.max() < n_members
        if not inside or len(np.unique(subset)) < len(subset):
            raise ValueError(
                "A sub-ensemble must contain at least one member, and distinct members from 0 to "
                f"{n_members - 1}; the function returned {subset!r}."
            )
    if not subsets:
        raise ValueError("The function returned no sub-ensemble; return at least one.")


def losses(judged: Judgement, subsets: Sequence[Ints], member: Array, labels: bool) -> Array:
    """Losses of sub-ensembles on the judged rows, shape (subsets, rows).

    Where all members are silent, a class is guessed, or the mean: otherwise a few members would be
    judged by the few rows outside their bags, and be chosen by luck.

    Parameters
    ----------
    judged : Judgement
        The rows.
    subsets : sequence of ndarray of int
        Their members; those that begin with the one before are counted on.
    member : ndarray of shape (members,)
        What each vote counts.
    labels : bool
        Whether classes are predicted: 0, 1, or between where classes are tied. Otherwise squares.
    """
    heard = ~np.isnan(judged.votes[:, :, 0])
    total, mass = np.zeros(judged.votes.shape[1:]), np.zeros(len(judged.truth))
    found, before = np.empty((len(subsets), len(mass))), np.zeros(0, dtype=np.intp)
    for number, subset in enumerate(subsets):
        if not np.array_equal(subset[: len(before)], before):
            total[:], mass[:], before = 0.0, 0.0, before[:0]
        for t in subset[len(before) :]:
            rows = heard[t]
            total[rows] += member[t] * judged.votes[t, rows]
            mass += member[t] * rows
        found[number] = _wrong(total, judged.truth) if labels else _squares(total, mass, judged)
        before = subset
    return found


def _wrong(total: Array, truth: NDArray[Any]) -> Array:
    rows = np.arange(len(truth))
    own, rest = total[rows, truth], total.copy()
    rest[rows, truth] = -np.inf
    other = rest.max(axis=1)
    margin = 1e-12 * np.maximum(1.0, np.abs(other))
    n_other = (rest >= (other - margin)[:, None]).sum(axis=1)
    return tie_losses(own, other, n_other.astype(np.float64))


def _squares(total: Array, mass: Array, judged: Judgement) -> Array:
    guess = float(np.average(judged.truth, weights=judged.weight))
    mean = np.divide(total[:, 0], mass, out=np.full(len(mass), guess), where=mass > 0)
    return np.asarray((mean - judged.truth) ** 2)


def mean_losses(loss: Array, weight: Array) -> tuple[Array, Array]:
    """Weighted means of losses of shape (subsets, rows), and their standard errors."""
    heard = ~np.isnan(loss)
    known = np.where(heard, loss, 0.0)
    scaled = weight / weight.max()
    mass = heard @ scaled
    safe = np.where(mass > 0, mass, 1.0)
    mean = known @ scaled / safe
    spread = np.sqrt((heard * (known - mean[:, None]) ** 2) @ scaled**2) / safe
    return np.where(mass > 0, mean, np.nan), np.where(mass > 0, spread, np.nan)

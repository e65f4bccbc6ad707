"""The dissent profile: where members disagree with the vote, and whether that helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import hits_of, numbers_of
from coterie.theory.decomposition import shares_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DissentProfile:
    r"""How many members fail on each sample, in plotting order.

    Samples on which the vote is wrong come first, then the others; within both, those on which
    more members fail come first. Over the samples, drawn as wide as their shares, the heights
    :math:`r_i` make a profile in which every error is an area,

    .. math::
        \underbrace{\sum_i s_i r_i}_{\bar E} = together + good, \qquad
        \underbrace{\sum_{i: vote~wrong} s_i}_{E_{vote}} = together + bad

    so that :math:`E_{vote} = \bar E - good + bad`, exactly and for any vote.

    Parameters
    ----------
    order : ndarray of int of shape (samples,)
        The samples from left to right.
    failing : ndarray of shape (samples,)
        Share of members that fail, :math:`r_i`, in this order.
    lost : ndarray of bool of shape (samples,)
        Whether the vote is wrong, in this order.
    shares : ndarray of shape (samples,)
        Weight of each sample, :math:`s_i`, in this order; they sum to one.
    member_errors : ndarray of shape (members,)
        Error of each member.

    Examples
    --------
    >>> from coterie import theory
    >>> profile = theory.dissent([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]])
    >>> profile.failing, profile.lost
    (array([0.667, 0.333, 0.333, 0.333]), array([ True, False, False, False]))
    >>> profile.mean_error, profile.error, profile.together, profile.good, profile.bad
    (0.417, 0.25, 0.167, 0.25, 0.083)
    """

    order: NDArray[np.intp]
    failing: Array
    lost: NDArray[np.bool_]
    shares: Array
    member_errors: Array

    @property
    def mean_error(self) -> float:
        """Mean error of the members: the area below the profile."""
        return float(self.shares @ self.failing)

    @property
    def error(self) -> float:
        """Error of the vote: the width of the part in which it is wrong."""
        return float(self.shares @ self.lost)

    @property
    def together(self) -> float:
        """Wrong votes where the vote is also wrong."""
        return float((self.shares * self.lost) @ self.failing)

    @property
    def good(self) -> float:
        """Wrong votes that do no harm, because the vote is right."""
        return float((self.shares * ~self.lost) @ self.failing)

    @property
    def bad(self) -> float:
        """Correct votes that are wasted, because the vote is wrong."""
        return float((self.shares * self.lost) @ (1.0 - self.failing))

    @property
    def gain(self) -> float:
        """The gain of the vote over a single member: good minus bad."""
        return self.good - self.bad

    def independent(self) -> tuple[Array, Array]:
        """The profile of members with the same errors that fail independently.

        Returns
        -------
        failing : ndarray of shape (members + 1,)
            Shares of members that fail, from one down to zero.
        shares : ndarray of shape (members + 1,)
            Share of the samples on which this share of members fails.
        """
        chances = failure_chances(self.member_errors)
        return np.linspace(1.0, 0.0, len(chances)), chances[::-1].copy()

    def independent_error(self) -> float:
        """Error of a majority vote of independent members with the same errors; ties are errors."""
        failing, shares = self.independent()
        return float(shares[2 * failing >= 1].sum())

    def dependence(self) -> float:
        r"""How much the profile differs from that of independent members, from 0 to 1.

        Both have the same area, the mean error. What lies above the other one on the left is
        missing on the right; its area, the Wasserstein distance of the two distributions, is
        divided by that of members that always fail together.

        Returns
        -------
        float
            0 for independent members, 1 for members of equal errors that always fail together; NaN
            if the two cases coincide. Members that avoid each other's failures are also dependent.
        """
        # Horizontally: the share of samples on which more than j of the members fail.
        failing, chances = self.independent()
        levels = (failing[1:] + failing[:-1]) / 2
        alone = np.cumsum(chances)[:-1]
        order = np.argsort(-self.failing, kind="stable")
        reached = np.concatenate([[0.0], np.cumsum(self.shares[order])])
        below = np.searchsorted(-self.failing[order], -levels)
        apart = float(np.abs(reached[below] - alone).mean())
        most = float(np.abs(self.mean_error - alone).mean())
        return apart / most if most > 1e-12 else float("nan")


def dissent(
    predictions: Any, y: Any = None, *, vote: Any = None, sample_weight: Any = None
) -> DissentProfile:
    r"""Order samples by how many members fail on them, and split them by the outcome of the vote.

    With the share :math:`r_i` of members that fail on sample :math:`i`, whose share is
    :math:`s_i`,

    .. math::
        E_{vote} = \bar E - \underbrace{\sum_{i: vote~right} s_i r_i}_{good}
        + \underbrace{\sum_{i: vote~wrong} s_i (1 - r_i)}_{bad}

    which is the decomposition of `good_bad_diversity` [1]_ for the vote of any combiner.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without: whether each member is right.
    y : array-like of shape (samples,), optional
        True labels.
    vote : array-like of shape (samples,), optional
        Labels predicted by the ensemble or, with hits, whether it is right. By default it is right
        where more than half of the members are.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    DissentProfile

    References
    ----------
    .. [1] Brown & Kuncheva, "'Good' and 'bad' diversity in majority vote ensembles", MCS (2010);
       the profile, and the comparison with independent members, are our own.

    Examples
    --------
    Two pools of three members that are right half of the time. Any two members are independent in
    both, so that all measures of pairs are the same; but the vote of the first is right where that
    of the second is wrong:

    >>> from coterie import diversity, theory
    >>> even = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    >>> odd = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]
    >>> diversity.mean_kappa(even), diversity.mean_kappa(odd)
    (0.0, 0.0)
    >>> for hits in (even, odd):
    ...     profile = theory.dissent(hits)
    ...     print(profile.mean_error, profile.error, profile.good, profile.bad)
    0.5 0.25 0.25 0.0
    0.5 0.75 0.0 0.25
    """
    hits = hits_of(predictions, y)
    shares = shares_of(sample_weight, hits.shape[1])
    failing = 1.0 - hits.sum(axis=0) / len(hits)
    lost = _lost(hits, y, vote)
    order = np.lexsort((-failing, ~lost))
    return DissentProfile(order, failing[order], lost[order], shares[order], ~hits @ shares)


def failure_chances(errors: Any) -> Array:
    r"""Probabilities that none, one, two, ... of independent members fail: the Poisson binomial.

    .. math::
        \sum_j \pi_j z^j = \prod_t (1 - \epsilon_t + \epsilon_t z)

    The product is built up member by member [1]_.

    Parameters
    ----------
    errors : array-like of shape (members,)
        Error of each member, :math:`\epsilon_t`.

    Returns
    -------
    ndarray of shape (members + 1,)

    References
    ----------
    .. [1] Poisson, "Recherches sur la probabilité des jugements" (1837).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.failure_chances([0.5, 0.5, 0.0])
    array([0.25, 0.5 , 0.25, 0.  ])
    """
    wrong: Array = numbers_of(errors, "errors", (1,))
    if not ((wrong >= 0) & (wrong <= 1)).all():
        raise DataError("errors must lie between zero and one.")
    chances = np.zeros(len(wrong) + 1)
    chances[0] = 1.0
    for number, error in enumerate(wrong, start=1):
        chances[1 : number + 1] = chances[1 : number + 1] * (1 - error) + chances[:number] * error
        chances[0] *= 1 - error
    return chances


def _lost(hits: NDArray[np.bool_], y: Any, vote: Any) -> NDArray[np.bool_]:
    """Whether the vote is wrong on each sample."""
    if vote is None:
        return np.asarray(2 * hits.sum(axis=0) <= len(hits))
    right = hits_of(np.asarray(vote)[None], y)[0]
    if len(right) != hits.shape[1]:
        raise DataError(f"There are {hits.shape[1]} samples, but {len(right)} votes.")
    return np.asarray(~right)

"""The error of a vote of independent members: exact values and bounds."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from coterie.data.errors import DataError
from coterie.data.outputs import member_weights, numbers_of

Array = NDArray[np.float64]
Tie = Literal["wrong", "half"]

# Different sums of weights of which the chances are kept.
_MAX_SUMS = 1 << 20
# Sums of weights this close, relative to all of them, are the same.
_TINY = 1e-12


def vote_error(n_members: Any, error: Any, *, tie: Tie = "wrong") -> Any:
    r"""Probability that a majority vote of independent members with equal errors is wrong.

    .. math:: \sum_{k=0}^{\lfloor T/2 \rfloor} \binom Tk (1 - \epsilon)^k \epsilon^{T-k}

    As members are added, it falls to zero if each is better than chance, and rises to one if each
    is worse: Condorcet's theorem. Real members make common errors, for which it does not hold [1]_.

    Parameters
    ----------
    n_members : int or array-like of int
        Number of members, T.
    error : float or array-like of float
        Error of each, :math:`\epsilon`.
    tie : {"wrong", "half"}, default="wrong"
        Whether a tie of an even number of members is an error, as in the formula, or half of one,
        as with a coin.

    Returns
    -------
    float or ndarray of the arguments' common shape

    References
    ----------
    .. [1] Hansen & Salamon, "Neural network ensembles", IEEE Trans. Pattern Anal. Mach. Intell. 12
       (1990).

    Examples
    --------
    >>> from coterie import theory
    >>> round(theory.vote_error(21, 0.3), 6)
    0.02639
    >>> theory.vote_error(4, 0.3), theory.vote_error(4, 0.3, tie="half")
    (0.3483, 0.2160)
    """
    number, wrong = _counts(n_members), _chances(error, "error")
    _check_tie(tie)
    half = number // 2
    result = bdtr(half.astype(np.float64), number, 1.0 - wrong)
    if tie == "half":
        below = np.where(half > 0, bdtr(np.maximum(half - 1.0, 0.0), number, 1.0 - wrong), 0.0)
        result = np.where(number % 2 == 0, (result + below) / 2, result)
    return _scalar(result)


def hoeffding_bound(n_members: Any, error: Any) -> Any:
    r"""Hoeffding's bound on the error of a vote of independent members.

    .. math:: \exp \left( -\tfrac12 T (1 - 2 \epsilon)^2 \right)

    By Hoeffding's inequality [1]_; for members no better than chance it is one.

    Parameters
    ----------
    n_members : int or array-like of int
        Number of members, T.
    error : float or array-like of float
        Error of each, :math:`\epsilon`.

    Returns
    -------
    float or ndarray of the arguments' common shape

    References
    ----------
    .. [1] Hoeffding, "Probability inequalities for sums of bounded random variables", J. Am. Stat.
       Assoc. 58 (1963).

    Examples
    --------
    >>> from coterie import theory
    >>> round(theory.hoeffding_bound(21, 0.3), 6)
    0.186374
    """
    number, wrong = _counts(n_members), _chances(error, "error")
    bound = np.exp(-0.5 * number * (1.0 - 2.0 * wrong) ** 2)
    return _scalar(np.where(wrong < 0.5, bound, 1.0))


def jury_accuracy(n_members: Any, accuracy: Any) -> Any:
    r"""Probability that a vote of independent members of equal accuracy is right; ties count half.

    Condorcet's theorem [1]_: for :math:`p > 1/2` it rises to one with the number of members, for
    :math:`p < 1/2` it falls to zero. It is one minus `vote_error`.

    Parameters
    ----------
    n_members : int or array-like of int
        Number of members.
    accuracy : float or array-like of float
        Accuracy of each, :math:`p`.

    Returns
    -------
    float or ndarray of the arguments' common shape

    References
    ----------
    .. [1] Condorcet, "Essai sur l'application de l'analyse à la probabilité des décisions" (1785).

    Examples
    --------
    >>> from coterie import theory
    >>> [round(float(p), 4) for p in theory.jury_accuracy([1, 3, 11, 101], 0.6)]
    [0.6, 0.648, 0.7535, 0.9791]
    """
    right = _chances(accuracy, "accuracy")
    return 1.0 - vote_error(n_members, 1.0 - right, tie="half")


def jury_size(error: float, target: float) -> int:
    r"""The smallest odd number of independent members whose vote has an error of at most `target`.

    It is found by bisection of the exact error, `vote_error`; Hoeffding's bound gives
    :math:`2 \ln(1/\delta) / (1 - 2\epsilon)^2` to begin with [1]_.

    Parameters
    ----------
    error : float
        Error of each member, below one half.
    target : float
        The required error :math:`\delta`, above zero.

    Returns
    -------
    int

    References
    ----------
    .. [1] Hoeffding, "Probability inequalities for sums of bounded random variables", J. Am. Stat.
       Assoc. 58 (1963).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.jury_size(0.3, 0.03), theory.jury_size(0.3, 0.0264)
    (21, 21)
    """
    wrong = float(_chances(error, "error"))
    if not (wrong < 0.5 and target > 0):
        raise DataError("Members must be better than chance, and the target error above zero.")
    if wrong <= target:
        return 1
    low = 0
    high = int(np.ceil(-np.log(target) / (1.0 - 2.0 * wrong) ** 2)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if vote_error(2 * middle + 1, wrong) <= target else (middle, high)
    return 2 * high + 1


def pool_vote_error(errors: Any, weights: Any = None, *, tie: Tie = "wrong") -> float:
    r"""Probability that a weighted vote of independent members with unequal errors is wrong.

    The members that are right need more than half of all the weight. The distribution of the weight
    on the right side is built up member by member: for equal weights it is the Poisson-binomial
    distribution. The best weights are :math:`\ln((1 - \epsilon_t)/\epsilon_t)` [1]_; a negative
    weight inverts the vote of its member.

    Parameters
    ----------
    errors : array-like of shape (members,)
        Error of each member.
    weights : array-like of shape (members,), optional
        Weights of the members; equal by default.
    tie : {"wrong", "half"}, default="wrong"
        Whether a tie is an error or half of one.

    Returns
    -------
    float

    References
    ----------
    .. [1] Nitzan & Paroush, "Optimal decision rules in uncertain dichotomous choice situations",
       Int. Econ. Rev. 23 (1982); Shapley & Grofman, Public Choice 43 (1984).

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import theory
    >>> errors = np.array([0.1, 0.1, 0.4, 0.4, 0.4])
    >>> round(1 - theory.pool_vote_error(errors), 5)
    0.87696
    >>> round(1 - theory.pool_vote_error(errors, np.log((1 - errors) / errors)), 5)
    0.92664
    """
    wrong = _chances(numbers_of(errors, "errors", (1,)), "errors")
    weight = member_weights(weights, len(wrong), signed=True)
    _check_tie(tie)
    # Only equality of sums matters, so that small whole numbers merge as they should.
    unit = np.abs(weight).max() or 1.0
    sums, chances = np.zeros(1), np.ones(1)
    for error, say in zip(wrong, weight / unit, strict=True):
        # Right adds the weight, wrong takes it away; a negative weight does the opposite.
        sums = np.concatenate([sums + say, sums - say])
        chances = np.concatenate([chances * (1.0 - error), chances * error])
        sums, chances = _merged(sums, chances)
    tolerance = _TINY * max(1.0, float(np.abs(weight).sum() / unit))
    tied = np.abs(sums) <= tolerance
    lost = float(chances[(sums < 0) & ~tied].sum())
    return lost + float(chances[tied].sum()) * (0.5 if tie == "half" else 1.0)


def vote_limits(n_members: int, accuracy: float) -> tuple[float, float]:
    r"""Worst and best accuracy of a majority vote of members that may depend on each other.

    With :math:`l = \lfloor T/2 \rfloor` and a common accuracy :math:`p` they are

    .. math:: \max\left(0, \frac{pT - l}{l + 1}\right) \quad \text{and} \quad
        \min\left(1, \frac{pT}{l + 1}\right)

    the pattern of failure, which wastes right votes, and the pattern of success [1]_.

    Parameters
    ----------
    n_members : int
        Number of members.
    accuracy : float
        Accuracy of each.

    Returns
    -------
    lowest, highest : float

    References
    ----------
    .. [1] Kuncheva, Whitaker, Shipp & Duin, "Limits on the majority vote accuracy in classifier
       fusion", Pattern Anal. Appl. 6 (2003).

    Examples
    --------
    >>> from coterie import theory
    >>> theory.vote_limits(3, 0.6)
    (0.4, 0.9)
    """
    number, right = int(_counts(n_members)), float(_chances(accuracy, "accuracy"))
    half = number // 2
    # At worst all members are right on some samples, and exactly half of them on the rest.
    lowest = (right * number - half) / (number - half)
    return max(0.0, lowest), min(1.0, right * number / (half + 1))


def _merged(sums: Array, chances: Array) -> tuple[Array, Array]:
    """Join chances of equal sums, and refuse if too many are left."""
    order = np.argsort(sums, kind="stable")
    sums, chances = sums[order], chances[order]
    first = np.concatenate([[True], np.diff(sums) > _TINY * (1.0 + np.abs(sums[1:]))])
    starts = np.flatnonzero(first)
    if len(starts) > _MAX_SUMS:
        raise DataError(
            f"These weights have more than {_MAX_SUMS} different sums. Use fewer members, or "
            "fewer distinct weights."
        )
    return sums[starts], np.add.reduceat(chances, starts)


def _counts(n_members: Any) -> NDArray[np.int64]:
    array = np.asarray(n_members)
    if array.dtype.kind not in "iu" or (array < 1).any():
        raise DataError("n_members must be integers of at least one.")
    return array.astype(np.int64)


def _chances(values: Any, name: str) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if not ((array >= 0) & (array <= 1)).all():
        raise DataError(f"{name} must lie between zero and one.")
    return array


def _check_tie(tie: str) -> None:
    if tie not in ("wrong", "half"):
        raise ValueError(f'tie must be "wrong" or "half", not {tie!r}.')


def _scalar(result: Any) -> Any:
    """A plain float if there is just one."""
    return float(result) if np.ndim(result) == 0 else np.asarray(result)

"""BrownBoost: boosting that gives up rows it cannot get right in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
from numpy.random import Generator
from scipy.special import erf, erfc, erfcinv

from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.timed import (
    Timed,
    TimedBooster,
    TimedState,
    edge_of,
    margins_of,
    root_between,
    spread_like,
)
from coterie.core import Allowed, between, one_of
from coterie.core.rule import Array, State, Step, rounding

#: Less time than this share of the whole is none.
_NO_TIME = 1e-10
#: Beyond this much time the potential of a row leaves the range of floating point.
_LONGEST = 500.0
#: First step along a member, its growth and its limit, in units of min(1, sqrt(c)).
_FIRST, _GROWTH, _LIMIT = 0.05, 1.5, 0.5


def brown_time(target_error: float) -> float:
    r"""The time BrownBoost needs for a training error: :math:`(\mathrm{erfc}^{-1}\epsilon)^2`.

    Parameters
    ----------
    target_error : float
        The :math:`\epsilon`, between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> round(brown_time(0.1), 6)
    1.352772
    """
    return float(erfcinv(target_error)) ** 2


@dataclass(frozen=True)
class BrownLine:
    r"""Where the margins may go along one member, at the same mean potential.

    With :math:`u_i = a_i + \alpha b_i - t` the two equations of a round are

    .. math::
        \sum_i D_i b_i e^{-u_i^2/c} = 0, \qquad
        \sum_i D_i \left[\mathrm{erfc}(u_i/\sqrt c) - \mathrm{erfc}(a_i/\sqrt c)\right] = 0.

    The second alone gives the time :math:`t(\alpha)`, of slope :math:`\gamma`, the member's edge
    under the weights :math:`e^{-u^2/c}`; the first says where that edge has come to zero.

    Parameters
    ----------
    reach : ndarray of shape (n,)
        The :math:`a_i`: margin plus time left.
    right : ndarray of shape (n,)
        The :math:`b_i`: +1 where the member is right and -1 where it is wrong.
    weight : ndarray of shape (n,)
        The :math:`D_i`; they sum to one.
    c : float
        The time there was at the start.
    """

    reach: Array
    right: Array
    weight: Array
    c: float

    @cached_property
    def potential(self) -> float:
        """The mean potential, which stays as it is."""
        return float(self.weight @ erfc(self.reach / np.sqrt(self.c)))

    def at(self, alpha: float, time: float) -> Array:
        """The :math:`u_i`."""
        return np.asarray(self.reach + alpha * self.right - time)

    def edge(self, alpha: float, time: float) -> float:
        r"""The member's edge :math:`\gamma` under the weights at this point."""
        return edge_of(self.weight * brown_weight(self.at(alpha, time), self.c), self.right)[1]

    def time(self, alpha: float, guess: float) -> float:
        """The time that keeps the mean potential, by Newton steps within a bracket."""
        root, low, high = np.sqrt(self.c), -alpha, alpha
        at = min(max(guess, low), high)
        for _ in range(100):
            u = self.at(alpha, at) / root
            excess = float(self.weight @ erfc(u)) - self.potential
            low, high = (low, at) if excess > 0 else (at, high)
            slope = 2.0 / np.sqrt(np.pi * self.c) * float(self.weight @ np.exp(-u * u))
            step = at - excess / slope if slope > 0 else np.nan
            newton = low <= step <= high
            following = step if newton else 0.5 * (low + high)
            if abs(following - at) <= (1e-9 if newton else 1e-15) * alpha:
                return float(following)  # a Newton step squares the error
            at = following
        return float(at)

    def meet(self, left: float) -> tuple[float, float]:
        r"""Weight and time of the member: where its edge is first zero, or the time is over.

        The edge need not fall steadily, since rows are given up on the way, so the curve is
        followed from its beginning.

        Parameters
        ----------
        left : float
            The total time.

        Returns
        -------
        alpha, time : float
        """
        unit = min(1.0, float(np.sqrt(self.c)))
        before, time, size = 0.0, 0.0, _FIRST * unit
        while True:
            after = before + size
            later = self.time(after, time + size * self.edge(before, time))
            over = self.edge(after, later) <= 0
            if over or later >= left:
                break
            before, time, size = after, later, min(size * _GROWTH, _LIMIT * unit)
        if over:
            after = root_between(lambda a: self.edge(a, self.time(a, time)), before, after)
            later = self.time(after, time)
        if later >= left:
            after = root_between(lambda a: self.time(a, time) - left, before, after)
            later = left
        return after, later


def brown_weight(reach: Array, c: float) -> Array:
    r"""Row weights :math:`e^{-u^2/c}`, up to a common factor, so that the largest is one."""
    exponent = reach * reach
    exponent -= exponent.min()
    exponent /= -c
    return np.asarray(np.exp(exponent, out=exponent))


@dataclass(frozen=True)
class BrownBoost(Timed):
    r"""Boosting at constant mean potential :math:`1-\mathrm{erf}((r+s)/\sqrt c)`.

    :math:`r` is the margin of a row and :math:`s` the remaining time, initially :math:`c`. Each
    round moves the margins by :math:`\alpha b` and takes the time :math:`t`, see `BrownLine`.

    Parameters
    ----------
    learning_rate : float
        Only this share of each step is taken; the time is chosen so that the potential stays
        constant.
    c : float
        The total time.
    edge_tol : float
        Boosting stops at a member with a smaller edge.
    """

    learning_rate: float = 1.0
    c: float = brown_time(0.1)
    edge_tol: float = 1e-3

    def start_clock(self) -> float:
        """Start with all of the time left."""
        return self.c

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Choose the member's weight so that it has no edge left, or the time is used up."""
        state = cast(TimedState, state)
        right = margins_of(state, vote)
        reach = margins_of(state, state.raw) + state.clock
        pairs = state.pairs.ravel()
        error, edge = edge_of(pairs * brown_weight(reach, self.c), right)
        if edge <= max(self.edge_tol, 2 * rounding(state)):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        line = BrownLine(reach, right, pairs, self.c)
        alpha, time = line.meet(state.clock)
        if self.learning_rate != 1.0:
            alpha *= self.learning_rate
            time = min(line.time(alpha, time * self.learning_rate), state.clock)
        state.raw = state.raw + alpha * vote
        state.clock -= time
        over = state.clock <= _NO_TIME * self.c
        state.clock = 0.0 if over else state.clock
        moved = margins_of(state, state.raw) + state.clock
        state.weight = spread_like(state, pairs * brown_weight(moved, self.c))
        facts = {
            "error": error,
            "edge": edge,
            "alpha": alpha,
            "elapsed": time,
            "left": state.clock,
            "potential": float(pairs @ erfc(moved / np.sqrt(self.c))),
            "train_error": self.train_error(state),
        }
        return Step(alpha, facts, stop="time_exhausted" if over else "")

    def confidence(self, raw: Array) -> Array:
        r""":math:`(1+\mathrm{erf}(F/\sqrt c))/2`."""
        return np.asarray(0.5 + 0.5 * erf(raw / np.sqrt(self.c)))


@dataclass(eq=False, repr=False, kw_only=True)
class BrownBoostClassifier(TimedBooster, BoostedClassifier):
    r"""BrownBoost: gives up on rows that stay misclassified, such as mislabelled ones.

    Boosting runs for a fixed amount of time, :math:`c`. A row with margin :math:`r=yF(x)` and
    remaining time :math:`s` has the potential :math:`1-\mathrm{erf}((r+s)/\sqrt c)` and the weight
    :math:`e^{-(r+s)^2/c}`: rows far on the wrong side weigh as little as those far on the right
    side. Each round chooses the weight :math:`\alpha` of its member and the time :math:`t` it takes
    such that the mean potential is unchanged and the member has no edge under the new weights. When
    the time is up, the potential of every misclassified row is at least one, so the training error
    is at most the initial potential: `target_error`.

    The target must exceed the share of wrong labels: otherwise time passes more and more slowly,
    and boosting concentrates on wrong labels after all. As it goes to zero, BrownBoost becomes
    AdaBoost with :math:`\alpha` half as large.

    Many classes are boosted as one binary problem per class, with a common clock; `target_error` is
    then the share of wrong binary predictions, where positives and negatives count half each.

    Parameters
    ----------
    learning_rate : float, default=1.0
        A smaller value takes only this share of each step, in less time.
    target_error : float, default=0.1
        Target training error; it sets :math:`c=(\mathrm{erfc}^{-1}\epsilon)^2`.
    c : float or None, default=None
        The time itself, instead of `target_error`; at most 500.
    edge_tol : float, default=1e-3
        Boosting stops at a member whose edge is at most this.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members; with many classes, a list with one per class for each round.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        Error, edge, alpha, time elapsed in the round, time left, mean potential and training error
        by round.
    stop_reason_ : str
        Why boosting stopped: normally "time_exhausted".
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    See Also
    --------
    RobustBoostClassifier : Its successor, with a margin to reach.
    MadaBoostClassifier : Bounds the weights, and keeps the loss convex.

    References
    ----------
    .. [1] Freund, "An adaptive version of the boost by majority algorithm", Mach. Learn. 43 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BrownBoostClassifier(target_error=0.05).fit(X, y)
    >>> model.stop_reason_
    'time_exhausted'
    >>> bool(model.trace_["train_error"][-1] <= 0.05)
    True
    """

    target_error: float = 0.1
    c: float | None = None
    edge_tol: float = 1e-3

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "learning_rate": between(0.0, 1.0, closed="right"),
        "target_error": between(1e-200, 1.0, closed="left"),
        "c": between(0.0, _LONGEST, closed="right") | one_of(None),
        "edge_tol": between(0.0, 1.0, closed="left"),
    }

    def _rule(self) -> BrownBoost:
        c = brown_time(float(self.target_error)) if self.c is None else float(self.c)
        return BrownBoost(float(self.learning_rate), c, float(self.edge_tol))

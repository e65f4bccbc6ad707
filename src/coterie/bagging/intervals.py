"""How sure an ensemble is: variances and intervals that come free with its bags.

All take a fitted ensemble of bags (bagging, patches, forests) and, where needed, its training
data again. Bags are drawn again from their seeds, some members at a time.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.base.bagged import Bagged
from coterie.core import Bags, Grouped, Reserve, Subsample
from coterie.core.seeds import draw_entropy
from coterie.tags import tagged
from coterie.theory import ranks_of

Array = NDArray[np.float64]

_MEMBERS = 64  # whose bags are in memory at a time
_CELLS = 1 << 23  # of a matrix of training rows by queries


def jackknife_variance(counts: ArrayLike, outputs: ArrayLike, *, correct: bool = True) -> Array:
    r"""Infinitesimal-jackknife variance of a bagged prediction.

    .. math:: V = \sum_i Cov_b(N_{bi}, t_b)^2 - \frac{n}{B^2} \sum_b (t_b - \bar t)^2

    The second term corrects for the noise of finitely many bags.

    Parameters
    ----------
    counts : array-like of shape (n_members, n_rows)
        How often each row is in each bag.
    outputs : array-like of shape (n_members, n_queries)
        The prediction of each member.
    correct : bool, default=True
        Whether to subtract the second term.

    Returns
    -------
    ndarray of shape (n_queries,)
        May be negative when corrected and there are few members.

    References
    ----------
    .. [1] Wager, Hastie & Efron, "Confidence intervals for random forests: the jackknife and the
       infinitesimal jackknife", J. Mach. Learn. Res. 15 (2014).

    Examples
    --------
    Of the mean of 1, 2 and 6, all 27 bags:

    >>> import itertools
    >>> bags = np.array(
    ...     [np.bincount(b, minlength=3) for b in itertools.product(range(3), repeat=3)]
    ... )
    >>> means = bags @ np.array([[1.0], [2.0], [6.0]]) / 3
    >>> jackknife_variance(bags, means, correct=False).round(6)
    array([1.555556])
    """
    N, T = np.asarray(counts, dtype=np.float64), np.asarray(outputs, dtype=np.float64)
    off = T - T.mean(axis=0)
    covariance = (N - N.mean(axis=0)).T @ off / len(T)
    raw = (covariance**2).sum(axis=0)
    return np.asarray(raw - _noise(off, N.shape[1]) if correct else raw)


def _noise(off: Array, n_rows: int) -> Array:
    return np.asarray(n_rows / len(off) ** 2 * (off**2).sum(axis=0))


def leave_one_out_variance(counts: ArrayLike, outputs: ArrayLike, *, correct: bool = True) -> Array:
    r"""Jackknife-after-bootstrap variance of a bagged prediction.

    .. math:: V = \frac{n - 1}{n} \sum_i (\bar t_{-i} - \bar t)^2
              - (e - 1) \frac{n}{B^2} \sum_b (t_b - \bar t)^2

    where :math:`\bar t_{-i}` is the mean of the members without row `i`.

    Parameters
    ----------
    counts, outputs, correct
        See `jackknife_variance`.

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    N, T = np.asarray(counts, dtype=np.float64), np.asarray(outputs, dtype=np.float64)
    off, n = T - T.mean(axis=0), N.shape[1]
    outside = (N == 0).astype(np.float64)
    mass = outside.sum(axis=0)[:, None]
    without = np.divide(outside.T @ off, mass, out=np.zeros((n, T.shape[1])), where=mass > 0)
    raw = (n - 1) / n * (without**2).sum(axis=0)
    return np.asarray(raw - (math.e - 1.0) * _noise(off, n) if correct else raw)


def infinitesimal_jackknife(model: Any, X: Any, *, correct: bool = True) -> Array:
    r"""Variance of the predictions of a fitted bagged ensemble, by the infinitesimal jackknife.

    It is the variance over training samples: how much the prediction would change if the training
    rows were drawn again, not how much the targets scatter. More members give a better estimate;
    use about as many as there are rows. Bags drawn without replacement, `s` of `n` rows, add the
    factor :math:`\frac{n-1}{n} (\frac{n}{n-s})^2`.

    Parameters
    ----------
    model : fitted ensemble
        Bagging, patches or a forest with ``bootstrap=True``.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Rows to predict.
    correct : bool, default=True
        Subtract the noise of finitely many members; values that become negative are set to 0, with
        a warning.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_classes)
        Variance of the prediction, or of the probability of each class.

    References
    ----------
    .. [1] Efron, "Estimation and accuracy after model selection", J. Am. Stat. Assoc. 109 (2014).
    .. [2] Wager, Hastie & Efron, "Confidence intervals for random forests: the jackknife and the
       infinitesimal jackknife", J. Mach. Learn. Res. 15 (2014).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from coterie import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(1000, min_samples_leaf=5, random_state=0).fit(X, y)
    >>> variance = infinitesimal_jackknife(forest, X[:5])
    >>> variance.shape, bool((variance > 0).all())
    ((5,), True)
    """
    this = model._settled()
    this.bags_.check_judges()
    outputs = this.pool_.votes(this._admit(X))
    shape = outputs.shape[1:]
    flat = outputs.reshape(len(outputs), -1)
    off = flat - flat.mean(axis=0)
    n_rows, factor = _units(this.bags_)
    raw = np.concatenate(
        [(_gathered(this.bags_, off[:, part]) ** 2).sum(axis=0) for part in _parts(off, n_rows)]
    )
    raw = (raw / len(off) ** 2 - (_noise(off, n_rows) if correct else 0.0)) * factor
    below = np.count_nonzero(raw < 0)
    if below:
        warnings.warn(
            f"{below} of {raw.size} corrected variances are negative and set to 0: there are too "
            f"few members ({len(off)}) for {n_rows} rows. Add members.",
            UserWarning,
            stacklevel=2,
        )
    variance = np.maximum(raw, 0.0).reshape(shape)
    return np.asarray(variance[:, 0] if shape[1] == 1 else variance)


def _inner(bags: Bags) -> Any:
    """The draw itself, which counts groups where rows are grouped."""
    draw = bags.draw
    while isinstance(draw, Reserve | Grouped):
        draw = draw.draw
    return draw


def _units(bags: Bags) -> tuple[int, float]:
    """How many units are drawn from, and the factor of draws without replacement."""
    draw = _inner(bags)
    n = len(draw.axis.order)
    if not isinstance(draw, Subsample):
        return n, 1.0
    share = draw.n_draws / draw.axis.length
    return n, (n - 1) / n / (1.0 - share) ** 2


def _parts(outputs: Array, n_rows: int) -> Iterator[slice]:
    """Some of the queries at a time, so that no matrix gets too large."""
    step = max(1, _CELLS // max(1, n_rows))
    for start in range(0, outputs.shape[1], step):
        yield slice(start, start + step)


def _gathered(bags: Bags, off: Array) -> Array:
    """Sum over members of counts times outputs, shape (n_units, n_queries)."""
    total: Any = 0.0
    for start in range(0, len(off), _MEMBERS):
        members = range(start, min(start + _MEMBERS, len(off)))
        counts = np.stack([_unit_counts(bags, member) for member in members])
        total = total + counts.T.astype(np.float64) @ off[start : start + _MEMBERS]
    return np.asarray(total)


def _unit_counts(bags: Bags, member: int) -> NDArray[Any]:
    """How often each unit, a row or a group, was drawn for a member."""
    counts = bags.drawn(member)
    if not isinstance(bags.draw, Grouped | Reserve) or len(counts) == _units(bags)[0]:
        return counts
    draw = bags.draw.draw if isinstance(bags.draw, Reserve) else bags.draw
    if not isinstance(draw, Grouped):
        return counts
    first = np.unique(draw.groups, return_index=True)[1]
    return counts[first]


@tagged
class JackknifePlusIntervals:
    r"""Prediction intervals by jackknife+-after-bootstrap.

    Every training row has a residual :math:`R_i = |y_i - \mu_{-i}(x_i)|` of the members that did
    not see it. The interval of a new row runs from the :math:`\lfloor \alpha (n + 1) \rfloor`-th
    smallest :math:`\mu_{-i}(x) - R_i` to the :math:`\lceil (1 - \alpha)(n + 1) \rceil`-th smallest
    :math:`\mu_{-i}(x) + R_i`. It covers the target with a probability of at least :math:`1 - 2
    \alpha` whatever the data, and about :math:`1 - \alpha` in practice; nothing is held out or
    refitted.

    Parameters
    ----------
    model : fitted regressor
        Bagging, patches or a forest with ``bootstrap=True``, with a single output.
    X, y, sample_weight : array-like
        The data it was fitted to, in the same order.
    random_size : bool, default=False
        Use only the first `B` members, `B` drawn from a binomial distribution: as the proof of the
        guarantee requires.
    random_state : int, RandomState, Generator or None, default=None
        Seed for that number.

    References
    ----------
    .. [1] Kim, Xu & Barber, "Predictive inference is free with the jackknife+-after-bootstrap",
       NeurIPS 33 (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from coterie import BaggingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggingRegressor(n_estimators=60, random_state=0).fit(X[:300], y[:300])
    >>> low, high = JackknifePlusIntervals(model, X[:300], y[:300]).interval(X[300:], alpha=0.1)
    >>> covered = (low <= y[300:]) & (y[300:] <= high)
    >>> bool(0.84 < covered.mean() < 0.97)
    True
    """

    _model: Bagged
    _residuals: Array

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        random_size: bool = False,
        random_state: Any = None,
    ) -> None:
        this = model._settled()
        if this.task != "regression" or this.n_outputs_ != 1:
            raise ValueError("Intervals need a fitted single-output regressor.")
        if random_size:
            n = this.bags_.n_rows
            rng = np.random.default_rng(draw_entropy(random_state))
            size = rng.binomial(len(this.pool_), (1.0 - 1.0 / (n + 1)) ** n)
            this = this.shortened(max(1, int(size)))
        votes, target, _ = this._oob(X, y, sample_weight)
        self._model = this
        residuals = np.abs(votes.mean[:, 0] - target.values[:, 0])
        # A row that all members saw says nothing: its interval is everything.
        self._residuals = np.where(np.isnan(residuals), np.inf, residuals)

    def interval(self, X: Any, alpha: float = 0.1) -> tuple[Array, Array]:
        """Lower and upper bounds.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            New rows.
        alpha : float, default=0.1
            Share of targets that may lie outside.

        Returns
        -------
        low, high : ndarray of shape (n_samples,)
            Infinite when there are too few training rows for `alpha`.
        """
        this, n = self._model, len(self._residuals)
        outputs = this.pool_.votes(this._admit(X))[:, :, 0]
        low, high = np.full(outputs.shape[1], -np.inf), np.full(outputs.shape[1], np.inf)
        down, up = ranks_of(n, alpha)
        for part in _parts(outputs, n):
            without = self._without(outputs[:, part])
            if down >= 1:
                ends = without - self._residuals[:, None]
                low[part] = np.partition(ends, down - 1, axis=0)[down - 1]
            if up <= n:
                ends = without + self._residuals[:, None]
                high[part] = np.partition(ends, up - 1, axis=0)[up - 1]
        self.explain_infinite(low, high)
        return low, high

    def explain_infinite(self, *ends: Array) -> None:
        """Warn if intervals are infinite because all members have seen too many rows.

        Parameters
        ----------
        *ends : ndarray
            Bounds of intervals.
        """
        explain_infinite(self._residuals, len(self._model.pool_), *ends)

    def leave_one_out(self, X: Any) -> Array:
        """Predictions for new rows by the members that did not see each training row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            New rows; the result is large.

        Returns
        -------
        ndarray of shape (n_training_rows, n_samples)
        """
        this = self._model
        return self._without(this.pool_.votes(this._admit(X))[:, :, 0])

    @property
    def residuals(self) -> Array:
        """Absolute out-of-bag residuals of the training rows, of shape (n_rows,)."""
        return self._residuals

    def _without(self, outputs: Array) -> Array:
        """Mean of the members that did not see each training row, shape (n_rows, n_queries)."""
        bags, weights = self._model.bags_, self._model.pool_.weights
        total, mass = np.zeros((len(self._residuals), outputs.shape[1])), np.zeros(1)
        for start in range(0, len(outputs), _MEMBERS):
            members = range(start, min(start + _MEMBERS, len(outputs)))
            unseen = np.stack([bags.unseen(member) for member in members], axis=1)
            share = unseen * weights[start : start + _MEMBERS]
            total += share @ outputs[start : start + _MEMBERS]
            mass = mass + share.sum(axis=1)
        mean = np.average(outputs, axis=0, weights=weights)
        known = mass > 0
        total[known] /= mass[known, None]
        total[~known] = mean  # their residual is infinite anyway
        return total


def explain_infinite(scores: Array, n_members: int, *ends: Array) -> None:
    """Warn if intervals are infinite because all members have seen too many rows.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Out-of-bag scores, infinite for rows that all members have seen.
    n_members : int
        Number of members.
    *ends : ndarray
        Bounds of intervals.
    """
    seen = np.count_nonzero(np.isinf(scores))
    if seen and any(np.isinf(end).any() for end in ends):
        warnings.warn(
            f"Intervals are infinite: {seen} of {len(scores)} rows are in the bags of all "
            f"{n_members} members, so they have no out-of-bag residual. Add members.",
            UserWarning,
            stacklevel=4,
        )

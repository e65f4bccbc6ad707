"""Boosting of distributions: several quantiles, or mean and standard deviation, in one model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import stats

from coterie.base import RegressorTask
from coterie.boosting.descender import DESCENDER, Descender, OriginScores
from coterie.boosting.descent import as_numbers
from coterie.core import Allowed, between, one_of
from coterie.core.boost import Boosted
from coterie.core.rule import Array
from coterie.data import Target
from coterie.losses import NormalLoss, PointwiseLoss, QuantilesLoss
from coterie.trees import DecisionTreeRegressor

_level = between(0.0, 1.0, closed="neither")
_some_levels = Allowed(
    lambda v: (
        isinstance(v, Sequence | np.ndarray)
        and not isinstance(v, str | bytes)
        and len(v) > 0
        and all(_level.admits(each) for each in v)
        and len({float(each) for each in v}) == len(v)
    ),
    "a list of different numbers in (0, 1)",
)


@dataclass(eq=False, repr=False, kw_only=True)
class QuantileBoostingRegressor(OriginScores, RegressorTask, Descender):
    r"""Several quantiles of y in one model, which never cross.

    Each round fits a single tree to the pseudo-residuals :math:`\tau_j - [y < F_j]` of all
    quantiles together and gives each of its leaves one step per quantile: the quantile of the
    residuals there, which is exact. Quantiles thus share their regions. The quantiles of a row are
    then sorted. This is harmless: swapping two that cross reduces the sum of the quantile losses,
    whatever the value of y, by :math:`(\tau_2 - \tau_1)(F_1 - F_2)`.

    `predict` returns the quantile closest to the median, so that the model is an ordinary
    regressor; `predict_quantiles` returns all of them.

    Parameters
    ----------
    estimator : estimator, default=None
        A regressor, the member; by default a `DecisionTreeRegressor` of depth 3 with at least 2 %
        of the weight in a leaf, because quantiles of few rows are unreliable.
    quantiles : list of float, default=(0.1, 0.5, 0.9)
        Levels of the quantiles, in any order.
    shared : bool, default=True
        Whether quantiles share a tree per round or have one each, which takes longer. Members that
        are not native trees, or that have `monotonic_cst`, are always fitted to each quantile
        separately.

    Attributes
    ----------
    quantiles_ : ndarray of shape (n_quantiles,)
        Levels of the columns that `predict_quantiles` returns.
    estimators_ : sequence of estimators
        The members.
    train_score_ : ndarray of shape (n_rounds,)
        Mean loss of the training rows, summed over quantiles, after each round.
    oob_scores_, oob_improvement_ : ndarrays of shape (n_rounds,)
        With ``subsample < 1.0``, the mean loss of the rows left out, and its decrease.
    trace_ : Trace
        Factor and loss by round.
    stop_reason_ : str
        Why boosting stopped.

    References
    ----------
    .. [1] Chernozhukov, Fernández-Val & Galichon, "Quantile and probability curves without
       crossing", Econometrica 78 (2010).
    .. [2] Friedman, "Greedy function approximation: a gradient boosting machine", Ann. Stat. 29
       (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> low, middle, high = QuantileBoostingRegressor().fit(X, y).predict_quantiles(X).T
    >>> bool((low <= middle).all() and (middle <= high).all())
    True
    >>> 0.7 < float(((low <= y) & (y <= high)).mean()) < 0.9
    True
    """

    quantiles: Sequence[float] = (0.1, 0.5, 0.9)
    shared: bool = True

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **DESCENDER,
        "quantiles": _some_levels,
        "shared": one_of(True, False),
    }

    def _shares(self) -> bool:
        return self.shared

    def _member(self, gives: str, target: Target) -> Any:
        if self.estimator is not None:
            return self.estimator
        return DecisionTreeRegressor(max_depth=3, min_weight_fraction_leaf=0.02)

    def _publish(self, draft: Self, boosted: Boosted) -> None:
        super()._publish(draft, boosted)
        draft.quantiles_ = np.array(self.quantiles, dtype=np.float64)

    def _loss(self, target: Target, weight: Array | None) -> PointwiseLoss:
        return QuantilesLoss(tuple(sorted(float(tau) for tau in self.quantiles)))

    def _answer(self, raw: Array) -> Array:
        return self.loss_.point(raw)

    def _all(self, raw: Array) -> Array:
        """Quantiles of scores, in the order they were asked for."""
        places = np.argsort(np.argsort(self.quantiles_))
        return np.asarray(self.loss_.link(raw)[:, places])

    def predict_quantiles(self, X: Any) -> Array:
        """All quantiles of every row; they never cross.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles)
            In the order of `quantiles`.
        """
        this = self._settled()
        return this._all(this._raw(X))

    def staged_predict_quantiles(self, X: Any) -> Iterator[Array]:
        """`predict_quantiles` after each round."""
        this = self._settled()
        yield from (this._all(raw) for raw in this._staged_raw(X))


@dataclass(eq=False, repr=False, kw_only=True)
class NormalBoostingRegressor(OriginScores, RegressorTask, Descender):
    r"""Mean and standard deviation of y by natural gradients (NGBoost).

    The model is :math:`y \sim N(\mu(x), \sigma(x)^2)`, with scores :math:`\mu` and
    :math:`\ln\sigma`. Each round fits a member to each part of the natural gradient of the
    log-likelihood, :math:`(y - \mu, \frac12(z^2 - 1))` with :math:`z = (y - \mu)/\sigma`, and steps
    along both by :math:`\eta\rho`, where the line search finds the :math:`\rho` with the highest
    likelihood. With ``line_search="leaf"`` every leaf takes its own optimal step instead, which
    learns faster and overfits sooner.

    Parameters
    ----------
    estimator : estimator, default=None
        A regressor, the member; by default a `DecisionTreeRegressor` of depth 3 with at least 5 %
        of the weight in a leaf, because standard deviations of few rows are unreliable.
    learning_rate : float, default=0.05
        Factor of every step. Standard deviations overfit sooner than means: on small data sets, use
        small steps and `early_stopping`.
    line_search : {"auto", "leaf", "round"} or None, default="auto"
        Step size; "auto" is "round".
    min_std : float, default=0.001
        Smallest predicted standard deviation, as a share of that of y. Without it, the likelihood
        of rows that are fitted exactly is unbounded.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members, a pair per round: for the mean, and for the logarithm of the standard
        deviation.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The factors :math:`\eta\rho`.
    train_score_ : ndarray of shape (n_rounds,)
        Mean negative log-likelihood of the training rows after each round.
    oob_scores_, oob_improvement_ : ndarrays of shape (n_rounds,)
        With ``subsample < 1.0``, the mean loss of the rows left out, and its decrease.
    trace_ : Trace
        Factor and loss by round.
    stop_reason_ : str
        Why boosting stopped.

    References
    ----------
    .. [1] Duan et al., "NGBoost: natural gradient boosting for probabilistic prediction", ICML
       (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(500, 1))
    >>> y = rng.normal(scale=np.where(X[:, 0] < 0.5, 1.0, 5.0))
    >>> model = NormalBoostingRegressor(n_estimators=50).fit(X, y)
    >>> model.predict_std([[0.2], [0.8]]).round()
    array([1., 5.])
    """

    learning_rate: float = 0.05
    line_search: Literal["auto", "leaf", "round"] | None = "auto"
    min_std: float = 1e-3

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **DESCENDER,
        "min_std": between(0.0, 1.0, closed="neither"),
    }

    def _member(self, gives: str, target: Target) -> Any:
        if self.estimator is not None:
            return self.estimator
        return DecisionTreeRegressor(max_depth=3, min_weight_fraction_leaf=0.05)

    def _loss(self, target: Target, weight: Array | None) -> PointwiseLoss:
        y = as_numbers(target)
        # Numbers that are all the same have no deviation to take a share of.
        deviation = np.sqrt(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
        scale = float(deviation) or 1e-9 * float(np.abs(y).max()) or 1.0
        return NormalLoss(least=float(self.min_std) * scale)

    def _search(self, *, free_leaves: bool) -> Literal["leaf", "round"] | None:
        return "round" if self.line_search == "auto" else self.line_search

    def _answer(self, raw: Array) -> Array:
        return self.loss_.point(raw)

    def predict_std(self, X: Any) -> Array:
        """The standard deviation of y in every row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return np.asarray(this.loss_.link(this._raw(X))[:, 1])

    def predict_dist(self, X: Any) -> Any:
        """The distribution of y in every row, as SciPy's frozen normal distribution.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        frozen ``scipy.stats.norm`` of shape (n_samples,)
            With the methods ``.interval(0.9)``, ``.ppf(0.1)``, ``.logpdf(y)``, ``.rvs()`` and so
            on.
        """
        this = self._settled()
        mean, std = this.loss_.link(this._raw(X)).T
        return stats.norm(loc=mean, scale=std)

    def log_likelihood(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean log-likelihood of rows: larger is better.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0.

        Returns
        -------
        float
        """
        this = self._settled()
        each = this.predict_dist(X).logpdf(np.asarray(y, dtype=np.float64))
        return float(np.average(each, weights=sample_weight))

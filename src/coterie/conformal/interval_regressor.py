"""Prediction intervals for any regressor."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.bagging import JackknifePlusIntervals, QuantilePredictor
from coterie.bagging.intervals import explain_infinite
from coterie.base import Admitted, RegressorTask
from coterie.base.bagged import Bagged
from coterie.conformal.coverage_report import CoverageReport, coverage_rows
from coterie.conformal.wrapper import (
    MAX_ROWS,
    Conformal,
    fit_copy,
    numeric_columns,
    thresholds,
    too_few,
)
from coterie.core import Allowed, draw_entropy, one_of
from coterie.core.params import a_list
from coterie.core.seeds import shaking_stream
from coterie.forests import RandomForestRegressor
from coterie.theory import ranks_of

Array = NDArray[np.float64]

METHODS = ("auto", "split", "cv+", "minmax", "jackknife+ab", "oob", "oof", "cqr", "cqr-oob")
_BANDS = ("cqr", "cqr-oob")
_CELLS = 1 << 23  # of a matrix of calibration rows by queries


def plus_interval(
    without: ArrayLike, residuals: ArrayLike, alpha: float, *, minmax: bool = False
) -> tuple[Array, Array]:
    r"""Jackknife+ intervals, from the predictions of models fitted without each row.

    The ends are the :math:`\lfloor \alpha(n+1) \rfloor`-th smallest :math:`\mu_{-i}(x) - R_i` and
    the :math:`\lceil (1-\alpha)(n+1) \rceil`-th smallest :math:`\mu_{-i}(x) + R_i`. Minmax
    intervals run from :math:`\min_i \mu_{-i}(x) - R_{(k)}` to
    :math:`\max_i \mu_{-i}(x) + R_{(k)}`.

    Parameters
    ----------
    without : array-like of shape (n_rows, n_samples)
        Predictions :math:`\mu_{-i}(x)` for new rows by the model that has not seen row i.
    residuals : array-like of shape (n_rows,)
        Distances :math:`R_i` of the targets from the predictions of that model.
    alpha : float
        Share of targets that may lie outside.
    minmax : bool, default=False
        The wider intervals, which cover at least :math:`1 - \alpha` whatever the data, not
        :math:`1 - 2\alpha`.

    Returns
    -------
    low, high : ndarray of shape (n_samples,)
        Infinite when there are too few rows.

    References
    ----------
    .. [1] Barber, Candès, Ramdas & Tibshirani, "Predictive inference with the jackknife+", Annals
       of Statistics 49 (2021).

    Examples
    --------
    >>> without, residuals = [[2.0], [2.6], [1.8], [2.3]], [0.5, 1.0, 0.3, 0.7]
    >>> low, high = plus_interval(without, residuals, 0.25)
    >>> low.round(6), high.round(6)
    (array([1.5]), array([3.6]))
    >>> low, high = plus_interval(without, residuals, 0.25, minmax=True)
    >>> low.round(6), high.round(6)
    (array([0.8]), array([3.6]))
    """
    centre, R = np.asarray(without, dtype=np.float64), np.asarray(residuals, dtype=np.float64)
    n, m = centre.shape
    down, up = ranks_of(n, alpha)
    low, high = np.full(m, -np.inf), np.full(m, np.inf)
    if minmax:
        if up <= n:
            width = np.partition(R, up - 1)[up - 1]
            low, high = centre.min(axis=0) - width, centre.max(axis=0) + width
        return low, high
    if down >= 1:
        low = np.partition(centre - R[:, None], down - 1, axis=0)[down - 1]
    if up <= n:
        high = np.partition(centre + R[:, None], up - 1, axis=0)[up - 1]
    return low, high


@dataclass(eq=False, repr=False)
class ConformalRegressor(RegressorTask, Conformal):
    r"""A wrapper that gives any regressor prediction intervals with a chosen coverage.

    The residuals on unseen rows determine the width of the intervals. Whatever the model and the
    data, intervals then contain new targets with probability :math:`1 - \alpha`, if rows are
    exchangeable. This coverage is marginal: some kinds of rows may be covered less often. Time
    series are not exchangeable.

    Parameters
    ----------
    method : str, default="auto"
        Where the unseen rows come from.

        * "split": a share of the rows is held out (`holdout`);
        * "cv+": models of `cv` folds, each row being unseen by one of them; "minmax" is the same
          with wider intervals and a stronger guarantee;
        * "jackknife+ab": the members of an ensemble of bags that did not see a row; nothing is
          fitted twice;
        * "oob": the model plus and minus a quantile of its out-of-bag residuals; no guarantee,
          but quick;
        * "oof": the same with out-of-fold residuals that the model has kept, as those of `coterie
          fit` do;
        * "cqr": a band of quantiles (`quantiles`) of a quantile model, or of a forest, widened or
          narrowed until it covers; ``asymmetric`` treats the ends apart;
        * "cqr-oob": the same with the out-of-bag quantiles of a forest, so that all rows are
          fitted to and calibrated on; no guarantee, which needs the split of "cqr";
        * "auto": "cqr" for quantile models, "jackknife+ab" for ensembles of bags, "oof" for
          models that keep out-of-fold predictions, "cv+" for others.
    normalize : bool, default=False
        Whether the width follows the spread of the members' predictions; for "split", "oob" and
        "oof" with models of coterie.
    quantiles : tuple of two floats, default=(0.05, 0.95)
        Levels of the band that "cqr" and "cqr-oob" start from.
    asymmetric : bool, default=False
        Whether "cqr" and "cqr-oob" move each end by a quantile of its own.

    Attributes
    ----------
    estimator_ : fitted regressor
        The model.
    method_ : str
        The value that "auto" chose.
    conformity_scores_ : ndarray of shape (n_calibration,)
        Scores of the calibration rows: residuals, or distances from the band.
    n_calibration_ : int
        Their number.

    References
    ----------
    .. [1] Barber, Candès, Ramdas & Tibshirani, "Predictive inference with the jackknife+", Annals
       of Statistics 49 (2021).
    .. [2] Kim, Xu & Barber, "Predictive inference is free with the jackknife+-after-bootstrap",
       NeurIPS 33 (2020).
    .. [3] Romano, Patterson & Candès, "Conformalized quantile regression", NeurIPS 32 (2019).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ConformalRegressor(random_state=0).fit(X[:300], y[:300])
    >>> low, high = model.predict_interval(X[300:], alpha=0.1).T
    >>> bool(0.84 < np.mean((low <= y[300:]) & (y[300:] <= high)) < 0.97)
    True
    """

    forest: ClassVar[type] = RandomForestRegressor
    allowed: ClassVar[Mapping[str, Allowed]] = Conformal.shared | {
        "method": one_of(*METHODS),
        "normalize": one_of(True, False),
        "quantiles": a_list,
        "asymmetric": one_of(True, False),
    }

    normalize: bool = False
    quantiles: Any = (0.05, 0.95)
    asymmetric: bool = False

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        groups: Any = None,
        model: Any = None,
    ) -> None:
        if self.by == "class":
            raise ValueError("by='class' is for classifiers. Pass a column, or None.")
        ends = [float(level) for level in self.quantiles]
        if len(ends) != 2 or not 0.0 < ends[0] < ends[1] < 1.0:
            raise ValueError(
                f"quantiles={self.quantiles!r} must be a lower and an upper level in (0, 1)."
            )
        draft.weight_ = draft.strata_ = None
        numbers, truth = self._groups(groups, admitted, n_samples), self._truth(admitted)
        if model is not None:
            draft.estimator_, draft.method_ = model, "cqr" if self._is_band(model) else "split"
            draft.weight_ = admitted.weight
            self._score(draft, admitted, model)
        elif self._first_choice() in ("split", "cqr"):
            self._split(draft, admitted, numbers)
        else:
            rng = self._prepare(self.estimator, draft, admitted)
            draft.method_ = self._second_choice(draft.estimator_)
            self._unseen(draft, admitted, truth, numbers, rng)
        draft.n_calibration_ = len(draft.conformity_scores_)

    def _is_band(self, model: Any) -> bool:
        return hasattr(model, "predict_quantiles")

    def _first_choice(self) -> str:
        return "cqr" if self.method == "auto" and self._is_band(self.estimator) else self.method

    def _second_choice(self, fitted: Any) -> str:
        """What "auto" means for a model that is fitted."""
        bagged = isinstance(fitted, Bagged) and fitted.bags_.spares
        if self.method in ("jackknife+ab", "oob", "cqr-oob") and not bagged:
            raise ValueError(
                f"method={self.method!r} needs a bagged ensemble with out-of-bag rows, not "
                f"{type(fitted).__name__}. Use method='cv+'."
            )
        if self.method == "oof" and not hasattr(fitted, "out_of_fold_"):
            raise ValueError(
                f"{type(fitted).__name__} keeps no out-of-fold predictions. Use method='cv+'."
            )
        if self.method != "auto":
            return self.method
        if bagged:
            return "jackknife+ab"
        return "oof" if hasattr(fitted, "out_of_fold_") else "cv+"

    def _split(self, draft: Self, admitted: Admitted, groups: Any) -> None:
        """Fit on some rows and calibrate on the others."""
        draft.method_ = self._first_choice()
        rng = shaking_stream(draw_entropy(self.random_state))
        held = self._held_out(admitted, groups, rng)
        learnt = admitted.take(np.flatnonzero(~held))
        self._prepare(self.estimator, draft, learnt)
        if draft.method_ == "cqr" and not self._is_band(draft.estimator_):
            if not isinstance(draft.estimator_, Bagged):
                raise ValueError(
                    f"method='cqr' needs a quantile model or a forest, not "
                    f"{type(draft.estimator_).__name__}. Use QuantileBoostingRegressor."
                )
            draft.band_ = QuantilePredictor(
                draft.estimator_, learnt.table.given(), self._truth(learnt), learnt.weight
            )
        rest = admitted.take(np.flatnonzero(held))
        self._score(draft, rest._replace(weight=None), draft.estimator_)

    def _score(self, draft: Self, admitted: Admitted, model: Any) -> None:
        """Scores of rows that the model has not seen."""
        rows, truth = admitted.table.given(), self._truth(admitted)
        draft.strata_ = self._strata(rows)
        if draft.method_ == "cqr":
            draft._measure_band(*draft._band(rows), truth)
            return
        scale = draft._learn_scale(rows)
        draft.conformity_scores_ = np.abs(truth - np.asarray(model.predict(rows))) / scale

    def _measure_band(self, low: Array, high: Array, truth: NDArray[Any]) -> None:
        """How far targets are outside of a band; it is unknown, so infinite, if the band is."""
        ends = np.column_stack([low - truth, truth - high])
        self.ends_ = np.where(np.isnan(ends), np.inf, ends)
        self.conformity_scores_ = self.ends_.max(axis=1)

    def _unseen(
        self, draft: Self, admitted: Admitted, truth: NDArray[Any], groups: Any, rng: Any
    ) -> None:
        """Scores of all rows by models, or members, that have not seen them."""
        rows, model = admitted.table.given(), draft.estimator_
        draft.strata_ = self._strata(rows)
        if draft.method_ == "cqr-oob":
            draft.band_ = QuantilePredictor(model, rows, truth, admitted.weight)
            low, high = draft.band_.predict_oob(list(self.quantiles)).T
            draft._measure_band(low, high, truth)
            return
        if draft.method_ in ("jackknife+ab", "oob"):
            draft.plus_ = JackknifePlusIntervals(model, rows, truth, admitted.weight)
            residuals = draft.plus_.residuals
        elif draft.method_ == "oof":
            said = np.asarray(model.out_of_fold_, dtype=np.float64).reshape(-1)
            residuals = np.abs(np.asarray(model.truth_, dtype=np.float64) - said)
            residuals = residuals[np.isfinite(residuals)]
            if self.by is not None and len(residuals) != len(truth):
                raise ValueError("by needs out-of-fold predictions for all rows. Use method='cv+'.")
        else:
            residuals = self._cross(draft, admitted, truth, groups, rng)
        if draft.method_ in ("oob", "oof"):
            residuals = residuals / draft._learn_scale(rows)[: len(residuals)]
        draft.conformity_scores_ = residuals

    def _cross(
        self, draft: Self, admitted: Admitted, truth: NDArray[Any], groups: Any, rng: Any
    ) -> Array:
        """Residuals of every row by the model of the other folds."""
        folds = self._folds(admitted, self.cv, groups, rng)
        residuals, draft.models_ = np.empty(len(truth)), []
        given = self._default() if self.estimator is None else self.estimator
        for fold in range(folds.max() + 1):
            others, mine = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            model = fit_copy(given, admitted.take(others), truth[others], rng)
            said = np.asarray(model.predict(admitted.table.take(mine).given()))
            residuals[mine] = np.abs(truth[mine] - said)
            draft.models_.append(model)
        draft.folds_ = folds
        return residuals

    def _learn_scale(self, rows: Any) -> Array:
        """What residuals are divided by, one unless `normalize`; a floor is learnt."""
        if not self.normalize:
            return np.ones(_length(rows))
        spread = self._spread_of(rows)
        self.floor_ = 0.1 * float(np.median(spread)) or 1.0
        return spread + self.floor_

    def _spread_of(self, rows: Any) -> Array:
        pool = getattr(self.estimator_, "pool_", None)
        if pool is None:
            raise ValueError(
                "normalize=True needs an ensemble of coterie, but "
                f"{type(self.estimator_).__name__} has no members."
            )
        return np.asarray(pool.votes(self.estimator_._admit(rows))[:, :, 0].std(axis=0))

    def _band(self, rows: Any) -> tuple[Array, Array]:
        """The quantiles that intervals start from."""
        if hasattr(self, "band_"):
            ends = self.band_.predict(rows, list(self.quantiles))
        else:
            ends = np.asarray(self.estimator_.predict_quantiles(rows))
        return ends[:, 0], ends[:, -1]

    def predict(self, X: Any) -> Array:
        """The predictions of the model.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(self._settled().estimator_.predict(X))

    def predict_interval(
        self, X: Any, alpha: ArrayLike = 0.1, sample_weight: ArrayLike | None = None
    ) -> Array:
        """Intervals that contain the targets with probability ``1 - alpha``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        alpha : float or list of floats, default=0.1
            Share of targets that may lie outside.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows if `calibrate` was given some; ones by default.

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, 2, n_levels)
            Lower and upper bounds; infinite if there are too few calibration rows.
        """
        this = self._settled()
        levels = this._levels(alpha)
        strata = this._strata(X)
        own = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        ends = np.stack([this._interval(X, level, strata, own) for level in levels], axis=2)
        if this.method_ in ("jackknife+ab", "oob"):
            this.plus_.explain_infinite(ends)
        elif this.method_ == "cqr-oob":
            explain_infinite(this.conformity_scores_, len(this.estimator_.pool_), ends)
        return ends[:, :, 0] if np.ndim(alpha) == 0 else ends

    def _interval(self, X: Any, alpha: float, strata: Any, own: Array | None) -> Array:
        if self.method_ in ("cv+", "minmax", "jackknife+ab"):
            return self._plus(X, alpha, strata)
        if self.method_ in _BANDS:
            low, high = self._band(X)
        else:
            low = high = self.predict(X)
        out = np.empty((len(low), 2))
        scale = np.ones(len(low))
        if self.normalize and self.method_ not in _BANDS:
            scale = self._spread_of(X) + self.floor_
        for mine, known in self._parts(strata, len(low)):
            down, up = self._moves(known, alpha, None if own is None else own[mine])
            out[mine, 0] = low[mine] - down * scale[mine]
            out[mine, 1] = high[mine] + up * scale[mine]
        crossed = out[:, 0] > out[:, 1]
        out[crossed] = out[crossed].mean(axis=1, keepdims=True)
        return out

    def _moves(self, known: NDArray[Any], alpha: float, own: Array | None) -> tuple[Any, Any]:
        """By how much the lower and the upper end move outwards."""
        weight = None if self.weight_ is None else self.weight_[known]
        if self.method_ in _BANDS and self.asymmetric:
            down, up = (thresholds(self.ends_[known, k], alpha / 2, weight, own) for k in (0, 1))
            return down, up
        found = thresholds(self.conformity_scores_[known], alpha, weight, own)
        return found, found

    def _parts(self, strata: Any, n: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Queries, and the rows for calibration that speak for them."""
        every = np.arange(len(self.conformity_scores_))
        if strata is None:
            yield np.arange(n), every
            return
        for value in np.unique(strata):
            yield np.flatnonzero(strata == value), np.flatnonzero(self.strata_ == value)

    def _plus(self, X: Any, alpha: float, strata: Any) -> Array:
        """Intervals by models without each row, some queries at a time."""
        table = self._admit(X)
        n = table.n_rows
        if self.method_ != "jackknife+ab":
            said = np.stack([np.asarray(model.predict(X)) for model in self.models_])
        out = np.empty((n, 2))
        for mine, known in self._parts(strata, n):
            known = _some(known)
            if ranks_of(len(known), alpha)[1] > len(known):
                warnings.warn(too_few(len(known), alpha), UserWarning, stacklevel=4)
            step = max(1, _CELLS // max(1, len(self.conformity_scores_)))
            for start in range(0, len(mine), step):
                part = mine[start : start + step]
                if self.method_ == "jackknife+ab":
                    without = self.plus_.leave_one_out(table.take(part).given())[known]
                else:
                    without = said[self.folds_[known]][:, part]
                low, high = plus_interval(
                    without, self.conformity_scores_[known], alpha, minmax=self.method_ == "minmax"
                )
                out[part] = np.column_stack([low, high])
        return out

    def coverage_report(self, X: Any, y: Any, alpha: float = 0.1) -> CoverageReport:
        """How often intervals contain the targets: over all rows, and by bins of columns.

        Parameters
        ----------
        X, y : array-like
            Rows that neither fit nor calibration has seen, and their targets.
        alpha : float, default=0.1
            Share of targets that may lie outside.

        Returns
        -------
        CoverageReport
        """
        low, high = self.predict_interval(X, alpha).T
        truth = np.asarray(y, dtype=np.float64)
        hits = (low <= truth) & (truth <= high)
        columns = numeric_columns(self._settled()._admit(X))
        return CoverageReport(alpha, tuple(coverage_rows(hits, high - low, None, columns)))


def _some(known: NDArray[np.intp]) -> NDArray[np.intp]:
    """At most as many rows as intervals need; the others are fixed training data."""
    if len(known) <= MAX_ROWS:
        return known
    return np.sort(np.random.default_rng(0).choice(known, MAX_ROWS, replace=False))


def _length(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)

"""Gradient boosting of hazards, or of times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted, thread_count
from coterie.base.scoring import Scoring, Validation
from coterie.boosting.gradient.faces import HistBooster
from coterie.boosting.gradient.fit import ALONE, Given
from coterie.boosting.gradient.parameters import HIST
from coterie.boosting.gradient.tasks import GradientOrder
from coterie.core import Allowed, between, one_of
from coterie.core.axis import split_weight
from coterie.data import DataError, Target
from coterie.losses import CoxLoss, FailureTimeLoss, PointwiseLoss
from coterie.losses.cox import Timeline
from coterie.losses.failure_time import noise_quantile, time_bounds
from coterie.survival.concordance import compare_within
from coterie.survival.incidence import StepFunction, time_grid
from coterie.survival.outcomes import check_entries, check_times, entry_numbers, signed_times
from coterie.survival.strata import find_strata, read_labels
from coterie.survival.survival_task import SurvivalTask

Array = NDArray[np.float64]


def _is_scoring(word: Any) -> bool:
    return word in ("loss", "concordance") if isinstance(word, str) else callable(word)


_a_scoring = Allowed(
    lambda v: all(map(_is_scoring, v)) and len(v) > 0 if isinstance(v, list) else _is_scoring(v),
    "'loss', 'concordance', a function (estimator, X, y) -> float, or a list of these",
)


@dataclass(eq=False, repr=False)
class GradientBoostingSurvival(SurvivalTask, GradientOrder, HistBooster):
    r"""Gradient boosting for censored survival times.

    With ``loss="cox"`` the sum of the trees is the logarithm f of a hazard that is proportional to
    a baseline, :math:`h(t|x) = h_0(t) e^{f(x)}`, and minimise Cox's negative log partial
    likelihood: at each event, how surprising it is that it happened to this row among all those at
    risk. The baseline is Breslow's. With ``loss="aft"`` it is the logarithm of the time itself,
    :math:`\ln t = f(x) + \sigma\varepsilon`, and censored rows contribute the probability of their
    interval. Trees grow as in `HistGradientBoostingRegressor`.

    `predict` returns risks, larger for earlier events: f, or -f with ``loss="aft"``.

    Parameters
    ----------
    loss : {"cox", "aft"}, default="cox"
        Proportional hazards, or accelerated failure times.
    ties : {"efron", "breslow"}, default="efron"
        Cox: how tied event times are treated.
    distribution : {"normal", "logistic", "extreme"}, default="normal"
        Failure times: distribution of the noise; times are log-normal, log-logistic or Weibull
        distributed.
    scale : float, default=1.0
        Failure times: :math:`\sigma`.
    scoring : {"loss", "concordance"}, callable or list of them, default="loss"
        The metric monitored by early stopping; a function is called as ``(estimator, X, y)``, where
        `y` contains the time of an event, or minus the time of censoring (with weights, entries or
        strata in the first of several columns). Larger is better.
    learning_rate : float, default=0.05
        Factor that multiplies the values of every tree. Survival outcomes are noisy, so small steps
        and small trees work best.
    max_depth : int or None, default=3
        Maximum depth of a tree.
    min_child_weight : float, default=1.0
        Minimum sum of Hessians in a leaf; early events contribute very little.
    l2_regularization : float, default=1.0
        Added to the sum of Hessians of every leaf.

    Attributes
    ----------
    times_ : ndarray
        The default times of the curves.
    baseline_ : StepFunction, list of StepFunction or None
        Cox: the cumulative hazard of risk 0; with strata one for each of ``strata_``.
    strata_ : ndarray or None
        Cox: the labels of the strata, ascending.
    n_iter_, best_iteration_ : see HistGradientBoostingRegressor
        As documented there.
    train_score_, validation_score_, do_early_stopping_ : see HistGradientBoostingRegressor
        As documented there.
    pool_, start_, trace_, stop_reason_ : see HistGradientBoostingRegressor
        As documented there.
    estimators_, feature_importances_ : see HistGradientBoostingRegressor
        As documented there.

    References
    ----------
    .. [1] Ridgeway, "The state of boosting", Computing Science and Statistics 31 (1999).
    .. [2] Barnwal, Cho & Hocking, "Survival regression with accelerated failure time model in
       XGBoost", J. Comput. Graph. Stat. 31 (2022).

    Examples
    --------
    >>> from coterie.survival import make_outcomes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> time, limit = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, size=400)
    >>> y = make_outcomes(time <= limit, np.minimum(time, limit))
    >>> model = GradientBoostingSurvival(max_iter=30).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    >>> model.predict_survival_function([[2.0, 0, 0], [-2.0, 0, 0]], times=[0.5]).round(1)
    array([[0. ],
           [0.9]])
    """

    loss: Literal["cox", "aft"] = "cox"
    _: KW_ONLY
    ties: Literal["efron", "breslow"] = "efron"
    distribution: Literal["normal", "logistic", "extreme"] = "normal"
    scale: float = 1.0
    scoring: Any = "loss"
    learning_rate: float = 0.05
    max_depth: int | None = 3
    min_child_weight: float = 1.0
    l2_regularization: float = 1.0

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **HIST,
        "loss": one_of("cox", "aft"),
        "ties": one_of("efron", "breslow"),
        "distribution": one_of("normal", "logistic", "extreme"),
        "scale": between(0.0, float("inf"), closed="neither"),
        "scoring": _a_scoring,
    }

    def fit(  # type: ignore[override]  # noqa: PLR0913  # what is known of outcomes besides
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        event: Any = None,
        upper: Any = None,
        entry: Any = None,
        strata: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        entry_val: Any = None,
        strata_val: Any = None,
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : structured array, frame, array-like of shape (n_samples, 2) or (n_samples,), or pair
            Times and events: a structured array of an event and a time, as scikit-survival has;
            two columns, time and event; a pair (event, time); or times alone.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.
        event : array-like of shape (n_samples,), optional
            Events, if `y` contains only times; by default all rows are events.
        upper : array-like of shape (n_samples,), optional
            With ``loss="aft"``, the latest time at which the event may have happened, `y` being the
            earliest: equal for a known time, infinite for a censored row.
        entry : array-like of shape (n_samples,), optional
            With ``loss="cox"``, the times at which rows came under observation (left truncation):
            at time s, rows with entry < s are at risk. By default all rows are observed from the
            start.
        strata : array-like of shape (n_samples,), optional
            With ``loss="cox"``, labels of strata: events are compared within a stratum, and each
            stratum has its own baseline hazard.
        X_val, y_val, sample_weight_val, entry_val, strata_val : array-like, optional
            Rows for early stopping, instead of some of the training rows.

        Returns
        -------
        self
        """
        late = entry is not None or strata is not None
        if upper is not None and (event is not None or self.loss != "aft"):
            raise DataError("upper requires loss='aft' and cannot be combined with event.")
        if late and self.loss != "cox":
            raise DataError("entry and strata require loss='cox'.")
        outcomes = signed_times(y, event) if upper is None else _bounds(y, upper)
        labels = None
        if late and outcomes is not None:
            labels = np.unique(_labels(strata, len(outcomes)))
            outcomes = _with_risk_sets(outcomes, entry, strata, labels)
        validation = Validation.of(X_val, y_val, sample_weight_val)
        if validation is not None:
            _check_validation(upper, strata, strata_val)
            others = _others(y_val, entry_val, strata_val, labels)
            encoded = self._with_weights(others, sample_weight_val, sample_weight)
            validation = validation._replace(y=encoded)
        self._fit(X, outcomes, sample_weight, given=Given(0, validation))
        self.strata_ = None if strata is None else labels
        if self.strata_ is not None:
            self.baseline_ = _of_every(self.baseline_, len(self.strata_))
        return self

    def _encode(self, y: Any) -> Any:
        return y

    def _with_weights(self, signed: Array, weight: Any, others: Any) -> Array:
        """Outcomes beside weights, if the loss needs them and any rows have some."""
        if self.loss == "aft" or (weight is None and others is None):
            return signed
        mass = np.ones(len(signed)) if weight is None else np.asarray(weight, dtype=np.float64)
        if signed.ndim == 1:
            return np.column_stack([signed, mass])
        return np.column_stack([signed[:, 0], mass, signed[:, 2:]])

    def _check_target(self, admitted: Admitted) -> None:
        values = admitted.target.values
        if values.shape[1] != 2:
            check_times(values[:, 0])
            if values.shape[1] == 4:
                check_entries(values[:, 2], np.abs(values[:, 0]))
        elif not ((values[:, 0] >= 0) & (values[:, 1] >= 0) & (values.sum(axis=1) > 0)).all():
            raise DataError("Bounds of times must not be negative, and must not both be 0.")

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        if admitted.target.n_outputs != 2:
            return super()._describe_target(draft, admitted)
        draft.target_, draft.n_outputs_ = admitted.target.empty(), 1
        low, high = time_bounds(admitted.target.values)
        ends = np.where(np.isfinite(high), high, low)
        draft.times_ = time_grid(np.ones(len(ends), dtype=bool), ends, admitted.weight)

    def _train(
        self, draft: Self, admitted: Admitted, n_samples: int, *, given: Given = ALONE
    ) -> None:
        draft.baseline_ = None
        admitted = admitted._replace(weight=of_unit_mean(admitted.weight))
        if self.loss == "aft":
            super()._train(draft, admitted, n_samples, given=given)
            return
        values = admitted.target.values
        has_weights = given.validation is not None and np.ndim(given.validation.y) == 2
        weight = np.ones(len(values)) if admitted.weight is None and has_weights else None
        signed = values[:, 0] if values.shape[1] == 1 else values
        encoded = self._with_weights(signed, admitted.weight, weight)
        target = Target("values", encoded.reshape(len(values), -1), flat=False)
        draft.target_ = target.empty()
        # In the order of time, so that no round needs to sort them again.
        rows = by_time(admitted._replace(target=target))
        super()._train(draft, rows, n_samples, given=given)
        table = rows.table if draft.ordered_ is None else draft.ordered_.apply(rows.table)
        raw = draft.pool_.raw(table, n_threads=thread_count(self.n_jobs)) + draft._offset(table)
        assert isinstance(draft.loss_, CoxLoss)
        draft.baseline_ = _baseline(draft.loss_, _as_losses_take(rows.target.values), raw)

    def _make_loss(self, target: Target) -> PointwiseLoss:
        if self.loss == "cox":
            return CoxLoss(self.ties)
        return FailureTimeLoss(self.distribution, float(self.scale))

    def _read_scoring(self, word: str) -> Scoring:
        return Scoring("loss") if word == "loss" else Scoring(word, _concordance, larger=True)

    def _link(self, raw: Array) -> Array:
        return raw[:, 0] if isinstance(self.loss_, CoxLoss) else -raw[:, 0]

    def predict_time(self, X: Any, q: float = 0.5) -> Array:
        """With ``loss="aft"``, the time by which the event has happened with probability `q`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        q : float, default=0.5
            The probability; by default the median.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        if not isinstance(this.loss_, FailureTimeLoss):
            raise AttributeError("predict_time needs loss='aft'. See predict_survival_function.")
        if not 0.0 < q < 1.0:
            raise ValueError(f"q={q} must lie between 0 and 1.")
        noise = noise_quantile(this.loss_.distribution, q)
        return np.asarray(np.exp(this._raw(X)[:, 0] + this.loss_.scale * noise))

    def predict_survival_function(self, X: Any, times: Any = None, *, strata: Any = None) -> Array:
        """The probability of no event up to each time.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        times : array-like of shape (n_times,), optional
            Times of the curves; by default ``times_``, a hundred quantiles of the event times.
        strata : array-like of shape (n_samples,) or one label, optional
            The strata of the rows, if there were strata in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_times)
        """
        this = self._settled()
        moments, score = this._moments(times), this._raw(X)[:, 0]
        if isinstance(this.loss_, FailureTimeLoss):
            return this.loss_.survival(score, moments)
        return np.asarray(np.exp(-this._hazard(score, moments, strata)))

    def predict_cumulative_hazard_function(
        self, X: Any, times: Any = None, *, strata: Any = None
    ) -> Array:
        """The cumulative hazard at each time.

        Parameters
        ----------
        X, times, strata : see predict_survival_function
            As documented there.

        Returns
        -------
        ndarray of shape (n_samples, n_times)
        """
        this = self._settled()
        moments, score = this._moments(times), this._raw(X)[:, 0]
        if isinstance(this.loss_, FailureTimeLoss):
            with np.errstate(divide="ignore"):
                return np.asarray(-np.log(this.loss_.survival(score, moments)))
        return this._hazard(score, moments, strata)

    def _hazard(self, score: Array, moments: Array, strata: Any) -> Array:
        known = getattr(self, "strata_", None)  # files of former versions have none
        if (known is None) != (strata is None):
            raise DataError(
                "The model was fitted without strata. Omit strata."
                if known is None
                else "Every stratum has its own baseline hazard. Pass strata, a label for each row."
            )
        with np.errstate(over="ignore"):
            risk = np.exp(score)[:, None]
            if known is None:
                assert isinstance(self.baseline_, StepFunction)
                return np.asarray(risk * self.baseline_(moments))
            assert isinstance(self.baseline_, list)
            labels = np.full(len(score), strata) if np.ndim(strata) == 0 else strata
            codes = find_strata(labels, known, len(score))
            curves = np.stack([step(moments) for step in self.baseline_])
            return np.asarray(risk * curves[codes])


def _labels(strata: Any, n_rows: int) -> NDArray[Any]:
    """Labels of strata; without any, all rows are of one."""
    return np.zeros(n_rows, dtype=np.int64) if strata is None else read_labels(strata, n_rows)


def _with_risk_sets(signed: Array, entry: Any, strata: Any, known: NDArray[Any]) -> Array:
    """Outcomes as the loss takes them: signed times, weights of one, entries and strata."""
    n_rows = len(signed)
    since = np.zeros(n_rows) if entry is None else entry_numbers(entry, n_rows)
    codes = find_strata(_labels(strata, n_rows), known, n_rows)
    return np.column_stack([signed, np.ones(n_rows), since, codes])


def _check_validation(upper: Any, strata: Any, strata_val: Any) -> None:
    """Refuse rows for early stopping whose outcomes cannot be compared with the others."""
    if upper is not None:
        raise DataError(
            "X_val cannot be combined with upper; hold out rows with validation_fraction instead."
        )
    if strata is not None and strata_val is None:
        raise DataError("Pass strata_val, the strata of the validation rows, as well.")


def _others(y: Any, entry: Any, strata: Any, known: NDArray[Any] | None) -> Array:
    """Outcomes of rows to watch, in the form of those to learn from."""
    signed = np.asarray(signed_times(y))
    if known is None:
        return signed
    encoded = _with_risk_sets(signed, entry, strata, known)
    check_entries(encoded[:, 2], np.abs(signed))
    return encoded


def _as_losses_take(values: Array) -> Array:
    return values if values.shape[1] > 1 else values[:, 0]


def _baseline(loss: CoxLoss, y: Array, raw: Array) -> StepFunction | list[StepFunction]:
    """Breslow's hazard, or those of strata, which are the last of four columns."""
    n_strata = int(y[:, 3].max()) + 1 if y.ndim == 2 and y.shape[1] == 4 else 1
    if n_strata == 1:
        return StepFunction(*loss.baseline(y, raw), 0.0)
    return [StepFunction(*curve, 0.0) for curve in loss.baselines(y, raw, n_strata)]


def _of_every(baseline: Any, n_strata: int) -> list[StepFunction]:
    """A baseline for every stratum; those whose rows have no weight know no hazard."""
    found = baseline if isinstance(baseline, list) else [baseline]
    none = StepFunction(np.empty(0), np.empty(0), 0.0)
    return [*found, *[none] * (n_strata - len(found))]


def of_unit_mean(weight: Array | None) -> Array | None:
    """Weights that do not count rows, scaled to mean one; those that do, as they are."""
    importance = split_weight(weight)[1]
    if importance is None:
        return weight
    relative = importance / importance.max()
    return np.asarray(relative / relative.mean())


def by_time(admitted: Admitted) -> Admitted:
    """The same rows in the order of time."""
    values = admitted.target.values
    order = Timeline.of(values if values.shape[1] == 4 else values[:, 0]).order
    if order is None:
        return admitted
    kept = order if admitted.kept is None else admitted.kept[order]
    return admitted.take(order)._replace(kept=kept)


def _bounds(lower: Any, upper: Any) -> Array:
    """Bounds of times, of shape (n, 2); no upper bound is 0."""
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    if low.shape != high.shape or low.ndim != 1:
        raise DataError(
            f"y and upper have shapes {low.shape} and {high.shape}; pass one of each per row."
        )
    if (high < low).any():
        raise DataError("An upper bound of a time is below its lower bound.")
    return np.column_stack([low, np.where(np.isinf(high), 0.0, high)])


def _concordance(estimator: Any, X: Any, y: Array, sample_weight: Any = None) -> float:
    """Harrell's index of rows with signed times."""
    signed = y if y.ndim == 1 else y[:, 0]
    risk = np.asarray(estimator.predict(X))
    entry, codes = y[:, 2:].T if y.ndim == 2 and y.shape[1] == 4 else (None, None)
    index = compare_within(
        signed > 0, np.abs(signed), risk, sample_weight, entry=entry, codes=codes
    ).share
    return 0.5 if np.isnan(index) else float(index)

"""The best ensemble for a table, as estimators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, Self

import narwhals as nw
import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.metrics import get_scorer_names

from coterie.automl.binned import is_binned
from coterie.automl.candidates import choose_candidates
from coterie.automl.clock import counting
from coterie.automl.combine import Blend
from coterie.automl.fitting import fit_draft
from coterie.automl.fold_models import TableFoldMember
from coterie.automl.journal import Journal
from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS, find_metric
from coterie.automl.preparation import Preparation
from coterie.automl.records import Column
from coterie.automl.wishes import Wishes
from coterie.base import Admitted, ClassifierTask, Committee, RegressorTask
from coterie.base.groups import read_groups
from coterie.core import (
    Allowed,
    ParameterError,
    RandomLike,
    a_list,
    a_random_state,
    between,
    draw_entropy,
    one_of,
)
from coterie.data import DataError, Table
from coterie.data.sources import Opened
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

_BLOCK = 100_000  # rows that are predicted at a time
_NO_LIMIT = 1e9

TABLE: dict[str, Allowed] = {
    "time_limit": between(0.0, np.inf, closed="neither") | one_of(None),
    "members": one_of("auto", "native", "fast") | a_list,
    "interpretable": one_of(True, False),
    "simple": one_of(True, False),
    "work": between(0.0, np.inf, closed="neither") | one_of(None),
    "random_state": a_random_state,
    **{name: SHAPE[name] for name in ("n_jobs", "max_bins", "categorical_features")},
}


@dataclass(frozen=True)
class Given:
    """What is known of a table before it is looked at.

    Parameters
    ----------
    preparation : Preparation
        What was done to the columns.
    left_out : sequence of Column
        Columns that are not part of the table any more.
    classes : ndarray or None
        Sorted labels, if the target holds positions among them.
    groups, times : array-like or None
        Which rows belong together, and when they were.
    progress : callable or None
        Called with an `Event` for every step of the search.
    journal : Journal or None
        Where finished candidates are noted.
    """

    preparation: Preparation = field(default_factory=Preparation)
    left_out: Sequence[Column] = ()
    classes: NDArray[Any] | None = None
    groups: Any = None
    times: Any = None
    progress: Any = None
    journal: Journal | None = None


NOTHING_GIVEN = Given()


@dataclass(eq=False, repr=False, kw_only=True)
class TableModel(Committee):
    """What the estimators for tables share.

    Parameters
    ----------
    time_limit : float or None, default=60.0
        Time limit of a fit in seconds of wall-clock time; None for no limit. If the search ends
        before the limit, results depend only on the seed.
    members : {"auto", "native", "fast"} or list, default="auto"
        The candidates: the full portfolio, only coterie's own models (for ONNX and for very large
        tables), two small ensembles, or a list of names and (name, estimator) pairs.
    interpretable : bool, default=False
        Whether the final model must be interpretable: a small tree, a linear model or an additive
        model.
    simple : bool, default=False
        Whether to prefer a single member or a simpler combination if the best combination is not
        clearly better.
    work : float or None, default=None
        A budget of work that replaces `time_limit`: each fit is charged an estimate of the seconds
        it takes on one core, computed from the size of the table alone. The same budget gives the
        same model on any machine, however long that takes.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness.
    n_jobs : int, default=None
        Number of threads of native members; results do not depend on it.
    max_bins : int, default=255
        Maximum number of bins per numeric column in native members.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    """

    metric: str = "auto"
    time_limit: float | None = 60.0
    members: Any = "auto"
    interpretable: bool = False
    simple: bool = False
    work: float | None = None
    random_state: RandomLike = 0
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    # Known after a fit.
    preparation_: Preparation = field(init=False)
    blend_: Blend = field(init=False)

    multi_output: ClassVar[bool] = False

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        times: Any = None,
        progress: Any = None,
        journal: Journal | None = None,
    ) -> Self:
        """Search for the best ensemble.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix or BinnedRows of shape (n_samples, n_features)
            Numbers, categories, dates and missing values. Of `~coterie.data.BinnedRows`, the last
            tenth is held out, and `truth_` and `out_of_fold_` cover only these rows; see
            `~coterie.data.RowStream`.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored. Candidates that do not support weights are
            skipped.
        groups : array-like of shape (n_samples,), optional
            Groups of rows that are never divided between training and held-out rows.
        times : array-like of shape (n_samples,), optional
            The time of each row; any values that can be sorted. Contiguous blocks of time are then
            held out, the latest first.
        progress : callable, optional
            Called with an `Event` for every step of the search.
        journal : Journal, optional
            Where finished candidates are recorded, so that a killed fit can be resumed.

        Returns
        -------
        self
        """
        with counting():
            preparation = Preparation.find(X)
            reading = Given(
                preparation, groups=groups, times=times, progress=progress, journal=journal
            )
            return self._fit(preparation.apply(X), y, sample_weight, reading=reading)

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        reading: Given = NOTHING_GIVEN,
    ) -> None:
        preparation = draft.preparation_ = reading.preparation
        if reading.classes is not None:
            target = admitted.target
            target = replace(target, classes=(reading.classes[target.classes[0]],))
            admitted = admitted._replace(target=target)
            self._describe_target(draft, admitted)
        if preparation.names:
            own = list(dict.fromkeys(preparation.origin(list(draft.feature_names_in_))))
            draft.feature_names_in_ = np.array(own, dtype=object)
            draft.n_features_in_ = len(own)
        wishes = self._wishes(reading)
        self._check_target(admitted)
        numbers = read_groups(reading.groups, n_samples, admitted.kept)
        if numbers is not None and is_binned(admitted.table):
            raise DataError("`groups` cannot be used with binned rows.")
        order = _order_of(reading.times, n_samples, admitted.kept)
        if order is not None and (numbers is not None or is_binned(admitted.table)):
            raise DataError("`times` cannot be used with `groups` or with binned rows.")
        draft.target_name_ = "target"
        with threads(self.n_jobs):
            fit_draft(draft, admitted, wishes, groups=numbers, order=order, journal=reading.journal)
        self._settle(draft)

    def _wishes(self, reading: Given) -> Wishes:
        """What the user asked for, checked."""
        choose_candidates(self.members, interpretable=self.interpretable)
        return Wishes(
            find_metric(self.metric, self.task),
            _NO_LIMIT if self.time_limit is None else float(self.time_limit),
            self.members,
            bool(self.interpretable),
            draw_entropy(self.random_state),
            self.max_bins,
            reading.progress,
            reading.left_out,
            bool(self.simple),
            None if self.work is None else float(self.work),
        )

    def _check_target(self, admitted: Admitted) -> None:
        """Say what does not suit the target."""

    def _settle(self, draft: Self) -> None:
        """Decide what there is to decide after the search."""

    def _admit(self, X: Any) -> Table:
        needed = self.preparation_.names
        if needed and not nw.dependencies.is_into_dataframe(X) and not isinstance(X, Opened):
            # Cells of an array would be taken for what these columns became.
            raise DataError(
                f"{type(self).__name__} was fitted to a data frame and reads column {needed[0]!r} "
                f"in its own way; X is a {type(X).__name__}. Pass a data frame with the same "
                "columns."
            )
        return super()._admit(self.preparation_.apply(X))

    def _mean_vote(self, X: Any) -> Array:
        seats: Any = self.pool_.members
        parts = []
        with threads(self.n_jobs):
            for some in _blocks(seats[0], self._admit(X)):
                parts.append(self.blend_(np.stack([seat.ask(some) for seat in seats])))
        return np.concatenate(parts)


def _order_of(times: Any, n_samples: int, kept: Any) -> NDArray[np.intp] | None:
    """The rank of each row in time; missing moments are the earliest."""
    if times is None:
        return None
    values = np.asarray(times)
    if values.shape != (n_samples,):
        raise DataError(
            f"`times` has shape {values.shape}; it must have one time for each of the "
            f"{n_samples} rows."
        )
    values = values if kept is None else values[kept]
    if values.dtype.kind == "O":
        values = np.array(["" if v is None or v != v else str(v) for v in values])
    elif values.dtype.kind in "Mf":
        gone = np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)
        if gone.any() and not gone.all():
            values = np.where(gone, values[~gone].min(), values)
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values), dtype=np.intp)
    ranks[order] = np.arange(len(values))
    return ranks


def _blocks(seat: TableFoldMember, table: Table) -> Iterator[Any]:
    """What members see of a table, some rows at a time."""
    if is_binned(table):
        yield from (cells[:, seat.used] for _, cells in table.blocks())
        return
    cells = seat.cells(table)
    for start in range(0, cells.shape[0], _BLOCK):
        yield cells[start : start + _BLOCK]


def threads(n_jobs: int | None) -> AbstractContextManager[Any]:
    """Where native members find how many threads they may use; None leaves it as it is.

    Members themselves do not say, so that they are the same whatever it is.
    """
    if n_jobs is None:
        return nullcontext()
    return parallel_config(backend="threading", n_jobs=n_jobs)


def a_metric(known: Mapping[str, Any]) -> Allowed:
    """The name of a metric, or of a scorer of scikit-learn."""
    return one_of("auto", *known) | Allowed(
        lambda value: isinstance(value, str) and value in get_scorer_names(),
        "the name of a scorer of scikit-learn",
    )


def _is_cost(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"fp", "fn"}
        and all(isinstance(v, int | float) and 0 < v < np.inf for v in value.values())
    )


def best_threshold(chances: Array, truth: NDArray[Any], fp: float, fn: float) -> float:
    """The probability of the second class from which on saying it costs least on these rows.

    Of equal ones it is the nearest to what would be best if all probabilities were right.

    Parameters
    ----------
    chances : ndarray of shape (n_rows,)
        Probabilities of the second class.
    truth : ndarray of shape (n_rows,)
        0 or 1.
    fp, fn : float
        What it costs to take 0 for 1, and 1 for 0.

    Examples
    --------
    >>> best_threshold(np.array([0.1, 0.3, 0.6, 0.8]), np.array([0, 1, 0, 1]), 1.0, 5.0)
    0.2
    """
    order = np.argsort(chances, kind="stable")
    ones = np.append(0, np.cumsum(truth[order] == 1))  # below the threshold, which are missed
    zeros = np.append(0, np.cumsum(truth[order] == 0))
    costs = fn * ones + fp * (zeros[-1] - zeros)
    edges = np.concatenate([[0.0], chances[order], [1.0]])
    possible = np.append(True, np.diff(chances[order]) > 0)
    possible = np.append(possible, True)
    middles = (edges[:-1] + edges[1:]) / 2
    ideal = fp / (fp + fn)
    best = np.flatnonzero(possible & (costs == costs[possible].min()))
    return float(middles[best[np.argmin(np.abs(middles[best] - ideal))]])


@dataclass(eq=False, repr=False)
class TableClassifier(ClassifierTask, TableModel):
    """The best ensemble of classifiers for a table, within a time limit.

    Members of many kinds (gradient boosting of several capacities, forests, linear models, nearest
    neighbours, small networks) are fitted by cross-validation. Their out-of-fold predictions are
    combined in several ways, and the best combination is chosen on rows that were not used to learn
    it.

    Parameters
    ----------
    metric : str, default="auto"
        The metric to optimise: "log_loss" ("auto"), "brier", "accuracy", "error",
        "balanced_accuracy", "f1", "roc_auc", or the name of a scikit-learn scorer.
    cost : dict or None, default=None
        Costs of false positives ("fp", the first of two classes predicted as the second) and false
        negatives ("fn"), such as ``{"fp": 1, "fn": 5}``. `predict` then minimises the expected
        cost.

    Attributes
    ----------
    task_, metric_, greater_is_better_ : str, str, bool
        "binary" or "multiclass"; the metric, and whether larger values are better.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    leaderboard_ : list of Entry
        All candidates, best first, with scores on held-out rows.
    members_ : list of TableMember
        The members of the final ensemble.
    findings_, columns_ : list of Finding, list of Column
        Pitfalls found in the table, and the types of its columns.
    history_ : list of dict
        What was tried, in order.
    out_of_fold_ : ndarray of shape (n_samples, n_classes)
        Out-of-fold predictions of the ensemble; NaN for rows that were never held out. If rows
        times classes exceed 10 million, and for `~coterie.data.BinnedRows`, only the held-out rows
        are included, in their original order.
    member_out_of_fold_ : ndarray of shape (n_members, n_samples, n_classes)
        The same of each member.
    truth_ : ndarray of int of shape (n_samples,)
        Class codes of the same rows as in `out_of_fold_`.
    importances_ : dict
        For each column, the increase of the loss when it is shuffled, and its standard deviation.
    size_curve_ : list of (int, float)
        Score by the number of members.
    effects_ : list of Effect
        Partial dependence and individual curves of the most important columns.
    contributions_ : list of Contribution
        Estimated Shapley values of these columns for some rows.
    subgroups_ : list of Subgroup
        Scores of rows that share a category.
    learning_curve_ : LearningCurve or None
        The score of the member with the largest weight, by number of training rows; None if there
        was no time, or if there are few rows.
    baseline_ : float
        The score of a model that uses no columns.
    made_ : dict
        Versions, seed, settings and a fingerprint of the data.
    stopped_ : {"finished", "time", "interrupted"}
        Why the search ended.
    threshold_ : float
        With `cost`, the smallest probability at which the second class is predicted.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models",
       ICML (2004).
    .. [2] Erickson et al., "AutoGluon-Tabular: robust and accurate AutoML for structured data"
       (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = TableClassifier(members="fast").fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _: KW_ONLY
    cost: Any = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **TABLE,
        "metric": a_metric(CLASS_METRICS),
        "cost": one_of(None) | Allowed(_is_cost, "a dict of the costs 'fp' and 'fn'"),
    }

    def _check_target(self, admitted: Admitted) -> None:
        n_classes = len(admitted.target.classes[0])
        if self.cost is not None and n_classes != 2:
            raise ParameterError(
                f"cost={self.cost!r} requires two classes, but there are {n_classes}."
            )

    def _settle(self, draft: Self) -> None:
        if self.cost is not None:
            known = ~np.isnan(draft.out_of_fold_[:, 0])
            chances, truth = draft.out_of_fold_[known, 1], draft.truth_[known]
            draft.threshold_ = best_threshold(chances, truth, self.cost["fp"], self.cost["fn"])

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class, or, with `cost`, the cheaper one.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if self.cost is None or not hasattr(self, "threshold_"):
            return np.asarray(super().predict(X))
        said = np.asarray(self.predict_proba(X))[:, 1] >= self.threshold_
        return np.asarray(self.classes_[said.astype(np.intp)])


@dataclass(eq=False, repr=False)
class TableRegressor(RegressorTask, TableModel):
    """The best ensemble of regressors for a table, within a time limit; see `TableClassifier`.

    Parameters
    ----------
    metric : str, default="auto"
        The metric to optimise: "rmse" ("auto"), "mse", "mae", "rmsle", "r2", or the name of a
        scikit-learn scorer.

    Attributes
    ----------
    task_, metric_, greater_is_better_ : str, str, bool
        "regression"; the metric, and whether larger values are better.
    out_of_fold_ : ndarray of shape (n_samples,)
        Out-of-fold predictions of the ensemble; NaN for rows that were never held out. For
        `~coterie.data.BinnedRows`, only the held-out rows are included, in their original order.
    leaderboard_, members_, findings_, columns_, history_ : see TableClassifier
        As documented there.
    member_out_of_fold_, truth_, importances_, size_curve_, baseline_ : see TableClassifier
        As documented there.
    effects_, contributions_, subgroups_, learning_curve_ : see TableClassifier
        As documented there.
    made_, stopped_, pool_ : see TableClassifier
        As documented there.

    References
    ----------
    .. [1] Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models",
       ICML (2004).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = TableRegressor(members="fast").fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.3
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = {**TABLE, "metric": a_metric(NUMBER_METRICS)}

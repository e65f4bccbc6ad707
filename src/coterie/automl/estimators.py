"""The best ensemble for a table, as estimators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray

from coterie.automl.binned import is_binned
from coterie.automl.candidates import choose_candidates
from coterie.automl.clock import counting
from coterie.automl.combine import Blend
from coterie.automl.dates import DateColumns
from coterie.automl.fitting import Wishes, fit_draft
from coterie.automl.fold_models import TableFoldMember
from coterie.automl.journal import Journal
from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS, find_metric
from coterie.automl.records import Column
from coterie.base import Admitted, ClassifierTask, Committee, RegressorTask
from coterie.base.groups import read_groups
from coterie.core import (
    Allowed,
    RandomLike,
    a_list,
    a_random_state,
    between,
    draw_entropy,
    one_of,
)
from coterie.data import DataError, Table
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

_BLOCK = 100_000  # rows that are predicted at a time
_NO_LIMIT = 1e9

TABLE: dict[str, Allowed] = {
    "time_limit": between(0.0, np.inf, closed="neither") | one_of(None),
    "members": one_of("auto", "native", "fast") | a_list,
    "interpretable": one_of(True, False),
    "random_state": a_random_state,
    **{name: SHAPE[name] for name in ("n_jobs", "max_bins", "categorical_features")},
}


@dataclass(frozen=True)
class Given:
    """What is known of a table before it is looked at.

    Parameters
    ----------
    dates : DateColumns
        Columns of dates that were replaced by numbers.
    left_out : sequence of Column
        Columns that are not part of the table any more.
    classes : ndarray or None
        Sorted labels, if the target holds positions among them.
    """

    dates: DateColumns = DateColumns()  # noqa: RUF009  # frozen
    left_out: Sequence[Column] = ()
    classes: NDArray[Any] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class TableModel(Committee):
    """What the estimators for tables share.

    Parameters
    ----------
    time_limit : float or None, default=60.0
        Seconds of wall-clock time a fit may take; None for as long as it needs. If it does not
        bind, results depend on the seed only.
    members : {"auto", "native", "fast"} or list, default="auto"
        What is tried: a portfolio, those of it that are coterie's own (for ONNX and for very large
        tables), two small ensembles, or those of a list of names and of (name, estimator).
    interpretable : bool, default=False
        Whether the final model must be one that people can read: a small tree, a linear model or
        an additive one.
    random_state : int, RandomState, Generator or None, default=0
        Where randomness comes from.
    n_jobs : int, default=None
        Threads of native members; results do not depend on it.
    max_bins : int, default=255
        Groups a column of numbers is cut into by native members.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories, besides those of text or a categorical type.
    """

    metric: str = "auto"
    time_limit: float | None = 60.0
    members: Any = "auto"
    interpretable: bool = False
    random_state: RandomLike = 0
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    # Known after a fit.
    dates_: DateColumns = field(init=False)
    blend_: Blend = field(init=False)

    multi_output: ClassVar[bool] = False

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Any = None,
        journal: Journal | None = None,
    ) -> Self:
        """Search for the best ensemble.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix or BinnedRows of shape (n_samples, n_features)
            Numbers, categories, dates and missing values. Of `~coterie.data.BinnedRows` the last
            tenth is held out, and `truth_` and `out_of_fold_` are of these rows alone; see
            `~coterie.data.RowStream`.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row of weight 0 is as good as absent. Candidates that take none are
            left out.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are never on both sides of a split.
        progress : callable, optional
            Gets an `Event` for all that happens.
        journal : Journal, optional
            Where finished candidates are noted, so that a killed fit can go on.

        Returns
        -------
        self
        """
        with counting():
            dates = DateColumns.find(X)
            return self._fit(
                dates.apply(X),
                y,
                sample_weight,
                reading=Given(dates),
                groups=groups,
                progress=progress,
                journal=journal,
            )

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        reading: Given = Given(),  # noqa: B008  # frozen
        groups: Any = None,
        progress: Any = None,
        journal: Journal | None = None,
    ) -> None:
        dates = draft.dates_ = reading.dates
        if reading.classes is not None:
            target = admitted.target
            target = replace(target, classes=(reading.classes[target.classes[0]],))
            admitted = admitted._replace(target=target)
            self._describe_target(draft, admitted)
        if dates.names:
            own = list(dict.fromkeys(dates.origin(list(draft.feature_names_in_))))
            draft.feature_names_in_ = np.array(own, dtype=object)
            draft.n_features_in_ = len(own)
        wishes = Wishes(
            find_metric(self.metric, self.task),
            _NO_LIMIT if self.time_limit is None else float(self.time_limit),
            self.members,
            bool(self.interpretable),
            draw_entropy(self.random_state),
            self.max_bins,
            progress,
            reading.left_out,
        )
        choose_candidates(self.members, interpretable=self.interpretable)
        numbers = read_groups(groups, n_samples, admitted.kept)
        if numbers is not None and is_binned(admitted.table):
            raise DataError("Rows of which only bins are kept cannot be split by groups.")
        draft.target_name_ = "target"
        with threads(self.n_jobs):
            fit_draft(draft, admitted, wishes, groups=numbers, journal=journal)

    def _admit(self, X: Any) -> Table:
        return super()._admit(self.dates_.apply(X))

    def _mean_vote(self, X: Any) -> Array:
        seats: Any = self.pool_.members
        parts = []
        with threads(self.n_jobs):
            for some in _blocks(seats[0], self._admit(X)):
                parts.append(self.blend_(np.stack([seat.ask(some) for seat in seats])))
        return np.concatenate(parts)


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


@dataclass(eq=False, repr=False)
class TableClassifier(ClassifierTask, TableModel):
    """The best ensemble of classifiers for a table, within a time limit.

    Members of many kinds (gradient boosting of several capacities, forests, linear models,
    neighbours, small networks) are fitted to folds of the rows. What they say of rows they have
    not seen is combined in several ways, of which the best is chosen on rows that the combination
    has not seen either; a simpler one if that is as good.

    Parameters
    ----------
    metric : str, default="auto"
        What is to be good: "log_loss" ("auto"), "brier", "accuracy", "error",
        "balanced_accuracy", "f1" or "roc_auc".

    Attributes
    ----------
    task_, metric_, greater_is_better_ : str, str, bool
        "binary" or "multiclass"; what was to be good, and in which direction.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    leaderboard_ : list of Entry
        All that was tried, best first, with honest scores.
    members_ : list of TableMember
        The members of the final ensemble.
    findings_, columns_ : list of Finding, list of Column
        Traps of the table, and what its columns hold.
    history_ : list of dict
        What was tried, in order.
    out_of_fold_ : ndarray of shape (n_samples, n_classes)
        What the ensemble says of rows it has not seen; NaN for rows that were never held out. Where
        rows times classes are more than 10 million, and of `~coterie.data.BinnedRows`, only rows
        that were held out are there, in their order.
    member_out_of_fold_ : ndarray of shape (n_members, n_samples, n_classes)
        The same of each member.
    truth_ : ndarray of int of shape (n_samples,)
        Codes of the labels, of the same rows as `out_of_fold_`.
    importances_ : dict
        For each column how much the loss grows when it is shuffled, and the deviation of that.
    size_curve_ : list of (int, float)
        Score by the number of members.
    made_ : dict
        Versions, seed, settings and a fingerprint of the data.
    stopped_ : {"finished", "time", "interrupted"}
        Why the search ended.
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

    allowed: ClassVar[Mapping[str, Allowed]] = {**TABLE, "metric": one_of("auto", *CLASS_METRICS)}


@dataclass(eq=False, repr=False)
class TableRegressor(RegressorTask, TableModel):
    """The best ensemble of regressors for a table, within a time limit; see `TableClassifier`.

    Parameters
    ----------
    metric : str, default="auto"
        What is to be good: "rmse" ("auto"), "mse", "mae", "rmsle" or "r2".

    Attributes
    ----------
    task_, metric_, greater_is_better_ : str, str, bool
        "regression"; what was to be good, and in which direction.
    out_of_fold_ : ndarray of shape (n_samples,)
        What the ensemble says of rows it has not seen; NaN for rows that were never held out. Of
        `~coterie.data.BinnedRows`, only rows that were held out are there, in their order.
    leaderboard_, members_, findings_, columns_, history_ : see TableClassifier
        The same as there.
    member_out_of_fold_, truth_, importances_, size_curve_ : see TableClassifier
        The same as there.
    made_, stopped_, pool_ : see TableClassifier
        The same as there.

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

    allowed: ClassVar[Mapping[str, Allowed]] = {**TABLE, "metric": one_of("auto", *NUMBER_METRICS)}

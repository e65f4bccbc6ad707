"""What every outlier detector shares: scores, a threshold, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from coterie.base import Admitted, Committee, TargetlessTask
from coterie.base.elsewhere import where_rows_are
from coterie.core import Allowed, Bags, RandomLike, between, repetitions
from coterie.data import DataError, Table
from coterie.learners import naming, seeded, takes_weight
from coterie.trees.growth import an_n_jobs

Array = NDArray[np.float64]


class Learnt:
    """What fits of detectors set; declared here, as dataclasses take declarations for fields."""

    offset_: float
    bags_: Bags
    max_samples_: int
    extension_level_: int
    forest_: Any
    projections_: Array
    histograms_: list[Any]
    members_: list[Any]
    members_features_: list[NDArray[np.intp]]
    reference_scores_: Array
    combined_reference_: Array
    groups_: list[NDArray[np.intp]]
    estimator_: Any
    centre_: Array
    scale_: Array


@dataclass(eq=False, repr=False, kw_only=True)
class OutlierDetector(Learnt, TargetlessTask, OutlierMixin, Committee):
    """Tells how normal rows are. A subclass learns (`_learn`) and scores (`_normality`).

    Parameters
    ----------
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical (names, positions or a mask), besides those of text
        or of a categorical type, which always are.
    n_jobs : int, default=None
        Threads; scores do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    """

    n_jobs: int | None = None
    random_state: RandomLike = None
    categorical_features: Any = "from_dtype"

    def _learn(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        """Set what scores are made of on the draft."""
        raise NotImplementedError

    def _normality(self, table: Table) -> Array:
        """Scores of rows, the higher the more normal."""
        raise NotImplementedError

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        self._learn(draft, admitted, n_samples)
        self._set_offset(draft, admitted)

    def _set_offset(self, draft: Self, admitted: Admitted) -> None:
        """Set the threshold on the draft."""
        raise NotImplementedError

    @where_rows_are
    def score_samples(self, X: Any) -> Array:
        """How normal rows are; lower is more abnormal.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return this._normality(this._admit(X))

    @where_rows_are
    def decision_function(self, X: Any) -> Array:
        """`score_samples` minus ``offset_``: negative for outliers.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return np.asarray(this._normality(this._admit(X)) - this.offset_)

    @where_rows_are
    def predict(self, X: Any) -> NDArray[np.int64]:
        """-1 for outliers and 1 for other rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) < 0, -1, 1)


@dataclass(eq=False, repr=False, kw_only=True)
class Contaminated:
    """A detector whose threshold is set by the share of outliers among the training rows.

    Parameters
    ----------
    contamination : float, default=0.1
        Share of outliers among the training rows, in (0, 0.5]: ``offset_`` is the corresponding
        quantile of their scores.
    """

    allowed: ClassVar[dict[str, Allowed]] = {
        "contamination": between(0.0, 0.5, closed="right"),
        "n_jobs": an_n_jobs,
    }

    contamination: Any = 0.1

    def _set_offset(self, draft: Any, admitted: Admitted) -> None:
        scores = draft._normality(admitted.table)
        draft.offset_ = weighted_percentile(scores, self.contamination, admitted.weight)


def weighted_percentile(values: Array, share: float, weight: Array | None = None) -> float:
    """The value that a share of the weight is below.

    Without weights, or with whole-number ones, which repeat values, it is interpolated between two
    values as ``numpy.percentile`` does; with others it is the least value that as much weight does
    not exceed.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The values.
    share : float
        Between 0 and 1.
    weight : ndarray of shape (n,), optional
        Positive weights.

    Examples
    --------
    >>> weighted_percentile(np.array([4.0, 1.0, 2.0]), 0.75, np.array([1.0, 2.0, 1.0]))
    2.5
    >>> float(np.percentile([4.0, 1.0, 1.0, 2.0], 75))
    2.5
    """
    if weight is None:
        return float(np.percentile(values, 100.0 * share))
    order = np.argsort(values, kind="stable")
    sorted_values, ends = values[order], np.cumsum(weight[order])
    if repetitions(weight) is None:
        place = np.searchsorted(ends, share * ends[-1])
        return float(sorted_values[min(place, len(values) - 1)])
    position = share * (ends[-1] - 1.0)
    below = np.floor(position)
    low, high = sorted_values[np.searchsorted(ends, [below, np.ceil(position)], side="right")]
    return float(low + (position - below) * (high - low))


def dense_rows(table: Table) -> NDArray[Any]:
    """All cells of a table in one array."""
    blocks = [block for _, block in table.blocks()]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def refuse_categories(table: Table, who: str, cure: str) -> None:
    """Raise an error if a column has categories, which have no distances.

    Parameters
    ----------
    table : Table
        The rows.
    who : str
        What needs numbers.
    cure : str
        What to use instead.
    """
    for name, labels in zip(table.names or range(table.n_columns), table.categories, strict=True):
        if labels is not None:
            raise DataError(
                f"{who} need numeric columns, but column {name!r} is categorical. {cure}"
            )


def fit_detector(detector: Any, rows: NDArray[Any], weight: Array | None, rng: Generator) -> Any:
    """A fitted copy of any detector; one that takes no weights gets rows as often as they say.

    Parameters
    ----------
    detector : detector
        Left alone.
    rows : ndarray of shape (n_rows, n_columns)
        Training rows.
    weight : ndarray of shape (n_rows,) or None
        Their weights.
    rng : Generator
        Seeds the copy, and draws rows by weights that are not integers.
    """
    copy = seeded(detector, rng)
    with naming(detector, X=rows):
        if weight is None:
            return copy.fit(rows)
        if takes_weight(copy):
            return copy.fit(rows, sample_weight=weight)
        repeats = repetitions(weight)
        if repeats is not None:
            return copy.fit(np.repeat(rows, repeats, axis=0))
        return copy.fit(rows[rng.choice(len(rows), len(rows), p=weight / weight.sum())])


def scores_of(detector: Any, rows: NDArray[Any]) -> Array:
    """What any fitted detector says of rows, higher for normal ones."""
    score = getattr(detector, "score_samples", None) or detector.decision_function
    with naming(detector, X=rows):
        return np.asarray(score(rows), dtype=np.float64)

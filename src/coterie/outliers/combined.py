"""Ensembles of any detectors: one on many subsets of the columns, or several side by side."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.neighbors import LocalOutlierFactor
from sklearn.utils import get_tags

from coterie.base import Admitted, JoblibExecutor
from coterie.core import Allowed, at_least, draw_entropy, has, member_seeds, one_of, repetitions
from coterie.core.params import a_list
from coterie.core.seeds import growing_stream, side_stream
from coterie.data import Table
from coterie.outliers.detector import (
    Contaminated,
    OutlierDetector,
    dense_rows,
    fit_detector,
    refuse_categories,
    scores_of,
)
from coterie.outliers.isolation_forest import IsolationForest
from coterie.outliers.loda import LODADetector
from coterie.outliers.scores import COMBINATIONS, calibrate, combine, groups_of, standardize

Array = NDArray[np.float64]

_DETECTOR = has("fit", "score_samples") | has("fit", "decision_function") | one_of(None)


@dataclass(eq=False, repr=False, kw_only=True)
class CombinedDetector(Contaminated, OutlierDetector):
    """Members that score rows, and their scores as one.

    Parameters
    ----------
    standardize : {"z", "robust", "rank", "unify", "none"}, default="z"
        How the scores of members are standardised, see `coterie.outliers.standardize`.
    calibration : {"gaussian", "gamma", "mixture"} or None, default=None
        How combined scores are converted to `outlier_probability`, see
        `coterie.outliers.calibrate`.
    """

    allowed: ClassVar[dict[str, Allowed]] = Contaminated.allowed | {
        "standardize": one_of("z", "robust", "rank", "unify", "none"),
        "calibration": one_of("gaussian", "gamma", "mixture", None),
    }

    standardize: str = "z"
    calibration: str | None = None

    def _strangeness(self, table: Table) -> Array:
        """Scores of all members, higher for stranger rows, shape (n_members, n_rows)."""
        rows = _numbers(table)
        pairs = zip(self.members_, self._member_columns(), strict=True)
        return np.stack([-scores_of(member, _cut(rows, columns)) for member, columns in pairs])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        theirs = [get_tags(member).input_tags for member in self._tag_members()]
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in theirs)
        return tags

    def _member_columns(self) -> Sequence[NDArray[np.intp] | None]:
        return [None] * len(self.members_)

    def _combined(self, scores: Array) -> Array:
        raise NotImplementedError

    def _fit_members(
        self,
        draft: Self,
        admitted: Admitted,
        jobs: Sequence[tuple[Any, NDArray[np.intp] | None]],
        seeds: NDArray[np.int64],
    ) -> None:
        """Fit a copy of a detector on some columns for every job."""
        rows = _numbers(admitted.table)

        def fit(number: int) -> Any:
            detector, columns = jobs[number]
            rng = growing_stream(int(seeds[number]))
            return fit_detector(detector, _cut(rows, columns), admitted.weight, rng)

        draft.members_ = JoblibExecutor(self.n_jobs).map(fit, range(len(jobs)))
        draft.reference_scores_ = draft._strangeness(admitted.table)
        if admitted.weight is not None:
            repeats = repetitions(admitted.weight)
            if repeats is not None:
                draft.reference_scores_ = np.repeat(draft.reference_scores_, repeats, axis=1)
        # Means are taken in an order that does not depend on how rows were given.
        draft.reference_scores_ = np.sort(draft.reference_scores_, axis=1)

    def _normality(self, table: Table) -> Array:
        return -self._combined(self._strangeness(table))

    def outlier_probability(self, X: Any) -> Array:
        """Probability that rows are outliers, by `calibration` ("gaussian" if that is None).

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        scores = -this._normality(this._admit(X))
        method: Any = self.calibration or "gaussian"
        return calibrate(scores, method, this.combined_reference_)

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        super()._train(draft, admitted, n_samples)
        scores = -draft._normality(admitted.table)
        repeats = None if admitted.weight is None else repetitions(admitted.weight)
        draft.combined_reference_ = np.sort(
            scores if repeats is None else np.repeat(scores, repeats)
        )


@dataclass(eq=False, repr=False, kw_only=True)
class FeatureBaggingDetector(CombinedDetector):
    """One detector, fitted to many random subsets of the columns.

    With many columns, distances between rows carry little information, while an outlier may stand
    out in only a few of them. Each member sees between half of the columns and all but one.

    Parameters
    ----------
    estimator : detector or None, default=None
        An estimator with ``score_samples`` or ``decision_function`` for new rows; None is
        ``LocalOutlierFactor(n_neighbors=20, novelty=True)``.
    n_estimators : int, default=10
        Number of members.
    combination : {"mean", "max", "median", "aom", "moa", "threshold", "breadth_first"}
        How scores are combined, "mean" by default. With "breadth_first", the score is the rank of a
        row in a merged list that takes the most abnormal row of every member first, then the second
        of every member, and so on.

    Attributes
    ----------
    members_ : list of detectors
        The fitted members.
    members_features_ : list of ndarray
        The columns of each.
    offset_ : float
        What `decision_function` subtracts.

    References
    ----------
    .. [1] Lazarevic & Kumar, "Feature bagging for outlier detection", KDD (2005).

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> X[0, :3] = 6.0
    >>> int(FeatureBaggingDetector(random_state=0).fit(X).score_samples(X).argmin())
    0
    """

    allowed: ClassVar[dict[str, Allowed]] = CombinedDetector.allowed | {
        "estimator": _DETECTOR,
        "n_estimators": at_least(1),
        "combination": one_of(*COMBINATIONS, "breadth_first"),
    }

    estimator: Any = None
    n_estimators: int = 10
    combination: str = "mean"

    def _learn(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        d = admitted.table.n_columns
        if d == 1:
            warnings.warn(
                "X has only one column, so all members use the same one.", UserWarning, stacklevel=2
            )
        seeds = member_seeds(draw_entropy(self.random_state), 0, self.n_estimators)
        draft.members_features_ = [
            _some_columns(side_stream(growing_stream(int(seed)), 0), d) for seed in seeds
        ]
        detector = self._detector(_n_units(admitted))
        jobs = [(detector, columns) for columns in draft.members_features_]
        self._fit_members(draft, admitted, jobs, seeds)

    def _detector(self, n_rows: int = 21) -> Any:
        return _neighbours(n_rows) if self.estimator is None else self.estimator

    def _tag_members(self) -> list[Any]:
        return [self._detector()]

    def _member_columns(self) -> Sequence[NDArray[np.intp] | None]:
        return self.members_features_

    def _combined(self, scores: Array) -> Array:
        if self.combination == "breadth_first":
            return -_first_met(scores, self.reference_scores_)
        level: Any = self.standardize
        return combine(standardize(scores, level, self.reference_scores_), self.combination)


@dataclass(eq=False, repr=False, kw_only=True)
class OutlierEnsemble(CombinedDetector):
    """Several detectors, with their scores standardised and combined.

    Parameters
    ----------
    estimators : list of (str, detector) or None, default=None
        The members; None takes an isolation forest, LODA and the local outlier factor.
    combination : {"aom", "mean", "max", "median", "moa", "threshold"}, default="aom"
        How scores are combined, see `coterie.outliers.combine`.
    groups : int, default=5
        Groups that members are put in at random, for "aom" and "moa".

    Attributes
    ----------
    members_ : list of detectors
        The fitted members.
    reference_scores_ : ndarray of shape (n_members, n_samples)
        The members' scores of the training rows, sorted; they define the scale of each.
    offset_ : float
        What `decision_function` subtracts.

    References
    ----------
    .. [1] Aggarwal & Sathe, "Outlier Ensembles" (2017).

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> X[0] = 5.0
    >>> model = OutlierEnsemble(contamination=0.01, random_state=0).fit(X)
    >>> int(model.score_samples(X).argmin()), bool(model.outlier_probability(X)[0] > 0.9)
    (0, True)
    """

    allowed: ClassVar[dict[str, Allowed]] = CombinedDetector.allowed | {
        "estimators": a_list | one_of(None),
        "combination": one_of(*COMBINATIONS),
        "groups": at_least(1),
    }

    estimators: Any = None
    combination: str = "aom"
    groups: int = 5

    def _learn(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        named = self._named(_n_units(admitted))
        if not named:
            raise ValueError("estimators is empty. Pass a list of (name, detector) pairs.")
        seeds = member_seeds(draw_entropy(self.random_state), 0, len(named))
        self._fit_members(draft, admitted, [(detector, None) for _, detector in named], seeds)
        lots = side_stream(growing_stream(int(seeds[0])), 0)
        draft.groups_ = groups_of(len(named), self.groups, lots)

    def _named(self, n_rows: int = 21) -> list[tuple[str, Any]]:
        if self.estimators is not None:
            return list(self.estimators)
        return [
            ("isolation", IsolationForest()),
            ("loda", LODADetector()),
            ("neighbours", _neighbours(n_rows)),
        ]

    def _tag_members(self) -> list[Any]:
        return [detector for _, detector in self._named()]

    def _combined(self, scores: Array) -> Array:
        level: Any = self.standardize
        scaled = standardize(scores, level, self.reference_scores_)
        return combine(scaled, self.combination, self.groups_)


def _numbers(table: Table) -> Array:
    """The cells as float64, so that members of other packages round them all alike."""
    refuse_categories(table, "Members of any kind", "Encode it, or use IsolationForest.")
    return dense_rows(table).astype(np.float64, copy=False)


def _n_units(admitted: Admitted) -> int:
    """Number of rows, repetitions included."""
    repeats = None if admitted.weight is None else repetitions(admitted.weight)
    return admitted.table.n_rows if repeats is None else int(repeats.sum())


def _neighbours(n_rows: int) -> LocalOutlierFactor:
    """The local outlier factor, with fewer neighbours than usual if there are fewer rows."""
    return LocalOutlierFactor(n_neighbors=max(1, min(20, n_rows - 1)), novelty=True)


def _some_columns(rng: Generator, d: int) -> NDArray[np.intp]:
    if d == 1:
        return np.zeros(1, dtype=np.intp)
    size = int(rng.integers(-(-d // 2), max(d - 1, -(-d // 2)) + 1))
    return np.sort(rng.choice(d, size, replace=False)).astype(np.intp)


def _cut(rows: NDArray[Any], columns: NDArray[np.intp] | None) -> NDArray[Any]:
    return rows if columns is None else rows[:, columns]


def _first_met(scores: Array, reference: Array) -> Array:
    """Where rows are met first among the training rows, all members taking turns."""
    n_members = len(reference)
    places = [
        (len(known) - np.searchsorted(known, own, side="right")) * n_members + number
        for number, (own, known) in enumerate(zip(scores, reference, strict=True))
    ]
    return np.min(places, axis=0).astype(np.float64)

"""What conformal classifiers and regressors share."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from coterie.base import Admitted, Committee
from coterie.base.groups import read_groups
from coterie.conformal.folds import fold_numbers, strata_of
from coterie.core import Allowed, RandomLike, at_least, draw_entropy, fraction, has, one_of
from coterie.core.params import a_list
from coterie.core.seeds import growing_stream
from coterie.data import Table
from coterie.learners import seeded, takes_weight
from coterie.theory import conformal_quantile, conformal_quantiles, needed_rows
from coterie.trees.growth import an_n_jobs

Array = NDArray[np.float64]

#: Rows that play the left-out one; with more, intervals would take long and gain nothing.
MAX_ROWS = 20_000


@dataclass(eq=False, repr=False)
class Conformal(Committee):
    """A model whose predictions come with sets that hold the truth as often as asked.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The model; None is a random forest.
    cv : int, splitter or list of (train, test) pairs, default=10
        Folds of "cv+"; every row must be in one test set.
    holdout : float, default=0.25
        Share of the rows that "split" calibrates on.
    by : None, "class", str or int, default=None
        Calibrate by class (classifiers alone), or by the values of a column, so that the coverage
        holds for every class or group.
    prefit : bool, default=False
        Whether `estimator` is already fitted, so that `calibrate` is called instead of `fit`.
    n_jobs : int, default=None
        Not used by the wrapper itself; set it on `estimator`.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness: seeds of copies of the estimator, folds, random numbers of sets.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical in the wrapper itself.
    """

    multi_output: ClassVar[bool] = False
    #: The forest that is wrapped if no model is given.
    forest: ClassVar[type]
    shared: ClassVar[dict[str, Allowed]] = {
        "estimator": has("fit", "predict") | one_of(None),
        "cv": at_least(2) | has("split") | a_list,
        "holdout": fraction("neither"),
        "prefit": one_of(True, False),
        "n_jobs": an_n_jobs,
    }

    estimator: Any = None
    method: str = "auto"
    cv: Any = 10
    holdout: float = 0.25
    by: Any = None
    prefit: bool = False
    n_jobs: int | None = None
    random_state: RandomLike = None
    categorical_features: Any = "from_dtype"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model, and calibrate its sets on rows it has not seen.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights for the fit of the model.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are in one fold.

        Returns
        -------
        self
        """
        if self.prefit:
            raise ValueError(
                "prefit=True means that the estimator is already fitted. Call "
                "calibrate instead of fit."
            )
        return self._fit(X, y, sample_weight, groups=groups)

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Calibrate a fitted model on rows it has not seen.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows for calibration.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            How much rows resemble future ones: the density ratio.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, model=self._fitted())

    def _fitted(self) -> Any:
        """The model that `calibrate` is about."""
        return self.estimator if self.prefit else self._settled().estimator_

    def _default(self) -> Any:
        """The model if none is given."""
        return self.forest(draw="repeats")

    def _prepare(self, model: Any, draft: Self, admitted: Admitted) -> Any:
        """Fit a copy of the model on all rows, and set it on the draft."""
        given = self._default() if model is None else model
        rng = growing_stream(draw_entropy(self.random_state))
        draft.estimator_ = fit_copy(given, admitted, self._truth(admitted), rng)
        return rng

    def _truth(self, admitted: Admitted) -> NDArray[Any]:
        """The target as the model is given it."""
        return np.asarray(admitted.target.decode(admitted.target.encoded))

    def _folds(self, admitted: Admitted, n_folds: Any, groups: Any, rng: Any) -> NDArray[np.intp]:
        codes = admitted.target.codes[:, 0] if self.task == "classification" else None
        if not isinstance(n_folds, Integral):
            return self._given_folds(admitted, groups)
        n_folds = min(int(n_folds), admitted.table.n_rows)
        return fold_numbers(admitted.table, n_folds, rng, codes=codes, groups=groups)

    def _given_folds(self, admitted: Admitted, groups: Any) -> NDArray[np.intp]:
        """The folds of a splitter, or of pairs of row numbers as given to `fit`."""
        n_rows, kept = admitted.table.n_rows, admitted.kept
        if hasattr(self.cv, "split"):
            places = np.zeros((n_rows, 1))
            tests = [test for _, test in self.cv.split(places, self._truth(admitted), groups)]
        else:
            tests = [np.asarray(test) for _, test in self.cv]
            if kept is not None:  # rows of zero weight are gone
                tests = [np.flatnonzero(np.isin(kept, test)) for test in tests]
        folds = np.full(n_rows, -1, dtype=np.intp)
        for number, test in enumerate(tests):
            folds[test] = number
        if (folds < 0).any() or sum(map(len, tests)) != n_rows:
            raise ValueError("cv must put every row into one test set.")
        return folds

    def _held_out(self, admitted: Admitted, groups: Any, rng: Any) -> NDArray[np.bool_]:
        """The rows that "split" sets aside."""
        codes = admitted.target.codes[:, 0] if self.task == "classification" else None
        every = admitted.table.n_rows if groups is None else len(np.unique(groups))
        turns = fold_numbers(admitted.table, every, rng, codes=codes, groups=groups)
        # Evenly in the order of turns, which goes through the classes one after the other.
        ends = np.ceil(np.round(np.arange(every + 1) * self.holdout, 9))
        held = (np.diff(ends) > 0)[turns]
        if held.all():
            what = "rows" if groups is None else "groups"
            raise ValueError(f"{every} {what} are too few to hold some out for calibration.")
        return np.asarray(held)

    def _groups(self, groups: Any, admitted: Admitted, n_samples: int) -> Any:
        return read_groups(groups, n_samples, admitted.kept)

    def _strata(self, X: Any) -> NDArray[Any] | None:
        """The group of each row, if sets are calibrated by a column."""
        return None if self.by is None or self.by == "class" else strata_of(X, self.by)

    def _levels(self, alpha: ArrayLike) -> list[float]:
        levels = [float(a) for a in np.atleast_1d(np.asarray(alpha, dtype=np.float64))]
        for level in levels:
            if not 0.0 < level < 1.0:
                raise ValueError(f"alpha={level} is not allowed; use numbers in (0, 1).")
        return levels


def fit_copy(model: Any, admitted: Admitted, truth: NDArray[Any], rng: Any) -> Any:
    """A copy of any model, fitted.

    Parameters
    ----------
    model : estimator
        Left alone.
    admitted : Admitted
        Rows and weights.
    truth : ndarray of shape (n_rows,)
        The target as it was given.
    rng : Generator
        Seeds what is random in it and has no seed.
    """
    copy = seeded(clone(model), rng, keep=True)
    rows = admitted.table.given()
    if admitted.weight is None:
        return copy.fit(rows, truth)
    if not takes_weight(copy):
        raise ValueError(
            f"{type(copy).__name__} does not accept sample_weight. Omit it, or use an estimator "
            "that does."
        )
    return copy.fit(rows, truth, sample_weight=admitted.weight)


def threshold(scores: Array, alpha: float, weight: Array | None = None) -> float:
    """The largest score that belongs to a set; a warning if there are too few to tell.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Scores of rows for calibration.
    alpha : float
        Share of rows that may lie outside.
    weight : ndarray of shape (n,), optional
        See `coterie.theory.conformal_quantile`.
    """
    found = conformal_quantile(scores, alpha, weight)
    if weight is None and len(scores) < needed_rows(alpha):
        warnings.warn(too_few(len(scores), alpha), UserWarning, stacklevel=3)
    return found


def thresholds(scores: Array, alpha: float, weight: Array | None, own: Array | None) -> Any:
    """The largest score of all rows, or of each if rows have weights of their own.

    Parameters
    ----------
    scores, alpha, weight
        See `threshold`.
    own : ndarray of shape (n_samples,) or None
        Weights of the rows that sets are made for.
    """
    if weight is None or own is None:
        return threshold(scores, alpha, weight)
    return conformal_quantiles(scores, alpha, weight, own)


def too_few(n_rows: int, alpha: float) -> str:
    """What to say of sets that hold everything."""
    return (
        f"{n_rows} calibration rows cannot give {1.0 - alpha:.0%} coverage; "
        f"{needed_rows(alpha)} are needed."
    )


def numeric_columns(table: Table, most: int = 20) -> dict[Any, Array]:
    """The first columns of numbers of a dense table, by their names."""
    if table.values is None:
        return {}
    names = table.names or tuple(f"column {j}" for j in range(table.n_columns))
    kinds = zip(names, table.categories, strict=True)
    numbers = [(name, j) for j, (name, labels) in enumerate(kinds) if labels is None]
    cells = table.values
    return {name: cells[:, j].astype(np.float64) for name, j in numbers[:most]}

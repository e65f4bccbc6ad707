"""Models that look at no column: what is known before a row is seen."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from coterie.boosting.gradient.default_rules import repeats
from coterie.tags import tagged

__all__ = ["PRIORS", "PriorClassifier", "PriorRegressor"]

Array = NDArray[np.float64]


@tagged
class PriorClassifier(ClassifierMixin, BaseEstimator):
    """The frequencies of the classes.

    Parameters
    ----------
    n_classes : int, optional
        Labels are 0 ... n_classes - 1, those without rows included. By default those of the rows.

    Half a row is added to every class (Krichevsky and Trofimov 1981), so that of thousands of
    classes those with a row or two are not taken for impossible by chance.

    Examples
    --------
    >>> PriorClassifier().fit(np.zeros((7, 1)), list("aaaaabb")).predict_proba(np.zeros((1, 1)))
    array([[0.6875, 0.3125]])
    """

    classes_: NDArray[Any]
    frequencies_: Array

    def __init__(self, n_classes: int | None = None) -> None:
        self.n_classes = n_classes

    def fit(self, X: Any, y: ArrayLike, sample_weight: Any = None) -> Self:
        """Count the classes.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Not looked at.
        y : array of shape (n_rows,)
            Labels.
        sample_weight : array of shape (n_rows,), optional
            Weights of rows.
        """
        if self.n_classes is None:
            self.classes_, codes = np.unique(y, return_inverse=True)
        else:
            self.classes_, codes = np.arange(self.n_classes), np.asarray(y)
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight)
        counts = np.bincount(codes, weights=weight, minlength=len(self.classes_))
        if not repeats(weight):
            counts *= len(codes) / counts.sum()
        self.frequencies_ = np.asarray((counts + 0.5) / (counts.sum() + 0.5 * len(self.classes_)))
        return self

    def predict_proba(self, X: Any) -> Array:
        """The same for every row, shape (n_rows, n_classes)."""
        return np.tile(self.frequencies_, (np.shape(X)[0], 1))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most frequent class."""
        return np.full(np.shape(X)[0], self.classes_[np.argmax(self.frequencies_)])


@tagged
class PriorRegressor(RegressorMixin, BaseEstimator):
    """The mean.

    Examples
    --------
    >>> PriorRegressor().fit(np.zeros((2, 1)), [1.0, 4.0]).predict(np.zeros((1, 1)))
    array([2.5])
    """

    mean_: float

    def fit(self, X: Any, y: ArrayLike, sample_weight: Any = None) -> Self:
        """Take the mean.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Not looked at.
        y : array of shape (n_rows,)
            Numbers.
        sample_weight : array of shape (n_rows,), optional
            Weights of rows.
        """
        self.mean_ = float(np.average(np.asarray(y, dtype=np.float64), weights=sample_weight))
        return self

    def predict(self, X: Any) -> Array:
        """The same for every row."""
        return np.full(np.shape(X)[0], self.mean_)


#: Both of them.
PRIORS = (PriorClassifier, PriorRegressor)

"""Models that say what is in the rows, so that any pool can be made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from coterie.diagnosis.case import Case
from coterie.diagnosis.ensemble_predictions import answers_of


class Says(ClassifierMixin, BaseEstimator):
    """A classifier whose answers are a column of the rows."""

    def __init__(self, column: int = 0) -> None:
        self.column = column
        self.classes_ = np.array([0, 1])

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, self.column].astype(int)


class SaysChances(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are the rows."""

    def __init__(self, n_classes: int = 2) -> None:
        self.n_classes = n_classes
        self.classes_ = np.arange(n_classes)

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.asarray(X)

    def predict(self, X: Any) -> Any:
        return np.asarray(X).argmax(axis=1)


class SaysNumbers(RegressorMixin, BaseEstimator):
    """A regressor whose answers are a column of the rows."""

    def __init__(self, column: int = 0) -> None:
        self.column = column
        self.fitted_ = True

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, self.column]


def pool(hits: Any, seed: int = 0) -> tuple[list[Says], Any, Any]:
    """Members that are right where `hits` (members, rows) say so, with rows and truth."""
    right = np.asarray(hits, dtype=bool)
    y = np.random.default_rng(seed).integers(0, 2, right.shape[1])
    return [Says(t) for t in range(len(right))], np.where(right, y, 1 - y).T, y


def case_of(hits: Any, seed: int = 0, weight: Any = None) -> Case:
    """The same, asked."""
    models, X, y = pool(hits, seed)
    return Case.of(answers_of(models, X), y, weight)


def numbers_case(outputs: Any, y: Any, weight: Any = None) -> Case:
    """Members that say these numbers (members, rows)."""
    said = np.asarray(outputs, dtype=float)
    return Case.of(answers_of([SaysNumbers(t) for t in range(len(said))], said.T), y, weight)


def copies(n_members: int = 9, n_rows: int = 400, error: float = 0.2) -> Any:
    """Hits of members that are all the same."""
    return np.tile(np.random.default_rng(1).random(n_rows) > error, (n_members, 1))


def independent(n_members: int = 9, n_rows: int = 2000, error: float = 0.3) -> Any:
    """Hits of members that fail independently."""
    return np.random.default_rng(2).random((n_members, n_rows)) > error

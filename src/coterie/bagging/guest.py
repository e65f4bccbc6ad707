"""Any estimator as a member of a bag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier

from coterie.base.routing import cut_params
from coterie.data import Table, Target
from coterie.learners import (
    fit_member,
    seeded,
    takes_weight,
    votes_of_labels,
    votes_of_probabilities,
)
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class Guest:
    """A fitted estimator as a member: its answers in the classes of the ensemble.

    Parameters
    ----------
    estimator : estimator
        Fitted on labels, or on numbers.
    classes : tuple of ndarray
        Classes of the ensemble, one array per output; empty for numbers.
    columns : ndarray or None
        The columns it was shown, or None for all.
    """

    estimator: Any
    classes: tuple[NDArray[Any], ...] = ()
    columns: NDArray[np.intp] | None = None

    def predict(self, table: Table) -> Array:
        """Probabilities of all classes (ones and zeros where it gives labels), or numbers."""
        X = rows_given(table, None, self.columns)
        if not self.classes:
            return np.asarray(self.estimator.predict(X), dtype=np.float64).reshape(table.n_rows, -1)
        if hasattr(self.estimator, "predict_proba"):
            return self._probabilities(X)
        labels = np.asarray(self.estimator.predict(X)).reshape(table.n_rows, -1)
        votes = [
            votes_of_labels(column, classes)
            for classes, column in zip(self.classes, labels.T, strict=True)
        ]
        return np.concatenate(votes, axis=1)

    def _probabilities(self, X: Any) -> Array:
        given = self.estimator.predict_proba(X)
        parts = given if isinstance(given, list) else [given]
        seen = self.estimator.classes_
        seen = seen if isinstance(seen, list) else [seen]
        outputs = [
            votes_of_probabilities(part, known, classes)
            for classes, part, known in zip(self.classes, parts, seen, strict=True)
        ]
        return outputs[0] if len(outputs) == 1 else np.concatenate(outputs, axis=1)

    def decide(self, table: Table) -> Array:
        """Its decision function, shape (n_rows, n_scores); minus infinity for unknown classes."""
        scores = self.estimator.decision_function(rows_given(table, None, self.columns))
        scores = np.asarray(scores, dtype=np.float64).reshape(table.n_rows, -1)
        (classes,), known = self.classes, self.estimator.classes_
        if len(known) == len(classes):
            return scores
        where = np.searchsorted(classes, known)
        if scores.shape[1] == 1:  # two classes, of which the score is for the second
            scores = np.hstack([-scores, scores])
        spread = np.full((table.n_rows, len(classes)), -np.inf)
        spread[:, where] = scores
        return spread


@dataclass(frozen=True)
class GuestLearner:
    """Fits clones of an estimator on the rows as the user gave them.

    Weights are passed on if `fit` takes them. Otherwise rows are repeated as often as they are in
    the bag; weights that are no counts draw rows of the bag in proportion. Every parameter named
    ``random_state``, nested ones included, gets a seed of its own.

    Parameters
    ----------
    estimator : estimator
        What to clone.
    columns : ndarray or None
        The columns to show, or None for all.
    weighs : bool or None
        Whether weights are passed on; None asks the signature of `fit`.
    params : mapping
        What `fit` is handed besides; arrays of one value per row are cut with the rows.
    """

    estimator: Any
    columns: NDArray[np.intp] | None = None
    weighs: bool | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def among(self, columns: NDArray[np.intp]) -> GuestLearner:
        """The same learner on some of the columns."""
        return replace(self, columns=columns)

    def fit(self, table: Table, target: Target, weight: Array | None, rng: Generator) -> Guest:
        """A fitted clone."""
        estimator = seeded(self.estimator, rng)
        weighs = takes_weight(estimator) if self.weighs is None else self.weighs
        rows = self._rows(table.n_rows, weight, rng, weighs=weighs)
        y = target if rows is None else target.take(rows)
        X = rows_given(table, rows, self.columns)
        extra = cut_params(self.params, rows, table.n_rows)
        if weight is not None and weighs:
            extra["sample_weight"] = weight if rows is None else weight[rows]
        labels = y.decode(y.encoded)
        if _one_class(y):
            estimator = DummyClassifier(strategy="prior").fit(X, labels)
        else:
            fit_member(estimator, X, labels, **extra)
        return Guest(estimator, target.classes, self.columns)

    @staticmethod
    def _rows(
        n_rows: int, weight: Array | None, rng: Generator, *, weighs: bool
    ) -> NDArray[np.intp] | None:
        """The rows to show, or None for all as they are."""
        if weight is None:
            return None
        inside = np.flatnonzero(weight)
        if weighs:
            return None if len(inside) == n_rows else inside
        if not np.any(weight % 1):
            return np.repeat(np.arange(n_rows), weight.astype(np.intp))
        share = weight[inside] / weight.sum()
        return np.sort(rng.choice(inside, size=n_rows, p=share))


def rows_given(
    table: Table, rows: NDArray[np.intp] | None, columns: NDArray[np.intp] | None
) -> Any:
    """Some rows and columns as the user gave them; all of them without a copy.

    A named column that was drawn twice is there once, as frames know columns by name.
    """
    source = table.source
    given = table.given() if source is None or rows is None else source.take(rows).native()
    if source is None and rows is not None:
        given = given[rows]
    if columns is None:
        return given
    if isinstance(given, np.ndarray) or source is None or not hasattr(source, "frame"):
        return given[:, columns]
    frame = nw.from_native(given, eager_only=True)
    return frame[:, np.unique(columns).tolist()].to_native()


def _one_class(target: Target) -> bool:
    if target.kind == "values" or target.n_outputs > 1:
        return False
    codes = target.codes[:, 0]
    return bool(np.all(codes == codes[0]))

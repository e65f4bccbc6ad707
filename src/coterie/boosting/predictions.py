"""From scores to answers: what every estimator has in common that gives its rows a score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score

from coterie.base import thread_count
from coterie.base.elsewhere import where_rows_are
from coterie.core.rule import Array, Rule
from coterie.core.stages import StagedPool
from coterie.data import Table, Target

# These are mixins of committees: the checker is told so, and the order of bases stays free.
if TYPE_CHECKING:
    from coterie.base import Committee as Mixin
else:
    Mixin = object


class StagedScores(Mixin):
    """Scores that a pool adds up, member by member, from a start; predictions are read off them."""

    rule_: Rule
    start_: Array

    def _start(self, table: Table) -> Array:
        """The score of every row before the first round, shape (n_samples, n_scores)."""
        return np.repeat(self.start_[None, :], table.n_rows, axis=0)

    def _raw(self, X: Any) -> Array:
        """The score of every row, shape (n_samples, n_scores)."""
        table = self._admit(X)
        raw = self._start(table)
        if len(self.pool_):
            raw = raw + self.pool_.raw(table, n_threads=thread_count(self.n_jobs))
        return self.rule_.settle(raw)

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        """The score of every row after each round."""
        table = self._admit(X)
        if isinstance(self.pool_, StagedPool):  # a round changes the weights of all members
            for size in range(1, len(self.pool_) + 1):
                part = self.pool_[:size].raw(table, n_threads=thread_count(self.n_jobs))
                yield self.rule_.settle(self.start_ + part)
            return
        raw = self._start(table)
        for t in range(len(self.pool_)):
            raw = raw + self.pool_[t : t + 1].raw(table, n_threads=thread_count(self.n_jobs))
            yield self.rule_.settle(raw)

    def _answer(self, raw: Array) -> NDArray[Any]:
        """What is predicted of rows with these scores."""
        raise NotImplementedError

    @where_rows_are
    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction for each row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return this._answer(this._raw(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """`predict` after each round."""
        this = self._settled()
        yield from (this._answer(raw) for raw in this._staged_raw(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """`score` after each round."""
        metric = accuracy_score if is_classifier(self) else r2_score
        for predicted in self.staged_predict(X):
            yield float(metric(y, predicted, sample_weight=sample_weight))


class StagedClasses(StagedScores):
    """Scores that the rule turns into classes and probabilities, after every round."""

    target_: Target
    n_classes_: Any

    @where_rows_are
    def decision_function(self, X: Any) -> Array:
        """The score: positive for the second of two classes; of many, one column per class.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return _flat(self._settled()._raw(X))

    @where_rows_are
    def predict_proba(self, X: Any) -> Any:
        """Class probabilities by the link of the rule.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        this = self._settled()
        return this._link(this._raw(X), len(this.pool_))

    def _answer(self, raw: Array) -> NDArray[Any]:
        return self.target_.decode(self.rule_.decide(raw))

    def _link(self, raw: Array, size: int) -> Any:
        """Probabilities of the scores that the first `size` members gave."""
        if self.n_classes_ == 1:
            return np.ones((len(raw), 1))
        return self.rule_.link(raw)

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """`decision_function` after each round."""
        for raw in self._settled()._staged_raw(X):
            yield _flat(raw)

    def staged_predict_proba(self, X: Any) -> Iterator[Any]:
        """`predict_proba` after each round."""
        this = self._settled()
        for size, raw in enumerate(this._staged_raw(X), start=1):
            yield this._link(raw, size)


def _flat(raw: Array) -> Array:
    """The one score of two classes as a vector."""
    return raw[:, 0] if raw.shape[1] == 1 else raw

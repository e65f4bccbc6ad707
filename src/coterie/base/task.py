"""What makes a committee a classifier or a regressor."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from coterie.base.check import Admitted, Task
from coterie.base.elsewhere import where_rows_are
from coterie.data import Target


class ClassifierTask(ClassifierMixin):
    """Votes are class probabilities, outputs side by side."""

    multi_output: ClassVar[bool]
    task: ClassVar[Task] = "classification"

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        target = draft.target_ = admitted.target.empty()
        draft.n_outputs_ = target.n_outputs
        if target.n_outputs == 1:
            draft.classes_, draft.n_classes_ = target.classes[0], target.n_classes[0]
        else:
            draft.classes_, draft.n_classes_ = list(target.classes), list(target.n_classes)

    def _publish_oob(self, draft: Any, mean: NDArray[np.float64]) -> None:
        parts = split_outputs(draft.target_, mean)
        draft.oob_decision_function_ = parts[0] if len(parts) == 1 else np.stack(parts, axis=2)

    @where_rows_are
    def predict_proba(self, X: Any) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """Class probabilities: the mean of the members' probabilities.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of such arrays
            In the order of ``classes_``; one array per output.
        """
        this = self._settled()
        probabilities = split_outputs(this.target_, this._mean_vote(X))
        return probabilities[0] if this.n_outputs_ == 1 else probabilities

    def predict_log_proba(self, X: Any) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of such arrays
            Minus infinity where the probability is 0.
        """
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if isinstance(probabilities, list):
                return [np.log(p) for p in probabilities]
            return np.log(probabilities)

    @where_rows_are
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class; in case of ties, the first in ``classes_``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        this = self._settled()
        return decide(this.target_, this._mean_vote(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.multi_output
        return tags


class RegressorTask(RegressorMixin):
    """Votes are predicted values."""

    task: ClassVar[Task] = "regression"

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        draft.target_ = admitted.target.empty()
        draft.n_outputs_ = admitted.target.n_outputs

    def _publish_oob(self, draft: Any, mean: NDArray[np.float64]) -> None:
        draft.oob_prediction_ = mean[:, 0] if draft.n_outputs_ == 1 else mean

    @where_rows_are
    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean of the members' predictions.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        this = self._settled()
        votes = this._mean_vote(X)
        return votes[:, 0] if this.n_outputs_ == 1 else votes


class TargetlessTask:
    """Nothing is predicted: outlier detectors, clusterers and embeddings learn from ``X`` alone."""

    task: ClassVar[Task] = "none"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : object
            Ignored; present for use in pipelines.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.

        Returns
        -------
        self
        """
        fitted: Self = self._fit(X, None, sample_weight)  # type: ignore[attr-defined]  # Committee
        return fitted

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        """There is nothing to remember."""


def split_outputs(target: Target, votes: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Probabilities per output, from outputs side by side."""
    return np.split(votes, np.cumsum(target.n_classes)[:-1], axis=1)


def decide(target: Target, votes: NDArray[np.float64]) -> NDArray[Any]:
    """Labels of the largest votes, shape (n_samples,) or (n_samples, n_outputs)."""
    codes = [part.argmax(axis=1) for part in split_outputs(target, votes)]
    return target.decode(np.column_stack(codes))

"""What classifiers and regressors of gradient boosting make of scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask, RegressorTask
from coterie.base.scoring import Answers
from coterie.boosting.gradient.board import Array
from coterie.core import ParameterError
from coterie.data import Target
from coterie.losses import (
    REGRESSION_LOSSES,
    CustomLoss,
    ExpectileLoss,
    ExponentialLoss,
    HuberLoss,
    LogLoss,
    MultinomialLoss,
    PointwiseLoss,
    QuantileLoss,
    TweedieLoss,
)


class GradientClasses(ClassifierTask):
    """Scores become probabilities of classes."""

    loss: Any
    loss_: PointwiseLoss
    classes_: NDArray[Any]
    n_classes_: int
    target_: Target

    def _make_loss(self, target: Target) -> PointwiseLoss:
        if not isinstance(self.loss, str):
            return self.loss
        n_classes = len(target.classes[0])
        if self.loss == "exponential":
            if n_classes > 2:
                raise ParameterError(
                    "loss='exponential' is only suitable for a binary classification problem, but "
                    f"y has {n_classes} classes. Use loss='log_loss'."
                )
            return ExponentialLoss()
        return LogLoss() if n_classes <= 2 else MultinomialLoss(n_classes)

    def decision_function(self, X: Any) -> Array:
        """The score: log odds of the second of two classes; of many, one column per class.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return _flat(self._settled()._raw(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return this._decode(this._raw(X))

    def predict_proba(self, X: Any) -> Array:
        """Class probabilities by the link of the loss.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        this = self._settled()
        return this._link(this._raw(X))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """`decision_function` after each round, with the trees' final weights."""
        yield from (_flat(raw) for raw in self._settled()._staged_raw(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """`predict` after each round, with the trees' final weights."""
        this = self._settled()
        yield from (this._decode(raw) for raw in this._staged_raw(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """`predict_proba` after each round, with the trees' final weights."""
        this = self._settled()
        yield from (this._link(raw) for raw in this._staged_raw(X))

    def _answers(self) -> Answers:
        return Answers(self._decode, self._link, _flat, self.classes_)

    def _decode(self, raw: Array) -> NDArray[Any]:
        if self.n_classes_ == 1:
            codes = np.zeros(len(raw), dtype=np.intp)
        elif isinstance(self.loss_, CustomLoss) and raw.shape[1] == 1:
            codes = self._link(raw).argmax(axis=1)
        else:
            codes = (raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)
        return self.target_.decode(codes)

    def _link(self, raw: Array) -> Array:
        if self.n_classes_ == 1:
            return np.ones((len(raw), 1))
        if isinstance(self.loss_, CustomLoss) and self.loss_.inverse is None:
            raise ValueError(
                "How scores of this custom loss become probabilities is not known. Give the loss "
                "an `inverse`, such as CustomLoss(..., inverse=lambda raw: expit(raw[:, 0])) of "
                "scipy.special for the second of two classes."
            )
        shares = self.loss_.link(raw)
        shares = shares if shares.ndim == 2 else np.column_stack([1 - shares, shares])
        if shares.shape[1] != self.n_classes_:
            raise ValueError(
                f"The `inverse` of the loss gives {shares.shape[1]} probabilities for "
                f"{self.n_classes_} classes. Let it return one column per class."
            )
        return shares


class GradientNumbers(RegressorTask):
    """Scores become numbers."""

    loss: Any
    loss_: PointwiseLoss
    alpha: float
    power: float

    @property
    def _level(self) -> float | None:
        """The level of the quantile or expectile."""
        return self.alpha

    def _make_loss(self, target: Target) -> PointwiseLoss:
        if not isinstance(self.loss, str):
            return self.loss
        if self.loss in ("quantile", "expectile"):
            level = self._level
            if level is None or not 0.0 < level < 1.0:
                raise ParameterError(
                    f"loss={self.loss!r} needs its level: give quantile a number between 0 and 1, "
                    f"not {level!r}."
                )
            kind = QuantileLoss if self.loss == "quantile" else ExpectileLoss
            return kind(float(level))
        if self.loss == "huber":
            return HuberLoss(float(self.alpha))
        if self.loss == "tweedie":
            return TweedieLoss(float(self.power))
        return REGRESSION_LOSSES[self.loss]()

    def predict(self, X: Any) -> Array:
        """The prediction by the link of the loss.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return this.loss_.link(this._raw(X))

    def _answers(self) -> Answers:
        return Answers(self.loss_.link)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round, with the trees' final weights."""
        this = self._settled()
        yield from (this.loss_.link(raw) for raw in this._staged_raw(X))


def _flat(raw: Array) -> Array:
    return raw[:, 0] if raw.shape[1] == 1 else raw

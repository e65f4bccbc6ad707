"""What classifiers and regressors of gradient boosting make of scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask, RegressorTask
from coterie.base.elsewhere import where_rows_are
from coterie.base.scoring import Answers, Scoring
from coterie.boosting.gradient.board import Array
from coterie.core import ParameterError
from coterie.data import DataError, Target
from coterie.losses import (
    REGRESSION_LOSSES,
    ColumnsLoss,
    ExpectileLoss,
    ExponentialLoss,
    FocalLoss,
    HuberLoss,
    LogLoss,
    MultinomialLoss,
    PointwiseLoss,
    QuantileLoss,
    SlopesLoss,
    TweedieLoss,
    UserLoss,
)


class GradientOrder:
    """Scores say which rows come first: documents of a query, or events.

    What early stopping watches is named by words of the task, or is a function.
    """

    scoring: Any

    @where_rows_are
    def predict(self, X: Any) -> Array:
        """Scores; rows with larger scores come first.

        For a ranker, documents with larger scores come first within their query; for a survival
        model, the scores are risks, larger for earlier events.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()  # type: ignore[attr-defined]  # of the booster
        return np.asarray(this._link(this._raw(X)))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round, with the trees' final weights."""
        this = self._settled()  # type: ignore[attr-defined]
        yield from (this._link(raw) for raw in this._staged_raw(X))

    def _answers(self) -> Answers:
        return Answers(self._link)  # type: ignore[attr-defined]

    def _scorings(self, target: Target) -> tuple[Scoring, ...]:
        words = self.scoring if isinstance(self.scoring, list) else [self.scoring]
        return tuple(
            self._read_scoring(word)
            if isinstance(word, str)
            else Scoring(getattr(word, "__name__", "score"), word, larger=True)
            for word in words
        )

    def _read_scoring(self, word: str) -> Scoring:
        """What a word of the task stands for."""
        raise NotImplementedError


class GradientClasses(ClassifierTask):
    """Scores become probabilities of classes."""

    loss: Any
    loss_: PointwiseLoss
    classes_: Any
    n_classes_: Any
    target_: Target

    multi_output: ClassVar[bool] = False
    multi_label: ClassVar[bool] = True

    def _make_loss(self, target: Target) -> PointwiseLoss:
        if target.n_outputs > 1:
            return self._labels_loss(target)
        n_classes = len(target.classes[0])
        if not isinstance(self.loss, str):
            return read_loss(self.loss, n_classes if n_classes > 2 else 1)
        if self.loss == "exponential":
            if n_classes > 2:
                raise ParameterError(
                    "loss='exponential' is only suitable for a binary classification problem, but "
                    f"y has {n_classes} classes. Use loss='log_loss'."
                )
            return ExponentialLoss()
        if self.loss == "focal" and n_classes > 2:
            raise ParameterError(
                f"loss='focal' is for two classes, but y has {n_classes}. Use loss='log_loss'."
            )
        if self.loss == "focal":
            return FocalLoss()
        return LogLoss() if n_classes <= 2 else MultinomialLoss(n_classes)

    def _labels_loss(self, target: Target) -> PointwiseLoss:
        """The loss of several labels, each of which a row has or has not."""
        if max(target.n_classes) > 2:
            raise DataError(
                "y has several columns, one of them with more than two classes. Several columns "
                "are read as a multilabel indicator matrix of 0 and 1; for other targets wrap "
                "the classifier in sklearn.multioutput.MultiOutputClassifier."
            )
        each = [self._make_loss(target.output(k)) for k in range(target.n_outputs)]
        return ColumnsLoss(tuple(each))

    @where_rows_are
    def decision_function(self, X: Any, n_rounds: int | None = None) -> Array:
        """The score: log odds of the second of two classes; of many, one column per class.

        With several labels, one column for each.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        n_rounds : int, optional
            Use only this many first rounds; by default all of them.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return _flat(self._after(n_rounds)._raw(X))

    @where_rows_are
    def predict(self, X: Any, n_rounds: int | None = None) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        n_rounds : int, optional
            Use only this many first rounds; by default all of them.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        this = self._after(n_rounds)
        return this._decode(this._raw(X))

    @where_rows_are
    def predict_proba(self, X: Any, n_rounds: int | None = None) -> Any:
        """Class probabilities by the link of the loss.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        n_rounds : int, optional
            Use only this many first rounds; by default all of them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of such arrays
            One array per label if there are several.
        """
        this = self._after(n_rounds)
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _answers(self) -> Answers:
        return Answers(self._decode, self._link, _flat, self.classes_)

    def _decode(self, raw: Array) -> NDArray[Any]:
        if isinstance(self.loss_, ColumnsLoss):
            most = np.array(self.n_classes_) - 1
            return self.target_.decode(np.minimum(raw > 0, most).astype(np.intp))
        if self.n_classes_ == 1:
            codes = np.zeros(len(raw), dtype=np.intp)
        elif self._asks_link and raw.shape[1] == 1:
            codes = self._link(raw).argmax(axis=1)
        else:
            codes = (raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)
        return self.target_.decode(codes)

    @property
    def _asks_link(self) -> bool:
        """Whether probabilities decide on the class; a function of slopes is taken at its sign."""
        own = isinstance(self.loss_, UserLoss)
        return own and (self._has_inverse or not isinstance(self.loss_, SlopesLoss))

    @property
    def _has_inverse(self) -> bool:
        """Whether scores can become probabilities."""
        return not isinstance(self.loss_, UserLoss) or self.loss_.inverse is not None

    def _link(self, raw: Array) -> Any:
        if isinstance(self.loss_, ColumnsLoss):
            second = self.loss_.link(raw)
            return [
                np.column_stack([1 - p, p]) if n > 1 else np.ones((len(p), 1))
                for p, n in zip(second.T, self.n_classes_, strict=True)
            ]
        if self.n_classes_ == 1:
            return np.ones((len(raw), 1))
        if not self._has_inverse:
            raise ValueError(
                "This custom loss does not define how scores are converted to probabilities. "
                "Pass an `inverse`, such as SlopesLoss(function, inverse=lambda raw: "
                "expit(raw[:, 0])) of coterie.losses and scipy.special for the second of two "
                "classes, or use decision_function."
            )
        shares = self.loss_.link(raw)
        shares = shares if shares.ndim == 2 else np.column_stack([1 - shares, shares])
        if shares.shape[1] != self.n_classes_:
            raise ValueError(
                f"The `inverse` of the loss gives {shares.shape[1]} probabilities for "
                f"{self.n_classes_} classes. It must return one column per class."
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
        if target.n_outputs > 1:
            each = [self._make_loss(target.output(k)) for k in range(target.n_outputs)]
            return ColumnsLoss(tuple(each))
        if not isinstance(self.loss, str):
            return read_loss(self.loss, 1)
        if self.loss in ("quantile", "expectile"):
            level = self._level
            if level is None or not 0.0 < level < 1.0:
                raise ParameterError(
                    f"loss={self.loss!r} needs a level: set quantile to a number between 0 and "
                    f"1, not {level!r}."
                )
            kind = QuantileLoss if self.loss == "quantile" else ExpectileLoss
            return kind(float(level))
        if self.loss == "huber":
            return HuberLoss(float(self.alpha))
        if self.loss == "tweedie":
            return TweedieLoss(float(self.power))
        return REGRESSION_LOSSES[self.loss]()

    @where_rows_are
    def predict(self, X: Any, n_rounds: int | None = None) -> Array:
        """The prediction by the link of the loss.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        n_rounds : int, optional
            Use only this many first rounds; by default all of them.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        this = self._after(n_rounds)
        return this.loss_.link(this._raw(X))

    def _answers(self) -> Answers:
        return Answers(self.loss_.link)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round, with the trees' final weights."""
        this = self._settled()
        yield from (this.loss_.link(raw) for raw in this._staged_raw(X))


def read_loss(given: Any, n_scores: int) -> PointwiseLoss:
    """The loss that a user gave as an object, or as a function of y and the scores."""
    return given if hasattr(given, "slopes") else SlopesLoss(given, scores=n_scores)


def _flat(raw: Array) -> Array:
    return raw[:, 0] if raw.shape[1] == 1 else raw

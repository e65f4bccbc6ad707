"""Gradient boosting on native trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask, RegressorTask, a_class_weight
from coterie.base.scoring import Answers
from coterie.boosting.gradient.base import GradientBooster
from coterie.boosting.gradient.board import Array
from coterie.boosting.gradient.settings import GRADIENT, a_loss
from coterie.core import Allowed, ParameterError, between, one_of
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

_INSIDE = between(0.0, 1.0, closed="neither")


@dataclass(eq=False, repr=False)
class GradientBoostingClassifier(ClassifierTask, GradientBooster):
    r"""Gradient boosting for classes: scikit-learn's ``HistGradientBoostingClassifier``, and more.

    Every round fits a tree to the slopes of the loss at the scores so far. With :math:`G` and
    :math:`H` the sums of first and second derivatives in a leaf, its value is the Newton step

    .. math:: -\frac{S_\alpha(G)}{H + \lambda}, \qquad S_\alpha(G) =
              \operatorname{sign}(G) \max(|G| - \alpha, 0),

    and a split is worth what it adds to :math:`\sum S_\alpha(G)^2 / (H + \lambda)`. With three or
    more classes each has a score and a tree of its own in every round.

    Parameters
    ----------
    loss : {"log_loss", "exponential"} or PointwiseLoss, default="log_loss"
        The log loss of two or more classes, AdaBoost's loss of two, or a loss of your own, see
        `coterie.losses.CustomLoss`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    multiclass : {"auto", "per_class", "vector"}, default="auto"
        With three or more classes, grow one tree per class and round, or one whose leaves hold
        the scores of all classes. "auto" is one per class.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    n_iter_, best_iteration_ : int
        Rounds that were kept; with early stopping, up to the best one.
    n_trees_per_iteration_ : int
        Trees of a round.
    train_score_, validation_score_ : ndarray of shape (n_rounds + 1,)
        With early stopping, the first of `scoring` before and after each round, larger being
        better; otherwise empty. Beside held-out rows, at most 10,000 training rows are judged.
    do_early_stopping_ : bool
        Whether early stopping was on.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which columns are categories.
    pool_ : Pool
        All trees in one flat forest, and their weights.
    start_, init_ : ndarray of shape (n_scores,), estimator or None
        The score before any tree, and the model that adds to it.
    trace_ : Trace
        Seconds, leaves, weight and scores by round.
    stop_reason_ : str
        Why boosting ended.
    estimators_ : sequence of trees, or of lists of trees
        The trees of each round, made when asked for.
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the columns in all gains or splits.

    References
    ----------
    .. [1] Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29 (2001).
    .. [2] Chen & Guestrin, "XGBoost: a scalable tree boosting system", KDD (2016).
    .. [3] Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS
       (2017).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> model = GradientBoostingClassifier(max_iter=50).fit(X_train, y_train)
    >>> model.score(X_test, y_test) > 0.95
    True
    """

    loss: Any = "log_loss"
    _: KW_ONLY
    class_weight: Any = None
    multiclass: Literal["auto", "per_class", "vector"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = GRADIENT | {
        "loss": one_of("log_loss", "exponential") | a_loss,
        "class_weight": a_class_weight,
        "multiclass": one_of("auto", "per_class", "vector"),
    }

    def _make_loss(self, target: Target) -> PointwiseLoss:
        if not isinstance(self.loss, str):
            return self.loss
        n_classes = len(target.classes[0])
        if self.loss == "exponential":
            if n_classes > 2:
                raise ParameterError(
                    f"loss='exponential' is a loss of two classes, but y has {n_classes}. Use "
                    "loss='log_loss'."
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
        elif isinstance(self.loss_, CustomLoss):
            codes = self._link(raw).argmax(axis=1)
        else:
            codes = (raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)
        return self.target_.decode(codes)

    def _link(self, raw: Array) -> Array:
        if self.n_classes_ == 1:
            return np.ones((len(raw), 1))
        shares = self.loss_.link(raw)
        shares = shares if shares.ndim == 2 else np.column_stack([1 - shares, shares])
        if shares.shape[1] != self.n_classes_:
            raise ValueError(
                f"The link of the loss gives {shares.shape[1]} probabilities for "
                f"{self.n_classes_} classes. Give the loss an `inverse`."
            )
        return shares


@dataclass(eq=False, repr=False)
class GradientBoostingRegressor(RegressorTask, GradientBooster):
    r"""Gradient boosting for numbers: scikit-learn's ``HistGradientBoostingRegressor``, and more.

    Trees are grown as in `GradientBoostingClassifier`. Where the hessian says nothing about the
    length of a step (absolute error, quantile, Huber), leaves are refitted: with the median or
    quantile of their residuals, or Huber's step from the median.

    Parameters
    ----------
    loss : str or PointwiseLoss, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "expectile", "poisson", "gamma",
        "tweedie" (the last three predict with a log link), or a loss of your own, see
        `coterie.losses.CustomLoss`.
    quantile : float or None, default=None
        Level of the quantile or expectile.
    alpha : float, default=0.9
        Huber's loss: share of the rows whose residuals count as ordinary.
    power : float, default=1.5
        Tweedie's loss: power of the mean by which the variance grows, between 1 and 2.

    Attributes
    ----------
    n_iter_, best_iteration_, n_trees_per_iteration_ : see GradientBoostingClassifier
        The same as there.
    train_score_, validation_score_, do_early_stopping_ : see GradientBoostingClassifier
        The same as there.
    is_categorical_, pool_, start_, init_, trace_, stop_reason_ : see GradientBoostingClassifier
        The same as there.
    estimators_, feature_importances_ : see GradientBoostingClassifier
        The same as there.

    References
    ----------
    .. [1] Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29 (2001).
    .. [2] Chen & Guestrin, "XGBoost: a scalable tree boosting system", KDD (2016).
    .. [3] Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS
       (2017).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = GradientBoostingRegressor(loss="quantile", quantile=0.9, max_iter=50).fit(X, y)
    >>> bool(0.85 < (y <= model.predict(X)).mean() < 0.95)
    True
    """

    loss: Any = "squared_error"
    _: KW_ONLY
    quantile: float | None = None
    alpha: float = 0.9
    power: float = 1.5

    allowed: ClassVar[Mapping[str, Allowed]] = GRADIENT | {
        "loss": one_of(*REGRESSION_LOSSES) | a_loss,
        "quantile": between(0.0, 1.0) | one_of(None),
        "alpha": _INSIDE,
        "power": between(1.0, 2.0, closed="neither"),
    }

    def _make_loss(self, target: Target) -> PointwiseLoss:
        if not isinstance(self.loss, str):
            return self.loss
        if self.loss in ("quantile", "expectile"):
            if self.quantile is None or not _INSIDE.admits(self.quantile):
                raise ParameterError(
                    f"loss={self.loss!r} needs its level: give quantile a number between 0 and 1, "
                    f"not {self.quantile!r}."
                )
            kind = QuantileLoss if self.loss == "quantile" else ExpectileLoss
            return kind(float(self.quantile))
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


#: scikit-learn's names of the same estimators.
HistGradientBoostingClassifier = GradientBoostingClassifier
HistGradientBoostingRegressor = GradientBoostingRegressor

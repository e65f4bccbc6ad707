"""Gradient boosting on native trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray

from coterie.base import a_class_weight
from coterie.base.elsewhere import where_rows_are
from coterie.boosting.gradient.faces import ClassicBooster, HistBooster
from coterie.boosting.gradient.parameters import CLASSIC, HIST
from coterie.boosting.gradient.settings import a_class_init, a_loss
from coterie.boosting.gradient.tasks import GradientClasses, GradientNumbers
from coterie.core import Allowed, between, one_of
from coterie.losses import REGRESSION_LOSSES
from coterie.tags import tagged

_CLASSES: dict[str, Allowed] = {
    "loss": one_of("log_loss", "exponential", "focal") | a_loss,
    "class_weight": a_class_weight | one_of("effective"),
    "multiclass": one_of("auto", "per_class", "vector"),
}
_NUMBERS: dict[str, Allowed] = {
    "multioutput": one_of("auto", "per_output", "vector"),
    "loss": one_of(*REGRESSION_LOSSES) | a_loss,
    "alpha": between(0.0, 1.0, closed="neither"),
    "power": between(1.0, 2.0, closed="neither"),
}


@dataclass(eq=False, repr=False)
class HistGradientBoostingClassifier(GradientClasses, HistBooster):
    r"""Gradient boosting for classification; extends scikit-learn's class of the same name.

    Every round fits a tree to the gradients of the loss at the current scores. With :math:`G` and
    :math:`H` the sums of first and second derivatives in a leaf, its value is the Newton step

    .. math:: -\frac{S_\alpha(G)}{H + \lambda}, \qquad S_\alpha(G) =
              \operatorname{sign}(G) \max(|G| - \alpha, 0),

    and the gain of a split is its increase of :math:`\sum S_\alpha(G)^2 / (H + \lambda)`. With
    three or more classes each class has its own score, and its own tree in every round.

    Parameters
    ----------
    loss : {"log_loss", "exponential", "focal"}, PointwiseLoss or callable, default="log_loss"
        The log loss for two or more classes, AdaBoost's loss for two, the focal loss for two (with
        other parameters, a `coterie.losses.FocalLoss`), or a custom loss: a function ``(y, raw) ->
        (gradient, hessian)``, see `coterie.losses.SlopesLoss`, or a `coterie.losses.CustomLoss`.
    class_weight : dict, "balanced", "effective" or None, default=None
        Weights of the classes: given explicitly; inversely proportional to their numbers of rows
        ("balanced"); or inversely proportional to their effective numbers of rows, :math:`(1 -
        0.999^n) / 0.001` (Cui et al., 2019), so that classes with thousands of rows count about the
        same ("effective").
    multiclass : {"auto", "per_class", "vector"}, default="auto"
        With three or more classes, grow one tree per class and round, or one whose leaves hold
        the scores of all classes. "auto" is one per class.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    n_iter_, best_iteration_ : int
        Rounds that were kept, and the best of them by early stopping.
    n_trees_per_iteration_ : int
        Trees of a round.
    train_score_, validation_score_ : ndarray of shape (n_rounds + 1,)
        With early stopping, the first of `scoring` before and after each round, larger being
        better; otherwise empty. In addition to held-out rows, at most 10,000 training rows are
        scored.
    do_early_stopping_ : bool
        Whether early stopping was on.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which columns are categorical.
    pool_ : Pool
        All trees in one flat forest, and their weights.
    start_, init_ : ndarray of shape (n_scores,), estimator or None
        The score before any tree, and the model that adds to it.
    trace_ : Trace
        Seconds, leaves, weight and scores by round.
    evals_result_ : dict of dict of ndarray
        Scores by round of every evaluation set, by name of the set and of the scoring.
    stop_reason_ : str
        Why boosting stopped.
    estimators_ : sequence of trees, or of lists of trees
        The trees of each round, created on access.
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
    >>> model = HistGradientBoostingClassifier(max_iter=50).fit(X_train, y_train)
    >>> model.score(X_test, y_test) > 0.95
    True
    """

    loss: Any = "log_loss"
    _: KW_ONLY
    class_weight: Any = None
    multiclass: Literal["auto", "per_class", "vector"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = HIST | _CLASSES


@dataclass(eq=False, repr=False)
class HistGradientBoostingRegressor(GradientNumbers, HistBooster):
    r"""Gradient boosting for regression; extends scikit-learn's class of the same name.

    Trees are grown as in `HistGradientBoostingClassifier`. Where the Hessian is uninformative
    (absolute error, quantile, Huber), leaves are refitted: with the median or quantile of their
    residuals, or Huber's step from the median.

    Parameters
    ----------
    loss : str, PointwiseLoss or callable, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "expectile", "mape", "fair",
        "log_cosh", "poisson", "gamma", "tweedie" (the last three predict with a log link), or a
        custom loss: a function ``(y, raw) -> (gradient, hessian)``, see
        `coterie.losses.SlopesLoss`, or a `coterie.losses.CustomLoss`.
    quantile : float or None, default=None
        Level of the quantile or expectile.
    alpha : float, default=0.9
        Huber's loss: share of the rows that are not treated as outliers.
    power : float, default=1.5
        Tweedie's loss: power of the mean by which the variance grows, between 1 and 2.
    multioutput : {"auto", "per_output", "vector"}, default="auto"
        If `y` has several columns, grow one tree per column and round, or one whose leaves hold
        the predictions of all. "auto" is one per column.

    Attributes
    ----------
    n_iter_, best_iteration_, n_trees_per_iteration_ : see HistGradientBoostingClassifier
        As documented there.
    train_score_, validation_score_, do_early_stopping_ : see HistGradientBoostingClassifier
        As documented there.
    is_categorical_, pool_, start_, init_, trace_, stop_reason_ : see HistGradientBoostingClassifier
        As documented there.
    estimators_, feature_importances_ : see HistGradientBoostingClassifier
        As documented there.

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
    >>> model = HistGradientBoostingRegressor(loss="quantile", quantile=0.9, max_iter=50).fit(X, y)
    >>> bool(0.85 < (y <= model.predict(X)).mean() < 0.95)
    True
    """

    loss: Any = "squared_error"
    _: KW_ONLY
    quantile: float | None = None
    alpha: float = 0.9
    power: float = 1.5
    multioutput: Literal["auto", "per_output", "vector"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = (
        HIST | _NUMBERS | {"quantile": between(0.0, 1.0) | one_of(None)}
    )

    @property
    def _level(self) -> float | None:
        return self.quantile


@tagged
@dataclass(eq=False, repr=False)
class GradientBoostingClassifier(GradientClasses, ClassicBooster):
    r"""Gradient boosting for classification; extends scikit-learn's class of the same name.

    Every round fits a tree of few levels to the negative gradients of the loss at the scores so
    far, by least squares. With :math:`G` and :math:`H` the sums of first and second derivatives in
    a leaf, its value is then the Newton step :math:`-G / H`. With :math:`K > 2` classes each class
    has its own score, and its own tree in every round, and leaves take :math:`(K - 1) / K` of the
    step.

    Columns are binned into at most `max_bins` bins, which makes no difference for columns with
    fewer distinct values. `HistGradientBoostingClassifier` also uses Hessians to choose splits,
    grows larger trees and stops early on large tables.

    Parameters
    ----------
    loss : {"log_loss", "exponential", "focal"}, PointwiseLoss or callable, default="log_loss"
        The log loss for two or more classes, AdaBoost's loss for two, the focal loss for two (with
        other parameters, a `coterie.losses.FocalLoss`), or a custom loss: a function ``(y, raw) ->
        (gradient, hessian)``, see `coterie.losses.SlopesLoss`, or a `coterie.losses.CustomLoss`.
    class_weight : dict, "balanced", "effective" or None, default=None
        Weights of the classes: given explicitly; inversely proportional to their numbers of rows
        ("balanced"); or inversely proportional to their effective numbers of rows, :math:`(1 -
        0.999^n) / 0.001` (Cui et al., 2019), so that classes with thousands of rows count about the
        same ("effective").
    multiclass : {"auto", "per_class", "vector"}, default="auto"
        With three or more classes, grow one tree per class and round, or one whose leaves hold
        the scores of all classes. "auto" is one per class.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    n_estimators_ : int
        Rounds that were kept.
    estimators_ : ndarray of DecisionTreeRegressor of shape (n_rounds, n_trees)
        The trees of each round, created on access. Assigning an array of trees replaces them.
    init_ : estimator or "zero"
        The initial model.
    train_score_ : ndarray of shape (n_rounds,)
        Loss after each round, on the rows used in it.
    oob_scores_, oob_improvement_ : ndarray of shape (n_rounds,)
        Loss on the rows that each round left out, and its decrease. Only if ``subsample < 1``.
    oob_score_ : float
        The last of ``oob_scores_``.
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the columns in all gains or splits.
    max_features_, n_trees_per_iteration_, best_iteration_ : int
        Columns looked at per node; trees of a round; the best round by early stopping.
    pool_, trace_, stop_reason_ : see HistGradientBoostingClassifier
        As documented there.

    References
    ----------
    .. [1] Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29 (2001).
    .. [2] Friedman, "Stochastic gradient boosting", Comput. Stat. Data Anal. 38 (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> model = GradientBoostingClassifier(n_estimators=50).fit(X_train, y_train)
    >>> model.score(X_test, y_test) > 0.95
    True
    >>> model.estimators_.shape, model.estimators_[0, 0].get_depth()
    ((50, 1), 3)
    """

    file_tag: ClassVar[str] = "ClassicGradientBoostingClassifier"

    _: KW_ONLY
    loss: Any = "log_loss"
    class_weight: Any = None
    multiclass: Literal["auto", "per_class", "vector"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = CLASSIC | _CLASSES | {"init": a_class_init}
    min_classes: ClassVar[int] = 2  # as in scikit-learn

    @where_rows_are
    def apply(self, X: Any, n_rounds: int | None = None) -> NDArray[np.int64]:
        """The leaf that each row reaches in each tree, as a node number.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        n_rounds : int, optional
            Use only this many first rounds; by default all of them.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators, n_classes)
            With two classes, there is a single column.
        """
        leaves = super().apply(X, n_rounds)
        return leaves.reshape(len(leaves), n_rounds or self.n_iter_, -1)


@tagged
@dataclass(eq=False, repr=False)
class GradientBoostingRegressor(GradientNumbers, ClassicBooster):
    r"""Gradient boosting for regression; extends scikit-learn's class of the same name.

    Trees are grown as in `GradientBoostingClassifier`. Depending on the loss, leaves get the mean,
    median or quantile of their residuals, or Huber's step from the median.

    Parameters
    ----------
    loss : str, PointwiseLoss or callable, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "expectile", "mape", "fair",
        "log_cosh", "poisson", "gamma", "tweedie" (the last three predict with a log link), or a
        custom loss: a function ``(y, raw) -> (gradient, hessian)``, see
        `coterie.losses.SlopesLoss`, or a `coterie.losses.CustomLoss`.
    alpha : float, default=0.9
        Level of the quantile or expectile; with Huber's loss, the share of the rows that are not
        treated as outliers.
    power : float, default=1.5
        Tweedie's loss: power of the mean by which the variance grows, between 1 and 2.
    multioutput : {"auto", "per_output", "vector"}, default="auto"
        If `y` has several columns, grow one tree per column and round, or one whose leaves hold
        the predictions of all. "auto" is one per column.

    Attributes
    ----------
    n_estimators_, estimators_, init_, train_score_ : see GradientBoostingClassifier
        As documented there.
    oob_scores_, oob_improvement_, oob_score_ : see GradientBoostingClassifier
        As documented there.
    feature_importances_, max_features_, best_iteration_ : see GradientBoostingClassifier
        As documented there.
    pool_, trace_, stop_reason_ : see HistGradientBoostingClassifier
        As documented there.

    References
    ----------
    .. [1] Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29 (2001).
    .. [2] Friedman, "Stochastic gradient boosting", Comput. Stat. Data Anal. 38 (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = GradientBoostingRegressor(loss="quantile", alpha=0.9, n_estimators=50).fit(X, y)
    >>> bool(0.85 < (y <= model.predict(X)).mean() < 0.95)
    True
    """

    file_tag: ClassVar[str] = "ClassicGradientBoostingRegressor"

    _: KW_ONLY
    loss: Any = "squared_error"
    alpha: float = 0.9
    power: float = 1.5
    multioutput: Literal["auto", "per_output", "vector"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = CLASSIC | _NUMBERS


# scikit-learn and its clients accept these wherever they ask for classes of scikit-learn.
for _theirs, _ours in (
    (sklearn.ensemble.GradientBoostingClassifier, GradientBoostingClassifier),
    (sklearn.ensemble.GradientBoostingRegressor, GradientBoostingRegressor),
    (sklearn.ensemble.HistGradientBoostingClassifier, HistGradientBoostingClassifier),
    (sklearn.ensemble.HistGradientBoostingRegressor, HistGradientBoostingRegressor),
):
    _theirs.register(_ours)

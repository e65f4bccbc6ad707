"""Forests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray

from coterie.base import ClassifierTask, RegressorTask, a_class_weight
from coterie.core import (
    Allowed,
    a_function,
    a_sampler,
    at_least,
    between,
    instance_of,
    one_of,
)
from coterie.core.samplers import MAX_DRAWS
from coterie.forests.many import ManyTrees
from coterie.trees.growth import LABELS, SHAPE, VALUES, drop_friedman
from coterie.trees.single import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    recursion,
)

_TRUTH = one_of(True, False)
FOREST = SHAPE | {
    "n_estimators": at_least(1),
    "bootstrap": _TRUTH,
    "oob_score": _TRUTH | a_function | instance_of(str),
    "verbose": at_least(0) | _TRUTH,
    "warm_start": _TRUTH,
    "max_samples": at_least(1) | between(0.0, float(MAX_DRAWS), closed="right") | one_of(None),
    "oob_patience": at_least(1) | one_of(None),
    "tol": at_least(0.0),
    "draw": a_sampler,
}
_LABELS = LABELS | {"class_weight": a_class_weight | one_of("balanced_subsample")}


@dataclass(eq=False, repr=False, kw_only=True)
class RandomForestClassifier(ClassifierTask, ManyTrees):
    """A random forest, a drop-in replacement for ``sklearn.ensemble.RandomForestClassifier``.

    Every tree is grown on a bootstrap sample of the rows, and every split is chosen among a random
    subset of the columns; the prediction is the class with the highest mean probability.

    The same seed gives the same forest whatever the order of the rows and whatever `n_jobs`.
    (Beyond 200,000 rows, columns with more than `max_bins` distinct values are binned by a sample
    of the rows, which depends on their order.) As in scikit-learn 1.9, bags are drawn by the
    weights of the rows, and all out-of-bag rows count equally. With ``draw="repeats"`` a row with
    integer weight k counts as k rows instead, both in and out of the bags; weights that are not
    integers, or above 100 on average, then multiply the counts of a bag.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity of a node.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default="sqrt"
        Number of columns considered per node, not counting those constant in the node; "log2+1" is
        Breiman's choice.
    class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes; "balanced_subsample" balances every bag separately.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    estimators_, estimators_samples_ : sequence of trees, list of ndarray
        The trees, and the rows in their bags; both created on access.
    pool_ : Pool
        All trees in one flat forest; ``pool_[:t]`` is the forest of the first t.
    feature_importances_ : ndarray of shape (n_features,)
        Mean share of each column in the decrease of impurity.
    oob_score_, oob_coverage_ : float
        Out-of-bag score, and the share of rows that have an out-of-bag vote.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag probabilities, NaN for rows without a vote or of weight zero.
    oob_curve_ : OobCurve
        Out-of-bag error by number of trees, see also `oob_curve`.

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> 0.93 < forest.oob_score_ < 0.97
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = FOREST | _LABELS
    member_class: ClassVar[type] = DecisionTreeClassifier

    criterion: str = "gini"
    max_features: float | str | None = "sqrt"
    class_weight: Any = None


@dataclass(eq=False, repr=False, kw_only=True)
class RandomForestRegressor(RegressorTask, ManyTrees):
    """A random forest, a drop-in replacement for ``sklearn.ensemble.RandomForestRegressor``.

    Every tree is grown on a bootstrap sample of the rows; the prediction is the mean of theirs.
    Weights and the order of rows are treated as in `RandomForestClassifier`.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        Impurity of a node, "squared_error" by default; "absolute_error" puts medians in the
        leaves. "friedman_mse" is deprecated: it chooses the same splits as "squared_error".
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default=1.0
        Columns drawn per node: all by default; "third" is the usual choice for regression.
    oob_score : bool, str or callable, default=False
        As in `RandomForestClassifier`, with R² when True.

    Attributes
    ----------
    estimators_, estimators_samples_, pool_, feature_importances_ : see RandomForestClassifier
        As documented there.
    oob_score_, oob_coverage_, oob_curve_ : see RandomForestClassifier
        As documented there.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Out-of-bag predictions, NaN for rows without a vote or of weight zero.

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(oob_score=True, random_state=0).fit(X, y)
    >>> 0.35 < forest.oob_score_ < 0.5
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = FOREST | VALUES
    member_class: ClassVar[type] = DecisionTreeRegressor

    def __post_init__(self) -> None:
        drop_friedman(self)

    def _compute_partial_dependence_recursion(
        self, grid: NDArray[Any], target_features: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """What scikit-learn's `partial_dependence` asks for: outputs by points of a grid."""
        return recursion(self, grid, target_features)


@dataclass(eq=False, repr=False, kw_only=True)
class ExtraTreesClassifier(ClassifierTask, ManyTrees):
    """Extremely randomised trees, a drop-in replacement for scikit-learn's class of the same name.

    At each node a threshold is drawn at random for each of a few columns, and the best of these
    splits is kept. Trees see all rows by default.

    Parameters
    ----------
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default="sqrt"
        Columns drawn per node.
    bootstrap : bool, default=False
        Whether trees see bootstrap samples, or all rows.
    criterion, class_weight : see RandomForestClassifier
        As documented there.

    Attributes
    ----------
    classes_, estimators_, estimators_samples_, pool_ : see RandomForestClassifier
        As documented there.
    feature_importances_, oob_score_, oob_decision_function_ : see RandomForestClassifier
        As documented there.

    References
    ----------
    .. [1] Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    allowed: ClassVar[Mapping[str, Allowed]] = FOREST | _LABELS
    member_class: ClassVar[type] = ExtraTreeClassifier
    random_thresholds: ClassVar[bool] = True

    criterion: str = "gini"
    max_features: float | str | None = "sqrt"
    bootstrap: bool = False
    class_weight: Any = None


@dataclass(eq=False, repr=False, kw_only=True)
class ExtraTreesRegressor(RegressorTask, ManyTrees):
    """Extremely randomised trees, a drop-in replacement for scikit-learn's class of the same name.

    At each node a threshold is drawn at random for each column, and the best of these splits is
    kept. Trees see all rows by default.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        Impurity of a node, "squared_error" by default; "absolute_error" puts medians in the
        leaves. "friedman_mse" is deprecated: it chooses the same splits as "squared_error".
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default=1.0
        Columns drawn per node: all by default.
    bootstrap : bool, default=False
        Whether trees see bootstrap samples, or all rows.

    Attributes
    ----------
    estimators_, estimators_samples_, pool_, feature_importances_ : see RandomForestRegressor
        As documented there.
    oob_score_, oob_prediction_ : see RandomForestRegressor
        As documented there.

    References
    ----------
    .. [1] Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreesRegressor(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    allowed: ClassVar[Mapping[str, Allowed]] = FOREST | VALUES
    member_class: ClassVar[type] = ExtraTreeRegressor
    random_thresholds: ClassVar[bool] = True

    bootstrap: bool = False

    def __post_init__(self) -> None:
        drop_friedman(self)


# scikit-learn and its clients accept these wherever they ask for classes of scikit-learn.
for _theirs, _ours in (
    (sklearn.ensemble.RandomForestClassifier, RandomForestClassifier),
    (sklearn.ensemble.RandomForestRegressor, RandomForestRegressor),
    (sklearn.ensemble.ExtraTreesClassifier, ExtraTreesClassifier),
    (sklearn.ensemble.ExtraTreesRegressor, ExtraTreesRegressor),
):
    _theirs.register(_ours)

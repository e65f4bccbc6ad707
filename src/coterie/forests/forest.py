"""Forests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from coterie.base import ClassifierTask, RegressorTask, a_class_weight
from coterie.core import (
    Allowed,
    RandomLike,
    a_function,
    a_sampler,
    at_least,
    between,
    instance_of,
    one_of,
)
from coterie.core.samplers import MAX_DRAWS
from coterie.forests.many import ManyTrees
from coterie.trees.growth import LABELS, SHAPE, VALUES
from coterie.trees.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

_TRUTH = one_of(True, False)
_FOREST = SHAPE | {
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


@dataclass(eq=False, repr=False)
class RandomForestClassifier(ClassifierTask, ManyTrees):
    """A random forest, drop-in for ``sklearn.ensemble.RandomForestClassifier``.

    Every tree is grown on a bootstrap sample of the rows, and every split chosen among a few
    columns drawn at random; the prediction is the class of highest mean probability.

    The same seed gives the same forest whatever the order of the rows and whatever `n_jobs`, and
    a row of whole-number weight k counts as k rows: the bootstrap draws from rows ordered by
    content, each as often as it is repeated. (Beyond 200,000 rows, columns with more than
    `max_bins` different values are cut by a sample of the rows, which their order decides.)
    Weights that are not whole numbers, or above 100 on average, are importances: they do not
    change the draw and multiply the counts.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity of a node.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf : int or float
        Limits of every tree, see `DecisionTreeClassifier`; by default trees grow in full.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default="sqrt"
        Columns drawn per node, not counting those constant in the node; "log2+1" is Breiman's.
    max_leaf_nodes, min_impurity_decrease : int or float
        More limits, see `DecisionTreeClassifier`.
    bootstrap : bool, default=True
        Whether trees see bootstrap samples, or all rows.
    oob_score : bool, str or callable, default=False
        Whether to judge the forest by out-of-bag rows: with accuracy, or by the name of a
        scorer, a scorer, or ``metric(y_true, y_pred)``.
    n_jobs : int, default=None
        Trees grown at a time.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; tree t depends on it and on t only.
    verbose : int, default=0
        Progress messages.
    warm_start : bool, default=False
        Whether `fit` adds trees to those of the last fit.
    class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes; "balanced_subsample" balances every bag by itself.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning.
    max_samples : int or float, default=None
        Rows drawn per tree; a float is a fraction of the rows, None is all of them.
    monotonic_cst, max_bins, categorical_features : see DecisionTreeClassifier
        The same as there.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    estimators_, estimators_samples_ : sequence of trees, list of ndarray
        The trees, and the rows in their bags; both made when asked for.
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

    allowed: ClassVar[Mapping[str, Allowed]] = _FOREST | _LABELS
    member_class: ClassVar[type] = DecisionTreeClassifier

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = "sqrt"
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: Any = False
    n_jobs: int | None = None
    random_state: RandomLike = None
    verbose: int = 0
    warm_start: bool = False
    class_weight: Any = None
    ccp_alpha: float = 0.0
    max_samples: float | None = None
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    oob_patience: int | None = None
    tol: float = 0.0
    draw: Any = None


@dataclass(eq=False, repr=False)
class RandomForestRegressor(RegressorTask, ManyTrees):
    """A random forest, drop-in for ``sklearn.ensemble.RandomForestRegressor``.

    Every tree is grown on a bootstrap sample of the rows; the prediction is the mean of theirs.
    What `RandomForestClassifier` says about weights and the order of rows holds here too.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}
        Impurity of a node, "squared_error" by default.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default=1.0
        Columns drawn per node: all by default; "third" is the usual choice for regression.
    oob_score : bool, str or callable, default=False
        As in `RandomForestClassifier`, with R² when True.
    n_estimators, max_depth, min_samples_split, min_samples_leaf : see RandomForestClassifier
        The same as there.
    min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease : see RandomForestClassifier
        The same as there.
    bootstrap, n_jobs, random_state, verbose, warm_start : see RandomForestClassifier
        The same as there.
    ccp_alpha, max_samples : see RandomForestClassifier
        The same as there.
    monotonic_cst, max_bins, categorical_features : see DecisionTreeRegressor
        The same as there.

    Attributes
    ----------
    estimators_, estimators_samples_, pool_, feature_importances_ : see RandomForestClassifier
        The same as there.
    oob_score_, oob_coverage_, oob_curve_ : see RandomForestClassifier
        The same as there.
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

    allowed: ClassVar[Mapping[str, Allowed]] = _FOREST | VALUES
    member_class: ClassVar[type] = DecisionTreeRegressor

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "squared_error"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = 1.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: Any = False
    n_jobs: int | None = None
    random_state: RandomLike = None
    verbose: int = 0
    warm_start: bool = False
    ccp_alpha: float = 0.0
    max_samples: float | None = None
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    oob_patience: int | None = None
    tol: float = 0.0
    draw: Any = None


@dataclass(eq=False, repr=False)
class ExtraTreesClassifier(ClassifierTask, ManyTrees):
    """Extremely randomised trees, drop-in for ``sklearn.ensemble.ExtraTreesClassifier``.

    Trees see all rows by default. At a node a threshold is drawn at random for each of a few
    columns, and the best of these splits is kept.

    Parameters
    ----------
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default="sqrt"
        Columns drawn per node.
    bootstrap : bool, default=False
        Whether trees see bootstrap samples, or all rows.
    n_estimators, criterion, max_depth, min_samples_split : see RandomForestClassifier
        The same as there.
    min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes : see RandomForestClassifier
        The same as there.
    min_impurity_decrease, oob_score, n_jobs, random_state, verbose : see RandomForestClassifier
        The same as there.
    warm_start, class_weight, ccp_alpha, max_samples : see RandomForestClassifier
        The same as there.
    monotonic_cst, max_bins, categorical_features : see DecisionTreeClassifier
        The same as there.

    Attributes
    ----------
    classes_, estimators_, estimators_samples_, pool_ : see RandomForestClassifier
        The same as there.
    feature_importances_, oob_score_, oob_decision_function_ : see RandomForestClassifier
        The same as there.

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

    allowed: ClassVar[Mapping[str, Allowed]] = _FOREST | _LABELS
    member_class: ClassVar[type] = ExtraTreeClassifier
    random_thresholds: ClassVar[bool] = True

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = "sqrt"
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = False
    oob_score: Any = False
    n_jobs: int | None = None
    random_state: RandomLike = None
    verbose: int = 0
    warm_start: bool = False
    class_weight: Any = None
    ccp_alpha: float = 0.0
    max_samples: float | None = None
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    oob_patience: int | None = None
    tol: float = 0.0
    draw: Any = None


@dataclass(eq=False, repr=False)
class ExtraTreesRegressor(RegressorTask, ManyTrees):
    """Extremely randomised trees, drop-in for ``sklearn.ensemble.ExtraTreesRegressor``.

    Trees see all rows by default. At a node a threshold is drawn at random for each column, and
    the best of these splits is kept.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}
        Impurity of a node, "squared_error" by default.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default=1.0
        Columns drawn per node: all by default.
    bootstrap : bool, default=False
        Whether trees see bootstrap samples, or all rows.
    n_estimators, max_depth, min_samples_split, min_samples_leaf : see RandomForestRegressor
        The same as there.
    min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease : see RandomForestRegressor
        The same as there.
    oob_score, n_jobs, random_state, verbose, warm_start : see RandomForestRegressor
        The same as there.
    ccp_alpha, max_samples : see RandomForestRegressor
        The same as there.
    monotonic_cst, max_bins, categorical_features : see DecisionTreeRegressor
        The same as there.

    Attributes
    ----------
    estimators_, estimators_samples_, pool_, feature_importances_ : see RandomForestRegressor
        The same as there.
    oob_score_, oob_prediction_ : see RandomForestRegressor
        The same as there.

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

    allowed: ClassVar[Mapping[str, Allowed]] = _FOREST | VALUES
    member_class: ClassVar[type] = ExtraTreeRegressor
    random_thresholds: ClassVar[bool] = True

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "squared_error"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = 1.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = False
    oob_score: Any = False
    n_jobs: int | None = None
    random_state: RandomLike = None
    verbose: int = 0
    warm_start: bool = False
    ccp_alpha: float = 0.0
    max_samples: float | None = None
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    oob_patience: int | None = None
    tol: float = 0.0
    draw: Any = None

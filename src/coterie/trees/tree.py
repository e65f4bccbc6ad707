"""Single trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from coterie.core import Allowed, RandomLike, one_of
from coterie.trees.growth import LABELS, SHAPE, VALUES
from coterie.trees.single import SingleTree, TreeClassifierTask, TreeRegressorTask

_SPLITTER = {"splitter": one_of("best", "random")}


@dataclass(eq=False, repr=False)
class DecisionTreeClassifier(TreeClassifierTask, SingleTree):
    """A classification tree, drop-in for ``sklearn.tree.DecisionTreeClassifier``.

    Every split is the one that lowers the impurity of the node most. Columns with more than
    `max_bins` different values are cut into that many groups first; with fewer, splits are
    exactly those of CART. Missing values go where they help; categories are split into sets.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity of a node; "entropy" and "log_loss" are the same.
    splitter : {"best", "random"}, default="best"
        The best threshold of each column, or one drawn at random.
    max_depth : int, default=None
        Largest number of splits on a path.
    min_samples_split : int or float, default=2
        Fewest rows of a node to be split; a float is a fraction of the rows.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight in a leaf.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default=None
        Columns drawn per node; a float is a fraction, "log2+1" Breiman's ⌊log2 d + 1⌋.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    max_leaf_nodes : int, default=None
        Largest number of leaves; the best splits are made first.
    min_impurity_decrease : float, default=0.0
        Smallest weighted decrease of impurity worth a split.
    class_weight : dict, list of dicts, "balanced" or None, default=None
        Weights of the classes.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        1 or -1 where the probability of the second class must rise or fall with a column.
    max_bins : int, default=65535
        Groups a column is cut into, at most 65535; with up to 255,
        trees take less time and half the memory, but deep ones lose accuracy on fine columns.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories (names, positions or a mask), besides those
        of text or of a categorical type, which always are.
    n_jobs : int, default=None
        Threads; the tree does not depend on it.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    tree_ : TreeView
        The nodes under scikit-learn's names.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of impurity.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees" (1984).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> DecisionTreeClassifier(max_depth=2).fit(X, y).score(X, y)
    0.96
    """

    allowed: ClassVar[Mapping[str, Allowed]] = SHAPE | LABELS | _SPLITTER

    _: KW_ONLY
    criterion: str = "gini"
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = None
    random_state: RandomLike = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    class_weight: Any = None
    ccp_alpha: float = 0.0
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = None


@dataclass(eq=False, repr=False)
class DecisionTreeRegressor(TreeRegressorTask, SingleTree):
    """A regression tree, drop-in for ``sklearn.tree.DecisionTreeRegressor``.

    Every split is the one that lowers the impurity of the node most; what
    `DecisionTreeClassifier` says about bins, missing values and categories holds here too.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}
        Impurity of a node, "squared_error" by default; "friedman_mse" chooses the same splits,
        "absolute_error" puts medians in the leaves.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        1 or -1 where the prediction must rise or fall with a column.
    splitter, max_depth, min_samples_split, min_samples_leaf : see DecisionTreeClassifier
        The same as there.
    min_weight_fraction_leaf, max_features, random_state : see DecisionTreeClassifier
        The same as there.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha : see DecisionTreeClassifier
        The same as there.
    max_bins, categorical_features, n_jobs : see DecisionTreeClassifier
        The same as there.

    Attributes
    ----------
    tree_ : TreeView
        The nodes under scikit-learn's names.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of impurity.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees" (1984).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(DecisionTreeRegressor(max_depth=3).fit(X, y).score(X, y), 2)
    0.5
    """

    allowed: ClassVar[Mapping[str, Allowed]] = SHAPE | VALUES | _SPLITTER

    _: KW_ONLY
    criterion: str = "squared_error"
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = None
    random_state: RandomLike = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = None


@dataclass(eq=False, repr=False)
class ExtraTreeClassifier(TreeClassifierTask, SingleTree):
    """An extremely randomised tree, drop-in for ``sklearn.tree.ExtraTreeClassifier``.

    At each node a threshold is drawn at random for each of `max_features` columns, and the best
    of these splits is kept. Meant as a member of ensembles.

    Parameters
    ----------
    splitter : {"random", "best"}, default="random"
        A threshold drawn at random for each column, or the best.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default="sqrt"
        Columns drawn per node.
    criterion, max_depth, min_samples_split, min_samples_leaf : see DecisionTreeClassifier
        The same as there.
    min_weight_fraction_leaf, random_state, max_leaf_nodes : see DecisionTreeClassifier
        The same as there.
    min_impurity_decrease, class_weight, ccp_alpha, monotonic_cst : see DecisionTreeClassifier
        The same as there.
    max_bins, categorical_features, n_jobs : see DecisionTreeClassifier
        The same as there.

    Attributes
    ----------
    classes_, tree_, feature_importances_ : see DecisionTreeClassifier
        The same as there.

    References
    ----------
    .. [1] Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    allowed: ClassVar[Mapping[str, Allowed]] = SHAPE | LABELS | _SPLITTER

    _: KW_ONLY
    criterion: str = "gini"
    splitter: str = "random"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = "sqrt"
    random_state: RandomLike = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    class_weight: Any = None
    ccp_alpha: float = 0.0
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = None


@dataclass(eq=False, repr=False)
class ExtraTreeRegressor(TreeRegressorTask, SingleTree):
    """An extremely randomised tree, drop-in for ``sklearn.tree.ExtraTreeRegressor``.

    At each node a threshold is drawn at random for each of `max_features` columns, and the best
    of these splits is kept. Meant as a member of ensembles.

    Parameters
    ----------
    splitter : {"random", "best"}, default="random"
        A threshold drawn at random for each column, or the best.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default=1.0
        Columns drawn per node.
    criterion, max_depth, min_samples_split, min_samples_leaf : see DecisionTreeRegressor
        The same as there.
    min_weight_fraction_leaf, random_state, min_impurity_decrease : see DecisionTreeRegressor
        The same as there.
    max_leaf_nodes, ccp_alpha, monotonic_cst : see DecisionTreeRegressor
        The same as there.
    max_bins, categorical_features, n_jobs : see DecisionTreeRegressor
        The same as there.

    Attributes
    ----------
    tree_, feature_importances_ : see DecisionTreeRegressor
        The same as there.

    References
    ----------
    .. [1] Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreeRegressor(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    allowed: ClassVar[Mapping[str, Allowed]] = SHAPE | VALUES | _SPLITTER

    _: KW_ONLY
    criterion: str = "squared_error"
    splitter: str = "random"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = 1.0
    random_state: RandomLike = None
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    ccp_alpha: float = 0.0
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = None

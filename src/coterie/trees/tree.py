"""Single trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from coterie.base.signature import in_order
from coterie.core import Allowed, one_of
from coterie.trees.growth import LABELS, SHAPE, VALUES
from coterie.trees.single import SingleTree, TreeClassifierTask, TreeRegressorTask

_SPLITTER = {"splitter": one_of("best", "random")}


@dataclass(eq=False, repr=False, kw_only=True)
class DecisionTreeClassifier(TreeClassifierTask, SingleTree):
    """A classification tree, drop-in for ``sklearn.tree.DecisionTreeClassifier``.

    Every split is the one that lowers the impurity of the node most. Columns with more than
    `max_bins` different values are cut into that many groups first; with fewer, splits are
    exactly those of CART. Missing values go where they help; categories are split into sets.

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


@dataclass(eq=False, repr=False, kw_only=True)
class DecisionTreeRegressor(TreeRegressorTask, SingleTree):
    """A regression tree, drop-in for ``sklearn.tree.DecisionTreeRegressor``.

    Every split is the one that lowers the impurity of the node most; what
    `DecisionTreeClassifier` says about bins, missing values and categories holds here too.

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


@dataclass(eq=False, repr=False, kw_only=True)
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

    splitter: str = "random"
    max_features: float | str | None = "sqrt"


@in_order("min_impurity_decrease", "max_leaf_nodes")  # as in scikit-learn
@dataclass(eq=False, repr=False, kw_only=True)
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

    splitter: str = "random"
    max_features: float | str | None = 1.0

"""Single trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.tree
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import UNUSED

from coterie.base import (
    Admitted,
    ClassifierTask,
    Committee,
    RegressorTask,
    class_factors,
    thread_count,
    times,
)
from coterie.base.signature import in_order
from coterie.core import Allowed, Pool, RandomLike, draw_entropy, growing_stream, one_of
from coterie.learners import TreeLearner
from coterie.trees.growth import (
    LABELS,
    SHAPE,
    VALUES,
    drop_friedman,
    resolve_growth,
    resolve_max_features,
)
from coterie.trees.view import TreeView, numbered_leaves, numbered_paths

# scikit-learn's trees take `check_input`; it has no effect here, and is no metadata.
_NO_METADATA = {"check_input": UNUSED}


@dataclass(eq=False, repr=False, kw_only=True)
class TreeClassifierTask(ClassifierTask):
    """A classifier that takes scikit-learn's `check_input`.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity of a node; "entropy" and "log_loss" are the same.
    class_weight : dict, list of dicts, "balanced" or None, default=None
        Weights of the classes.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        1 or -1 where the probability of the second class must rise or fall with a column.
    """

    criterion: str = "gini"
    class_weight: Any = None

    __metadata_request__predict: ClassVar = _NO_METADATA
    __metadata_request__predict_proba: ClassVar = _NO_METADATA

    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """The most probable class of the leaf; in case of ties, the first in ``classes_``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        check_input : bool
            Accepted for compatibility with scikit-learn; input is always checked.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return super().predict(X)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Class probabilities: shares of the weight in the leaf.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        check_input : bool
            Accepted for compatibility with scikit-learn; input is always checked.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of such arrays
        """
        return super().predict_proba(X)


class TreeRegressorTask(RegressorTask):
    """A regressor that takes scikit-learn's `check_input`.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        Impurity of a node, "squared_error" by default; "absolute_error" puts medians in the
        leaves. "friedman_mse" is deprecated: it chooses the same splits as "squared_error".
    monotonic_cst : array-like of int of shape (n_features,), default=None
        1 or -1 where the prediction must rise or fall with a column.
    """

    __metadata_request__predict: ClassVar = _NO_METADATA

    def __post_init__(self) -> None:
        drop_friedman(self)

    def _compute_partial_dependence_recursion(
        self, grid: NDArray[Any], target_features: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """What scikit-learn's `partial_dependence` asks for: outputs by points of a grid."""
        return recursion(self, grid, target_features)

    def predict(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """The value of the leaf.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        check_input : bool
            Accepted for compatibility with scikit-learn; input is always checked.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return super().predict(X)


@dataclass(eq=False, repr=False, kw_only=True)
class SingleTree(Committee):
    """A committee of one native tree.

    Parameters
    ----------
    splitter : {"best", "random"}, default="best"
        The best threshold of each column, or one drawn at random.
    max_depth : int, default=None
        Largest number of splits on a path.
    min_samples_split : int or float, default=2
        Minimum number of rows in a node to be split; a float is a fraction of the rows.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight in a leaf.
    max_features : int, float, {"sqrt", "log2", "log2+1", "third"} or None, default=None
        Columns drawn per node; a float is a fraction, "log2+1" Breiman's ⌊log2 d + 1⌋.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    max_leaf_nodes : int, default=None
        Largest number of leaves; the best splits are made first.
    min_impurity_decrease : float, default=0.0
        Minimum weighted decrease of impurity for a split.
    ccp_alpha : float, default=0.0
        Penalty per leaf in minimal cost-complexity pruning.
    max_bins : int, default=65535
        Maximum number of bins per column, at most 65535.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical (names, positions or a mask), besides those of text
        or of a categorical type, which always are.
    n_jobs : int, default=None
        Number of threads; the tree does not depend on it.

    Attributes set by `fit`: ``pool_`` (the tree), ``max_features_``, ``n_outputs_``, and what the
    columns and the task add.
    """

    answers_by = "mean"
    keeps_classes = True

    __metadata_request__fit: ClassVar = _NO_METADATA

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
    #: Classifiers have it as a parameter.
    class_weight: Any = field(default=None, init=False)
    ccp_alpha: float = 0.0
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.
        check_input : bool
            Accepted for compatibility with scikit-learn; input is always checked.

        Returns
        -------
        self
        """
        return super().fit(X, y, sample_weight)

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` uses only the binned values: always."""
        return True

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        threads = thread_count(self.n_jobs)
        growth = resolve_growth(self, table, target, random_thresholds=self.splitter == "random")
        factors = class_factors(self.class_weight, target, weight)
        learner = TreeLearner(
            growth, self.min_weight_fraction_leaf, float(self.ccp_alpha), n_threads=threads
        )
        table = table.bin(weight=weight, max_bins=self.max_bins, n_threads=threads)
        stream = growing_stream(draw_entropy(self.random_state))
        tree = learner.fit(table, target, times(weight, factors), stream)
        draft.max_features_ = resolve_max_features(self.max_features, table.n_columns)
        draft.pool_ = Pool.of([tree])

    @property
    def tree_(self) -> TreeView:
        """The nodes under scikit-learn's names, see `coterie.trees.TreeView`."""
        this = self._settled()
        classes = this.target_.n_classes or (1,) * this.n_outputs_
        return TreeView(this.pool_, classes)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total decrease of impurity."""
        return self.tree_.compute_feature_importances()

    def get_depth(self) -> int:
        """Number of splits on the longest path from the root to a leaf."""
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree_.n_leaves

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.int64]:
        """The leaf each row ends in, as a node number of ``tree_``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        check_input : bool
            Accepted for compatibility with scikit-learn; input is always checked.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return numbered_leaves(this.pool_, this._admit(X))[:, 0]

    def decision_path(self, X: Any, check_input: bool = True) -> sparse.csr_matrix:
        """The nodes each row passes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        check_input : bool
            Accepted for compatibility with scikit-learn; input is always checked.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            Ones where a row passes a node.
        """
        this = self._settled()
        return numbered_paths(this.pool_, this._admit(X))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The values of ``ccp_alpha`` at which the tree loses branches.

        Parameters
        ----------
        X, y, sample_weight : array-like
            As in `fit`.

        Returns
        -------
        Bunch
            ``ccp_alphas``, and ``impurities``: the total impurity of the leaves at each.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        alphas, impurities = whole.pool_.forest.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)


_SPLITTER = {"splitter": one_of("best", "random")}


@dataclass(eq=False, repr=False, kw_only=True)
class DecisionTreeClassifier(TreeClassifierTask, SingleTree):
    """A classification tree, a drop-in replacement for ``sklearn.tree.DecisionTreeClassifier``.

    Every split is the one that reduces the impurity of the node most. Columns with more than
    `max_bins` distinct values are binned first; with fewer, splits are exactly those of CART.
    Missing values go to the side that is better for training; categories are split into sets.

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
    """A regression tree, a drop-in replacement for ``sklearn.tree.DecisionTreeRegressor``.

    Every split is the one that reduces the impurity of the node most; bins, missing values and
    categories are treated as in `DecisionTreeClassifier`.

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
    """An extremely randomised tree, a drop-in replacement for ``sklearn.tree.ExtraTreeClassifier``.

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
        As documented there.

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
    """An extremely randomised tree, a drop-in replacement for ``sklearn.tree.ExtraTreeRegressor``.

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
        As documented there.

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


def recursion(
    model: Any, grid: NDArray[Any], columns: NDArray[np.intp], *, mean: bool = True
) -> NDArray[np.float64]:
    """Partial dependence on columns of an ensemble of native trees, shape (outputs, points).

    Parameters
    ----------
    model : estimator
        Fitted.
    grid : array-like of shape (points, columns)
        Values of the columns.
    columns : ndarray of int
        Their positions.
    mean : bool, default=True
        Whether trees are averaged; otherwise they are added up.
    """
    pool = model._settled().pool_
    weights = np.repeat(pool.weights, pool.width)
    weights = weights / weights.sum() if mean else weights
    turns = pool.width if pool.width > 1 else None
    points = np.asarray(grid, dtype=np.float64)
    return pool.forest.dependence(points, columns, weights, turns).T


# scikit-learn and its clients accept these wherever they ask for classes of scikit-learn.
for _theirs, _ours in (
    (sklearn.tree.DecisionTreeClassifier, DecisionTreeClassifier),
    (sklearn.tree.DecisionTreeRegressor, DecisionTreeRegressor),
    (sklearn.tree.ExtraTreeClassifier, ExtraTreeClassifier),
    (sklearn.tree.ExtraTreeRegressor, ExtraTreeRegressor),
):
    _theirs.register(_ours)


def is_native(member: Any) -> bool:
    """Whether an estimator is one of coterie's trees, which grow on tables that others binned.

    A class of your own that fits in another way is a member like any other.

    Examples
    --------
    >>> from coterie import DecisionTreeClassifier
    >>> class Talkative(DecisionTreeClassifier):
    ...     def fit(self, X, y, sample_weight=None):
    ...         print("fitting")
    ...         return super().fit(X, y, sample_weight)
    >>> is_native(DecisionTreeClassifier()), is_native(Talkative())
    (True, False)
    """
    return isinstance(member, SingleTree) and type(member).fit is SingleTree.fit

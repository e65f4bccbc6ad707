"""What the single trees share."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
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
from coterie.core import Pool, draw_entropy, growing_stream
from coterie.learners import TreeLearner
from coterie.trees.growth import resolve_growth, resolve_max_features
from coterie.trees.medians import node_medians
from coterie.trees.view import TreeView, numbered_leaves, numbered_paths

# scikit-learn's trees take `check_input`; it has no effect here, and is no metadata.
_NO_METADATA = {"check_input": UNUSED}


class TreeClassifierTask(ClassifierTask):
    """A classifier that takes scikit-learn's `check_input`."""

    __metadata_request__predict: ClassVar = _NO_METADATA
    __metadata_request__predict_proba: ClassVar = _NO_METADATA

    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """The most probable class of the leaf; among equals the first in ``classes_``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        check_input : bool
            Accepted for scikit-learn's sake; input is always checked.

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
            Accepted for scikit-learn's sake; input is always checked.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of such arrays
        """
        return super().predict_proba(X)


class TreeRegressorTask(RegressorTask):
    """A regressor that takes scikit-learn's `check_input`."""

    __metadata_request__predict: ClassVar = _NO_METADATA

    def predict(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """The value of the leaf.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        check_input : bool
            Accepted for scikit-learn's sake; input is always checked.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return super().predict(X)


class SingleTree(Committee):
    """A committee of one native tree.

    Attributes set by `fit`: ``pool_`` (the tree), ``max_features_``, ``n_outputs_``, and what the
    columns and the task add.
    """

    answers_by = "mean"
    keeps_classes = True

    __metadata_request__fit: ClassVar = _NO_METADATA

    splitter: str
    max_features: float | str | None
    max_bins: int
    min_weight_fraction_leaf: float
    ccp_alpha: float
    random_state: Any
    n_outputs_: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row of weight 0 is as good as absent.
        check_input : bool
            Accepted for scikit-learn's sake; input is always checked.

        Returns
        -------
        self
        """
        return super().fit(X, y, sample_weight)

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` asks for nothing but the bins of the cells: always."""
        return True

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        threads = thread_count(self.n_jobs)
        growth = resolve_growth(self, table, target, random_thresholds=self.splitter == "random")
        factors = class_factors(getattr(self, "class_weight", None), target, weight)
        learner = TreeLearner(
            growth, self.min_weight_fraction_leaf, float(self.ccp_alpha), n_threads=threads
        )
        table = table.bin(weight=weight, max_bins=self.max_bins, n_threads=threads)
        stream = growing_stream(draw_entropy(self.random_state))
        tree = learner.fit(table, target, times(weight, factors), stream)
        draft.max_features_ = resolve_max_features(self.max_features, table.n_columns)
        draft.pool_ = Pool.of([tree])
        if growth.criterion == "absolute_error":
            # Leaves tell the means of the nodes above them, but not their medians.
            draft.medians_ = node_medians(draft.pool_, table, target, weight, growth.monotone)

    @property
    def tree_(self) -> TreeView:
        """The nodes under scikit-learn's names, see `coterie.trees.TreeView`."""
        this = self._settled()
        classes = this.target_.n_classes or (1,) * this.n_outputs_
        return TreeView(this.pool_, classes, getattr(this, "medians_", None))

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
            Accepted for scikit-learn's sake; input is always checked.

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
            Accepted for scikit-learn's sake; input is always checked.

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

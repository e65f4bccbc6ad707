"""Rows as the leaves they end in: an embedding by trees grown on noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.preprocessing import OneHotEncoder

from coterie.base import Admitted, TargetlessTask, thread_count
from coterie.core import Allowed, at_least, draw_entropy, one_of
from coterie.core.axis import uniforms
from coterie.data import Target
from coterie.forests.many import ManyTrees
from coterie.trees import ExtraTreeRegressor
from coterie.trees.growth import SHAPE

_TRUTH = one_of(True, False)
_OWN = ("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf")


@dataclass(eq=False, repr=False)
class RandomTreesEmbedding(TargetlessTask, TransformerMixin, ManyTrees):  # type: ignore[misc]  # fit without y
    """Leaves of completely random trees as features; a drop-in replacement for scikit-learn's.

    Each row becomes a long binary vector, with a one for the leaf it reaches in every tree. Similar
    rows share many leaves, so linear models on this vector are nonlinear in the columns. Trees
    split random columns at random thresholds; missing values and categories are supported.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth : int, default=5
        Largest number of splits on a path.
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf : int or float
        More limits of every tree, see `DecisionTreeClassifier`.
    sparse_output : bool, default=True
        Whether `transform` returns a sparse matrix or a dense array.

    Attributes
    ----------
    estimators_ : sequence of trees
        The trees, created on access.
    one_hot_encoder_ : OneHotEncoder
        The leaf encoder behind `transform`.
    n_features_out_ : int
        Number of leaves of all trees.

    References
    ----------
    .. [1] Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).
    .. [2] Moosmann, Triggs & Jurie, "Fast discriminative visual codebooks using randomized
       clustering forests", NIPS 19 (2006).

    Examples
    --------
    >>> X = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> codes = RandomTreesEmbedding(n_estimators=5, random_state=0, max_depth=1).fit_transform(X)
    >>> codes.shape, codes.sum(axis=1).ravel().tolist()
    ((5, 10), [[5.0, 5.0, 5.0, 5.0, 5.0]])
    """

    allowed: ClassVar[Mapping[str, Allowed]] = {
        name: SHAPE[name] for name in (*_OWN, "max_leaf_nodes", "min_impurity_decrease", "max_bins")
    } | {
        "n_estimators": at_least(1),
        "sparse_output": _TRUTH,
        "verbose": at_least(0) | _TRUTH,
        "warm_start": _TRUTH,
    }
    answers_by = None  # type: ignore[assignment]  # nothing is answered
    member_class: ClassVar[type] = ExtraTreeRegressor
    random_thresholds: ClassVar[bool] = True

    _: KW_ONLY
    max_depth: int | None = 5
    sparse_output: bool = True
    # What other forests let users choose, and noise has no use for.
    criterion: str = field(default="squared_error", init=False)
    max_features: float | str | None = field(default=1, init=False)
    bootstrap: bool = field(default=False, init=False)
    oob_score: Any = field(default=False, init=False)
    ccp_alpha: float = field(default=0.0, init=False)
    max_samples: float | None = field(default=None, init=False)
    monotonic_cst: Any = field(default=None, init=False)
    oob_patience: int | None = field(default=None, init=False)
    tol: float = field(default=0.0, init=False)
    draw: Any = field(default=None, init=False)

    def _train(self, draft: Self, admitted: Admitted, n_samples: int, groups: Any = None) -> None:
        noise = Target.numbers(uniforms(admitted.table, draw_entropy(self.random_state)))
        draft.target_, draft.n_outputs_ = noise.empty(), 1
        super()._train(draft, admitted._replace(target=noise), n_samples)
        draft.n_features_out_ = int(draft.pool_.forest.leaf_counts().sum())

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> sparse.csr_matrix | NDArray[np.float64]:
        """Fit, and the leaves of the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : object
            Not looked at.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row of weight 0 grows no leaf.

        Returns
        -------
        csr_matrix or ndarray of shape (n_samples, n_features_out)
        """
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> sparse.csr_matrix | NDArray[np.float64]:
        """A one for the leaf of each tree that a row ends in.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        csr_matrix or ndarray of shape (n_samples, n_features_out)
        """
        this = self._settled()
        table, forest = this._admit(X), this.pool_.forest
        leaves = this.pool_.leaves(table, n_threads=thread_count(self.n_jobs))
        nodes = leaves + forest.node_offsets[:-1]
        place = np.full(len(forest.nodes), -1, dtype=np.int32)
        place[_leaves_in_order(forest)[0]] = np.arange(this.n_features_out_, dtype=np.int32)
        n_rows, n_trees = leaves.shape
        ones = np.ones(n_rows * n_trees)
        starts = np.arange(0, n_rows * n_trees + 1, n_trees)
        codes = sparse.csr_matrix(
            (ones, place[nodes].ravel(), starts), shape=(n_rows, this.n_features_out_)
        )
        return codes if self.sparse_output else codes.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the leaves: ``randomtreesembedding_{tree}_{leaf}``.

        Parameters
        ----------
        input_features : array-like of str or None
            Ignored, except for their number.

        Returns
        -------
        ndarray of str objects
        """
        this = self._settled()
        if input_features is not None and len(input_features) != this.n_features_in_:
            raise ValueError("input_features should have length equal to number of features.")
        _, trees, leaves = _leaves_in_order(this.pool_.forest)
        pairs = zip(trees, leaves, strict=True)
        names = [f"randomtreesembedding_{tree}_{leaf}" for tree, leaf in pairs]
        return np.array(names, dtype=object)

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """An encoder of the leaves that `apply` tells, as scikit-learn has it."""
        this = self._settled()
        _, trees, leaves = _leaves_in_order(this.pool_.forest)
        kinds = [leaves[trees == tree] for tree in range(len(this.pool_))]
        encoder = OneHotEncoder(categories=kinds, sparse_output=self.sparse_output)
        return encoder.fit(np.array([[kind[0] for kind in kinds]]))


def _leaves_in_order(forest: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The nodes that are leaves, their trees and their numbers there, as scikit-learn numbers."""
    nodes = np.flatnonzero(forest.nodes["left"] < 0)
    trees, numbers = forest.tree_of_node()[nodes], forest.depth_first()[nodes]
    order = np.lexsort((numbers, trees))
    return nodes[order], trees[order], numbers[order]

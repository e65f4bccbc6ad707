"""What the gradient boosting estimators share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.base import Admitted, Committee, thread_count
from coterie.base.scoring import OWN, Answers, Validation
from coterie.boosting.gradient.board import Array
from coterie.boosting.gradient.fast import FastPredictor
from coterie.boosting.gradient.fit import ALONE, Earlier, Given, train
from coterie.boosting.gradient.gradient_members import GradientTrees
from coterie.boosting.gradient.start import model_scores
from coterie.boosting.gradient.statistics import OrderedColumns
from coterie.core import Pool, RandomLike, draw_entropy
from coterie.core.trace import Trace
from coterie.data import Table, Target
from coterie.losses import PointwiseLoss
from coterie.trees.view import numbered_leaves, numbered_paths


@dataclass(eq=False, repr=False)
class GradientBooster(Committee):
    r"""Trees one after the other, each a Newton step on the loss of those before.

    Parameters
    ----------
    learning_rate : float, default=0.1
        What the votes of every tree are multiplied by.
    max_iter : int, default=100
        Rounds at most.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree; the leaf that gains most is split next.
    max_depth : int or None, default=None
        Most questions on a path.
    min_samples_leaf : int, default=20
        Fewest rows in a leaf.
    l2_regularization : float, default=0.0
        :math:`\lambda`, added to the sum of hessians of every leaf.
    max_features : float, int or str, default=1.0
        Columns drawn per node; a float is a share, rounded up.
    max_bins : int, default=255
        Groups a column of numbers is cut into; more than 255 take twice the memory.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories, besides those of text or a categorical type.
    monotonic_cst : array-like or dict of str to int, default=None
        -1, 0 or 1 for each column, or by name: the direction in which it may move the prediction.
    interaction_cst : {"pairwise", "no_interactions"} or list of groups, default=None
        Which columns may meet on a path; columns in no group form one more.
    warm_start : bool, default=False
        Keep the trees of the last fit and add to them.
    early_stopping : "auto" or bool, default="auto"
        End when the score on held-out rows no longer improves, and keep the best round. "auto"
        does so with more than 10,000 rows, or when `X_val` is given.
    scoring : str, callable, None or list, default="loss"
        What early stopping watches: "loss"; "error", the share of mistakes or the mean absolute
        error; the name of a scikit-learn scorer, such as "roc_auc", where larger is better, or
        such as "log_loss", where smaller is, as the scorer's name begins with ``neg_``; a function
        ``(estimator, X, y)`` as `sklearn.metrics.make_scorer` makes, larger is better; or None,
        the accuracy or R². Of a list the first decides, and ``trace_`` has all of them by round,
        as "validation_loss" and so on.
    validation_fraction : float, int or None, default=0.1
        Share or number of the rows held out; None watches the training rows.
    n_iter_no_change : int, default=10
        Rounds without improvement that are borne.
    tol : float, default=1e-7
        Smallest improvement that counts.
    verbose : int, default=0
        Report progress.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness: held-out rows, and rows, columns and trees drawn.
    min_child_weight : float, default=1e-3
        Least sum of hessians in a leaf.
    l1_regularization : float, default=0.0
        :math:`\alpha`, by which sums of gradients are drawn towards zero.
    min_split_gain : float, default=0.0
        :math:`\gamma`: what a split must gain at least, in units of :math:`G^2/H`.
    max_delta_step : float, default=0.0
        Largest value of a leaf before the learning rate; 0 is no limit.
    growth : {"leaf", "level", "symmetric"}, default="leaf"
        Split the best leaf first, or level by level, or all nodes of a level alike (as CatBoost
        does); symmetric trees are six levels deep if `max_depth` is None, and hold to
        `max_leaf_nodes` too, so set that to None.
    boosting : {"plain", "goss", "dart"}, default="plain"
        "goss" learns from all rows of large gradient and some of the others; "dart" leaves
        earlier trees out at random.
    subsample : float, default=1.0
        Share of the rows drawn for each round, without replacement.
    top_rate, other_rate : float, default=0.2 and 0.1
        GOSS: share of the rows kept for their large gradients, and drawn from the rest.
    drop_rate, skip_drop : float, default=0.1 and 0.5
        DART: probability of each tree to be left out, and of a round to leave out none.
    normalise : {"tree", "forest"}, default="tree"
        DART: the new tree counts like one of the trees left out, or like all of them together.
    colsample_bytree, colsample_bylevel : float, default=1.0
        Share of the columns drawn for a round, and of those for each level.
    init : "zero", number, array-like, estimator or None, default=None
        Score before any tree: the best constant (None), zero, one number per score, or what a
        model says that is fitted first.
    high_cardinality : {"split", "ordered"}, default="split"
        What becomes of columns with more than `max_bins` categories: they are split like others,
        or replaced by ordered target statistics, see `OrderedTargetEncoder`.
    importance_type : {"gain", "split"}, default="gain"
        What ``feature_importances_`` adds up: gains, or the number of splits.
    callbacks : list of callables or None, default=None
        Called as ``(round, trace)`` after each round; the fit ends when one returns True.
    n_jobs : int, default=None
        Threads; results do not depend on it.
    """

    answers_by = "loss"

    loss: Any = "squared_error"
    _: KW_ONLY
    learning_rate: float = 0.1
    max_iter: int = 100
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    max_features: float | str | None = 1.0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"
    monotonic_cst: Any = None
    interaction_cst: Any = None
    warm_start: bool = False
    early_stopping: bool | Literal["auto"] = "auto"
    scoring: Any = "loss"
    validation_fraction: float | None = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    verbose: int = 0
    random_state: RandomLike = None
    min_child_weight: float = 1e-3
    l1_regularization: float = 0.0
    min_split_gain: float = 0.0
    max_delta_step: float = 0.0
    growth: Literal["leaf", "level", "symmetric"] = "leaf"
    boosting: Literal["plain", "goss", "dart"] = "plain"
    subsample: float = 1.0
    top_rate: float = 0.2
    other_rate: float = 0.1
    drop_rate: float = 0.1
    skip_drop: float = 0.5
    normalise: Literal["tree", "forest"] = "tree"
    colsample_bytree: float = 1.0
    colsample_bylevel: float = 1.0
    init: Any = None
    high_cardinality: Literal["split", "ordered"] = "split"
    importance_type: Literal["gain", "split"] = "gain"
    callbacks: Any = None
    n_jobs: int | None = None

    # Known after a fit.
    trace_: Trace = field(init=False)
    start_: Array = field(init=False)
    loss_: PointwiseLoss = field(init=False)
    ordered_: OrderedColumns | None = field(init=False)
    origin_: NDArray[np.intp] = field(init=False)
    entropy_: int = field(init=False)
    n_iter_: int = field(init=False)
    n_features_in_: int = field(init=False)
    is_categorical_: NDArray[np.bool_] | None = field(init=False)
    n_trees_per_iteration_: int = field(init=False)

    multi_output: ClassVar[bool] = False

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        init_score: Any = None,
        init_score_val: Any = None,
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row of weight 0 is as good as absent.
        X_val, y_val, sample_weight_val : array-like, optional
            Rows for early stopping, instead of some of the training rows.
        init_score, init_score_val : array-like of shape (n_samples,) or (n_samples, n_scores)
            Scores of the rows before any tree. They are no part of the model: add those of new
            rows to ``decision_function``.

        Returns
        -------
        self
        """
        validation = Validation.of(X_val, y_val, sample_weight_val)
        given = Given(0, validation, init_score, init_score_val)
        return self._fit(X, y, sample_weight, given=given)

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` asks for nothing but the bins of the cells.

        It asks for more for a model in `init`, for ordered statistics of categories and for
        scorers; and class weights have a say in where columns are cut.
        """
        return (
            self.high_cardinality == "split"
            and self.scoring in OWN
            and not hasattr(self.init, "fit")
            and getattr(self, "class_weight", None) is None
        )

    def _train(
        self, draft: Self, admitted: Admitted, n_samples: int, *, given: Given = ALONE
    ) -> None:
        target = admitted.target
        draft.is_categorical_ = admitted.table.schema.categorical
        draft.loss_ = self._make_loss(target)
        draft.loss_.check(target.encoded[:, 0].astype(np.float64))
        n_classes = len(target.classes[0]) if target.classes else 0
        draft.n_trees_per_iteration_ = draft.loss_.n_scores(n_classes)
        earlier = self._earlier()
        draft.entropy_ = draw_entropy(self.random_state) if earlier is None else self.entropy_
        train(self, draft, admitted, given._replace(n_rows=n_samples), earlier)

    def _make_loss(self, target: Target) -> PointwiseLoss:
        """The loss with this estimator's parameters."""
        raise NotImplementedError

    def _earlier(self) -> Earlier | None:
        """The trees of the last fit, if they are to be kept."""
        if not self.warm_start or not hasattr(self, "pool_"):
            return None
        if self.max_iter < self.n_iter_:
            raise ValueError(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} "
                "when warm_start==True"
            )
        return Earlier(self.pool_, self.trace_, self.start_, self.init_)

    def _admit(self, X: Any) -> Table:
        table = super()._admit(X)
        return table if self.ordered_ is None else self.ordered_.apply(table)

    def _raw(self, X: Any) -> Array:
        """The score of every row, shape (n_samples, n_scores)."""
        return self._raw_by(self.pool_, X)

    def _raw_by(self, pool: Pool | None, X: Any) -> Array:
        """The score of every row by some of the trees; None before the first round."""
        table = self._admit(X)
        if pool is None:
            return np.zeros((table.n_rows, len(self.start_))) + self._offset(table)
        raw = pool.raw(table, n_threads=thread_count(self.n_jobs))
        raw += self._offset(table)
        return raw

    def _answers(self) -> Answers:
        """How scores become predictions."""
        raise NotImplementedError

    def fast_predictor(self) -> FastPredictor:
        """A function that answers for single rows of numbers within microseconds.

        Returns
        -------
        FastPredictor
            Called with an array of shape (n_samples, n_features), it returns what `predict_proba`
            of a classifier or `predict` of a regressor would.
        """
        this = self._settled()
        kinds = this.is_categorical_
        if (
            this.init_ is not None
            or this.ordered_ is not None
            or (kinds is not None and any(kinds))
        ):
            raise ValueError(
                "fast_predictor serves models of columns of numbers, without an init estimator; "
                "this one reads categories or asks another model. Use predict or predict_proba."
            )
        pool = this.pool_
        weights = np.repeat(pool.weights, pool.width)
        return FastPredictor(pool.ballots, weights, this.start_, this._link)

    def _link(self, raw: Array) -> Array:
        """From scores to answers."""
        return self.loss_.link(raw)

    def _offset(self, table: Table) -> Array:
        """The score before any tree."""
        if self.init_ is None:
            return self.start_
        classes = getattr(self, "classes_", None)
        return self.start_ + model_scores(self.init_, table.given(), self.loss_, classes)

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        """The score of every row after each round, with the weights of the finished model."""
        table, threads = self._admit(X), thread_count(self.n_jobs)
        raw = np.zeros((table.n_rows, len(self.start_))) + self._offset(table)
        for t in range(len(self.pool_)):
            raw = raw + self.pool_[t : t + 1].raw(table, n_threads=threads)
            yield raw

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf each row ends in, as a node number within each tree.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_iter) or (n_samples, n_iter, n_classes)
        """
        this = self._settled()
        leaves = numbered_leaves(this.pool_, this._admit(X), thread_count(self.n_jobs))
        width = this.pool_.width
        return leaves if width == 1 else leaves.reshape(len(leaves), -1, width)

    def decision_path(self, X: Any) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """The nodes of all trees that each row passes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
            Ones where a row passes a node.
        n_nodes_ptr : ndarray of shape (n_trees + 1,)
            Where the nodes of each tree begin.
        """
        this = self._settled()
        return numbered_paths(this.pool_, this._admit(X)), this.pool_.forest.node_offsets

    @property
    def estimators_(self) -> GradientTrees:
        """The trees of every round, made when asked for."""
        return GradientTrees(self._settled())

    @property
    def feature_importances_(self) -> Array:
        """Shares of the columns in all gains, or in all splits, as `importance_type` says."""
        return GradientTrees(self._settled()).importances(self.importance_type)

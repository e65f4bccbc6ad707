"""What the gradient boosting estimators share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.base import Admitted, Committee, thread_count
from coterie.base.scoring import OWN, Answers, Validation
from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.fast import FastPredictor
from coterie.boosting.gradient.fit import ALONE, Earlier, Given, train
from coterie.boosting.gradient.gradient_members import GradientTrees
from coterie.boosting.gradient.loop import GradientRun, Plan, RoundFacts
from coterie.boosting.gradient.parameters import settings_of
from coterie.boosting.gradient.start import model_scores
from coterie.boosting.gradient.statistics import OrderedColumns
from coterie.boosting.gradient.watch import Judge
from coterie.core import Pool, draw_entropy
from coterie.core.trace import Trace
from coterie.core.watch import RoundWatch
from coterie.data import Table, Target
from coterie.losses import PointwiseLoss
from coterie.trees.view import numbered_leaves, numbered_paths


class GradientBooster(Committee):
    """Trees one after the other, each a step on the loss of those before.

    A face adds its list of parameters, see `coterie.boosting.gradient.parameters`.
    """

    answers_by = "loss"
    #: The parameter that limits the rounds, and the attribute that counts them.
    rounds_by: ClassVar[tuple[str, str]] = ("max_iter", "n_iter_")

    # Known after a fit.
    trace_: Trace
    start_: Array
    start_model_: Any
    loss_: PointwiseLoss
    ordered_: OrderedColumns | None
    origin_: NDArray[np.intp]
    entropy_: int
    n_iter_: int
    n_features_in_: int
    is_categorical_: NDArray[np.bool_] | None
    n_trees_per_iteration_: int
    max_features_: int
    train_score_: Array
    oob_score_: float

    # Parameters of every face.
    warm_start: bool
    random_state: Any
    init: Any
    scoring: Any
    high_cardinality: Any
    importance_type: Any

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

    def _translated(self, n_rows: int, n_columns: int) -> dict[str, Any]:
        """The settings that a face has other words for, for a table of this shape."""
        return {}

    @property
    def _init_model(self) -> Any:
        """The fitted model that the trees add to, or None."""
        return self.init_

    @_init_model.setter
    def _init_model(self, model: Any) -> None:
        self.init_ = model

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
        params = settings_of(self, self._translated(*admitted.table.shape))
        train(params, draft, admitted, given._replace(n_rows=n_samples), earlier)

    def _make_loss(self, target: Target) -> PointwiseLoss:
        """The loss with this estimator's parameters."""
        raise NotImplementedError

    def _earlier(self) -> Earlier | None:
        """The trees of the last fit, if they are to be kept."""
        if not self.warm_start or not hasattr(self, "pool_"):
            return None
        limit, size = self.rounds_by
        if getattr(self, limit) < self.n_iter_:
            raise ValueError(
                f"{limit}={getattr(self, limit)} must be larger than or equal to {size}="
                f"{self.n_iter_} when warm_start==True"
            )
        return Earlier(self.pool_, self.trace_, self.start_, self._init_model)

    def _judges(self, board: Board, plan: Plan) -> list[RoundFacts]:
        """What notes facts of every round, besides early stopping."""
        return []

    def _watches(self, run: GradientRun) -> list[RoundWatch]:
        """What else looks at every round."""
        return []

    def _publish_scores(self, trace: Trace, judge: Judge | None) -> None:
        """Set what early stopping saw."""
        for where in ("train", "validation"):
            scores = np.array([]) if judge is None else judge.scores(where, trace)
            setattr(self, f"{where}_score_", scores)

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
            this._init_model is not None
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
        if self._init_model is None:
            return self.start_
        classes = getattr(self, "classes_", None)
        return self.start_ + model_scores(self._init_model, table.given(), self.loss_, classes)

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

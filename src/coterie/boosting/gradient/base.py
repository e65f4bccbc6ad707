"""What the gradient boosting estimators share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.base import Admitted, Committee, thread_count
from coterie.base.elsewhere import where_rows_are
from coterie.base.scoring import (
    OWN,
    Answers,
    Scoring,
    Validation,
    admit_validation,
    hold_out,
    read_scoring,
)
from coterie.boosting.gradient.absent import without
from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.eval_sets import read_eval_sets
from coterie.boosting.gradient.fast import FastPredictor
from coterie.boosting.gradient.fit import ALONE, Earlier, Given, Part, loss_target, train
from coterie.boosting.gradient.foreign_names import AnswersForeignNames
from coterie.boosting.gradient.gradient_members import GradientTrees
from coterie.boosting.gradient.loop import GradientRun, Plan, RoundFacts
from coterie.boosting.gradient.parameters import settings_of
from coterie.boosting.gradient.prefix import check_rounds, rounds_of, shorten
from coterie.boosting.gradient.refit import refitted
from coterie.boosting.gradient.start import model_scores
from coterie.boosting.gradient.statistics import OrderedColumns
from coterie.boosting.gradient.tree_frame import to_frame, tree_columns
from coterie.boosting.gradient.watch import Judge
from coterie.core import Pool, draw_entropy
from coterie.core.trace import Trace
from coterie.core.watch import RoundWatch
from coterie.data import Table, Target
from coterie.losses import MultinomialLoss, PointwiseLoss
from coterie.trees.single import recursion
from coterie.trees.view import numbered_leaves, numbered_paths


class GradientBooster(AnswersForeignNames, Committee):
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
    evals_result_: dict[str, dict[str, Array]]

    # Parameters of every face.
    warm_start: bool
    random_state: Any
    init: Any
    scoring: Any
    high_cardinality: Any
    importance_type: Any
    missing: float | None
    linear_leaves: bool
    l2_regularization: float

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
        eval_set: Any = None,
        eval_names: Any = None,
        eval_sample_weight: Any = None,
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.
        X_val, y_val, sample_weight_val : array-like, optional
            Rows for early stopping, instead of some of the training rows.
        init_score, init_score_val : array-like of shape (n_samples,) or (n_samples, n_scores)
            Scores of the rows before any tree. They are not part of the model: add those of new
            rows to ``decision_function``.
        eval_set : list of pairs (X, y), optional
            Further rows that are scored after every round: the results are in ``evals_result_`` and
            ``trace_``. Without `X_val`, the last of them is used for early stopping.
        eval_names : list of str, optional
            Their names; by default "validation" if there is one, otherwise "validation_0" and so
            on.
        eval_sample_weight : list of array-like, optional
            Weights of their rows.

        Returns
        -------
        self
        """
        validation = Validation.of(X_val, y_val, sample_weight_val)
        sets = read_eval_sets(eval_set, eval_names, eval_sample_weight)
        given = Given(0, validation, sets, init_score, init_score_val)
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
        """Whether `fit` uses only the binned values.

        It needs more for a model in `init`, for ordered statistics of categories, for linear leaves
        and for scorers; and class weights affect the bin edges.
        """
        return (
            self.high_cardinality == "split"
            and not self.linear_leaves
            and self.scoring in OWN
            and not hasattr(self.init, "fit")
            and getattr(self, "class_weight", None) is None
            and self.missing is None
        )

    def _train(
        self, draft: Self, admitted: Admitted, n_samples: int, *, given: Given = ALONE
    ) -> None:
        self._begin(draft, admitted)
        params = settings_of(self, self._translated(*admitted.table.shape))
        train(params, draft, admitted, given._replace(n_rows=n_samples), self._earlier())

    def _begin(self, draft: Self, admitted: Admitted) -> None:
        """Set the loss on the draft, and where randomness comes from."""
        target = admitted.target
        draft.is_categorical_ = admitted.table.schema.categorical
        draft.loss_ = self._make_loss(target)
        draft.loss_.check(loss_target(target))
        n_classes = max(target.n_classes, default=0)
        draft.n_trees_per_iteration_ = draft.loss_.n_scores(n_classes)
        kept = self.warm_start and hasattr(self, "pool_")
        draft.entropy_ = self.entropy_ if kept else draw_entropy(self.random_state)

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

    def _hold_out(
        self, target: Target, share: float, seed: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows to learn from, and rows to hold out for early stopping."""
        return hold_out(target, share, seed)

    def _scorings(self, target: Target) -> tuple[Scoring, ...]:
        """What early stopping watches; the first decides."""
        return read_scoring(self.scoring, target.kind)

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

    def _admit_fit(self, X: Any, y: Any, sample_weight: Any) -> Admitted:
        admitted = super()._admit_fit(X, y, sample_weight)
        return admitted._replace(table=without(admitted.table, self.missing))

    def _admit_other(self, rows: Validation) -> Admitted:
        """Rows with a target, under the columns and classes of those learnt from."""
        name, known = type(self).__name__, (self.schema_, self.target_)
        admitted = admit_validation(name, *known, rows, infinite=self.infinities)
        return admitted._replace(table=without(admitted.table, self.missing))

    def _admit(self, X: Any) -> Table:
        table = without(super()._admit(X), self.missing)
        return table if self.ordered_ is None else self.ordered_.apply(table)

    def _compute_partial_dependence_recursion(
        self, grid: NDArray[Any], target_features: NDArray[np.intp]
    ) -> Array:
        """What scikit-learn's `partial_dependence` asks for: scores by points of a grid."""
        if self.ordered_ is not None:
            raise ValueError(
                "method='recursion' does not support trees that see target statistics in place "
                "of categories. Use method='brute'."
            )
        return recursion(self, grid, target_features, mean=False)

    def __getitem__(self, part: slice) -> Self:
        """The model after its first rounds: ``model[:10]``.

        It is what a fit with as many rounds would have given, but for DART, whose later rounds
        change the weights of earlier ones.
        """
        this = self._settled()
        twin = this._copy()
        shorten(twin, rounds_of(part, this.n_iter_))
        return twin

    # Otherwise a model could be iterated over, by its rounds' numbers.
    __iter__ = None

    def _after(self, n_rounds: int | None) -> Self:
        """The model as it is now, or after its first rounds."""
        this = self._settled()
        return this if n_rounds is None else this[: check_rounds(n_rounds, this.n_iter_)]

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
        """A function that predicts single numeric rows within microseconds.

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
            or this.missing is not None
            or (kinds is not None and any(kinds))
        ):
            raise ValueError(
                "fast_predictor supports models with numeric columns and without an init "
                "estimator; this model uses categories, an init estimator or a number for "
                "missing values. Use predict or predict_proba."
            )
        pool = this.pool_
        weights = np.repeat(pool.weights, pool.width)
        return FastPredictor(pool.ballots, weights, this.start_, this._fast_link())

    def _fast_link(self) -> Callable[[Array], Array]:
        """What `_link` does to scores of this model, without asking again which kind it is."""
        known = type(self.loss_) is MultinomialLoss and self.loss_.n_classes > 2
        return self.loss_.link if known else self._link

    def _link(self, raw: Array) -> Array:
        """Function from scores to predictions."""
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
        ndarray of shape (n_samples, n_iter) or (n_samples, n_iter, n_classes)
        """
        this = self._after(n_rounds)
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
        """The trees of every round, created on access."""
        return GradientTrees(self._settled())

    def refit_leaves(
        self, X: Any, y: Any, sample_weight: Any = None, *, decay: float = 0.9
    ) -> Self:
        """The same trees with leaf values that follow other rows, such as newer ones.

        Round by round, the new value of a leaf is ``decay`` times its old value plus the remaining
        share of the value that is optimal on these rows. Leaves that no row reaches are unchanged,
        and so is the initial prediction.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The rows, with the columns seen in `fit`.
        decay : float, default=0.9
            Share of the old values that is kept, from 0 to 1.

        Returns
        -------
        estimator
            A new model; this one is not changed.
        """
        if not 0.0 <= decay <= 1.0:
            raise ValueError(f"decay={decay!r} is not allowed; use a number from 0 to 1.")
        twin = self._settled()._copy()
        twin.pool_.forest.only_constants("Leaves refitted to other rows")
        admitted = twin._admit_other(Validation(X, y, sample_weight))
        part = Part(admitted.table, admitted.target, admitted.weight, None)
        if twin.ordered_ is not None:
            part = replace(part, table=twin.ordered_.apply(part.table))
        board = Board.at(part.table, part.y, part.weight, part.start(twin))
        late = twin._translated(1, 1).get("splits") == "gradient" and not twin.loss_.adaptive
        share = twin.loss_.newton_share if late and twin.pool_.width > 1 else 1.0
        l2 = float(twin.l2_regularization)
        twin.pool_ = refitted(twin.pool_, twin.loss_, board, decay, l2=l2, share=share)
        return twin

    def trees_to_frame(self, backend: str = "pandas") -> Any:
        """The trees as a data frame, one row per node.

        Parameters
        ----------
        backend : str, default="pandas"
            The library of the frame: "pandas", "polars", "pyarrow" or any other that narwhals
            can make frames of. It must be installed.

        Returns
        -------
        data frame
            With the columns `round` and `tree`, counted from 0; `score`, the class or output of the
            tree if each has its own; `node`, as `apply` numbers it, `depth`, `parent`, `left` and
            `right`, -1 if there is none; `column`, `threshold` (a row goes left up to it),
            `categories` (that go left) and `missing`, the side of missing values; `gain` of the
            split; `weight`, the sum of Hessians, and `n_samples` of the node; `value`, what it adds
            to the score, learning rate included (of inner nodes, the mean of their leaves), or
            `value_0` and so on for vectors.
        """
        return to_frame(tree_columns(self._settled()), backend)

    def importances(
        self, kind: Literal["gain", "split", "cover", "total_gain", "total_cover"] = "total_gain"
    ) -> Array:
        """Importance of each column from its splits, not scaled to shares.

        Parameters
        ----------
        kind : {"gain", "split", "cover", "total_gain", "total_cover"}, default="total_gain"
            Mean gain of a split on the column; number of splits; mean sum of Hessians in the nodes
            split; the totals of gain and cover.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        known = ("gain", "split", "cover", "total_gain", "total_cover")
        if kind not in known:
            raise ValueError(f"kind={kind!r} is not allowed; use one of {', '.join(known)}.")
        return GradientTrees(self._settled()).measure(kind)

    @property
    def feature_importances_(self) -> Array:
        """Each column's share of the total gain, or of the number of splits (`importance_type`)."""
        return GradientTrees(self._settled()).importances(self.importance_type)

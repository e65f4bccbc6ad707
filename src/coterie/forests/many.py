"""What the forests share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import get_scorer

from coterie.base import (
    Admitted,
    Committee,
    JoblibExecutor,
    admit_fit,
    class_factors,
    publish_columns,
    thread_count,
    times,
    worker_count,
)
from coterie.core import (
    Balanced,
    Bootstrap,
    Pool,
    RowAxis,
    Shake,
    View,
    content_order,
    draw_entropy,
    gather,
    member_seeds,
    repetitions,
    untouched,
)
from coterie.data import DataError, Table, Target
from coterie.forests.bags import Bags
from coterie.forests.members import Trees, template
from coterie.forests.oob import OobCurve, collect_votes, score_votes, warn_if_uncovered
from coterie.forests.proximity import proximity_matrix
from coterie.learners import TreeLearner
from coterie.trees.growth import resolve_growth, resolve_max_samples
from coterie.trees.single import SingleTree


class ManyTrees(Committee):
    """A committee of trees that do not know of one another."""

    member_class: ClassVar[type[SingleTree]]
    random_thresholds: ClassVar[bool] = False

    n_estimators: int
    bootstrap: bool
    oob_score: Any
    max_samples: float | None
    max_bins: int
    max_features: float | str | None
    min_weight_fraction_leaf: float
    ccp_alpha: float
    random_state: Any
    verbose: int
    warm_start: bool
    bags_: Bags
    oob_curve_: OobCurve

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        self._check_choices(admitted.target)
        earlier = self if self.warm_start and hasattr(self, "pool_") else None
        n_more = self.n_estimators - (0 if earlier is None else len(earlier.pool_))
        if n_more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={self.n_estimators - n_more} when warm_start==True"
            )
        if earlier is not None:
            _check_same_columns(earlier, draft)
        if n_more == 0:
            _keep_results(earlier, draft)
        else:
            self._grow(draft, admitted, n_samples, earlier)
        if self.oob_score and not hasattr(draft, "oob_score_"):
            self._judge(draft, admitted)

    def _check_choices(self, target: Target) -> None:
        """Refuse parameters that do not go together, before any work is done."""
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_samples` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_samples=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if isinstance(self.oob_score, str):
            get_scorer(self.oob_score)
        if self.oob_score and target.n_outputs > 1 and any(len(c) > 2 for c in target.classes):
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates. Got "
                "multiclass-multioutput while only the following are supported: continuous, "
                "continuous-multioutput, binary, multiclass, multilabel-indicator."
            )
        if self.warm_start and isinstance(getattr(self, "class_weight", None), str):
            warnings.warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for '
                "warm_start if the fitted data differs from the full dataset. Compute the weights "
                "on the full dataset and pass them as a dict.",
                UserWarning,
                stacklevel=2,
            )

    def _grow(self, draft: Self, admitted: Admitted, n_samples: int, earlier: Self | None) -> None:
        """Grow the trees that are missing, and set pool and bags on the draft."""
        threads = thread_count(self.n_jobs)
        table = admitted.table.bin(
            weight=admitted.weight, max_bins=self.max_bins, n_threads=threads
        )
        n_before = 0 if earlier is None else len(earlier.pool_)
        seeds = member_seeds(draw_entropy(self.random_state), n_before, self.n_estimators)
        view, shake, bags = self._plan(admitted, table, seeds, n_samples)
        executor = JoblibExecutor(self.n_jobs, self.verbose)
        learner = TreeLearner(
            resolve_growth(self, table, admitted.target, random_thresholds=self.random_thresholds),
            self.min_weight_fraction_leaf,
            float(self.ccp_alpha),
            # With fewer trees than workers the spare ones help within the trees.
            n_threads=max(1, min(threads, worker_count(self.n_jobs)) // len(seeds)),
            stop=executor.stop,
        )
        pool = Pool.taking(gather(learner, view, seeds=seeds, shake=shake, executor=executor))
        draft.pool_ = pool if earlier is None else earlier.pool_ + pool
        draft.bags_ = bags if earlier is None else bags.after(earlier.bags_)

    def _plan(
        self, admitted: Admitted, table: Table, seeds: NDArray[np.int64], n_samples: int
    ) -> tuple[View, Shake, Bags]:
        """What trees are fitted on, how it is shaken for each, and how to draw that again."""
        target, weight = admitted.target, admitted.weight
        class_weight = getattr(self, "class_weight", None)
        within = class_weight == "balanced_subsample" and self.bootstrap
        factors = None if within else class_factors(class_weight, target, weight)
        if not self.bootstrap:
            bags = Bags(seeds, np.zeros_like(seeds), None, n_samples, admitted.kept)
            return View(table, target, times(weight, factors)), untouched, bags
        repeats = repetitions(weight)
        # Repetitions are drawn, so the counts stand for them already.
        importance = weight if repeats is None else None
        if factors is not None and not factors.all():
            # Rows of a class without weight are as good as absent.
            repeats = (1 if repeats is None else repeats) * (factors > 0)
        axis = RowAxis.lay(content_order(table, target, importance), repeats)
        draw = Bootstrap(axis, resolve_max_samples(self.max_samples, axis.length))
        bags = Bags(seeds, np.full_like(seeds, draw.n_draws), axis, n_samples, admitted.kept)
        view = View(table, target, times(importance, factors))
        return view, Balanced(draw) if within else draw, bags

    def _judge(self, draft: Self, admitted: Admitted) -> None:
        """Set the out-of-bag results on the draft."""
        table, target, weight, kept = admitted
        bags = draft.bags_
        bags.check_judges()
        votes = collect_votes(
            draft.pool_,
            table,
            target,
            map(bags.drawn, range(len(bags))),
            weight=weight,
            n_threads=thread_count(self.n_jobs),
        )
        warn_if_uncovered(votes.covered)
        draft.oob_score_ = score_votes(self.oob_score, target, votes, weight)
        draft.oob_coverage_ = float(votes.covered.mean())
        draft.oob_curve_ = votes.curve
        mean = votes.mean
        if kept is not None:
            mean = np.full((bags.n_rows, mean.shape[1]), np.nan)
            mean[kept] = votes.mean
        self._publish_oob(draft, mean)

    @property
    def estimators_(self) -> Trees:
        """The fitted trees, made when asked for."""
        return Trees(self._settled())

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows in the bag of each tree, drawn again from its seed."""
        return list(self._settled().bags_.samples())

    @property
    def estimator_(self) -> SingleTree:
        """An unfitted tree with the parameters of the forest's trees."""
        return template(self)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of each column's share in the decrease of impurity."""
        forest = self._settled().pool_.forest
        each = forest.importances()
        each = each[each.sum(axis=1) > 0]
        if not len(each):
            return np.zeros(forest.n_features)
        mean = (each / each.sum(axis=1, keepdims=True)).mean(axis=0)
        return mean / mean.sum()

    def __len__(self) -> int:
        """Number of fitted trees."""
        return len(self.estimators_)

    def __getitem__(self, index: int) -> SingleTree:
        """One of the fitted trees."""
        return self.estimators_[index]

    def __iter__(self) -> Iterator[SingleTree]:
        """The fitted trees."""
        return iter(self.estimators_)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf each row ends in, per tree.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
            Node numbers within each tree.
        """
        this = self._settled()
        return this.pool_.leaves(this._admit(X), n_threads=thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """The nodes each row passes, of all trees.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
            Ones where a row passes a node.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Columns ``n_nodes_ptr[t]:n_nodes_ptr[t + 1]`` belong to tree t.
        """
        this = self._settled()
        offsets = this.pool_.forest.node_offsets
        return sparse.csr_matrix(this.pool_.paths(this._admit(X))), offsets - offsets[0]

    def proximity(
        self, X: Any, Y: Any = None, *, oob: Literal["both"] | None = None
    ) -> NDArray[np.float64]:
        """In which share of the trees two rows end in the same leaf.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        Y : array-like, data frame or sparse matrix of shape (n_others, n_features), optional
            Rows to compare with; `X` itself by default.
        oob : "both" or None, default=None
            With "both", `X` are the training rows, and a pair is judged only by the trees that
            saw neither of them; NaN where there is none.

        Returns
        -------
        ndarray of shape (n_samples, n_samples) or (n_samples, n_others)
        """
        this = self._settled()
        leaves = this.apply(X)
        if oob is None:
            return proximity_matrix(leaves, None if Y is None else this.apply(Y))
        if oob != "both" or Y is not None:
            raise ValueError(f"oob={oob!r}: give 'both' and no Y, or None.")
        this._check_training_rows(len(leaves))
        return proximity_matrix(leaves, use=this.bags_.outside())

    def oob_curve(self, X: Any, y: Any, sample_weight: Any = None) -> OobCurve:
        """Out-of-bag error after 1, 2, ... trees, in total and per class.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data, in the order of the rows in `fit`; it is not kept in the forest.

        Returns
        -------
        OobCurve
        """
        this = self._settled()
        admitted = admit_fit(
            this, X, y, sample_weight, task=this.task, categorical=this.categorical_features
        )
        table, target, weight, kept = admitted
        this._check_training_rows(table.n_rows if kept is None else len(sample_weight))
        again = this._copy()
        publish_columns(again, table.schema)
        this._describe_target(again, admitted)
        _check_same_columns(this, again)
        counts = map(this.bags_.counts, range(len(this.bags_)))
        if kept is not None:
            counts = map(itemgetter(kept), counts)
        threads = thread_count(this.n_jobs)
        return collect_votes(
            this.pool_, table, target, counts, weight=weight, n_threads=threads
        ).curve

    def _check_training_rows(self, n_rows: int) -> None:
        """Refuse rows that cannot be those of the fit, and trees that cannot judge them."""
        self.bags_.check_judges()
        if n_rows != self.bags_.n_rows:
            raise DataError(
                f"X has {n_rows} rows, but the forest was fitted to {self.bags_.n_rows}: pass "
                "the training data again."
            )


def _check_same_columns(earlier: Any, draft: Any) -> None:
    """Refuse to go on with a forest that was fitted to other columns or classes."""
    old, new = earlier.schema_, draft.schema_
    same_labels = old.labels.keys() == new.labels.keys() and all(
        np.array_equal(old.labels[j], new.labels[j]) for j in old.labels
    )
    if old.n_columns != new.n_columns or old.names != new.names or not same_labels:
        raise DataError(
            "A warm start needs the columns and categories of the last fit. Fit a new forest "
            "with warm_start=False."
        )
    old_target, new_target = earlier.target_, draft.target_
    same = old_target.n_outputs == new_target.n_outputs and all(
        map(np.array_equal, old_target.classes, new_target.classes)
    )
    if not same:
        raise DataError(
            "A warm start needs the outputs and classes of the last fit, "
            f"{[c.tolist() for c in old_target.classes]}, not "
            f"{[c.tolist() for c in new_target.classes]}. Fit a new forest with warm_start=False."
        )


def _keep_results(earlier: Any, draft: Any) -> None:
    """A warm start that adds nothing: what was fitted stays."""
    warnings.warn(
        "Warm-start fitting without increasing n_estimators does not fit new trees.",
        UserWarning,
        stacklevel=2,
    )
    for name, value in vars(earlier).items():
        if name in ("pool_", "bags_") or (name.startswith("oob_") and name.endswith("_")):
            setattr(draft, name, value)

"""What the forests share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.base import (
    Admitted,
    JoblibExecutor,
    class_factors,
    thread_count,
    times,
    worker_count,
)
from coterie.base.bagged import Bagged, Plan, mean_importances
from coterie.core import (
    Balanced,
    Bootstrap,
    Grouped,
    RowAxis,
    View,
    content_order,
    repetitions,
)
from coterie.data import Table, Target
from coterie.forests.members import Trees, template
from coterie.forests.proximity import proximity_matrix
from coterie.learners import TreeLearner
from coterie.trees.growth import resolve_growth, resolve_max_samples
from coterie.trees.single import SingleTree


class ManyTrees(Bagged):
    """A committee of trees that do not know of one another."""

    answers_by = "mean"

    member_class: ClassVar[type[SingleTree]]
    member_word: ClassVar[str] = "trees"
    random_thresholds: ClassVar[bool] = False

    bootstrap: bool
    max_samples: float | None
    max_bins: int
    max_features: float | str | None
    min_weight_fraction_leaf: float
    ccp_alpha: float

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` asks for nothing but the bins of the cells: always."""
        return True

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_samples` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_samples=None`."
            )
        if not self.bootstrap and (self.oob_score or self.oob_patience is not None):
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.warm_start and isinstance(getattr(self, "class_weight", None), str):
            warnings.warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for '
                "warm_start if the fitted data differs from the full dataset. Compute the weights "
                "on the full dataset and pass them as a dict.",
                UserWarning,
                stacklevel=2,
            )

    def _plan(
        self,
        admitted: Admitted,
        groups: NDArray[np.int32] | None,
        n_members: int,
        executor: JoblibExecutor,
    ) -> Plan:
        threads = thread_count(self.n_jobs)
        table = admitted.table.bin(
            weight=admitted.weight, max_bins=self.max_bins, n_threads=threads
        )
        learner = TreeLearner(
            resolve_growth(self, table, admitted.target, random_thresholds=self.random_thresholds),
            self.min_weight_fraction_leaf,
            float(self.ccp_alpha),
            # With fewer trees than workers the spare ones help within the trees.
            n_threads=max(1, min(threads, worker_count(self.n_jobs)) // n_members),
            stop=executor.stop,
        )
        return self._show(learner, admitted, table, groups)

    def _show(
        self,
        learner: TreeLearner,
        admitted: Admitted,
        table: Table,
        groups: NDArray[np.int32] | None,
    ) -> Plan:
        """What trees are fitted on, and how it is shaken for each."""
        target, weight = admitted.target, admitted.weight
        class_weight = getattr(self, "class_weight", None)
        within = class_weight == "balanced_subsample" and self.bootstrap
        factors = None if within else class_factors(class_weight, target, weight)
        if not self.bootstrap:
            return Plan(learner, View(table, target, times(weight, factors)))
        if groups is not None:
            every = RowAxis.lay(np.arange(groups.max() + 1), None)
            n_draws = resolve_max_samples(self.max_samples, every.length)
            draw: Bootstrap | Grouped = Grouped(Bootstrap(every, n_draws), groups)
            view = View(table, target, times(weight, factors))
            return Plan(learner, view, draw, Balanced(draw) if within else draw)
        repeats = repetitions(weight)
        # Repetitions are drawn, so the counts stand for them already.
        importance = weight if repeats is None else None
        if factors is not None and not factors.all():
            # Rows of a class without weight are as good as absent.
            repeats = (1 if repeats is None else repeats) * (factors > 0)
        axis = RowAxis.lay(content_order(table, target, importance), repeats)
        draw = Bootstrap(axis, resolve_max_samples(self.max_samples, axis.length))
        view = View(table, target, times(importance, factors))
        return Plan(learner, view, draw, Balanced(draw) if within else draw)

    @property
    def estimators_(self) -> Trees:
        """The fitted trees, made when asked for."""
        return Trees(self._settled())

    @property
    def estimator_(self) -> SingleTree:
        """An unfitted tree with the parameters of the forest's trees."""
        return template(self)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of each column's share in the decrease of impurity."""
        return mean_importances(self._settled().pool_.forest)

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

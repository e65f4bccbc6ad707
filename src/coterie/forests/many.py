"""What the forests share."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.base import (
    Admitted,
    Committee,
    JoblibExecutor,
    class_factors,
    thread_count,
    times,
    worker_count,
)
from coterie.base.bagged import Bagged, Plan, check_draw, mean_importances
from coterie.base.elsewhere import where_rows_are
from coterie.base.oob_estimates import OutOfBag
from coterie.core import (
    BagSampler,
    Balanced,
    BootstrapSampler,
    RandomLike,
    View,
    as_sampler,
    lay_bags,
    untouched,
)
from coterie.data import Table, Target
from coterie.forests.forest_members import Trees, template
from coterie.forests.proximity import proximity_matrix
from coterie.learners import TreeLearner
from coterie.trees.growth import resolve_growth, resolve_max_features
from coterie.trees.single import SingleTree
from coterie.trees.view import numbered_leaves, numbered_paths


@dataclass(eq=False, repr=False)
class ManyTrees(Bagged, OutOfBag, Committee):
    """A committee of trees that do not know of one another.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf : int or float
        Limits of every tree, see `DecisionTreeClassifier`; by default trees are fully grown.
    max_leaf_nodes, min_impurity_decrease : int or float
        More limits, see `DecisionTreeClassifier`.
    bootstrap : bool, default=True
        Whether trees see bootstrap samples, or all rows.
    oob_score : bool, str or callable, default=False
        Whether to evaluate the forest on out-of-bag rows: True for accuracy or R², or the name of a
        scorer, a scorer, or ``metric(y_true, y_pred)``.
    n_jobs : int, default=None
        Number of trees grown in parallel.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; tree t depends only on it and on t.
    verbose : int, default=0
        Progress messages.
    warm_start : bool, default=False
        Whether `fit` adds trees to those of the last fit.
    ccp_alpha : float, default=0.0
        Penalty per leaf in minimal cost-complexity pruning.
    max_samples : int or float, default=None
        Rows drawn per tree; a float is a fraction of the rows, None is all of them.
    monotonic_cst, max_bins, categorical_features : see DecisionTreeClassifier
        As documented there.
    draw : str, BagSampler or None, default=None
        How bags are drawn, in place of `bootstrap` and `max_samples`: "bootstrap"; "repeats", a
        bootstrap in which integer weights are equivalent to repeated rows; "half" of the rows,
        without replacement; "blocks" of consecutive rows; random weights ("exponential", "poisson",
        "gaussian"); or balanced classes ("under", "balanced", "rough", "over", see
        `BalancedBaggingClassifier`). `coterie.bagging` provides these as objects with settings
        (`BlockSampler` and others); you can also pass your own `BagSampler`.
    """

    answers_by = "mean"
    keeps_classes = True

    member_class: ClassVar[type[SingleTree]]
    member_word: ClassVar[str] = "trees"
    random_thresholds: ClassVar[bool] = False

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "squared_error"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: float | str | None = 1.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: Any = False
    n_jobs: int | None = None
    random_state: RandomLike = None
    verbose: int = 0
    warm_start: bool = False
    #: Classifiers have it as a parameter.
    class_weight: Any = field(default=None, init=False)
    ccp_alpha: float = 0.0
    max_samples: float | None = None
    monotonic_cst: Any = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"
    oob_patience: int | None = None
    tol: float = 0.0
    draw: Any = None

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` uses only the binned values: always."""
        return True

    @property
    def _adds_members(self) -> bool:
        judged = not self.oob_score or hasattr(self, "oob_score_")
        return self.n_estimators != len(self.pool_) or not judged

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        check_draw(self, ("max_samples",))
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                f"max_samples={self.max_samples} needs bags: `max_sample` cannot be set if "
                "`bootstrap=False`. Either switch to `bootstrap=True` or set `max_sample=None`."
            )
        every = self._sampler() is None
        if every and (self.oob_score or self.oob_patience is not None):
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.warm_start and isinstance(self.class_weight, str):
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
        class_weight, sampler = self.class_weight, self._sampler()
        within = class_weight == "balanced_subsample" and sampler is not None
        factors = None if within else class_factors(class_weight, target, weight)
        # Rows of a class without weight are as good as absent, unless bags are made of classes.
        by_class = sampler is not None and sampler.by_class
        some = factors is not None and not factors.all() and not by_class
        present = np.asarray(factors) > 0 if some else None
        view, draw = lay_bags(View(table, target, weight), groups, sampler, present)
        view = replace(view, weight=times(view.weight, factors))
        shake = Balanced(draw or untouched) if within and not by_class else None
        choice = None if sampler is None else sampler.choose(table.n_columns)
        if choice is not None:
            n_tried = resolve_max_features(self.max_features, choice.n_draws)
            learner = replace(learner, growth=replace(learner.growth, max_features=n_tried))
        return Plan(learner, view, draw, shake, choice)

    def _sampler(self) -> BagSampler | None:
        """How bags are drawn; None when every tree sees every row."""
        if self.draw is not None:
            return as_sampler(self.draw)
        return BootstrapSampler(self.max_samples) if self.bootstrap else None

    @property
    def estimators_(self) -> Trees:
        """The fitted trees, created on access; predictions follow what is changed here."""
        return Trees(self._settled())

    @estimators_.setter
    def estimators_(self, trees: Iterable[SingleTree]) -> None:
        self._seat(trees)

    @property
    def estimator_(self) -> SingleTree:
        """An unfitted tree with the parameters of the forest's trees."""
        return template(self)

    @property
    def estimator(self) -> SingleTree:
        """An unfitted tree of the same kind as those of the forest."""
        return self.member_class()

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

    @where_rows_are
    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf that each row reaches in each tree.

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
        return numbered_leaves(this.pool_, this._admit(X), thread_count(self.n_jobs))

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
        return numbered_paths(this.pool_, this._admit(X)), offsets - offsets[0]

    def proximity(
        self, X: Any, Y: Any = None, *, oob: Literal["both"] | None = None
    ) -> NDArray[np.float64]:
        """Share of trees in which two rows end in the same leaf.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        Y : array-like, data frame or sparse matrix of shape (n_others, n_features), optional
            Rows to compare with; `X` itself by default.
        oob : "both" or None, default=None
            With "both", `X` are the training rows, and only trees that saw neither row of a pair
            are used; NaN if there are none.

        Returns
        -------
        ndarray of shape (n_samples, n_samples) or (n_samples, n_others)
        """
        this = self._settled()
        leaves = this.apply(X)
        if oob is None:
            return proximity_matrix(leaves, None if Y is None else this.apply(Y))
        if oob != "both" or Y is not None:
            raise ValueError(f"oob={oob!r} must be None, or 'both' without Y.")
        this._check_training_rows(len(leaves))
        return proximity_matrix(leaves, use=this.bags_.outside())

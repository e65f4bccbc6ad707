"""What ensembles of any independent members share.

`Bag` fits members through `coterie.core.gather`, each on its own draw of the rows and columns. A
family says how rows are drawn (`_sampler`), and, if need be, what a member is (`_member`,
`_learner`), how columns are drawn (`_choose`) and what else is shaken (`_shake`). Fitting, voting,
warm starts, early stopping and everything out of bag follow from these.

Native trees are binned once and see the bag as weights of rows, so that no copy of the table is
made; they end up in one flat forest. Other estimators see the rows as they were given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from coterie.bagging.bag_members import MembersShown
from coterie.base import (
    Admitted,
    ClassifierTask,
    Committee,
    JoblibExecutor,
    class_factors,
    thread_count,
    times,
    worker_count,
)
from coterie.base.bagged import Bagged, Plan, mean_importances
from coterie.base.oob_estimates import OutOfBag
from coterie.core import (
    Allowed,
    BagSampler,
    BootstrapSampler,
    Cast,
    Columns,
    Draw,
    Learner,
    RandomLike,
    Shake,
    View,
    a_function,
    at_least,
    check_params,
    has,
    instance_of,
    lay_bags,
    one_of,
)
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, TreeLearner
from coterie.learners.member_votes import NO_SCORE
from coterie.native import Forest
from coterie.tags import tagged
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.trees.growth import SHAPE, resolve_growth, resolve_max_features
from coterie.trees.single import SingleTree, is_native

Array = NDArray[np.float64]

TRUTH = one_of(True, False)
BAG: dict[str, Allowed] = {
    "estimator": has("fit", "predict", "get_params") | one_of(None),
    "n_estimators": at_least(1),
    "oob_score": TRUTH | a_function | instance_of(str),
    "oob_patience": at_least(1) | one_of(None),
    "tol": at_least(0.0),
    "warm_start": TRUTH,
    "verbose": at_least(0) | TRUTH,
    **{name: SHAPE[name] for name in ("n_jobs", "max_bins", "categorical_features")},
    "random_state": SHAPE["random_state"],
}
VOTING: dict[str, Allowed] = {"voting": one_of("auto", "soft", "hard")}


@dataclass(eq=False, repr=False)
class Bag(MembersShown, Bagged, OutOfBag, Committee):
    """Members fitted independently, each on its own draw of rows and columns.

    Parameters
    ----------
    estimator : estimator, default=None
        The base estimator; by default a fully grown native tree. Native trees share one binned
        table and see bags as weights; any other estimator is cloned and receives the rows in their
        original form, data frames as data frames. `random_state`, `max_bins`,
        `categorical_features` and `n_jobs` of native trees are ignored.
    n_estimators : int, default=10
        Number of members.
    oob_score : bool, str or callable, default=False
        Whether to evaluate the ensemble on out-of-bag rows: True for accuracy or R², or the name of
        a scorer, a scorer, or ``metric(y_true, y_pred)``.
    oob_patience : int or None, default=None
        Stop adding members when the out-of-bag error has not fallen for this many members; None
        always adds `n_estimators`.
    tol : float, default=0.0
        Smallest decrease of the out-of-bag error that counts.
    warm_start : bool, default=False
        Whether `fit` adds members to those of the last fit.
    n_jobs : int, default=None
        Number of members fitted in parallel; results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; member t depends only on it and on t.
    verbose : int, default=0
        Progress messages.
    max_bins : int, default=65535
        Maximum number of bins per column in native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    """

    answers_by: ClassVar[str | None] = "mean"

    estimator: Any = None
    n_estimators: int = 10
    _: KW_ONLY
    oob_score: Any = False
    oob_patience: int | None = None
    tol: float = 0.0
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: RandomLike = None
    verbose: int = 0
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"

    allowed: ClassVar[Mapping[str, Allowed]] = BAG

    # What a family may say.

    def _sampler(self) -> BagSampler | None:
        """How bags are drawn; None when every member sees every row."""
        return BootstrapSampler(repeats=True) if getattr(self, "bootstrap", False) else None

    def _choose(self, n_columns: int) -> Columns | None:
        """The sampler of a member's columns; None if it uses all of them."""
        return None

    def _shake(self, draw: Draw | None) -> Shake | None:
        """What a member is shown, if it is more than the draw; it must draw the same bag."""
        return None

    def _member(self) -> Any:
        """The estimator to fit."""
        if self.estimator is not None:
            return self.estimator
        return (
            DecisionTreeClassifier() if self.task == "classification" else DecisionTreeRegressor()
        )

    def _learner(
        self, member: Any, view: View, choice: Columns | None, n_threads: int, stop: Any
    ) -> Learner:
        """Native trees grow on the binned table; anything else is cloned and fitted."""
        if not is_native(member):
            return ForeignLearner(member)
        return tree_learner(self, member, view, choice, TreeEffort(n_threads, stop))

    # What follows.

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
        member = self._member()
        view, draw = self._rows(table, admitted.target, admitted.weight, groups)
        choice = self._choose(table.n_columns)
        # With fewer members than workers the spare ones help within native trees.
        within = max(1, min(threads, worker_count(self.n_jobs)) // n_members)
        learner = self._learner(member, view, choice, within, executor.stop)
        return Plan(learner, view, draw, self._shake(draw), choice, self._cast(admitted.target))

    def _rows(
        self,
        table: Table,
        target: Target,
        weight: Array | None,
        groups: NDArray[np.int32] | None,
    ) -> tuple[View, Draw | None]:
        """What is drawn from, and how."""
        return lay_bags(View(table, target, weight), groups, self._sampler())

    def _cast(self, target: Target) -> Cast | None:
        """What turns a member's answer into its vote."""
        return OneVote(target.n_classes) if getattr(self, "voting", "auto") == "hard" else None

    def _mean_vote(self, X: Any) -> Array:
        if isinstance(self.pool_.members, Forest):
            return super()._mean_vote(X)
        table = self._admit(X)
        pools = [self.pool_[t : t + 1] for t in range(len(self.pool_))]
        total: Any = 0.0
        # A few at a time: the sum is made in the order of the members, whoever is first.
        step = 4 * worker_count(self.n_jobs)
        for start in range(0, len(pools), step):
            votes = JoblibExecutor(self.n_jobs).map(
                lambda pool: pool.raw(table), pools[start : start + step]
            )
            for vote in votes:
                total = total + vote
        return np.asarray(total / self.pool_.weights.sum())

    @property
    def estimators_features_(self) -> list[NDArray[np.intp]]:
        """The columns of each member, drawn again from its seed."""
        this = self._settled()
        every = np.arange(this.n_features_in_)
        drawn = [this.bags_.columns(t) for t in range(len(this.pool_))]
        return [every if columns is None else columns for columns in drawn]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean share of each column in the decrease of impurity, if members are native trees."""
        members = self._settled().pool_.members
        if not isinstance(members, Forest):
            raise AttributeError(
                "feature_importances_ is available for native trees only. For other members, use "
                "sklearn.inspection.permutation_importance."
            )
        return mean_importances(members)

    def __len__(self) -> int:
        """Number of fitted members."""
        return len(self._settled().pool_)

    def __getitem__(self, index: int) -> Any:
        """One of the fitted members."""
        return self.estimators_[index]


@tagged
@dataclass(frozen=True)
class OneVote:
    """Turns probabilities into one vote for the most probable class of each output."""

    n_classes: tuple[int, ...]

    def __call__(self, output: Array) -> Array:
        """Ones and zeros; in case of ties, the first class has the vote."""
        parts = np.split(output, np.cumsum(self.n_classes)[:-1], axis=1)
        votes = [np.eye(part.shape[1])[part.argmax(axis=1)] for part in parts]
        return votes[0] if len(votes) == 1 else np.concatenate(votes, axis=1)


@dataclass(frozen=True)
class TreeEffort:
    """Threads within a native tree, and the flag that ends growing."""

    n_threads: int
    stop: Any


@tagged
@dataclass(frozen=True)
class ClassWeighted:
    """Grows native trees under class weights, "balanced" ones within every bag."""

    learner: TreeLearner
    class_weight: Any

    def among(self, columns: NDArray[np.intp]) -> ClassWeighted:
        """The same learner, whose trees use some of the columns only."""
        return replace(self, learner=self.learner.among(columns))

    def fit(self, table: Table, target: Target, weight: Array | None, rng: Generator) -> Forest:
        """A forest of one tree."""
        factors = class_factors(self.class_weight, target, weight)
        return self.learner.fit(table, target, times(weight, factors), rng)


def tree_learner(
    owner: Any, tree: SingleTree, view: View, choice: Columns | None, effort: TreeEffort
) -> TreeLearner | ClassWeighted:
    """The learner of a native tree with the tree's parameters."""
    if tree.task != owner.task:
        kind = "Classifier" if owner.task == "classification" else "Regressor"
        raise ValueError(
            f"{type(owner).__name__} cannot fit a {type(tree).__name__} to this target. Use a "
            f"DecisionTree{kind}."
        )
    check_params(type(tree).__name__, tree.get_params(deep=False), tree.allowed)
    growth = resolve_growth(
        tree, view.table, view.target, random_thresholds=tree.splitter == "random"
    )
    # Columns are always drawn, be it all of them: which of two equally good splits is made is then
    # left to chance, and trees differ where the rows do not say why they should not.
    n_columns = view.table.n_columns if choice is None else choice.n_draws
    growth = replace(growth, max_features=resolve_max_features(tree.max_features, n_columns))
    learner = TreeLearner(
        growth,
        tree.min_weight_fraction_leaf,
        float(tree.ccp_alpha),
        n_threads=effort.n_threads,
        stop=effort.stop,
    )
    class_weight = tree.class_weight
    return learner if class_weight is None else ClassWeighted(learner, class_weight)


def _members_decide(bag: Any) -> bool:
    """Whether members have a decision function; an AttributeError says that they do not."""
    fitted = bag.pool_.members if hasattr(bag, "pool_") else ()
    # Parameters may have been set to other members than those that were fitted.
    return hasattr(bag._member(), "decision_function") and all(
        hasattr(member, "estimator") for member in fitted
    )


class BagClassifierTask(ClassifierTask):
    """Members vote for classes, with probabilities where they have them.

    Parameters
    ----------
    voting : {"auto", "soft", "hard"}, default="auto"
        Average probabilities if members have them ("auto"), require them ("soft"), or count one
        vote per member, as in the original algorithm ("hard").
    """

    voting: Literal["auto", "soft", "hard"]

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        member = self._member()
        if self.voting == "soft" and not hasattr(member, "predict_proba"):
            raise ValueError(
                f"voting='soft' needs members with predict_proba, but {type(member).__name__} has "
                "none. Use voting='auto' or 'hard'."
            )

    @available_if(_members_decide)
    def decision_function(self, X: Any) -> Array:
        """Mean of the members' decision functions.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One score for two classes, which is for the second. A class that a member never saw
            has score minus infinity.
        """
        this = self._settled()
        table = this._admit(X)
        scores = JoblibExecutor(this.n_jobs).map(partial(_decide, table), this.pool_.members)
        mean = np.average(np.stack(scores), axis=0, weights=this.pool_.weights)
        return mean[:, 0] if mean.shape[1] == 1 else mean


def _decide(table: Table, member: Any) -> Array:
    """Scores of a member, shape (n_rows, n_scores); minus infinity for classes it never saw."""
    if hasattr(member.estimator, "decision_function"):
        said = replace(member, method="decision_function").predict(table)
        return np.where(said == NO_SCORE, -np.inf, said)
    votes = member.predict(table)  # a bag of one class has made it a constant
    return votes[:, 1:] - votes[:, :1] if votes.shape[1] == 2 else np.where(votes, 1.0, -np.inf)

"""What ensembles of independent members share: bags, warm starts, out-of-bag rows as judges.

Steps of a fit:

1. The family makes a `Plan`: what a member is, what it is shown, and how bags are drawn.
2. `gather` fits a member per seed. With `oob_patience` a judge hears each new member on the
   rows outside its bag and ends the loop when the error no longer falls.
3. Members become ``pool_``; of the bags only seeds are kept (``bags_``).
4. Out-of-bag rows judge the whole, if asked; see `OutOfBag` for what else they can do.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer
from sklearn.utils.validation import check_is_fitted

from coterie.base.check import Admitted
from coterie.base.executor import JoblibExecutor, thread_count
from coterie.base.groups import read_groups
from coterie.base.oob_votes import OobJudge, score_votes, warn_if_uncovered
from coterie.base.same_data import check_same_data
from coterie.core import (
    Bags,
    Cast,
    Columns,
    Draw,
    Learner,
    Member,
    Patch,
    Pool,
    Shake,
    View,
    draw_entropy,
    gather,
    member_seeds,
    untouched,
)
from coterie.core.watch import Patience
from coterie.data import Target
from coterie.learners import adapt
from coterie.native import Forest

if TYPE_CHECKING:
    from coterie.base.committee import Committee
    from coterie.base.oob_estimates import OutOfBag

    class Mixin(OutOfBag, Committee):
        """What its families are besides."""
else:
    Mixin = object


@dataclass(frozen=True)
class Plan:
    """How the members of an ensemble come about.

    Parameters
    ----------
    learner : Learner
        Fits a member.
    view : View
        Table, target and weights, before they are shaken.
    draw : Draw or None
        How bags are drawn; None when every member sees every row.
    shake : Shake or None
        What a member is shown; by default what `draw` makes of the view. A shake of its own must
        draw the same bag from the same stream, or out-of-bag rows would not be.
    choice : Columns or None
        The sampler of a member's columns; None if it uses all of them. The learner is told by its
        method `among`.
    cast : callable or None
        Turns what a member says into its vote.
    """

    learner: Learner
    view: View
    draw: Draw | None = None
    shake: Shake | None = None
    choice: Columns | None = None
    cast: Cast | None = None

    def fit(
        self, seeds: NDArray[np.int64], executor: JoblibExecutor, watch: Any, first: int = 0
    ) -> list[Member]:
        """A member per seed, the first of them at a position, or fewer if the watch says stop."""
        shake = self.shake or self.draw or untouched
        return gather(
            self.learner,
            self.view,
            seeds=seeds,
            shake=shake if self.choice is None else Patch(shake, self.choice),
            executor=executor,
            watches=() if watch is None else (watch,),
            first=first,
        )


class OobWatch:
    """Ends the loop when the out-of-bag error no longer falls.

    Parameters
    ----------
    judge : OobJudge
        Hears the members.
    bags : Bags
        What they saw.
    cast : callable or None
        Turns what a member says into its vote.
    patience : int
        Members without improvement that are borne.
    tol : float
        Smallest decrease that counts as an improvement.
    """

    def __init__(
        self, judge: OobJudge, bags: Bags, cast: Cast | None, patience: int, tol: float
    ) -> None:
        self.judge, self.bags, self.cast = judge, bags, cast
        self.patience = Patience(patience, tol)

    def recall(self, pool: Pool, bags: Bags) -> None:
        """Hear the members of an earlier fit."""
        for number in range(len(pool)):
            self.judge.hear(pool[number : number + 1], bags.unseen(number))

    def __call__(self, number: int, member: Member) -> bool:
        """Hear a new member; true when there are enough."""
        one = replace(Pool.of([member]), cast=self.cast)
        error = self.judge.hear(one, self.bags.unseen(number - 1))
        # Not a number: no row has a vote yet.
        return not np.isnan(error) and self.patience.tell(-error)


class Bagged(Mixin):
    """A committee of members that do not know of one another, and may be judged out of bag.

    Parameters
    ----------
    oob_patience : int or None, default=None
        Stop adding members when the out-of-bag error has not fallen for this many members; None
        always adds `n_estimators`. The out-of-bag error is then slightly optimistic, because it was
        used to choose the size.
    tol : float, default=0.0
        Smallest decrease of the out-of-bag error that counts.
    """

    #: What messages call members.
    member_word: ClassVar[str] = "estimators"

    n_estimators: int
    oob_score: Any
    random_state: Any
    verbose: int
    warm_start: bool
    oob_patience: int | None
    tol: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are in a bag together or not at all, so that out-of-bag rows belong to
            groups that the member has not seen. Draws then count groups, not rows.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups=groups)

    def _plan(
        self,
        admitted: Admitted,
        groups: NDArray[np.int32] | None,
        n_members: int,
        executor: JoblibExecutor,
    ) -> Plan:
        """How to fit `n_members` members; a new family writes this."""
        raise NotImplementedError

    def _check_choices(self, target: Target) -> None:
        """Refuse parameters that do not go together, before any work is done."""
        if isinstance(self.oob_score, str):
            get_scorer(self.oob_score)
        judged = self.oob_score or self._patience is not None
        if judged and target.n_outputs > 1 and any(len(c) > 2 for c in target.classes):
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates. Got "
                "multiclass-multioutput while only the following are supported: continuous, "
                "continuous-multioutput, binary, multiclass, multilabel-indicator."
            )

    @property
    def _patience(self) -> int | None:
        return getattr(self, "oob_patience", None)

    def _train(self, draft: Self, admitted: Admitted, n_samples: int, groups: Any = None) -> None:
        self._check_choices(admitted.target)
        numbers = read_groups(groups, n_samples, admitted.kept)
        earlier = self if self.warm_start and hasattr(self, "pool_") else None
        n_more = self.n_estimators - (0 if earlier is None else len(earlier.pool_))
        if n_more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={self.n_estimators - n_more} when warm_start==True"
            )
        judge = None
        if n_more == 0:
            _keep_results(earlier, draft)
        else:
            judge = self._grow(draft, admitted, n_samples, earlier, numbers)
            judge = None if self._weigh(draft, admitted) else judge
        if self.oob_score and not hasattr(draft, "oob_score_"):
            self._judge(draft, admitted, judge)

    def _grow(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        earlier: Self | None,
        groups: NDArray[np.int32] | None,
    ) -> OobJudge | None:
        """Fit the members that are missing, and set pool and bags on the draft."""
        n_before = 0 if earlier is None else len(earlier.pool_)
        seeds = member_seeds(draw_entropy(self.random_state), n_before, self.n_estimators)
        executor = JoblibExecutor(self.n_jobs, self.verbose)
        plan = self._plan(admitted, groups, len(seeds), executor)
        bags = Bags(seeds, plan.draw, n_samples, admitted.kept, plan.choice)
        watch = None
        if self._patience is not None:
            bags.check_judges()
            judge = self._make_judge(admitted, bags)
            watch = OobWatch(judge, bags, plan.cast, self._patience, self.tol)
            if earlier is not None:
                bags.after(earlier.bags_).check_judges()
                watch.recall(earlier.pool_, earlier.bags_)
        elif self.oob_score:
            bags.check_judges()
        members = plan.fit(seeds, executor, watch, n_before)
        bags = bags[: len(members)]
        pool = replace(Pool.taking(members), cast=plan.cast)
        draft.pool_ = pool if earlier is None else earlier.pool_ + pool
        draft.bags_ = bags if earlier is None else bags.after(earlier.bags_)
        return None if watch is None else watch.judge

    def _seat(self, estimators: Iterable[Any]) -> None:
        """Make other fitted estimators the members; what was known of their bags is kept."""
        members = list(estimators)
        for member in members:
            check_is_fitted(member)
        bags = self.bags_
        if bags.choice is not None:
            raise ValueError(
                "estimators_ cannot be changed with max_features < 1.0, because each member uses "
                "its own subset of the columns."
            )
        pool = Pool.of([self._as_member(member) for member in members])
        self.pool_ = replace(pool, cast=self.pool_.cast)
        states = [getattr(member, "random_state", None) for member in members]
        self.bags_ = bags.of([s if isinstance(s, int) else -1 for s in states])

    def _as_member(self, estimator: Any) -> Member:
        """A fitted estimator as what a pool holds."""
        pool = getattr(estimator, "pool_", None)
        if isinstance(pool, Pool) and len(pool) == 1 and isinstance(pool.members, Forest):
            check_same_data(
                self, estimator, "Only trees with the same columns and classes can be added."
            )
            return pool.forest
        return adapt(estimator, self.target_.classes)

    def _weigh(self, draft: Self, admitted: Admitted) -> bool:
        """Give members other weights, on the draft; tell whether that was done."""
        return False

    def _make_judge(self, admitted: Admitted, bags: Bags) -> OobJudge:
        """Hears members on rows that count alike, as in scikit-learn, or as they are repeated."""
        weight = admitted.weight if bags.repeats else None
        threads = thread_count(self.n_jobs)
        return OobJudge(admitted.table, admitted.target, weight=weight, n_threads=threads)

    def _judge(self, draft: Self, admitted: Admitted, judge: OobJudge | None) -> None:
        """Set the out-of-bag results on the draft."""
        bags, pool = draft.bags_, draft.pool_
        bags.check_judges()
        if judge is None:
            judge = self._make_judge(admitted, bags)
            for number in range(len(pool)):
                judge.hear(pool[number : number + 1], bags.unseen(number))
        votes = judge.verdict()
        warn_if_uncovered(votes.covered, self.member_word)
        draft.oob_score_ = score_votes(self.oob_score, admitted.target, votes, judge.weight)
        draft.oob_coverage_ = float(votes.covered.mean())
        draft.oob_curve_ = votes.curve
        self._publish_oob(draft, draft._spread(votes.mean))


def check_draw(owner: Any, others: tuple[str, ...]) -> None:
    """Refuse other parameters that would say how bags are drawn, if `draw` says so."""
    for name in others:
        if owner.draw is not None and getattr(owner, name) is not None:
            raise ValueError(
                f"draw={owner.draw!r} and {name}={getattr(owner, name)!r} both define how bags "
                f"are drawn. Set {name}=None, and pass a sampler with the settings you want, for "
                "example draw=BootstrapSampler(max_samples=0.5)."
            )


def mean_importances(forest: Forest) -> NDArray[np.float64]:
    """Mean over the trees of each column's share in the decrease of impurity."""
    each = forest.importances()
    each = each[each.sum(axis=1) > 0]
    if not len(each):
        return np.zeros(forest.n_features)
    mean = (each / each.sum(axis=1, keepdims=True)).mean(axis=0)
    return np.asarray(mean / mean.sum())


def warn_no_more() -> None:
    """Tell that a warm start adds nothing."""
    warnings.warn(
        "Warm-start fitting without increasing n_estimators does not fit new trees.",
        UserWarning,
        stacklevel=2,
    )


def _keep_results(earlier: Any, draft: Any) -> None:
    """A warm start that adds nothing: what was fitted stays."""
    warn_no_more()
    for name, value in vars(earlier).items():
        if name.endswith("_") and not name.startswith("_"):
            setattr(draft, name, value)

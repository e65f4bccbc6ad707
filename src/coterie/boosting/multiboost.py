"""MultiBoost: sub-committees of AdaBoost that start from different weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from typing import NamedTuple, Self

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from coterie.base import Admitted, JoblibExecutor, thread_count
from coterie.base.scoring import Measures, Validation
from coterie.boosting.booster import BoostedClassifier, up_to_best
from coterie.boosting.learner import class_depth, member_bins
from coterie.boosting.m1 import AdaBoostM1
from coterie.core import Pool, content_order, draw_entropy, member_seeds, split_weight
from coterie.core.boost import Boosted, Settings, boost
from coterie.core.rule import Array, Rule, State, normalised, share
from coterie.core.trace import Trace
from coterie.core.train import Trainer
from coterie.core.watch import TimeBudget
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.native import elementary
from coterie.trees.single import is_native

# Drawing new weights this often in a row without any member of use ends a sub-committee.
_MOST_FAILURES = 25


def committee_ends(n_members: int) -> NDArray[np.int64]:
    r"""The round after which each sub-committee ends: :math:`\lceil kT/q \rceil`.

    There are :math:`q = \lfloor \sqrt T \rfloor` of them.

    Examples
    --------
    >>> committee_ends(10)
    array([ 4,  7, 10])
    """
    q = isqrt(n_members)
    return -(-np.arange(1, q + 1) * n_members // q)


@dataclass(frozen=True)
class Wagging:
    """Weights times exponential noise, the continuous counterpart of a bootstrap.

    A row given three times draws noise three times, and a row of weight three as often; which
    noise a row draws depends on what it holds, not on where it stands.
    """

    order: NDArray[np.int64]
    weight: Array
    repeats: NDArray[np.int64] | None

    @classmethod
    def of(cls, table: Table, target: Target, weight: Array | None) -> Wagging:
        """Around the given weights; the table is binned."""
        repeats, importance = split_weight(weight)
        plain = np.ones(table.n_rows) if importance is None else importance
        return cls(content_order(table, target, importance), plain, repeats)

    def draw(self, rng: Generator) -> Array:
        """Weights of the rows."""
        noise = np.empty(len(self.order))
        if self.repeats is None:
            noise[self.order] = rng.exponential(size=len(noise))
        else:
            ends = np.cumsum(self.repeats[self.order])
            draws = rng.exponential(size=int(ends[-1]))
            noise[self.order] = np.add.reduceat(draws, np.append(0, ends[:-1]))
        return noise * self.weight


class Place(NamedTuple):
    """A sub-committee: its number, how many members it shall have, and those it has."""

    number: int
    size: int
    known: Boosted | None = None


@dataclass(frozen=True)
class Committees:
    """What all sub-committees have in common."""

    rule: Rule
    learner: Trainer
    table: Table
    target: Target
    weight: Array | None
    settings: Settings
    entropy: int

    def boost(self, wagging: Wagging, place: Place) -> Boosted:
        """The sub-committee of a place.

        Each run ends with a member that is perfect or of no use; the next one begins with new
        weights, until the sub-committee is complete. Members of a former fit are kept: the run
        they were the last of goes on.
        """
        number, size, known = place
        if known is not None and len(known.members) >= size:
            return _part(known, slice(size))
        seeds = member_seeds(_child(self.entropy, number), 0, size)
        done, running, attempt = _resumed(known)
        failures = 0
        while True:
            run = boost(
                self.rule,
                self.learner,
                self.table,
                self.target,
                self._weight(wagging, number, attempt),
                seeds=seeds[0 if done is None else len(done.members) :],
                settings=self.settings,
                earlier=running,
            )
            for facts in run.trace:
                facts["attempt"] = float(attempt)
            done = run if done is None else _joined([done, run])
            failures = 0 if run.members else failures + 1
            ended = run.trace.reason == "time_exhausted" or failures == _MOST_FAILURES
            if ended or len(done.members) == size:
                return done
            running, attempt = None, attempt + 1

    def _weight(self, wagging: Wagging, number: int, attempt: int) -> Array | None:
        """What a run begins with: the given weights at first, then wagged ones."""
        rng = np.random.default_rng(SeedSequence(self.entropy, spawn_key=(1, number, attempt)))
        return self.weight if number == attempt == 0 else wagging.draw(rng)


def _part(whole: Boosted, rows: slice) -> Boosted:
    """Some of the members, with their own copy of the trace."""
    trace = Trace(
        [dict(facts) for facts in whole.trace.rounds[rows]],
        whole.trace.weights[rows],
        whole.trace.reason,
    )
    return Boosted(whole.members[rows], whole.alphas[rows], whole.start, None, trace)


def _resumed(known: Boosted | None) -> tuple[Boosted | None, Boosted | None, int]:
    """Runs that are over, the run that goes on, and its number."""
    if known is None or not known.members:
        return None, None, 0
    attempts = known.trace["attempt"]
    last = int(np.searchsorted(attempts, attempts[-1]))
    done = _part(known, slice(last)) if last else None
    return done, _part(known, slice(last, None)), int(attempts[-1])


def _child(entropy: int, number: int) -> int:
    """The entropy of a sub-committee; the first has that of the whole."""
    if number == 0:
        return entropy
    words = SeedSequence(entropy, spawn_key=(2, number)).generate_state(4)
    return int.from_bytes(words.tobytes(), "little")


def _joined(parts: list[Boosted]) -> Boosted:
    """The members of all parts in one row."""
    trace = Trace(
        [facts for part in parts for facts in part.trace.rounds],
        [weight for part in parts for weight in part.trace.weights],
        parts[-1].trace.reason,
    )
    members = [member for part in parts for member in part.members]
    alphas = [alpha for part in parts for alpha in part.alphas]
    start = np.zeros_like(parts[0].start) if members else parts[0].start
    return Boosted(members, alphas, start, parts[-1].state, trace)


def account(
    whole: Boosted,
    rule: AdaBoostM1,
    table: Table,
    target: Target,
    weight: Array,
    n_threads: int = 1,
) -> None:
    r"""Note the training error after each round, and what bounds it.

    A row that q sub-committees together get wrong has a margin :math:`\sum_k m_k \le 0`, and
    :math:`1 \le e^{-\sum_k m_k / q} \le \frac1q \sum_k e^{-m_k}`: the mean of their exponential
    losses bounds the training error. Of one sub-committee that is AdaBoost's bound.

    Parameters
    ----------
    whole : Boosted
        All members; facts are added to its trace.
    rule : AdaBoostM1
        How they vote.
    table, target, weight : Table, Target, ndarray
        The training rows; weights sum to one.
    n_threads : int
        Threads of prediction.
    """
    pool = Pool.of(whole.members, np.array(whole.alphas), cast=rule.vote)
    state = State(target, weight, weight, np.zeros((table.n_rows, len(whole.start))))
    committee, own, losses = -1, np.zeros_like(state.raw), []
    for t, facts in enumerate(whole.trace.rounds):
        if facts["committee"] != committee:
            committee, own = int(facts["committee"]), np.zeros_like(own)
            losses.append(1.0)
        vote = pool[t : t + 1].raw(table, n_threads=n_threads)
        state.raw += vote
        own += vote
        with np.errstate(over="ignore"):
            losses[-1] = elementary.dot(weight, elementary.exp(-rule.margin(state, own)))
        facts["train_error"] = share(weight, rule.decide(state.raw) != state.codes)
        facts["bound"] = float(np.mean(losses))
        facts.pop("loss", None)  # that of one run, under its own weights


@dataclass(eq=False, repr=False, kw_only=True)
class MultiBoostClassifier(BoostedClassifier):
    r"""A committee of AdaBoost sub-committees, each started from random weights.

    T members come in :math:`\lfloor \sqrt T \rfloor` sub-committees. Each is boosted by
    AdaBoost.M1; the first begins with the given weights, the others with the given weights times
    exponential noise ("wagging"). Boosting reduces the bias and the noise reduces the variance, and
    sub-committees can be fitted in parallel. A sub-committee with a member that is perfect, or no
    better than chance, restarts with new weights.

    Parameters
    ----------
    estimator : estimator, default=None
        The member; by default a tree of depth 3 with two classes, and deeper with more.
    n_estimators : int, default=50
        Total number of members of all sub-committees.
    warm_start : bool, default=False
        Keep the members of the last fit and add more; the result is the same as for one longer fit.
        The number and size of the sub-committees grow with the number of members; if one becomes
        smaller, its last members are dropped.
    n_jobs : int, default=None
        Number of sub-committees fitted in parallel, and of threads for prediction.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The votes :math:`\ln(1/\beta_t)` of each member, with
        :math:`\beta = \epsilon/(1-\epsilon)`; of two classes half of that, since
        ``decision_function`` is :math:`\sum_t \alpha_t h_t` with :math:`h_t = \pm 1`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    committees_ : ndarray of shape (n_rounds,)
        The sub-committee of each member. Probabilities are proportional to the exponential of the
        votes divided by the number of sub-committees.
    trace_ : Trace
        Error, edge, alpha, normaliser, sub-committee, training error of all members so far and its
        bound by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Webb, "MultiBoosting: a technique for combining boosting and wagging", Mach. Learn. 40
       (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MultiBoostClassifier(
    ...     DecisionTreeClassifier(max_depth=3), n_estimators=10, random_state=0
    ... ).fit(X, y)
    >>> model.committees_
    array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    """

    answers_by = None

    def _rule(self) -> AdaBoostM1:
        return AdaBoostM1(float(self.learning_rate))

    def _depth(self, target: Target) -> int:
        # Wagging makes up for the variance of deep trees; M1 ends where a member errs on half.
        return max(3, class_depth(int(target.n_classes[0]), 4))

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        *,
        validation: Validation | None = None,
    ) -> None:
        earlier = self._earlier()
        entropy = draw_entropy(self.random_state) if earlier is None else self.entropy_
        learn, watch = self._hold_out(admitted, entropy, validation)
        table, target, weight, _ = learn
        # Of the rows as given: the lightest of wagged rows weighs next to nothing.
        given = np.ones(table.n_rows) if weight is None else weight
        rule = replace(self._rule(), perfect_error=0.5 * float(given.min() / given.sum()))
        threads = thread_count(self.n_jobs)
        member, bins = self._member(rule.gives, target), self.max_bins
        if is_native(member):
            bins = member_bins(type(self).__name__, bins, member)
        table = table.bin(weight=weight, max_bins=bins, n_threads=threads)
        places = self._places(earlier)
        executor = JoblibExecutor(self.n_jobs, self.verbose)
        learner = self._learner(member, rule, (table, target, weight))
        if isinstance(learner, TreeLearner):
            within = threads if len(places) == 1 else 1
            learner = replace(learner, n_threads=within, stop=executor.stop)
        settings = self._settings(member, rule, None)
        budget = [watch for watch in settings.watches if isinstance(watch, TimeBudget)]
        settings = replace(settings, watches=budget)
        shared = Committees(rule, learner, table, target, weight, settings, entropy)
        task = partial(shared.boost, Wagging.of(table, target, weight))
        whole = self._assemble(executor.map(task, places))
        account(whole, rule, table, target, normalised(given), threads)
        draft.entropy_, draft.rule_ = entropy, rule
        held = self._measures(rule, learn, watch)
        self._publish(draft, whole if held is None else self._cut(whole, held))
        draft.committees_ = draft.trace_["committee"].astype(np.intp)

    def _places(self, earlier: Boosted | None) -> list[Place]:
        """What each sub-committee has, and shall have."""
        sizes = np.diff(committee_ends(self.n_estimators), prepend=0).tolist()
        kept = earlier is not None and len(earlier.members) > 0
        if kept and self.trace == "weights":
            kept = len(self.trace_.weights) == len(self.pool_)
        if earlier is None or not kept:
            return [Place(number, size) for number, size in enumerate(sizes)]
        starts = np.searchsorted(self.committees_, np.arange(len(sizes) + 1))
        return [
            Place(number, size, _part(earlier, slice(starts[number], starts[number + 1])))
            for number, size in enumerate(sizes)
        ]

    def _assemble(self, parts: list[Boosted]) -> Boosted:
        """One committee of all; the trace says which part a member is of."""
        for number, part in enumerate(parts):
            for facts in part.trace.rounds:
                facts["committee"] = float(number)
        whole = _joined(parts)
        reasons = [part.trace.reason for part in parts]
        lacking = next((r for r in reasons if r in ("time_exhausted", "too_weak")), "max_rounds")
        complete = len(whole.members) == self.n_estimators
        whole.trace.reason = "max_rounds" if complete else lacking
        return whole

    def _cut(self, whole: Boosted, held: Measures) -> Boosted:
        """The rounds up to the best one, as far as they were measured."""
        watch = self._patience(held) if self.early_stopping else TimeBudget(np.inf)
        pool = Pool.of(whole.members, np.array(whole.alphas), cast=self._rule().vote)
        seen = Trace()
        raw = np.zeros((held.rows.table.n_rows, len(whole.start)))
        for t, facts in enumerate(whole.trace.rounds):
            raw += pool[t : t + 1].raw(held.rows.table)
            # Probabilities are those of the mean of the sub-committees.
            mean = raw / (facts["committee"] + 1)
            seen.append({**facts, **held(mean)})
            seen.reason = watch(seen)
            if seen.reason:
                break
        size = len(seen)
        seen.weights = whole.trace.weights[:size]
        seen.reason = seen.reason or whole.trace.reason
        members, alphas = whole.members[:size], whole.alphas[:size]
        return up_to_best(Boosted(members, alphas, whole.start, whole.state, seen), held)

    def _link(self, raw: Array, size: int) -> Array:
        members = self.committees_[:size]
        return np.asarray(super()._link(raw / max(len(np.unique(members)), 1), size))

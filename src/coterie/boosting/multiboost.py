"""MultiBoost: sub-committees of AdaBoost that start from different weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from typing import Any, Self

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from coterie.base import Admitted, JoblibExecutor, thread_count
from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.m1 import AdaBoostM1
from coterie.core import Pool, content_order, draw_entropy, member_seeds, repetitions
from coterie.core.boost import Boosted, Monitor, Settings, boost
from coterie.core.rule import Array, Rule
from coterie.core.trace import Trace
from coterie.core.train import Trainer
from coterie.core.watch import NoImprovement, TimeBudget
from coterie.data import Table, Target
from coterie.learners import TreeLearner

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
        repeats = repetitions(weight)
        importance = weight if repeats is None else None
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

    def boost(self, wagging: Wagging, place: tuple[int, int]) -> Boosted:
        """Sub-committee number `place[0]` of `place[1]` members.

        Each run ends with a member that is perfect or of no use; the next one begins with new
        weights, until the sub-committee is complete.
        """
        number, size = place
        seeds = member_seeds(_child(self.entropy, number), 0, size)
        whole: Boosted | None = None
        failures = attempt = 0
        while whole is None or (len(whole.members) < size and failures < _MOST_FAILURES):
            rng = np.random.default_rng(SeedSequence(self.entropy, spawn_key=(1, number, attempt)))
            weight = self.weight if number == attempt == 0 else wagging.draw(rng)
            done = 0 if whole is None else len(whole.members)
            run = boost(
                self.rule,
                self.learner,
                self.table,
                self.target,
                weight,
                seeds=seeds[done:],
                settings=self.settings,
            )
            whole = run if whole is None else _joined([whole, run])
            failures = 0 if run.members else failures + 1
            attempt += 1
            if run.trace.reason == "time_exhausted":
                break
        return whole


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


@dataclass(eq=False, repr=False, kw_only=True)
class MultiBoostClassifier(BoostedClassifier):
    r"""Sub-committees of AdaBoost, each from weights of its own, in one committee.

    T members come in :math:`\lfloor \sqrt T \rfloor` sub-committees. Each is boosted by
    AdaBoost.M1; the first begins with the given weights, the others with the given weights times
    exponential noise ("wagging"). Boosting lowers the bias and the noise the variance, and
    sub-committees can be fitted at the same time. A sub-committee whose member is perfect, or no
    better than even, begins again with new weights.

    Parameters
    ----------
    n_estimators : int, default=50
        Members of all sub-committees together.
    early_stopping : bool, default=False
        End when the error on held-out rows no longer falls.
    warm_start : bool, default=False
        Go on with the random numbers of the last fit: the result is that of one longer fit. The
        sub-committees of other sizes are fitted anew.
    n_jobs : int, default=None
        Sub-committees that are boosted at a time, and threads of prediction.

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
        Error, edge, alpha, normaliser and sub-committee by round.
    stop_reason_ : str
        Why boosting ended.
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

    def _rule(self) -> AdaBoostM1:
        return AdaBoostM1(float(self.learning_rate))

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        entropy = draw_entropy(self.random_state) if self._earlier() is None else self.entropy_
        (table, target, weight), held = self._hold_out(admitted, entropy)
        # Of the rows as given: the lightest of wagged rows weighs next to nothing.
        given = np.ones(table.n_rows) if weight is None else weight
        rule = replace(self._rule(), perfect_error=0.5 * float(given.min() / given.sum()))
        threads = thread_count(self.n_jobs)
        table = table.bin(weight=weight, max_bins=self.max_bins, n_threads=threads)
        sizes = np.diff(committee_ends(self.n_estimators), prepend=0)
        executor = JoblibExecutor(self.n_jobs, self.verbose)
        member = self._member(rule.gives)
        learner = self._learner(member, rule, table, target)
        if isinstance(learner, TreeLearner):
            within = threads if len(sizes) == 1 else 1
            learner = replace(learner, n_threads=within, stop=executor.stop)
        settings = self._settings(member, rule, None)
        budget = [watch for watch in settings.watches if isinstance(watch, TimeBudget)]
        settings = replace(settings, watches=budget)
        shared = Committees(rule, learner, table, target, weight, settings, entropy)
        task = partial(shared.boost, Wagging.of(table, target, weight))
        parts = executor.map(task, list(enumerate(sizes.tolist())))
        draft.entropy_, draft.rule_ = entropy, rule
        self._publish(draft, self._assemble(parts, held))
        draft.committees_ = draft.trace_["committee"].astype(np.intp)

    def _assemble(self, parts: list[Boosted], held: Monitor | None) -> Boosted:
        """One committee of all; the trace says which part a member is of."""
        for number, part in enumerate(parts):
            for facts in part.trace.rounds:
                # The bound is on the error of one run under its own weights, not of the whole.
                facts.pop("bound", None)
                facts["committee"] = float(number)
        whole = _joined(parts)
        reasons = [part.trace.reason for part in parts]
        lacking = next((r for r in reasons if r in ("time_exhausted", "too_weak")), "max_rounds")
        complete = len(whole.members) == self.n_estimators
        whole.trace.reason = "max_rounds" if complete else lacking
        return whole if held is None else self._cut(whole, held)

    def _cut(self, whole: Boosted, held: Monitor) -> Boosted:
        """The rounds until the error on held-out rows no longer fell."""
        watch = NoImprovement("validation_error", self.n_iter_no_change, self.tol)
        pool = Pool.of(whole.members, np.array(whole.alphas), cast=self._rule().vote)
        seen = Trace()
        raw = np.zeros((held.table.n_rows, len(whole.start)))
        for t, facts in enumerate(whole.trace.rounds):
            raw += pool[t : t + 1].raw(held.table)
            seen.append({**facts, **held.loss(raw, held.target)})
            seen.reason = watch(seen)
            if seen.reason:
                break
        size = len(seen)
        seen.weights = whole.trace.weights[:size]
        seen.reason = seen.reason or whole.trace.reason
        return Boosted(whole.members[:size], whole.alphas[:size], whole.start, whole.state, seen)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """`predict_proba` after each round."""
        this = self._settled()
        for t, raw in enumerate(this._staged_raw(X)):
            yield this._link(raw, t + 1)

    def _link(self, raw: Array, size: int | None = None) -> Array:
        """Probabilities of the scores of the first `size` members."""
        members = self.committees_[: len(self.pool_) if size is None else size]
        return super()._link(raw / max(len(np.unique(members)), 1))

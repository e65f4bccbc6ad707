"""The search: candidates one after the other, by the time that is left."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.automl.candidates import DEEP, DEFAULT, PRIOR, Candidate
from coterie.automl.clock import MOMENT, Clock, OutOfTime
from coterie.automl.combine import OutOfFold
from coterie.automl.journal import Page
from coterie.automl.material import Material
from coterie.automl.metrics import Metric
from coterie.automl.race import Rival, by_gain
from coterie.automl.recollection import facts_of, recalled, would_go_on
from coterie.automl.records import NO_TIME, Event, Kind
from coterie.automl.second_layer import (
    LAYER,
    can_stack,
    choose_bases,
    fit_second_layer,
    is_worth,
)
from coterie.automl.shares import MOST, can_measure, is_late_for_boosters, share_of
from coterie.automl.situation import Situation
from coterie.automl.splits import Plan
from coterie.automl.suitability import why_unfit
from coterie.automl.time_estimates import is_quick
from coterie.automl.trial import (
    FAILURES,
    OPENED,
    Attempt,
    Trial,
    gain_of_mean,
    likely_gain,
    run_trial,
)
from coterie.data import DataError

Array = NDArray[np.float64]

_WAVE = 4  # candidates that are compared before one is finished
_FIRST_SHARE = 0.6  # of the time, for the first splits of the first candidate
_REST = 0.5  # of the time left, for all other splits of it
_OWED = 0.5  # of the time left, for those at the end if there was no time for them before
_AMPLE, _LARGE = 0.5, 0.4  # shares of the time left: of a wave, of a candidate
_LITTLE = 0.005  # of the loss
_HARDLY = 0.05  # of the loss of a constant model, by which members are better that are hardly so
_CANDIDATES = 20  # about
_MORE = 1.5  # times what a candidate was given, for another try
_BRIEF = 0.02  # of the limit: too little for any candidate
_SAFE = 1.25  # times the time that is expected
_MOST_OF_IT = 0.7  # of the time left, for what is made smaller
_IDLE, _PROGRESS = 2, 1e-3  # waves, and what a loss must fall by, for a search to go on
_MODELS = (20, 200)  # members at most: so many, and one for so many rows
_AS_LONG_AS_IT_TAKES = 1e9  # seconds
_LATE = 5.0  # seconds, for the answers of models that are there when the time is over


@dataclass
class Search:
    """A search on one table.

    Parameters
    ----------
    situation : Situation
        The table in a few figures.
    material : Material
        The rows.
    metric : Metric
        What is to be good.
    clock : Clock
        The time that is left.
    progress : callable or None
        Called with an `Event` for every step of the search.
    page : Page or None
        Where finished candidates are noted.
    stacks : bool, default=False
        Whether a second layer is tried.
    """

    situation: Situation
    material: Material
    metric: Metric
    clock: Clock
    progress: Callable[[Event], Any] | None = None
    page: Page | None = None
    stacks: bool = False
    trials: list[Trial] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)
    stopped: Literal["finished", "time", "interrupted"] = "finished"
    cut_short: bool = False  # whether the time ended in the midst of a candidate
    waiting: list[tuple[Attempt, float]] = field(default_factory=list)
    late: list[tuple[Candidate, float]] = field(default_factory=list)  # and what they were given
    owed: int = 0  # splits that nothing is judged by for lack of time
    _share: float = 0.25  # of the time left that a further candidate may take

    def run(
        self, candidates: Sequence[Candidate], further: Iterable[Candidate] | None = None
    ) -> None:
        """Try all candidates that fit into the time.

        The first one is fitted to all splits, or, if time is short, to a few that all are judged
        by: its models of the others come at the end. Other candidates come in waves: each is fitted
        to a few splits first, and to all of them if that adds something; where time is short, in
        the order of gain per second.

        Parameters
        ----------
        candidates : sequence of Candidate
            What is tried.
        further : iterable of Candidate, optional
            What is tried afterwards, wave by wave, until it adds nothing more.
        """
        queue = list(candidates)
        try:
            while queue and not self.trials:
                self._attempt(queue.pop(0))
            if queue and would_go_on(self.trials[0], candidates, self.situation):
                queue = self._deep_early(queue)
            for start in range(0, len(queue), _WAVE):
                self._race(queue[start : start + _WAVE])
            self._end_waiting()
            self._retry()
            if self.stacks:
                self._stack()
            if further is not None:
                self._go_on(iter(further))
        except KeyboardInterrupt:
            if not self.trials:
                raise
            self.stopped = "interrupted"
        large = any("memory" in h["note"].lower() for h in self.history)
        if not self.trials and (self.stopped == "time" or large):
            self.stopped = "time"
            self._insist(candidates)
        if not self.trials:
            reasons = "; ".join(f"{h['name']}: {h['note']}" for h in self.history)
            raise DataError(f"No candidate could be fitted to this table. {reasons}.")

    def add_prior(self) -> None:
        """Let a constant model be a member where the others are hardly better.

        What the columns tell is then mostly noise, and a mean with the constant is closer to the
        truth, or the constant alone.
        """
        if any(trial.name == PRIOR.name for trial in self.trials):
            return
        oof = self._out_of_fold([*self.trials, self._prior])
        *others, constant = [oof.loss(said) for said in oof.profile]
        if min(others) > constant - _HARDLY * abs(constant):
            self._take(self._prior)

    @property
    def baseline(self) -> float:
        """The score of a model that looks at no column, by the held-out rows like all others."""
        oof = self._out_of_fold([self._prior])
        return oof.score(oof.profile[0])

    @cached_property
    def _prior(self) -> Trial:
        return run_trial(PRIOR, self.situation, self.material, Clock(_AS_LONG_AS_IT_TAKES))

    def _attempt(self, candidate: Candidate) -> None:
        """Try the first candidate, or read what came of it in an earlier run."""
        attempt = self._open(candidate, _FIRST_SHARE)
        if attempt is None:
            return
        few, attempt.material = attempt.material, self.material
        left = len(self.material.splits) - len(attempt.models)
        seconds = attempt.rest_seconds
        if not self.clock.measured:
            seconds = left * self.situation.booster_seconds
        short = left and (attempt.cut or _SAFE * seconds > _REST * self.clock.searching)
        if short:
            attempt.material = few
            self._judge_by(len(attempt.models))
        self._finish(attempt)
        if not self.trials and attempt.material is not few:
            attempt.material, short = few, True
            self._judge_by(len(attempt.models))
            self._finish(attempt, late=True)
        if self.trials:
            self._measure_noise(candidate)
        if short:
            self._keep_for_owed(seconds)

    def _deep_early(self, queue: list[Candidate]) -> list[Candidate]:
        """Try deep trees after the first few, with much time, where others learn too slowly.

        So it is where rows of few kinds differ in detail, as prices of one route do in four years.
        """
        deep = [candidate for candidate in queue[_WAVE:] if candidate.name == DEEP]
        self._race(queue[:_WAVE])
        if deep:
            self._race(deep, share=MOST)
        return [candidate for candidate in queue[_WAVE:] if candidate.name != DEEP]

    def _judge_by(self, number: int) -> None:
        """Judge by the first splits alone."""
        self.owed = len(self.material.splits) - number
        self.material = self.material.judged_by(number)

    def words(self, plan: Plan) -> str:
        """How rows were split, for people."""
        few = f"{len(self.material.splits)} of {plan.words}, for lack of time"
        return few if self.owed else plan.words

    def _keep_for_owed(self, seconds: float) -> None:
        """Keep time for models of the other splits, as far as there is any."""
        kept = min(_SAFE * seconds, _OWED * max(0.0, self.clock.searching))
        self.clock.share += kept / self.clock.limit

    @property
    def _generous(self) -> bool:
        """Whether all candidates can be had; a few rows say little of what they are worth."""
        usual = self.situation.booster_seconds * len(self.material.splits)
        if self.trials:  # the size of the table does not tell how many rounds are worth it
            first = self.trials[0]
            usual = first.fit_seconds if first.recipe.rounds else max(usual, first.fit_seconds)
        return not self.clock.measured or usual * _CANDIDATES < self.clock.limit

    def _race(
        self,
        wave: Sequence[Candidate],
        *,
        drawn: bool = False,
        share: float | None = None,
        again: bool = False,
    ) -> None:
        """Fit candidates to a few splits, and those that add something to all of them."""
        rival, generous, opened, gains = self._rival(), self._generous, [], []
        for candidate in wave:
            if drawn and self._late_for_boosters:
                break
            usual = share_of(candidate, self.trials, self.clock.searching, self._share)
            attempt = self._open(candidate, share or usual, again=again)
            if attempt is None:
                continue
            gain = rival.gain(attempt.said())
            if gain > 0 or (generous and not drawn):
                opened.append(attempt)
                gains.append(gain)
            else:
                self._note("skipped", candidate, "does not improve the ensemble", write=True)
        seconds = [attempt.rest_seconds for attempt in opened]
        ample = generous or sum(seconds) < _AMPLE * self.clock.searching
        order = range(len(opened)) if ample else by_gain(gains, seconds)
        for k in order:
            # What takes long for little waits until all others were looked at.
            little = not generous and gains[k] < _LITTLE * abs(rival.loss)
            if little and seconds[k] > _LARGE * self.clock.searching:
                self.waiting.append((opened[k], gains[k]))
            else:
                self._finish(opened[k])

    def _end_waiting(self) -> None:
        """Finish what has waited, most gain per second first, as long as it can be done in time."""
        seconds = [attempt.rest_seconds for attempt, _ in self.waiting]
        for k in by_gain([gain for _, gain in self.waiting], seconds):
            self._finish(self.waiting[k][0])
        self.waiting.clear()

    def _retry(self) -> None:
        """Try again what had too small a share of the time, now that others have had theirs."""
        if not self.trials:
            return
        again = [c for c, given in self.late if MOST * self.clock.searching > _MORE * given]
        if again and len(again) == len(self.late):
            self.stopped = "finished"  # but for those that are late once more
        self.late.clear()
        for candidate in again:
            self.history = [h for h in self.history if h["name"] != candidate.name]
            self._race([candidate], share=MOST, again=True)
        self._end_waiting()

    def _stack(self) -> None:
        """Fit a second layer to what members say, and take what is clearly worth it."""
        losses = [self._out_of_fold([trial]).loss(trial.unseen) for trial in self.trials]
        bases = choose_bases(self.trials, losses)
        seconds = self.situation.booster_seconds * len(self.material.splits)
        if not bases or not can_stack(self.situation, self.material):
            return
        for candidate in LAYER:
            if seconds > _LARGE * self.clock.searching:
                self._note("skipped", candidate, NO_TIME)
                continue
            self.tell("try", candidate.name)
            self._charge(len(self.material.splits))
            stack = partial(self._stack_on, bases, candidate)
            self._guarded(candidate, stack, self.clock.searching)

    def _stack_on(self, bases: Sequence[Trial], candidate: Candidate) -> None:
        trial = fit_second_layer(candidate, bases, self.situation, self.material, self.clock)
        if is_worth(self.out_of_fold(), trial.unseen):
            self._take(trial)
        else:
            self._note("skipped", candidate, "does not improve the ensemble")

    def _go_on(self, further: Iterator[Candidate]) -> None:
        """Try further candidates until the time is over or they add nothing."""
        idle = 0
        while self.trials and idle < _IDLE and not self._late_for_boosters:
            before, most = self._rival().loss, _MODELS[0] + self.situation.n_rows // _MODELS[1]
            wave = list(itertools.islice(further, _WAVE))
            if not wave or len(self.trials) >= most:
                return
            self._race(wave, drawn=True)
            self._end_waiting()
            idle = 0 if self._rival().loss < before - _PROGRESS * abs(before) else idle + 1
        if idle < _IDLE and self._late_for_boosters:
            self.stopped = "time"

    @property
    def _late_for_boosters(self) -> bool:
        brief = bool(self.trials) and self.clock.searching <= self._least
        return brief or is_late_for_boosters(self.trials, self.clock)

    def _rival(self) -> Rival:
        """All members, on the rows of the first splits."""
        splits = self.material.splits[:OPENED]
        opening = replace(self.material, splits=splits).covered
        return Rival(self.out_of_fold().take(np.searchsorted(self.material.covered, opening)))

    def _open(self, candidate: Candidate, share: float, *, again: bool = False) -> Attempt | None:
        """Fit the candidate to the first splits; None if that is all there is to say of it."""
        unfit = why_unfit(candidate, self.situation)
        if unfit:
            self._note("skipped", candidate, unfit)
            return None
        if not again and self._recall(candidate):
            return None
        late = self.clock.searching <= self._least and not self._may_be_late
        if late or (candidate.rounds and self._late_for_boosters):
            self.stopped = "time"
            self._note("skipped", candidate, NO_TIME, write=True)
            return None
        self.tell("try", candidate.name)
        thorough = bool(self.trials)
        # Whether there is time for all splits of the first one is not known before it was fitted.
        material = self.material if thorough else self.material.judged_by(OPENED)
        attempt = Attempt(candidate, self.situation, material, self.clock, thorough, share=share)
        # An estimate may be wrong; what is ended is lost.
        seconds = self.clock.searching * (min(_MOST_OF_IT, 2 * share) if thorough else 1.0)
        self._charge(min(OPENED, len(self.material.splits)))
        given = share * self.clock.searching
        return attempt if self._guarded(candidate, attempt.open, seconds, given) else None

    def _finish(self, attempt: Attempt, *, late: bool = False) -> None:
        """Fit the candidate to all other splits, if there is time, or make it smaller.

        What there is of it is kept even if it is late, for want of anything else.
        """

        def finish() -> None:
            left, rest = self.clock.searching, _SAFE * attempt.rest_seconds
            if self.trials and self.clock.measured and rest > left:
                attempt.shrink(_MOST_OF_IT * left / rest)
            self._take(attempt.finish(), write=True)

        self._charge(len(self.material.splits) - len(attempt.models))
        seconds = max(self.clock.left, _LATE) if late else self.clock.searching
        self._guarded(attempt.candidate, finish, seconds)

    def _measure_noise(self, candidate: Candidate) -> None:
        """Measure what the mean of the default candidate's models gains over one of them."""
        trial, material = self.trials[0], self.material
        if candidate.name != DEFAULT or not candidate.turns or len(trial.recipe.rounds) < 2:
            return
        loss, left = self._out_of_fold([trial]).loss(trial.unseen), self.clock.searching
        trial.noise = likely_gain(loss)
        if can_measure(trial, len(material.splits), self.clock):
            self._charge(1)
            # What is known already is not to be lost for it.
            with suppress(*FAILURES), self.clock.ending_after(max(0.0, left)):
                measured = gain_of_mean(candidate, self.situation, material, trial, self.metric)
                trial.noise = likely_gain(loss, measured)
        self._write(trial)

    def _charge(self, n_fits: int) -> None:
        self.clock.charge(n_fits * self.situation.booster_seconds)

    def _guarded(
        self,
        candidate: Candidate,
        work: Callable[[], None],
        seconds: float,
        given: float | None = None,
    ) -> bool:
        """Do something with a candidate; False, and a note, if it fails or takes too long.

        It is ended after so many seconds; `given` are those that it knows of, if they are fewer.
        """
        left = self.clock.searching
        try:
            with self.clock.ending_after(max(seconds, MOMENT)):
                work()
        except OutOfTime as error:
            self.stopped = "time"
            self.cut_short = self.clock.searching <= 0
            self.late.append((candidate, seconds if given is None else given))
            if left - self.clock.searching > 0.5 * self._share * left:
                self._share /= 2  # others may take as much for nothing
            self._note("skipped", candidate, f"no time: {error}", write=True)
        except FAILURES as error:
            message = f"{type(error).__name__}: {error}"[:300]
            self._note("failed", candidate, message, write=True)
        else:
            return True
        return False

    @property
    def _least(self) -> float:
        """Seconds in which, beside other members, no candidate could come to its end."""
        return min(MOMENT, _BRIEF * self.clock.limit) if self.trials else 0.0

    @property
    def _may_be_late(self) -> bool:
        """Whether a candidate is begun even after the time: where it takes a moment, for want."""
        if self.trials or self.cut_short:
            return False
        return is_quick(self.situation, self.material)

    def _insist(self, candidates: Sequence[Candidate]) -> None:
        """Fit what takes a moment: a model that knows no columns is better than none."""
        if not is_quick(self.situation, self.material):
            self.tell("try", PRIOR.name, message="nothing finished in time")
            return self._take(self._prior)
        usable = [c for c in candidates if not why_unfit(c, self.situation)]
        chosen = next((c for c in usable if c.native and not c.rounds), usable[0])
        self.tell("try", chosen.name, message="nothing finished in time")
        self._take(run_trial(chosen, self.situation, self.material, Clock(_AS_LONG_AS_IT_TAKES)))

    def _recall(self, candidate: Candidate) -> bool:
        """Whether the journal knows what came of the candidate."""
        found = self.page.read(candidate.name) if self.page is not None else None
        if found is None:
            return False
        facts, unseen = found
        if unseen is None:
            late = facts["note"].startswith("no time")
            if late and self.clock.limit > facts.get("limit", self.clock.limit):
                return False  # there is more time now
            if late:
                self.stopped = "time"
            self._note(facts["kind"], candidate, facts["note"])
            return True
        assert self.page is not None
        number = facts.get("splits", len(self.material.splits))
        if number < len(self.material.splits):
            self._judge_by(number)
            self._keep_for_owed(facts["fit_seconds"] / number * self.owed)
        kept = self.page.models(candidate.name, len(self.material.splits))
        models = [self.material.seat(model) for model in kept or ()]
        self._take(recalled(candidate, facts, unseen, models))
        return True

    def _take(self, trial: Trial, *, write: bool = False) -> None:
        oof = self._out_of_fold([trial])
        score = oof.score(oof.profile[0])
        self.trials.append(trial)
        self.scores.append(score)
        if write:
            self._write(trial)
        self._remember("done", trial.name, trial.family, score, trial.fit_seconds, trial.note)

    def _write(self, trial: Trial) -> None:
        """Note the trial in the journal, if there is one."""
        if self.page is not None:
            self.page.keep(trial.name, trial.models)
            facts = facts_of(trial, len(self.material.splits), self.clock.elapsed)
            self.page.write(trial.name, facts, trial.unseen)

    def _note(self, kind: Kind, candidate: Candidate, note: str, *, write: bool = False) -> None:
        if write and self.page is not None:
            facts = {"kind": kind, "note": note, "limit": self.clock.limit}
            facts["elapsed"] = self.clock.elapsed
            self.page.write(candidate.name, facts)
        self._remember(kind, candidate.name, candidate.family, None, 0.0, note)

    def _remember(
        self, kind: Kind, name: str, family: str, score: float | None, seconds: float, note: str
    ) -> None:
        sign = 1 if self.metric.greater_is_better else -1
        best = max(self.scores, key=lambda s: sign * s, default=None)
        known = {"name": name, "family": family, "kind": kind, "score": score, "best": best}
        known |= {"seconds": seconds, "elapsed": self.clock.elapsed, "note": note}
        self.history.append(known)
        self.tell(kind, name, score, seconds, note)

    def tell(
        self,
        kind: Kind,
        name: str = "",
        score: float | None = None,
        seconds: float = 0.0,
        message: str = "",
    ) -> None:
        """Let the user know."""
        if self.progress is not None:
            clock = self.clock
            self.progress(Event(kind, name, score, seconds, clock.elapsed, clock.limit, message))

    def _out_of_fold(self, trials: Sequence[Trial]) -> OutOfFold:
        profile, rows = np.stack([trial.unseen for trial in trials]), self.material.covered
        return OutOfFold(
            profile, self.material.truth[rows], self.metric, self.material.weights(rows)
        )

    def out_of_fold(self) -> OutOfFold:
        """What all members say of all rows that were held out."""
        return self._out_of_fold(self.trials)

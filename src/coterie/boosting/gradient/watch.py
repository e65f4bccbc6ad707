"""Judging the rounds of gradient boosting: scores, early stopping, callbacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer

from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.loop import GradientRun
from coterie.boosting.held_out import draw_watched
from coterie.core import ParameterError, Pool
from coterie.core.trace import Trace
from coterie.data import Target
from coterie.losses import PointwiseLoss

Scorer = Callable[..., float]

LOSS = "loss"
# Training rows that are judged at most, when others decide: their score is for information.
_SOME = 10_000


def read_scoring(scoring: Any, default: str) -> dict[str, Scorer | None]:
    """Scorers by name, the first of which decides; None stands for the loss itself.

    Parameters
    ----------
    scoring : "loss", str, callable, None, or a list of those
        As given by the user.
    default : str
        The scorer that None stands for.
    """
    named: dict[str, Scorer | None] = {}
    several = scoring if isinstance(scoring, list | tuple) else [scoring]
    if not several:
        raise ParameterError("scoring=[] is not allowed; give at least one scorer, or 'loss'.")
    for word in several:
        if isinstance(word, str) and word == LOSS:
            named[LOSS] = None
        elif word is None or isinstance(word, str):
            name = default if word is None else word
            named[name] = get_scorer(name)
        elif callable(word):
            named[getattr(word, "__name__", f"score{len(named)}")] = word
        else:
            raise ParameterError(f"scoring={word!r} is not allowed; give a scorer or its name.")
    return named


def hold_out(target: Target, share: float, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows to watch, both ascending; classes by their shares."""
    strata = None
    if target.kind == "labels" and np.bincount(target.codes[:, 0]).min(initial=2) >= 2:
        strata = target.codes[:, 0]
    return draw_watched(target.n_rows, share, seed, strata)


class Scored(NamedTuple):
    """Rows, their scores, and the members that gave them (None before the first round)."""

    rows: Any
    raw: NDArray[np.float64]
    pool: Callable[[], Pool | None]


@dataclass
class Panel:
    """Rows that scorers are asked about.

    Parameters
    ----------
    board : Board
        The rows and their scores.
    target : Target
        What they should be.
    rows : int array or None
        Which of them; None for all.
    """

    board: Board
    target: Target
    rows: NDArray[np.intp] | None = None

    @classmethod
    def some(cls, board: Board, target: Target, seed: int) -> Panel:
        """At most ten thousand of the rows."""
        if len(board.y) <= _SOME:
            return cls(board, target)
        drawn = np.random.default_rng(seed).choice(len(board.y), _SOME, replace=False)
        return cls(board, target, np.sort(drawn))

    @cached_property
    def given(self) -> Any:
        """The rows as the user gave them."""
        table = self.board.table
        return (table if self.rows is None else table.take(self.rows)).given()

    @cached_property
    def y(self) -> NDArray[Any]:
        """Their labels or numbers."""
        encoded = self._cut(self.target.encoded)
        return self.target.decode(encoded) if self.target.kind == "labels" else encoded[:, 0]

    def _cut(self, array: NDArray[Any]) -> NDArray[Any]:
        return array if self.rows is None else array[self.rows]

    @cached_property
    def weight(self) -> NDArray[np.float64] | None:
        """Their weights."""
        return None if self.board.weight is None else self._cut(self.board.weight)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """Their targets as losses take them."""
        return self._cut(self.board.y)

    def loss(self, loss: PointwiseLoss) -> float:
        """The weighted mean loss."""
        values = loss.value(self.numbers, self._cut(self.board.raw))
        return float(np.average(values, weights=self.weight))

    def ask(self, scorer: Scorer, judge: Any, pool: Callable[[], Pool | None]) -> float:
        """What a scorer says of an estimator that knows the scores of these rows.

        About any other rows it asks the members, which are put together then.
        """
        judge.scored_ = Scored(self.given, self._cut(self.board.raw), pool)
        weight = {} if self.weight is None else {"sample_weight": self.weight}
        return float(scorer(judge, self.given, self.y, **weight))


@dataclass
class Metrics:
    """Facts of every round, and the round that was best.

    Parameters
    ----------
    loss : PointwiseLoss
        What is lowered.
    scorers : dict
        See `read_scoring`.
    judge : estimator
        A copy of the estimator that is being fitted, for scorers.
    panels : dict of str to Panel
        ``train``, and ``validation`` if there is one.

    Attributes
    ----------
    before : dict
        The facts before any round.
    size : int
        How many rounds gave the best score.
    weights : list of float
        The members' weights then.
    """

    loss: PointwiseLoss
    scorers: Mapping[str, Scorer | None]
    judge: Any
    panels: Mapping[str, Panel]
    size: int = 0
    weights: list[float] = field(default_factory=list)
    before: dict[str, float] = field(default_factory=dict)
    best: float = -np.inf

    def __post_init__(self) -> None:
        self.before = self._facts()

    @property
    def decisive(self) -> tuple[str, float]:
        """The fact that early stopping watches, and its sign: larger is to be better."""
        first = next(iter(self.scorers))
        where = "validation" if "validation" in self.panels else "train"
        return f"{where}_{first}", -1.0 if self.scorers[first] is None else 1.0

    def scores(self, where: str, trace: Trace) -> NDArray[np.float64]:
        """The first metric before and after every round, larger being better."""
        if where not in self.panels:
            return np.array([])
        first = next(iter(self.scorers))
        sign = -1.0 if self.scorers[first] is None else 1.0
        name = f"{where}_{first}"
        return sign * np.array([self.before[name], *trace[name]])

    def __call__(self, run: GradientRun) -> dict[str, float]:
        """The facts after a round."""
        facts = self._facts(run)
        name, sign = self.decisive
        if sign * facts[name] > self.best:
            self.best, self.size = sign * facts[name], len(run.members)
            self.weights = list(run.weights)
        return facts

    def _facts(self, run: GradientRun | None = None) -> dict[str, float]:
        def pool() -> Pool | None:
            return None if run is None else run.pool()

        facts = {}
        for name, scorer in self.scorers.items():
            for where, panel in self.panels.items():
                facts[f"{where}_{name}"] = (
                    panel.loss(self.loss) if scorer is None else panel.ask(scorer, self.judge, pool)
                )
        return facts


@dataclass
class NoProgress:
    """Ends when none of the last scores is better than the one before them, by more than `tol`.

    Parameters
    ----------
    metrics : Metrics
        Says which fact to watch.
    patience : int
        How many scores are compared.
    tol : float
        Least improvement.
    """

    metrics: Metrics
    patience: int
    tol: float
    seen: list[float] = field(default_factory=list)

    def __call__(self, trace: Trace) -> str:
        """Say ``early_stopping`` when patience is exhausted."""
        name, sign = self.metrics.decisive
        if not self.seen:
            self.seen = [sign * self.metrics.before[name]]
        self.seen += [sign * facts[name] for facts in trace.rounds[len(self.seen) - 1 :]]
        if len(self.seen) <= self.patience:
            return ""
        *_, reference = self.seen[: -self.patience]
        recent = self.seen[-self.patience :]
        return "" if max(recent) > reference + self.tol else "early_stopping"


@dataclass(frozen=True)
class Callbacks:
    """Functions of the user, called with the number of the round and the trace.

    Parameters
    ----------
    functions : sequence of callables
        The first that returns True ends the loop.
    """

    functions: Sequence[Callable[[int, Trace], bool | None]]

    def __call__(self, trace: Trace) -> str:
        """Say ``callback`` when one of them wants to end."""
        wishes = [function(len(trace), trace) for function in self.functions]
        return "callback" if any(wish is True for wish in wishes) else ""

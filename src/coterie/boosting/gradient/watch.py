"""Judging the rounds of gradient boosting: scores, the best round, callbacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted
from coterie.base.scoring import Answers, Measures, Scoring, mean_loss
from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.loop import GradientRun
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.core.watch import NoImprovement, Patience
from coterie.data import Target
from coterie.losses import PointwiseLoss

# Training rows that are judged at most, when others decide: their score is for information.
_SOME = 10_000


@dataclass(frozen=True)
class Panel:
    """Rows that are measured.

    Parameters
    ----------
    board : Board
        The rows and their scores.
    measures : Measures
        What to measure.
    rows : int array or None
        Which of the rows; None for all.
    """

    board: Board
    measures: Measures
    rows: NDArray[np.intp] | None = None

    def facts(self, elsewhere: Callable[[Any], Array]) -> dict[str, float]:
        """What is measured now; `elsewhere` gives the scores of any other rows."""
        return self.measures(self.board.scores(self.rows), elsewhere)


@dataclass(frozen=True)
class Panels:
    """Makes panels of rows.

    Parameters
    ----------
    scorings : sequence of Scoring
        What to measure.
    answers : Answers
        How scores become predictions.
    loss : PointwiseLoss
        What is lowered.
    """

    scorings: Sequence[Scoring]
    answers: Answers
    loss: PointwiseLoss

    def of(
        self,
        where: str,
        board: Board,
        target: Target,
        rows: NDArray[np.intp] | None = None,
    ) -> Panel:
        """A panel of all rows, or of some."""
        shown = Admitted(board.table, target, board.weight, None)
        y = board.y
        if rows is not None:
            shown, y = shown.take(rows), y[rows]
        own = {"loss": partial(mean_loss, self.loss, y, shown.weight)}
        return Panel(board, Measures(self.scorings, self.answers, shown, own, where), rows)

    def sample(self, board: Board, target: Target, seed: int = 0) -> Panel:
        """A panel of at most ten thousand training rows."""
        rows = None
        if len(board.y) > _SOME:
            drawn = np.random.default_rng(seed).choice(len(board.y), _SOME, replace=False)
            rows = np.sort(drawn)
        return self.of("train", board, target, rows)


def check_value(loss: PointwiseLoss, scorings: Sequence[Scoring]) -> None:
    """Refuse to watch a loss whose value nobody knows."""
    if not loss.knows_value and any(one.name == "loss" for one in scorings):
        raise ValueError(
            "The loss defines only gradients, so its value cannot be monitored. Set scoring to "
            "'error' or to a scorer, such as 'neg_mean_squared_error' or 'roc_auc'."
        )


@dataclass
class Judge:
    """Facts of every round, and the round that was best.

    Parameters
    ----------
    panels : sequence of Panel
        What is measured; the first scoring of the last panel decides.
    ask : callable
        ``(pool, X) -> raw``: the scores of any rows by some members (None before the first round).

    Attributes
    ----------
    before : dict
        The facts before any round.
    size : int
        How many rounds gave the best score.
    weights : list of float
        The members' weights then.
    """

    panels: Sequence[Panel]
    ask: Callable[[Pool | None, Any], Array]
    size: int = 0
    weights: list[float] = field(default_factory=list)
    before: Mapping[str, float] = field(default_factory=dict)
    best: float = -np.inf

    def __post_init__(self) -> None:
        self.before = self._facts()
        measures = self.panels[-1].measures
        self.first = measures.scorings[0]
        self.fact = measures.fact(self.first)
        self.sign = 1.0 if self.first.larger else -1.0

    def patience(self, rounds: int, tol: float) -> NoImprovement:
        """Ends when the score that decides no longer improves."""
        patience = Patience(rounds, tol)
        patience.tell(self.sign * self.before[self.fact])
        return NoImprovement(self.fact, patience, self.first.larger)

    def scores(self, where: Literal["train", "validation"], trace: Trace) -> Array:
        """The first scoring before and after every round, larger being better.

        Of several sets of rows, "validation" is the one that decides.
        """
        panel = self.panels[0 if where == "train" else -1]
        if (panel.measures.where == "train") != (where == "train"):
            return np.array([])
        name = panel.measures.fact(self.first)
        return self.sign * np.array([self.before[name], *trace[name]])

    def results(self, trace: Trace) -> dict[str, dict[str, Array]]:
        """What was measured after each round: by set of rows, then by scoring."""
        return {
            panel.measures.where: {
                scoring.name: trace[panel.measures.fact(scoring)]
                for scoring in panel.measures.scorings
            }
            for panel in self.panels
        }

    def __call__(self, run: GradientRun) -> dict[str, float]:
        """The facts after a round."""
        facts = self._facts(run)
        score = self.sign * facts[self.fact]
        if score > self.best:
            self.best, self.size = score, len(run.members)
            self.weights = list(run.weights)
        return facts

    def _facts(self, run: GradientRun | None = None) -> dict[str, float]:
        def elsewhere(X: Any) -> Array:
            return self.ask(None if run is None else run.pool(), X)

        facts: dict[str, float] = {}
        for panel in self.panels:
            facts |= panel.facts(elsewhere)
        return facts


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

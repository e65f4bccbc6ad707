"""What scikit-learn's ``GradientBoosting*`` notes of every round, and how it ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.boosting.gradient.board import Array, Board
from coterie.boosting.gradient.loop import GradientRun
from coterie.boosting.gradient.watch import Judge
from coterie.core.trace import Trace
from coterie.losses import LogLoss, PointwiseLoss, SquaredError


def loss_factor(loss: PointwiseLoss) -> float:
    """What scikit-learn multiplies a loss by: it shows the squared error and the deviance."""
    return 2.0 if isinstance(loss, SquaredError | LogLoss) else 1.0


@dataclass
class BagLoss:
    """The loss of the rows that a round learnt from, and of those it left out.

    Parameters
    ----------
    board : Board
        The training rows, before any round.
    draws : bool
        Whether rounds leave rows out.
    """

    board: Board
    draws: bool
    begun: Array | None = None

    def __post_init__(self) -> None:
        self.begun = self.board.raw.copy() if self.draws else None

    def __call__(self, run: GradientRun) -> dict[str, float]:
        """The facts of a round; none of rounds that are only repeated."""
        if run.draw is None or run.loss is None:
            return {}
        raw, rows = self.board.raw, run.draw.rows
        if rows is None:
            return {"bag_loss": self._mean(run.loss, raw, slice(None))}
        out = np.ones(len(raw), dtype=bool)
        out[rows] = False
        facts = {"bag_loss": self._mean(run.loss, raw, rows)}
        if out.any():
            facts["oob_loss"] = self._mean(run.loss, raw, out)
            facts["oob_gain"] = self._before(run, out) - facts["oob_loss"]
        return facts

    def _before(self, run: GradientRun, out: NDArray[np.bool_]) -> float:
        """The loss to compare with: that of the round before, or of the start."""
        if len(run.trace) > 1:
            return run.trace.rounds[-2].get("oob_loss", 0.0)
        assert self.begun is not None, "rounds leave rows out that were not to"
        assert run.loss is not None
        return self._mean(run.loss, self.begun, out)

    def _mean(self, loss: PointwiseLoss, raw: Array, rows: Any) -> float:
        board = self.board
        weight = None if board.weight is None else board.weight[rows]
        values = loss.value(board.y[rows], raw[rows])
        return loss_factor(loss) * float(np.average(values, weights=weight))


@dataclass(frozen=True)
class NoneLower:
    """Ends when a round is better than none of those right before it, by more than `tol`.

    Parameters
    ----------
    judge : Judge
        Says which fact to watch.
    patience : int
        How many rounds are compared with.
    tol : float
        Least improvement.
    """

    judge: Judge
    patience: int
    tol: float

    @classmethod
    def of(cls, judge: Judge, loss: PointwiseLoss, patience: int, tol: float) -> NoneLower:
        """With the tolerance in the scale of the loss, if that is watched."""
        watches_loss = judge.first.scorer is None and judge.first.name == "loss"
        return cls(judge, patience, tol / (loss_factor(loss) if watches_loss else 1.0))

    def __call__(self, trace: Trace) -> str:
        """Say ``early_stopping`` when the last round is not worth it."""
        name, sign = self.judge.fact, self.judge.sign
        *before, last = [sign * facts[name] for facts in trace.rounds[-self.patience - 1 :]]
        if len(before) < self.patience or last > min(before) + self.tol:
            return ""
        return "early_stopping"


@dataclass
class Report:
    """Prints a line now and then, or after every round, as scikit-learn does.

    Parameters
    ----------
    total : int
        Number of rounds planned.
    verbose : int
        1 prints ever fewer lines, 2 all.
    draws : bool
        Whether rounds leave rows out.
    """

    total: int
    verbose: int
    draws: bool
    began: float = field(default_factory=time.monotonic)
    first: int = -1
    every: int = 1

    def __call__(self, trace: Trace) -> str:
        """Never ends the loop."""
        facts, done = trace.rounds[-1], len(trace)
        if self.first < 0:
            self.first = done - 1
            names = ["Train Loss", *(["OOB Improve"] if self.draws else []), "Remaining Time"]
            self._print(["Iter", *names])
        new = done - self.first
        if new % self.every == 0:
            left = (self.total - done) * (time.monotonic() - self.began) / new
            time_left = f"{left / 60:.2f}m" if left > 60 else f"{left:.2f}s"
            numbers = [
                facts.get("bag_loss", np.nan),
                *([facts.get("oob_gain", 0.0)] if self.draws else []),
            ]
            self._print([str(done), *(f"{number:.4f}" for number in numbers), time_left])
            if self.verbose == 1 and new >= 10 * self.every:
                self.every *= 10
        return ""

    def _print(self, cells: list[str]) -> None:
        first, *others = cells
        print(" ".join([f"{first:>10}", *(f"{cell:>16}" for cell in others)]), file=sys.stdout)


@dataclass(frozen=True)
class Monitor:
    """Calls a function of the user with the number of the round and the model so far.

    Parameters
    ----------
    function : callable
        Called as ``function(i, estimator, facts)``; True ends the fit.
    draft : estimator
        Receives the members so far.
    run : GradientRun
        Where they are.
    """

    function: Callable[[int, Any, dict[str, Any]], bool | None]
    draft: Any
    run: GradientRun

    def __call__(self, trace: Trace) -> str:
        """Say ``monitor`` when the function wants to end."""
        run, draft = self.run, self.draft
        draft.pool_, draft.trace_, draft.n_iter_ = run.pool(), trace, len(trace)
        draft._publish_scores(trace, None)
        drawn = None if run.draw is None else run.draw.rows
        mask = np.full(len(run.train.y), drawn is None)
        if drawn is not None:
            mask[drawn] = True
        facts = {
            "i": len(trace) - 1,
            "self": draft,
            "y": run.train.y,
            "sample_weight": run.train.known_weight,
            "sample_mask": mask,
            "raw_predictions": run.train.raw,
        }
        return "monitor" if self.function(len(trace) - 1, draft, facts) else ""

"""How far to go along a member: a choice of its own, whatever the rule."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from coterie.boosting.line_search import Line
from coterie.core.rule import Array, State
from coterie.tags import tagged, tagged_family

_EPS = float(np.finfo(np.float64).eps)


@tagged_family
class StepRule:
    """Says how far to go along a member's vote, before shrinkage."""

    def length(self, line: Line, own: float) -> float:
        """The length of the step.

        Parameters
        ----------
        line : Line
            The loss along the vote.
        own : float
            What the boosting rule would take.

        Returns
        -------
        float
            Zero if the loss does not fall along the vote.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class OwnStep(StepRule):
    """The step of the boosting rule, by its own formula."""

    def length(self, line: Line, own: float) -> float:
        """The rule's."""
        return own


@dataclass(frozen=True)
class FixedStep(StepRule):
    """The same step for every member.

    Parameters
    ----------
    size : float
        Its length.
    """

    size: float = 1.0

    def length(self, line: Line, own: float) -> float:
        """Always `size`."""
        return self.size


@dataclass(frozen=True)
class LineSearch(StepRule):
    """To the first minimum of the loss along the vote.

    Parameters
    ----------
    longest : float
        Where the loss still falls so far away, the rule's own step is taken.
    """

    longest: float = 10.0

    def length(self, line: Line, own: float) -> float:
        """Where the loss turns to rise."""
        if not line.slope(0.0) < 0:
            return 0.0
        found = line.first_minimum(self.longest)
        return own if found is None else found


@dataclass(frozen=True)
class Backtracking(StepRule):
    r"""The rule's own step, halved until the loss falls enough.

    Enough is :math:`\psi(a) \le \psi(0) + c\,a\,\psi'(0)` (Armijo 1966), :math:`\psi` being the
    loss along the vote.

    Parameters
    ----------
    enough : float
        The :math:`c`.
    """

    enough: float = 1e-4

    def length(self, line: Line, own: float) -> float:
        """The longest of `own`, half of it, a quarter and so on that will do."""
        start, tilt = line.value(0.0), line.slope(0.0)
        if not tilt < 0:
            return 0.0
        at = own
        while at > _EPS and not line.value(at) <= start + self.enough * at * tilt:
            at /= 2
        return at


STEPS: dict[str, StepRule] = {
    "own": OwnStep(),
    "line_search": LineSearch(),
    "backtracking": Backtracking(),
}


def step_rule(step: str | float | StepRule) -> StepRule:
    """The step rule of a name; a number is a fixed step.

    Examples
    --------
    >>> step_rule(0.1)
    FixedStep(size=0.1)
    """
    if isinstance(step, StepRule):
        return step
    return STEPS[step] if isinstance(step, str) else FixedStep(float(step))


@tagged
@dataclass(frozen=True)
class Steered:
    """A rule that descends a loss, so that its steps can be of another kind than its own.

    Parameters
    ----------
    step : StepRule
        How far to go along a member.
    """

    step: StepRule = field(default_factory=OwnStep, kw_only=True)

    def line(self, state: State, vote: Array) -> Line:
        """The loss of the training rows along a vote."""
        raise NotImplementedError

    def length(self, state: State, vote: Array, own: float) -> float:
        """How far to go along a vote, before shrinkage."""
        if isinstance(self.step, OwnStep):
            return own
        return self.step.length(self.line(state, vote), own)

"""The findings about an ensemble, as data, as text and as a small page."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.data.errors import counted
from coterie.diagnosis.finding import Finding
from coterie.diagnosis.page import page
from coterie.fusion.calibration_error import ReliabilityCurve
from coterie.report.plain import plain
from coterie.theory import DissentProfile

_WIDTH = 100


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What `diagnose` found: questions, answers, and what to try next.

    It prints as a short text, and is displayed as a table with two small plots in notebooks.

    Parameters
    ----------
    name : str
        Name of the ensemble.
    task : {"classification", "regression"}
        What it predicts.
    n_rows : int
        Number of rows it was evaluated on.
    n_parts : int
        Number of members or rounds.
    unit : {"member", "round", ""}
        "member" or "round"; empty if it has neither.
    findings : list of Finding
        One for each question.
    classes : list, optional
        Class labels.
    profile : DissentProfile, optional
        How many members fail on each row, see `coterie.theory.dissent`.
    reliability : ReliabilityCurve, optional
        Probabilities and frequencies, see `coterie.fusion.reliability_curve`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie import RandomForestClassifier, diagnose
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = diagnose(RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2]), X, y)
    >>> found["accurate?"].verdict, found["diverse?"].fine
    ('yes', True)
    >>> sorted(found.to_dict())[:3]
    ['advice', 'classes', 'findings']
    """

    name: str
    task: str
    n_rows: int
    n_parts: int
    unit: str
    findings: list[Finding]
    classes: list[Any] | None = None
    profile: DissentProfile | None = field(default=None, compare=False)
    reliability: ReliabilityCurve | None = field(default=None, compare=False)

    def __getitem__(self, question: str) -> Finding:
        """The answer to a question, for example ``"diverse?"``, with or without the mark."""
        for finding in self.findings:
            if finding.question.rstrip("?") == question.rstrip("?"):
                return finding
        asked = ", ".join(finding.question for finding in self.findings)
        raise KeyError(f"{question!r} is not a question. The questions are: {asked}")

    @property
    def advice(self) -> list[str]:
        """What to try next, in the order of the questions."""
        return [finding.advice for finding in self.findings if finding.advice]

    @property
    def fine(self) -> bool:
        """Whether there is nothing to improve."""
        return not any(finding.fine is False for finding in self.findings)

    @property
    def summary(self) -> str:
        """The ensemble and the rows in one line."""
        parts = f"{counted(self.n_parts, self.unit)}, " if self.unit else ""
        kinds = f", {counted(len(self.classes), 'class')}" if self.classes is not None else ""
        return f"{self.name}: {parts}evaluated on {counted(self.n_rows, 'row')}{kinds}"

    @property
    def ending(self) -> str:
        """A closing line if there is nothing to do."""
        if self.advice:
            return ""
        unknown = [finding.question for finding in self.findings if finding.verdict == "unknown"]
        left = f" Unknown: {', '.join(unknown)}" if unknown else ""
        return f"No changes are suggested.{left}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that can be written as JSON."""
        names = ("name", "task", "n_rows", "n_parts", "unit", "classes", "findings", "advice")
        return {name: plain(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        first = max(len(finding.question) for finding in self.findings)
        second = max(len(finding.verdict) for finding in self.findings)
        lines = [self.summary]
        for finding in self.findings:
            head = f"{finding.mark} {finding.question:{first}}  {finding.verdict:{second}}  "
            lines += _hung(head, finding.words)
        if self.advice:
            lines.append("What to try next")
        for number, advice in enumerate(self.advice, start=1):
            lines += _hung(f"{number}. ", advice)
        return "\n".join([*lines, self.ending] if self.ending else lines)

    def _repr_html_(self) -> str:
        return str(page(self))

    def plot(self, axes: Any = None) -> Any:
        """Draw the error by size, and the dissent profile, with Matplotlib.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        sequence of matplotlib Axes
        """
        from coterie.plotting import DissentDisplay, ErrorCurveDisplay
        from coterie.plotting.canvas import pyplot

        given = pyplot().subplots(1, 2, figsize=(10, 4))[1] if axes is None else axes
        numbers = self["oversized?"].numbers
        if numbers:
            every = np.arange(1, numbers["sizes"][-1] + 1)
            errors = np.interp(every, numbers["sizes"], numbers["errors"])
            squared = self.task == "regression"
            ErrorCurveDisplay({"these": errors}, None, squared, self.name).plot(given[0])
        else:
            given[0].set_axis_off()
        if self.profile is not None:
            DissentDisplay(self.profile).plot(given[1])
        else:
            given[1].set_axis_off()
        return given


def _hung(head: str, words: str) -> list[str]:
    """Lines of text, of which those after the first stand below the start of the words."""
    hang = " " * len(head)
    return textwrap.wrap(
        words, _WIDTH, initial_indent=head, subsequent_indent=hang, break_on_hyphens=False
    )

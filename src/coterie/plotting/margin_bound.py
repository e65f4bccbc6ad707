"""The margin attained, and what no ensemble exceeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from coterie.core.rule import Array
from coterie.core.trace import Trace
from coterie.plotting.canvas import PALETTE, count_rounds
from coterie.plotting.replay import RoundsTold
from coterie.plotting.story import fact


@dataclass(eq=False, repr=False)
class MarginBoundDisplay(RoundsTold):
    r"""The margin after each round, and its upper bound, the smallest edge so far.

    For any row weights, the edge of the best member is at least the margin of any ensemble. The
    area between the two curves is the gap that margin maximisers close.

    Parameters
    ----------
    margin : ndarray of shape (n_rounds,)
        The maximised quantity: the smallest margin, or the mean of the worst ones.
    bound : ndarray of shape (n_rounds,)
        Smallest edge of a member so far.
    min_margin : ndarray of shape (n_rounds,)
        The smallest margin of all training rows.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie.boosting import LPBoostClassifier
    >>> from coterie.plotting import MarginBoundDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPBoostClassifier(n_estimators=20).fit(X, y)
    >>> display = MarginBoundDisplay.from_estimator(model)
    """

    margin: Array
    bound: Array
    min_margin: Array

    @classmethod
    def _of(cls, trace: Trace) -> Self:
        names = ("margin", "margin_bound", "min_margin")
        return cls(*(fact(trace, name) for name in names))

    def _draw(self, ax: Any, **options: Any) -> None:
        t = np.arange(1, len(self.margin) + 1)
        ax.fill_between(t, self.margin, self.bound, color=PALETTE[4], alpha=0.2, linewidth=0)
        ax.plot(t, self.bound, "--", color=PALETTE[6], label="bound: smallest edge")
        ax.plot(t, self.margin, color=PALETTE[0], label="maximised margin")
        if not np.allclose(self.margin, self.min_margin):
            ax.plot(t, self.min_margin, color=PALETTE[1], label="minimum margin")
        ax.axhline(0.0, color=PALETTE[6], linewidth=0.5)
        count_rounds(ax, len(t))
        ax.set(ylabel="margin", title="Margin and its bound")
        ax.legend(frameon=False)

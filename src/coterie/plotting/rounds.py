"""Weight and error of each member."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from coterie.core.rule import Array
from coterie.core.trace import Trace
from coterie.plotting.canvas import PALETTE, count_rounds
from coterie.plotting.replay import RoundsTold
from coterie.plotting.story import fact


@dataclass(eq=False, repr=False)
class RoundsDisplay(RoundsTold):
    r"""The weighted error :math:`\epsilon_t` and the weight of each member.

    Parameters
    ----------
    error : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    alpha : ndarray of shape (n_rounds,)
        Weight of each member.

    Attributes
    ----------
    ax_, twin_ : matplotlib Axes
        Where the errors and the weights are drawn.
    figure_ : matplotlib Figure
        The figure of the plots.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie.boosting import AdaBoostClassifier
    >>> from coterie.plotting import RoundsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    >>> display = RoundsDisplay.from_estimator(model)
    """

    error: Array
    alpha: Array
    twin_: Any = field(default=None, init=False)

    @classmethod
    def _of(cls, trace: Trace) -> Self:
        return cls(fact(trace, "error"), fact(trace, "alpha"))

    def _draw(self, ax: Any, **options: Any) -> None:
        """Errors on the left scale, weights on the right one."""
        twin = ax.twinx()
        t = np.arange(1, len(self.error) + 1)
        marker = "o" if len(t) <= 50 else None
        ax.plot(t, self.error, marker=marker, color=PALETTE[0])
        twin.plot(t, self.alpha, marker=marker and "s", color=PALETTE[1])
        count_rounds(ax, len(t))
        ax.set_ylim(bottom=0)
        twin.set_ylim(bottom=min(0.0, float(self.alpha.min())))
        ax.set_title("Errors and weights of the members")
        # Each scale has the colour of its curve: no legend is needed.
        ax.set_ylabel(r"error $\epsilon_t$", color=PALETTE[0])
        twin.set_ylabel(r"weight $\alpha_t$", color=PALETTE[1])
        self.twin_ = twin

"""Training error and what bounds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from coterie.core.rule import Array
from coterie.core.trace import Trace
from coterie.plotting.canvas import PALETTE, count_rounds
from coterie.plotting.replay import RoundsTold
from coterie.plotting.story import fact, optional_fact


@dataclass(eq=False, repr=False)
class BoundDisplay(RoundsTold):
    r"""The training error after each round, below its bound :math:`\prod_{s \le t} Z_s`.

    Parameters
    ----------
    train_error : ndarray of shape (n_rounds,)
        Weighted share of training rows the ensemble so far gets wrong.
    bound : ndarray of shape (n_rounds,), optional
        Product of the normalisers so far; not all rules state one.
    validation_error : ndarray of shape (n_rounds,), optional
        Error on the held-out rows for early stopping.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie.boosting import AdaBoostClassifier
    >>> from coterie.plotting import BoundDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> display = BoundDisplay.from_estimator(model)
    """

    train_error: Array
    bound: Array | None = None
    validation_error: Array | None = None

    @classmethod
    def _of(cls, trace: Trace) -> Self:
        bound, held = (optional_fact(trace, name) for name in ("bound", "validation_error"))
        return cls(fact(trace, "train_error"), bound, held)

    def _draw(self, ax: Any, **options: Any) -> None:
        t = np.arange(1, len(self.train_error) + 1)
        if self.bound is not None:
            ax.plot(t, self.bound, "--", color=PALETTE[6], label=r"bound $\prod Z_s$")
        # Errors change from one round to the next and are nothing in between: steps.
        ax.step(t, self.train_error, where="mid", color=PALETTE[0], label="training error")
        if self.validation_error is not None:
            held = self.validation_error
            ax.step(t, held, where="mid", color=PALETTE[1], label="validation error")
        count_rounds(ax, len(t))
        ax.set(ylabel="error", title="Training error and its bound")
        ax.set_ylim(bottom=-0.02)  # an error of zero is to be seen
        ax.legend(frameon=False)

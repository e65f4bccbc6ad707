"""Coverage of prediction sets, of all rows and of parts of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from coterie.conformal import CoverageReport
from coterie.plotting.canvas import PALETTE, Display


@dataclass(eq=False, repr=False)
class CoverageDisplay(Display):
    """How often prediction sets contain the true value, with exact 95 % intervals.

    Parameters
    ----------
    report : CoverageReport
        See `coterie.ConformalClassifier.coverage_report`.
    most : int, default=25
        Parts that are shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import ConformalClassifier
    >>> from coterie.plotting import CoverageDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(random_state=0).fit(X[::2], y[::2])
    >>> display = CoverageDisplay.from_estimator(model, X[1::2], y[1::2])
    """

    report: CoverageReport
    most: int = 25

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, alpha: float = 0.1, most: int = 25, ax: Any = None
    ) -> Self:
        """Plot a fitted conformal model on held-out rows.

        Parameters
        ----------
        model : ConformalClassifier or ConformalRegressor
            Fitted.
        X, y : array-like or data frame, array-like
            Rows that it has not seen, and their truth.
        alpha : float, default=0.1
            Share of rows that may lie outside.
        most : int, default=25
            Parts that are shown.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        CoverageDisplay
        """
        return cls(model.coverage_report(X, y, alpha), most).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        rows = self.report.rows[: self.most]
        kinds = list(dict.fromkeys(row.kind for row in rows))
        for place, row in enumerate(rows):
            color = PALETTE[kinds.index(row.kind) % len(PALETTE)]
            ax.plot([row.low, row.high], [place, place], color=color)
            ax.plot(row.coverage, place, "o", color=color)
        ax.axvline(1.0 - self.report.alpha, color="#666666", linestyle="--", label="asked for")
        names = [
            "all rows"
            if row.kind == "all"
            else f"{row.value}"
            if row.kind == "bin"
            else f"{row.kind} {row.value}"
            for row in rows
        ]
        ax.set_yticks(range(len(rows)), names)
        ax.invert_yaxis()
        ax.set(xlabel="share of rows whose set contains the true value", title="Coverage")
        ax.set_xlim(right=1.01)
        ax.legend(frameon=False, loc="lower left")

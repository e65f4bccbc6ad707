"""The error rate when only confident predictions are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from coterie.combining import RiskCoverage, risk_coverage
from coterie.plotting.ballots import called
from coterie.plotting.canvas import PALETTE, Display
from coterie.plotting.reliability import chances_and_codes


@dataclass(eq=False, repr=False)
class RiskCoverageDisplay(Display):
    """The risk-coverage curve: the error rate among the most confident predictions.

    Rows are ordered from the most to the least confident prediction. A curve that falls fast
    to the left means that the confidence separates correct from wrong predictions well.

    Parameters
    ----------
    curve : RiskCoverage
        Coverages and risks, see `coterie.combining.risk_coverage`.
    name : str, optional
        Name of the classifier.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] El-Yaniv & Wiener, "On the foundations of noise-free selective classification", J. Mach.
       Learn. Res. 11 (2010).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie import RandomForestClassifier
    >>> from coterie.plotting import RiskCoverageDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> display = RiskCoverageDisplay.from_estimator(forest, X[1::2], y[1::2])
    """

    curve: RiskCoverage
    name: str | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Any = None
    ) -> Self:
        """Plot a fitted classifier on held-out rows.

        Parameters
        ----------
        model : classifier, or list of classifiers
            Fitted, with ``predict_proba``; for a list, the mean. Its confidence is its
            largest probability.
        X, y : array-like or data frame, array-like
            Rows and their classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        RiskCoverageDisplay
        """
        chances, codes = chances_and_codes(model, X, y)
        return cls.from_predictions(
            chances.argmax(axis=1) == codes,
            chances.max(axis=1),
            sample_weight=sample_weight,
            name=called(model),
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        hits: Any,
        confidence: Any,
        *,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot predictions from any source.

        Parameters
        ----------
        hits : array-like of bool of shape (n_rows,)
            Whether each prediction is correct.
        confidence : array-like of shape (n_rows,)
            Confidence of each prediction.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        name : str, optional
            Name of the classifier.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        RiskCoverageDisplay
        """
        return cls(risk_coverage(confidence, hits, sample_weight), name).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        number = len(ax.lines)  # of displays that share the axes
        label = f"{self.name}: " if self.name else ""
        label += f"area {self.curve.area:.3f}"
        coverage = np.append(0.0, self.curve.coverage)
        risk = np.append(self.curve.risk, self.curve.risk[-1])
        color = PALETTE[number % len(PALETTE)]
        ax.step(coverage, risk, where="post", color=color, label=label)
        ax.set(xlabel="coverage (share of rows predicted)", ylabel="risk (error rate among them)")
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(bottom=0, auto=True)
        ax.set_title("Risk and coverage")
        ax.legend(frameon=False, loc="upper left")

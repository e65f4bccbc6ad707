"""How well probabilities are calibrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.core.rule import Array
from coterie.fusion.calibration_error import ReliabilityCurve
from coterie.plotting.ballots import called, soft_vote
from coterie.plotting.canvas import PALETTE, Display


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    r"""Reliability diagram: observed frequency by predicted probability.

    Rows are binned by probability; each bin is a point at its mean probability and observed
    frequency, with a size that shows its share of the rows. Points below the diagonal indicate
    an over-confident classifier, points above it an under-confident one.

    Parameters
    ----------
    curve : ReliabilityCurve
        Means, frequencies and shares of the bins, see `coterie.fusion.reliability_curve`.
    error : float
        Expected calibration error.
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
    .. [1] Niculescu-Mizil & Caruana, "Predicting good probabilities with supervised learning",
       ICML (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie.plotting import ReliabilityDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GaussianNB().fit(X[::2], y[::2])
    >>> display = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2])
    """

    curve: ReliabilityCurve
    error: float
    name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        n_bins: int = 15,
        strategy: Literal["uniform", "quantile"] = "uniform",
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Plot a fitted classifier on held-out rows.

        Parameters
        ----------
        model : classifier, or list of classifiers
            Fitted, with ``predict_proba``; for a list, the mean.
        X, y : array-like or data frame, array-like
            Rows and their classes. For two classes the probability of the second is used; for
            more, that of the most probable one.
        n_bins : int, default=15
            Number of bins.
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins of equal width, or of equally many rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ReliabilityDisplay
        """
        chances, codes = chances_and_codes(model, X, y)
        if chances.shape[1] == 2:
            chances = chances[:, 1]
        return cls.from_predictions(
            codes,
            chances,
            n_bins=n_bins,
            strategy=strategy,
            sample_weight=sample_weight,
            name=called(model),
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        chances: Any,
        *,
        n_bins: int = 15,
        strategy: Literal["uniform", "quantile"] = "uniform",
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot probabilities from any source.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Whether each row is of the second class; or the class, as a column of `chances`.
        chances : array-like of shape (n_rows,) or (n_rows, n_classes)
            Probabilities of the second class, or of all.
        n_bins : int, default=15
            Number of bins.
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins of equal width, or of equally many rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        name : str, optional
            Name of the classifier.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ReliabilityDisplay
        """
        settings: dict[str, Any] = {"sample_weight": sample_weight, "n_bins": n_bins}
        settings["strategy"] = strategy
        curve = fusion.reliability_curve(chances, y, **settings)
        return cls(curve, fusion.calibration_error(chances, y, **settings), name).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        number = len(ax.collections)  # of displays that share the axes
        color = PALETTE[number % len(PALETTE)]
        if not number:
            ax.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle=":")
        mean, frequency, mass = self.curve
        label = f"{self.name}: " if self.name else ""
        label += f"ECE {self.error:.3f}"
        ax.plot(mean, frequency, color=color, linewidth=1.5, label=label)
        ax.scatter(mean, frequency, s=20 + 300 * mass, color=color, alpha=0.7)
        ax.set(xlabel="mean probability", ylabel="observed frequency")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), title="Reliability diagram")
        ax.legend(frameon=False, loc="upper left")


def chances_and_codes(model: Any, X: Any, y: Any) -> tuple[Array, NDArray[np.intp]]:
    """Probabilities of a fitted classifier, and the true classes as columns of them."""
    chances, classes = soft_vote(model, X)
    truth = np.asarray(y)
    codes = np.clip(np.searchsorted(classes, truth), 0, len(classes) - 1)
    strange = classes[codes] != truth
    if strange.any():
        unknown = truth[strange].tolist()[0]
        raise ValueError(
            f"y contains {unknown!r}, which is not one of the classes {classes.tolist()}."
        )
    return chances, codes

"""Error by the number of members that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from coterie.plotting.canvas import PALETTE, Display
from coterie.selection import NUMBER_ORDERS, ORDERS, PruningCurve
from coterie.selection.pruning.choice import prune
from coterie.selection.pruning.curve import Judgement


@dataclass(eq=False, repr=False)
class PruningCurveDisplay(Display):
    """Errors of sub-ensembles by their size, and the size that was chosen.

    The error on the rows that members were ordered by falls below that of all members and comes
    back to it; on other rows it falls less. The size is chosen on the latter.

    Parameters
    ----------
    curve : PruningCurve
        Errors by size, see `coterie.selection.PruningCurve`.
    size : int, optional
        The size that was chosen.
    name : str, optional
        What to call the order.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Martínez-Muñoz, Hernández-Lobato & Suárez, "An analysis of ensemble pruning techniques
       based on ordered aggregation", IEEE Trans. Pattern Anal. Mach. Intell. 31 (2009).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie import PrunedEnsembleClassifier, RandomForestClassifier
    >>> from coterie.plotting import PruningCurveDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PrunedEnsembleClassifier(RandomForestClassifier(20), random_state=0).fit(X, y)
    >>> display = PruningCurveDisplay.from_estimator(model)
    """

    curve: PruningCurve
    size: int | None = None
    name: str | None = None

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Self:
        """Draw the curve of a fitted pruned ensemble.

        Parameters
        ----------
        model : PrunedEnsembleClassifier or PrunedEnsembleRegressor
            Fitted.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        PruningCurveDisplay
        """
        name = model.order if isinstance(model.order, str) else None
        return cls(model.curve_, model.size_, name).plot(ax)

    @classmethod
    def from_predictions(
        cls, predictions: Any, y: Any, *, order: Any = "reduced_error", ax: Any = None
    ) -> Self:
        """Order members by their predictions, and draw the error by size.

        Members are ordered on one half of the rows and evaluated on the other, and vice versa.

        Parameters
        ----------
        predictions : array-like of shape (members, samples)
            Labels, or numbers if they are floats; of members that were not trained on these rows.
        y : array-like of shape (samples,)
            The truth.
        order : str or callable, default="reduced_error"
            A name of `coterie.selection.ORDERS` (`NUMBER_ORDERS` for numbers), or a function.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        PruningCurveDisplay
        """
        said, truth = np.asarray(predictions), np.asarray(y)
        if said.ndim != 2 or said.shape[1:] != truth.shape:
            raise ValueError(
                f"predictions must have shape (members, samples) and y shape (samples,), "
                f"not {said.shape} and {truth.shape}."
            )
        labels = said.dtype.kind != "f"
        find = order
        if isinstance(order, str):
            known = ORDERS if labels else NUMBER_ORDERS
            if order not in known:
                raise ValueError(f"order must be one of {', '.join(known)}, not {order!r}.")
            find = known[order]
        votes: Any = said[:, :, None]
        if labels:
            classes, codes = np.unique(np.vstack([said, truth]), return_inverse=True)
            codes = codes.reshape(len(said) + 1, -1)
            votes, truth = np.eye(len(classes))[codes[:-1]], codes[-1]
        judged = Judgement(votes, truth, np.ones(len(truth)))
        curve = prune(judged, find, np.ones(len(said)), labels=labels).curve
        return cls(curve, curve.best(), order if isinstance(order, str) else None).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        curve, number = self.curve, len(ax.collections)  # one band for each display
        color = PALETTE[number % len(PALETTE)]
        name = f"{self.name}: " if self.name else ""
        low, high = (curve.choice_error + sign * curve.choice_deviation for sign in (-1, 1))
        ax.fill_between(curve.sizes, low, high, color=color, alpha=0.15, linewidth=0)
        ax.plot(
            curve.sizes, curve.choice_error, color=color, label=f"{name}rows not used for ordering"
        )
        ax.plot(
            curve.sizes,
            curve.order_error,
            color=color,
            linestyle=":",
            label=f"{name}rows used for ordering",
        )
        if self.size is not None:
            at = int(abs(curve.sizes - self.size).argmin())
            ax.plot([self.size], [curve.choice_error[at]], "o", color=color)
        ax.axhline(curve.choice_error[-1], color="0.6", linewidth=0.8, zorder=0)
        ax.set(xlabel="members kept", ylabel="error")
        ax.legend(frameon=False)

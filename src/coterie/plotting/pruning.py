"""Error by the number of members that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from coterie.plotting.canvas import PALETTE, Display
from coterie.selection import PruningCurve


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
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure it belongs to.

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
            Where to draw; by default a new figure.

        Returns
        -------
        PruningCurveDisplay
        """
        name = model.order if isinstance(model.order, str) else None
        return cls(model.curve_, model.size_, name).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        curve, number = self.curve, len(ax.collections)  # one band for each display
        color = PALETTE[number % len(PALETTE)]
        name = f"{self.name}: " if self.name else ""
        low, high = (curve.choice_error + sign * curve.choice_deviation for sign in (-1, 1))
        ax.fill_between(curve.sizes, low, high, color=color, alpha=0.15, linewidth=0)
        ax.plot(curve.sizes, curve.choice_error, color=color, label=f"{name}other rows")
        ax.plot(
            curve.sizes,
            curve.order_error,
            color=color,
            linestyle=":",
            label=f"{name}rows of the order",
        )
        if self.size is not None:
            at = int(abs(curve.sizes - self.size).argmin())
            ax.plot([self.size], [curve.choice_error[at]], "o", color=color)
        ax.axhline(curve.choice_error[-1], color="0.6", linewidth=0.8, zorder=0)
        ax.set(xlabel="members kept", ylabel="error")
        ax.legend(frameon=False)

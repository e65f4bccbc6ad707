"""Agreement and error of pairs of members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie import diversity
from coterie.core.rule import Array
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import PALETTE, Display

MOST_PAIRS = 5000


@dataclass(eq=False, repr=False)
class KappaErrorDisplay(Display):
    r"""The kappa-error diagram: a point for each pair of members.

    The x-axis is :math:`\kappa_{ij}`, the agreement of their labels beyond chance; the y-axis is
    the mean :math:`(e_i + e_j)/2` of their errors [1]_. Accurate and diverse pairs are at the
    bottom left, where there are hardly ever any: the cloud shows the trade-off. A cross marks the
    centre of all pairs. The diagram does not show the error of the vote; see `DissentDisplay`.

    Parameters
    ----------
    pairs : ndarray of int of shape (n_pairs, 2)
        Members of each pair drawn.
    kappa : ndarray of shape (n_pairs,)
        Agreement of each pair beyond chance.
    error : ndarray of shape (n_pairs,)
        Mean error of each pair.
    centre : tuple of two float
        Means of kappa and error over all pairs, also those that are not drawn.
    n_undefined : int, default=0
        Number of pairs left out because their kappa is undefined.
    name : str, optional
        Name of the ensemble.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Margineantu & Dietterich, "Pruning adaptive boosting", ICML (1997).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from coterie.plotting import KappaErrorDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> display = KappaErrorDisplay.from_estimator(forest, X[1::2], y[1::2])
    >>> display.kappa.shape
    (190,)
    """

    pairs: NDArray[np.intp]
    kappa: Array
    error: Array
    centre: tuple[float, float]
    n_undefined: int = 0
    name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        max_pairs: int = MOST_PAIRS,
        ax: Any = None,
    ) -> Self:
        """Plot the members of a fitted ensemble on held-out rows.

        Parameters
        ----------
        model : fitted ensemble of classifiers, or list of fitted classifiers
            From coterie or scikit-learn.
        X, y : array-like or data frame, array-like
            Rows and their classes: not the members' training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        max_pairs : int, default=5000
            Maximum number of pairs to draw, chosen evenly.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        KappaErrorDisplay
        """
        ballot = ballot_of(model, X)
        settings: dict[str, Any] = {"sample_weight": sample_weight, "max_pairs": max_pairs}
        return cls.from_predictions(ballot.labels, y, **settings, name=ballot.name, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        labels: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        max_pairs: int = MOST_PAIRS,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot predictions from any source.

        Parameters
        ----------
        labels : array-like of shape (members, n_rows)
            Predicted labels.
        y : array-like of shape (n_rows,)
            True labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        max_pairs : int, default=5000
            Maximum number of pairs to draw, chosen evenly.
        name : str, optional
            Name of the ensemble.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        KappaErrorDisplay
        """
        matrix = diversity.kappa(labels, y, outputs="labels", sample_weight=sample_weight)
        if len(matrix) < 2:
            raise ValueError("A kappa-error diagram needs at least two members.")
        errors = np.diag(diversity.double_fault(labels, y, sample_weight=sample_weight))
        pairs = np.column_stack(np.triu_indices(len(matrix), k=1))
        kappa, error = matrix[tuple(pairs.T)], errors[pairs].mean(axis=1)
        defined = ~np.isnan(kappa)
        pairs, kappa, error = pairs[defined], kappa[defined], error[defined]
        if not len(pairs):
            raise ValueError(
                "Kappa is undefined for all pairs: the members' predictions are constant."
            )
        centre = float(kappa.mean()), float(error.mean())
        if len(pairs) > max_pairs:
            kept = np.linspace(0, len(pairs) - 1, max_pairs).astype(np.intp)
            pairs, kappa, error = pairs[kept], kappa[kept], error[kept]
        return cls(pairs, kappa, error, centre, int((~defined).sum()), name).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        number = len(ax.collections) // 2  # of displays that share the axes
        color = PALETTE[number % len(PALETTE)]
        label = f"{self.name}: " if self.name else ""
        label += rf"$\bar\kappa$ = {self.centre[0]:.2f}, $\bar e$ = {self.centre[1]:.3f}"
        faint = 0.6 if len(self.kappa) < 500 else 0.25
        ax.scatter(self.kappa, self.error, s=12, color=color, alpha=faint, linewidths=0)
        look = {"color": color, "edgecolors": "black", "zorder": 3, "label": label}
        ax.scatter(*self.centre, s=110, marker="X", **look)
        ax.set(xlabel=r"agreement beyond chance $\kappa$", ylabel="mean error of the pair")
        ax.set_title("Kappa-error diagram")
        ax.set_ylim(bottom=0, auto=True)
        ax.legend(frameon=False)

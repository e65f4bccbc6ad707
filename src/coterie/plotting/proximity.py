"""How rows lie, as a forest sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array
from coterie.interpretation.proximities import proximity_embedding, proximity_outliers
from coterie.plotting.canvas import PALETTE, Display


@dataclass(eq=False, repr=False)
class ProximityDisplay(Display):
    """A map of the rows: those that share many leaves of a forest are close together.

    Places come from classical scaling of :math:`1 - prox`, see
    `coterie.interpretation.proximity_embedding`. Rings mark rows that lie far from their class.

    Parameters
    ----------
    places : ndarray of shape (n_rows, 2)
        Where rows lie.
    share : ndarray of shape (2,)
        Share of the two dimensions in the whole.
    labels : ndarray of shape (n_rows,), optional
        Classes, for colours.
    outliers : ndarray of bool of shape (n_rows,), optional
        Rows to mark.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Breiman & Cutler, "Random forests", manual, University of California (2003).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import RandomForestClassifier
    >>> from coterie.plotting import ProximityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    >>> display = ProximityDisplay.from_estimator(forest, X, y)
    """

    places: Array
    share: Array
    labels: NDArray[Any] | None = None
    outliers: NDArray[np.bool_] | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any = None, *, outlier: float = 10.0, ax: Any = None
    ) -> Self:
        """Compute the proximity of rows by a forest, and draw.

        Parameters
        ----------
        model : forest
            Fitted, with ``proximity``.
        X : array-like or data frame of shape (n_rows, n_features)
            The rows; the matrix has as many rows and columns, so some thousands at most.
        y : array-like of shape (n_rows,), optional
            Their classes.
        outlier : float, default=10.0
            Rows with a larger measure are marked, see `proximity_outliers`.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ProximityDisplay
        """
        if not hasattr(model, "proximity"):
            raise TypeError(
                f"{type(model).__name__} has no proximity. Pass a fitted random forest or "
                "extremely randomised trees."
            )
        matrix = model.proximity(X)
        places, share = proximity_embedding(matrix, min(2, len(matrix)))
        far = proximity_outliers(matrix, y) > outlier
        return cls(places, share, None if y is None else np.asarray(y), far).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        places = self.places if self.places.shape[1] > 1 else np.pad(self.places, ((0, 0), (0, 1)))
        labels = np.zeros(len(places), dtype=int) if self.labels is None else self.labels
        for number, label in enumerate(np.unique(labels)):
            rows = labels == label
            color = PALETTE[number % len(PALETTE)]
            ax.scatter(*places[rows].T, s=14, color=color, label=str(label), alpha=0.8)
        if self.outliers is not None and self.outliers.any():
            marked = places[self.outliers]
            ax.scatter(*marked.T, s=90, facecolors="none", edgecolors="red", label="outliers")
        shown = [f"dimension {k + 1} ({part:.0%})" for k, part in enumerate(self.share)]
        ax.set(xlabel=shown[0], ylabel=shown[1] if len(shown) > 1 else "")
        if self.labels is not None:
            ax.legend(frameon=False)

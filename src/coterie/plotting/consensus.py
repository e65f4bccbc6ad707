"""How sure the members of a cluster ensemble are of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie.plotting.canvas import PALETTE, Display, names_of

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class ConsensusDisplay(Display):
    """Rows coloured by cluster; the less the members agree on a row, the lighter and larger it is.

    A light band between two clusters is where members draw the border in different places. A
    cluster that is light throughout is one that few members found.

    Parameters
    ----------
    points : ndarray of shape (n_rows, 2)
        The rows.
    labels : ndarray of shape (n_rows,)
        Their clusters; -1 for rows without one.
    confidence : ndarray of shape (n_rows,)
        The mean share of their members' clusters that has the same label, from 0 to 1.
    names : tuple of two str
        Names of the columns.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import ClusterEnsemble
    >>> from coterie.plotting import ConsensusDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + 5 * (np.arange(60)[:, None] % 2)
    >>> model = ClusterEnsemble(n_clusters=2, n_members=10, random_state=0).fit(X)
    >>> display = ConsensusDisplay.from_estimator(model, X)
    """

    points: Array
    labels: NDArray[np.int32]
    confidence: Array
    names: tuple[str, str] = ("column 0", "column 1")

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, *, columns: tuple[int, int] = (0, 1), ax: Any = None
    ) -> Self:
        """Plot a fitted cluster ensemble.

        Parameters
        ----------
        model : ClusterEnsemble
            Fitted.
        X : array-like of shape (n_rows, n_features)
            The rows that it was fitted to.
        columns : tuple of two ints, default=(0, 1)
            The two columns to plot; numbers.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ConsensusDisplay
        """
        rows = np.asarray(X)
        if len(rows) != len(model.labels_):
            raise ValueError(
                f"X has {len(rows)} rows, but the model was fitted to {len(model.labels_)}. Pass "
                "the rows that it was fitted to."
            )
        points = rows[:, list(columns)].astype(np.float64)
        names = names_of(model, columns)
        return cls(points, model.labels_, model.confidence_, names).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        doubt = 1.0 - np.nan_to_num(self.confidence)
        for label in np.unique(self.labels):
            own = self.labels == label
            colour = "#7F7F7F" if label < 0 else PALETTE[label % len(PALETTE)]
            told = "no cluster" if label < 0 else f"cluster {label}: {1 - doubt[own].mean():.2f}"
            ax.scatter(
                *self.points[own].T,
                s=10 + 60 * doubt[own],
                alpha=np.clip(1.0 - 0.85 * doubt[own], 0.15, 1.0),
                color=colour,
                linewidths=0,
                label=told,
            )
        ax.set(xlabel=self.names[0], ylabel=self.names[1], title="Confidence of the consensus")
        ax.legend(title="mean confidence", frameon=True)

"""How often members of a cluster ensemble put rows together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie.clustering import co_association
from coterie.plotting.canvas import Display

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class CoAssociationDisplay(Display):
    """The co-association matrix of a cluster ensemble, with rows sorted by cluster.

    Blocks along the diagonal are clusters; light blocks off the diagonal are clusters that some
    members merge. Within a cluster, rows are sorted by decreasing confidence, which the curve on
    the right shows.

    Parameters
    ----------
    shares : ndarray of shape (n_shown, n_shown)
        Shares of the members.
    labels : ndarray of shape (n_shown,)
        Clusters of the rows, ascending.
    confidence : ndarray of shape (n_shown,)
        Confidence of the members in each row.

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
    >>> from coterie.plotting import CoAssociationDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + 5 * (np.arange(60)[:, None] % 2)
    >>> model = ClusterEnsemble(n_clusters=2, n_members=10, random_state=0).fit(X)
    >>> display = CoAssociationDisplay.from_estimator(model)
    """

    shares: Array
    labels: NDArray[np.int32]
    confidence: Array

    @classmethod
    def from_estimator(
        cls, model: Any, *, max_rows: int = 1000, random_state: int = 0, ax: Any = None
    ) -> Self:
        """Plot a fitted cluster ensemble.

        Parameters
        ----------
        model : ClusterEnsemble
            Fitted.
        max_rows : int, default=1000
            Maximum number of rows shown; larger tables are sampled.
        random_state : int, default=0
            Seed of the draw.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        CoAssociationDisplay
        """
        rows = np.flatnonzero(model.labels_ >= 0)
        if len(rows) > max_rows:
            rows = np.random.default_rng(random_state).choice(rows, max_rows, replace=False)
        order = np.lexsort((rows, -model.confidence_[rows], model.labels_[rows]))
        rows = rows[order]
        shares = co_association(model.member_labels_[:, rows].astype(np.int64))
        return cls(shares, model.labels_[rows], model.confidence_[rows]).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        n_rows = len(self.labels)
        image = ax.imshow(
            self.shares, cmap="Blues", vmin=0, vmax=1, interpolation="nearest", aspect="auto"
        )
        ax.figure.colorbar(
            image, ax=ax, label="share of members that put both rows in the same cluster"
        )
        for edge in np.flatnonzero(np.diff(self.labels)) + 0.5:
            ax.axhline(edge, color="#c03", linewidth=0.8)
            ax.axvline(edge, color="#c03", linewidth=0.8)
        # Drawn from the right edge inwards, so that it does not hide the blocks.
        depth = (1.0 - self.confidence) * 0.2 * n_rows
        ax.plot(n_rows - 0.5 - depth, np.arange(n_rows), color="#333333", linewidth=0.8)
        ax.set(xlabel="row", ylabel="row, by cluster and confidence", title="Co-association")

"""The scores of an outlier detector over two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.plotting.canvas import Display, names_of

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class IsolationDisplay(Display):
    """The scores of an outlier detector over two columns; the most abnormal rows are marked.

    For an isolation forest, it shows the depth at which rows are isolated.

    Parameters
    ----------
    xs, ys : ndarray of shape (n_grid,)
        The places along the two columns.
    scores : ndarray of shape (n_grid, n_grid)
        Scores of the places, by rows of `ys`; higher is more normal.
    points : ndarray of shape (n_rows, 2)
        The rows.
    outliers : ndarray of bool of shape (n_rows,)
        Which of them are outliers.
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
    >>> from coterie import IsolationForest
    >>> from coterie.plotting import IsolationDisplay
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> forest = IsolationForest(random_state=0).fit(X)
    >>> display = IsolationDisplay.from_estimator(forest, X, n_grid=30)
    """

    xs: Array
    ys: Array
    scores: Array
    points: Array
    outliers: NDArray[np.bool_]
    names: tuple[str, str] = ("column 0", "column 1")

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: ArrayLike,
        *,
        columns: tuple[int, int] = (0, 1),
        n_grid: int = 100,
        ax: Any = None,
    ) -> Self:
        """Plot a fitted detector.

        Parameters
        ----------
        model : detector
            Fitted, with ``score_samples`` and ``predict``.
        X : array-like of shape (n_rows, n_features)
            Rows of numbers; other columns than the two are held at their medians.
        columns : tuple of two ints, default=(0, 1)
            The two columns.
        n_grid : int, default=100
            Places along each of them.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        IsolationDisplay
        """
        rows = np.asarray(X, dtype=np.float64)
        points = rows[:, list(columns)]
        low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
        margin = 0.15 * (high - low)
        xs, ys = (np.linspace(low[k] - margin[k], high[k] + margin[k], n_grid) for k in (0, 1))
        places = np.tile(np.nanmedian(rows, axis=0), (n_grid * n_grid, 1))
        places[:, columns[0]], places[:, columns[1]] = (
            part.ravel() for part in np.meshgrid(xs, ys)
        )
        scores = np.asarray(model.score_samples(places)).reshape(n_grid, n_grid)
        names = names_of(model, columns)
        return cls(xs, ys, scores, points, np.asarray(model.predict(rows)) == -1, names).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        shades = ax.contourf(self.xs, self.ys, self.scores, levels=15, cmap="Blues_r")
        ax.figure.colorbar(shades, ax=ax, label="score (higher is more normal)")
        usual, strange = self.points[~self.outliers], self.points[self.outliers]
        ax.scatter(*usual.T, s=8, color="white", edgecolors="#333333", linewidths=0.4)
        ax.scatter(*strange.T, s=28, marker="x", color="#c03", label=f"{len(strange)} outliers")
        ax.set(xlabel=self.names[0], ylabel=self.names[1], title="Scores of the detector")
        ax.legend(frameon=True, loc="upper right")

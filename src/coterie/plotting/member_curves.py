"""Curves of the members of a regressor over one column, and of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier

from coterie.core.rule import Array
from coterie.data import DataError
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import PALETTE, Display
from coterie.plotting.grid import Grid


@dataclass(eq=False, repr=False)
class MemberCurvesDisplay(Display):
    r"""Predictions of a regressor's members over one column, and their average.

    Members that follow the noise differ; their mean :math:`\frac1T \sum_t h_t(x)` is smoother than
    any of them, which is what bagging is for [1]_.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        Values of the column.
    members : ndarray of shape (n_members, n_points)
        Predictions of the members.
    whole : ndarray of shape (n_points,)
        Predictions of the ensemble.
    points : tuple of two ndarrays, optional
        Values of the column and the target of the training rows.
    name : str, default="x"
        What the column is called.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Breiman, "Bagging predictors", Mach. Learn. 24 (1996).

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import BaggingRegressor
    >>> from coterie.plotting import MemberCurvesDisplay
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = BaggingRegressor(n_estimators=8, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> display = MemberCurvesDisplay.from_estimator(model, X, np.sin(X[:, 0]))
    >>> display.members.shape
    (8, 200)
    """

    x: Array
    members: Array
    whole: Array
    points: tuple[Array, Array] | None = None
    name: str = "x"

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        column: int | str = 0,
        resolution: int = 200,
        ax: Any = None,
    ) -> Self:
        """Plot a fitted ensemble of regressors.

        Parameters
        ----------
        model : fitted ensemble, or list of fitted models
            Whose members predict numbers.
        X : array-like or data frame of numbers
            Rows; columns that are not drawn are held at their medians.
        y : array-like, optional
            Their targets, to draw the rows too.
        column : int or str, default=0
            The column to draw, by position or name.
        resolution : int, default=200
            Points along the column.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        MemberCurvesDisplay
        """
        if is_classifier(model):
            raise TypeError(f"{type(model).__name__} predicts classes; use RegionsDisplay.")
        grid = Grid.over(X, (column,), resolution)
        rows = grid.rows[:resolution]  # the grid of one column has two rows alike
        ballot = ballot_of(model, rows)
        points = None if y is None else (grid.points[:, 0], np.asarray(y, dtype=np.float64))
        whole = np.asarray(ballot.vote, dtype=np.float64)
        return cls(grid.x, ballot.said[:, :, 0], whole, points, grid.names[0]).plot(ax)

    @classmethod
    def from_predictions(
        cls, x: Any, members: Any, *, whole: Any = None, name: str = "x", ax: Any = None
    ) -> Self:
        """Plot predictions of members from anywhere.

        Parameters
        ----------
        x : array-like of shape (n_points,)
            Values of the column, in order.
        members : array-like of shape (n_members, n_points)
            Predictions of the members.
        whole : array-like of shape (n_points,), optional
            Predictions of the ensemble; by default the mean of the members.
        name : str, default="x"
            What the column is called.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        MemberCurvesDisplay
        """
        said = np.atleast_2d(np.asarray(members, dtype=np.float64))
        values = np.asarray(x, dtype=np.float64)
        if said.shape[1] != len(values):
            raise DataError(f"There are {len(values)} points, but {said.shape[1]} predictions.")
        mean = said.mean(axis=0) if whole is None else np.asarray(whole, dtype=np.float64)
        return cls(values, said, mean, name=name).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        if self.points is not None:
            ax.scatter(*self.points, s=12, color="0.45", label="rows")
        alpha = float(np.clip(4.0 / len(self.members), 0.12, 0.7))
        for number, member in enumerate(self.members):
            label = f"{len(self.members)} members" if number == 0 else None
            ax.plot(self.x, member, color=PALETTE[0], linewidth=0.8, alpha=alpha, label=label)
        ax.plot(self.x, self.whole, color="red", linewidth=2.2, label="ensemble")
        ax.set(xlabel=self.name, ylabel="prediction", title="Members and their ensemble")
        ax.legend(frameon=False)

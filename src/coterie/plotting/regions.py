"""Decision regions of an ensemble and its members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from coterie.core.trace import Trace
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import PALETTE, pyplot
from coterie.plotting.error_curve import staged
from coterie.plotting.grid import Grid
from coterie.plotting.story import at_rounds, chosen_rounds, codes_of, votes_of

Codes = NDArray[np.intp]
MARKERS = "osD^vP*"
#: Boundaries of more members than this are a thicket.
MOST_MEMBERS = 5


@dataclass(eq=False, repr=False)
class RegionsDisplay:
    """Decision regions over two columns, at chosen sizes of the ensemble.

    The boundary of the ensemble is red, those of its members are thin and black.

    Parameters
    ----------
    grid : Grid
        The points at which the model was evaluated.
    classes : ndarray of shape (n_classes,)
        Class labels.
    sizes : sequence of int or None
        Number of members of each picture; None is the whole of a model without stages.
    regions : ndarray of shape (len(sizes), resolution, resolution)
        Position among `classes` of the class predicted at each point.
    members : ndarray of shape (n_members, resolution, resolution)
        The same for single members; their codes are arbitrary and only show where decisions change.
    labels : ndarray of shape (n_rows,), optional
        Classes of the rows of the grid's table, which are then drawn as points.
    most_members : int, optional
        Plots with more members do not show the members' boundaries.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        One per size.
    figure_ : matplotlib Figure
        The figure of the plots.

    Examples
    --------
    >>> from coterie.boosting import AdaBoostClassifier
    >>> from coterie.datasets import load_table
    >>> from coterie.plotting import RegionsDisplay
    >>> X, y = load_table("watermelon", return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=11).fit(X, y)
    >>> display = RegionsDisplay.from_estimator(model, X, y, sizes=[3, 5, 11])
    """

    grid: Grid
    classes: NDArray[Any]
    sizes: Sequence[int | None]
    regions: Codes
    members: Codes
    labels: Codes | None = None
    most_members: int | None = None
    axes_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        sizes: Sequence[int] | None = None,
        columns: Sequence[int | str] = (0, 1),
        members: bool | Literal["auto"] = "auto",
        resolution: int = 200,
        ax: Any = None,
    ) -> Self:
        """Plot the predictions of a fitted classifier on a grid of points.

        Parameters
        ----------
        model : classifier, or list of classifiers
            Any fitted classifier; of a list, their plurality.
        X : array-like or data frame of numbers
            Rows that set the range of the plot. Columns that are not drawn are held at their
            medians.
        y : array-like, optional
            Classes of the rows, to draw them too.
        sizes : sequence of int, optional
            Numbers of members to draw the ensemble with, each in its own plot; by default
            all. Less than all needs a model with ``staged_predict``, or whose members vote or are
            averaged.
        columns : sequence of one or two int or str, default=(0, 1)
            The columns to draw, by position or name.
        members : bool or "auto", default="auto"
            Whether to draw the boundaries of the members, where the model has members that
            classify. "auto" draws them in pictures of up to five members: more are not readable.
        resolution : int, default=200
            Points along each axis.
        ax : matplotlib Axes or sequence of them, optional
            Axes to draw in; by default a new figure with the plots side by side.

        Returns
        -------
        RegionsDisplay
        """
        grid = Grid.over(X, columns, resolution)
        if isinstance(model, list | tuple):
            ballot = ballot_of(model, grid.rows)
            chosen = chosen_rounds(len(ballot.said) if sizes is None else sizes, len(ballot.said))
            shown = at_rounds(ballot.staged(), chosen)
            few = members is True or (members == "auto" and max(chosen) <= MOST_MEMBERS)
            inside = ballot.labels if few else None
            return cls.from_predictions(grid, shown, members=inside, labels=y, sizes=chosen, ax=ax)
        check_is_fitted(model)
        if not is_classifier(model):
            raise TypeError(
                f"{type(model).__name__} is not a classifier, so it has no decision regions."
            )
        labels = None if y is None else codes_of(model, y)
        number, regions = _regions(model, grid, sizes)
        pictures = _members(model, grid) if members else _no_members(grid)
        most = MOST_MEMBERS if members == "auto" else None
        return cls(grid, model.classes_, number, regions, pictures, labels, most).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        grid: Grid,
        predictions: Any,
        *,
        members: Any = None,
        labels: Any = None,
        sizes: Sequence[int | None] | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot predictions for the points of a grid, from any source.

        Parameters
        ----------
        grid : Grid
            The points: ``Grid.over(X, columns, resolution).rows`` is what models are asked about.
        predictions : array-like of shape (n_points,) or (n_sizes, n_points)
            Labels that the ensemble gives the points, at one or several sizes.
        members : array-like of shape (n_members, n_points), optional
            Labels that the members give the points.
        labels : array-like of shape (n_rows,), optional
            Classes of the rows of the grid's table, to draw them too.
        sizes : sequence of int, optional
            Number of members of each picture.
        ax : matplotlib Axes or sequence of them, optional
            Axes to draw in; by default a new figure with the plots side by side.

        Returns
        -------
        RegionsDisplay
        """
        said = np.atleast_2d(np.asarray(predictions))
        inside = said[:0] if members is None else np.atleast_2d(np.asarray(members))
        everything = [said.ravel(), inside.ravel()]
        everything += [] if labels is None else [np.asarray(labels)]
        classes = np.unique(np.concatenate(everything))
        regions = np.stack([grid.image(np.searchsorted(classes, row)) for row in said])
        pictures = [grid.image(np.searchsorted(classes, row)) for row in inside]
        drawn = np.stack(pictures) if pictures else _no_members(grid)
        points = None if labels is None else np.searchsorted(classes, labels)
        called = [None] * len(said) if sizes is None else sizes
        return cls(grid, classes, called, regions, drawn, points).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw one picture per size.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            Axes to draw in; by default a new figure with the plots side by side.

        Returns
        -------
        RegionsDisplay
        """
        axes = np.atleast_1d(np.asarray(_panels(len(self.sizes)) if ax is None else ax)).ravel()
        if len(axes) != len(self.sizes):
            raise ValueError(f"There are {len(self.sizes)} sizes, but {len(axes)} axes.")
        for panel, size, region in zip(axes, self.sizes, self.regions, strict=True):
            self._panel(panel, size, region)
        axes[0].set_ylabel(self.grid.names[1])
        if self.labels is not None:  # beside the last picture, where it hides no points
            axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        self.axes_, self.figure_ = axes, axes[0].figure
        return self

    def _panel(self, ax: Any, size: int | None, region: Codes) -> None:
        grid, n_classes = self.grid, len(self.classes)
        colors = [PALETTE[code % len(PALETTE)] for code in range(n_classes)]
        levels = np.arange(n_classes + 1) - 0.5
        ax.contourf(grid.x, grid.y, region, levels=levels, colors=colors, alpha=0.2)
        inside = self.members[:size]
        if self.most_members is not None and len(inside) > self.most_members:
            inside = inside[:0]
        for member in inside:
            _boundary(ax, grid, member, colors="black", linewidths=0.6)
        _boundary(ax, grid, region, colors="red", linewidths=1.8)
        if self.labels is not None:
            for code, label in enumerate(self.classes):
                at = grid.points[self.labels == code]
                marker = MARKERS[code % len(MARKERS)]
                look = {"color": colors[code], "marker": marker, "edgecolors": "white"}
                ax.scatter(at[:, 0], at[:, 1], s=45, zorder=3, label=str(label), **look)
        ax.set(xlabel=grid.names[0])
        if not grid.names[1]:
            ax.set_yticks([])
        if size is None:
            ax.set_title("Decision regions")
        else:
            ax.set_title(f"{size} member{'s' if size > 1 else ''}")


def _panels(number: int) -> Any:
    plt = pyplot()
    size = (3.6 * number, 3.6) if number > 1 else (4.8, 4.2)
    return plt.subplots(1, number, figsize=size, sharex=True, sharey=True, layout="constrained")[1]


def _boundary(ax: Any, grid: Grid, codes: Codes, **look: Any) -> None:
    """Lines between the classes; a constant decision has none."""
    levels = np.arange(codes.min(), codes.max()) + 0.5
    if len(levels):
        ax.contour(grid.x, grid.y, codes, levels=levels, **look)


def _regions(model: Any, grid: Grid, sizes: Sequence[int] | None) -> tuple[list[int | None], Codes]:
    """Sizes, and what the ensemble of each size predicts at the points."""
    if sizes is None:
        whole = len(getattr(model, "estimators_", ())) or None
        return [whole], grid.image(codes_of(model, model.predict(grid.rows)))[None]
    if not hasattr(model, "staged_predict") and not hasattr(model, "estimators_"):
        raise TypeError(
            f"{type(model).__name__} has no staged_predict, so it can only be drawn at full "
            "size. Set sizes=None."
        )
    wanted = chosen_rounds(sizes, len(model.estimators_))
    stages = (grid.image(codes_of(model, stage)) for stage in staged(model, grid.rows))
    return list(wanted), at_rounds(stages, wanted)


def _members(model: Any, grid: Grid) -> Codes:
    """What each member decides at the points; none if the model has no members that classify."""
    if isinstance(getattr(model, "trace_", None), Trace):
        return _votes(model, grid)
    members = list(getattr(model, "estimators_", ()))
    if not members or not all(_classifies(member) for member in members):
        return _no_members(grid)
    said = ballot_of(model, grid.rows).labels
    return np.stack([grid.image(codes_of(model, labels)) for labels in said])


def _classifies(member: Any) -> bool:
    return hasattr(member, "fit") and is_classifier(member)


def _votes(model: Any, grid: Grid) -> Codes:
    """What each member of a booster votes for: by a class, by a number or by several trees."""
    pictures = []
    for _, vote in votes_of(model, grid.rows):
        # Classes with equal votes must stay equal: differences are exact up to rounding only.
        rounded = np.round(vote / (np.abs(vote).max() or 1.0), 9)
        choice = rounded > 0 if rounded.ndim == 1 else rounded.argmax(axis=1)
        pictures.append(grid.image(choice.astype(np.intp)))
    return np.stack(pictures) if pictures else _no_members(grid)


def _no_members(grid: Grid) -> Codes:
    return np.empty((0, len(grid.y), len(grid.x)), dtype=np.intp)

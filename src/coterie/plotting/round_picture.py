"""Single rounds of a booster over two columns: weights, score and the new member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array
from coterie.plotting.canvas import PALETTE, pyplot
from coterie.plotting.grid import Grid
from coterie.plotting.regions import MARKERS
from coterie.plotting.story import at_rounds, chosen_rounds, codes_of, trace_of

#: Area of the symbol of a row of mean weight, in square points.
_AREA = 40.0


@dataclass(eq=False, repr=False)
class RoundPictureDisplay:
    r"""Rounds of a two-class booster: symbols sized by weight, shading by score.

    The area of a symbol is proportional to the weight of its row before the round, as in the
    figures of Narsky & Porter [1]_. The shading is the score :math:`F_t(x)` after the round; the
    black line is where it changes sign, the dashed line where the round changed it.

    Parameters
    ----------
    grid : Grid
        The points at which the model was evaluated.
    classes : ndarray of shape (2,)
        Class labels.
    rounds : sequence of int
        The rounds shown, counted from 1.
    scores : ndarray of shape (len(rounds), resolution, resolution)
        The score at each point after the round.
    steps : ndarray of shape (len(rounds), resolution, resolution)
        What the round added to it.
    labels : ndarray of shape (n_rows,)
        Class codes of the rows.
    weights : ndarray of shape (len(rounds), n_rows)
        Weights of the rows before the round; each sums to one.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        One per round.
    figure_ : matplotlib Figure
        The figure of the plots.

    References
    ----------
    .. [1] Narsky & Porter, "Statistical Analysis Techniques in Particle Physics", Wiley (2013),
       figures 15.1 and 15.2.

    Examples
    --------
    >>> from coterie.boosting import AdaBoostClassifier
    >>> from coterie.datasets import load_table
    >>> from coterie.plotting import RoundPictureDisplay
    >>> X, y = load_table("watermelon", return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=5, trace="weights").fit(X, y)
    >>> display = RoundPictureDisplay.from_estimator(model, X, y, rounds=[1, 2, 5])
    """

    grid: Grid
    classes: NDArray[Any]
    rounds: Sequence[int]
    scores: Array
    steps: Array
    labels: NDArray[np.intp]
    weights: Array
    axes_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        rounds: Sequence[int] | None = None,
        columns: Sequence[int | str] = (0, 1),
        resolution: int = 150,
        ax: Any = None,
    ) -> Self:
        """Plot rounds of a booster fitted with ``trace="weights"``.

        Parameters
        ----------
        model : booster of two classes
            Fitted.
        X : array-like or data frame of numbers
            The training rows. Columns that are not drawn are held at their medians.
        y : array-like
            Their classes.
        rounds : sequence of int, optional
            Rounds to draw, counted from 1; by default the first, the last and two between.
        columns : sequence of one or two int or str, default=(0, 1)
            The columns to draw, by position or name.
        resolution : int, default=150
            Points along each axis.
        ax : matplotlib Axes or sequence of them, optional
            Axes to draw in; by default a new figure with the plots side by side.

        Returns
        -------
        RoundPictureDisplay
        """
        trace = trace_of(model)
        if not trace.weights:
            raise ValueError(
                f"This {type(model).__name__} did not record row weights. Fit it with "
                "trace='weights'."
            )
        if len(model.classes_) != 2:
            raise ValueError(
                f"This plot needs two classes, but there are {len(model.classes_)}. Use "
                "RegionsDisplay."
            )
        grid = Grid.over(X, columns, resolution)
        shown = chosen_rounds(rounds, len(trace))
        stages = list(model.staged_decision_function(grid.rows))
        before = [np.zeros_like(stages[0]), *stages]
        scores = np.stack([grid.image(stages[t - 1]) for t in shown])
        steps = np.stack([grid.image(stages[t - 1] - before[t - 1]) for t in shown])
        weights = at_rounds((w.reshape(len(w), -1).sum(axis=1) for w in trace.weights), shown)
        labels = codes_of(model, y)
        if weights.shape[1] != len(labels):
            raise ValueError(
                f"The model was fitted on {weights.shape[1]} rows, but there are {len(labels)}."
            )
        return cls(grid, model.classes_, shown, scores, steps, labels, weights).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw one picture per round.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            Axes to draw in; by default a new figure with the plots side by side.

        Returns
        -------
        RoundPictureDisplay
        """
        number = len(self.rounds)
        if ax is None:
            size = (3.6 * number, 3.8) if number > 1 else (5.0, 4.4)
            look: dict[str, Any] = {"figsize": size, "layout": "constrained"}
            ax = pyplot().subplots(1, number, sharex=True, sharey=True, **look)[1]
        axes = np.atleast_1d(np.asarray(ax)).ravel()
        if len(axes) != number:
            raise ValueError(f"There are {number} rounds, but {len(axes)} axes.")
        for panel, place in zip(axes, range(number), strict=True):
            self._panel(panel, place)
        axes[0].set_ylabel(self.grid.names[1])
        legend = axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        for handle in legend.legend_handles:
            handle.set_sizes([_AREA])  # not that of the first row
        self.axes_, self.figure_ = axes, axes[0].figure
        return self

    def _panel(self, ax: Any, place: int) -> None:
        grid, score, step = self.grid, self.scores[place], self.steps[place]
        reach = float(np.abs(score).max()) or 1.0
        ends = (grid.x[0], grid.x[-1], grid.y[0], grid.y[-1])
        colours = shading(PALETTE[0], PALETTE[1])
        image = ax.imshow(score, origin="lower", extent=ends, aspect="auto", cmap=colours)
        image.set_clim(-reach, reach)
        for values, style in ((score, "-"), (step, "--")):
            if values.min() < 0 < values.max():
                ax.contour(grid.x, grid.y, values, levels=[0.0], colors="black", linestyles=style)
        relative = self.weights[place] * len(self.labels)
        for code, label in enumerate(self.classes):
            here = self.labels == code
            at, marker = grid.points[here], MARKERS[code % len(MARKERS)]
            colour = {"color": PALETTE[code], "edgecolors": "white", "linewidths": 0.6}
            ax.scatter(*at.T, s=_AREA * relative[here], marker=marker, label=str(label), **colour)
        ax.set(xlabel=grid.names[0], title=f"round {self.rounds[place]}")
        if not grid.names[1]:
            ax.set_yticks([])


def shading(below: str, above: str) -> Any:
    """Colours of scores: those of the two classes, and white where neither leads."""
    pyplot()
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    pale = [tuple(0.4 + 0.6 * part for part in to_rgb(colour)) for colour in (below, above)]
    return LinearSegmentedColormap.from_list("scores", [pale[0], (1.0, 1.0, 1.0), pale[1]])

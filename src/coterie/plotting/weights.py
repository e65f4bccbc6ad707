"""The weights of the rows by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array
from coterie.core.trace import Trace
from coterie.plotting.canvas import PALETTE, Display, count_rounds
from coterie.plotting.replay import replay, story_of

MOST_LINES = 20


@dataclass(eq=False, repr=False)
class WeightsDisplay(Display):
    """The weight of each training row before each round.

    Parameters
    ----------
    weights : ndarray of shape (n_rounds, n_rows)
        Each round sums to one.
    names : sequence of str, optional
        Names of the rows; by default their numbers.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> from coterie.boosting import AdaBoostClassifier
    >>> from coterie.datasets import load_table
    >>> from coterie.plotting import WeightsDisplay
    >>> X, y = load_table("watermelon", return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=5, trace="weights").fit(X, y)
    >>> display = WeightsDisplay.from_estimator(model)
    """

    weights: Array
    names: Sequence[str] | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        names: Sequence[str] | None = None,
        kind: Literal["auto", "lines", "image"] = "auto",
        ax: Any = None,
    ) -> Self:
        """Plot the row weights of a booster fitted with ``trace="weights"``.

        Parameters
        ----------
        model : booster
            Fitted.
        X, y : array-like, optional
            The training rows, needed for models without a trace (scikit-learn's AdaBoost).
        names : sequence of str, optional
            Names of the rows.
        kind : {"auto", "lines", "image"}, default="auto"
            See `plot`.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        WeightsDisplay
        """
        trace = story_of(model, X, y)
        if not trace.weights:
            raise ValueError(
                f"This {type(model).__name__} did not record row weights. Fit it with "
                "trace='weights'."
            )
        return cls._of(trace, names).plot(ax, kind=kind)

    @classmethod
    def from_predictions(
        cls,
        labels: Any,
        y: Any,
        *,
        learning_rate: float = 1.0,
        sample_weight: Any = None,
        names: Sequence[str] | None = None,
        kind: Literal["auto", "lines", "image"] = "auto",
        ax: Any = None,
    ) -> Self:
        """Reconstruct AdaBoost's rounds from its members' predictions and plot them.

        Parameters
        ----------
        labels : array-like of shape (members, n_rows)
            Predictions of the members for the training rows, in the order of the rounds.
        y : array-like of shape (n_rows,)
            True labels.
        learning_rate : float, default=1
            Shrinkage of the member weights.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows before the first round.
        names : sequence of str, optional
            Names of the rows.
        kind : {"auto", "lines", "image"}, default="auto"
            See `plot`.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        WeightsDisplay
        """
        trace = replay(labels, y, learning_rate=learning_rate, sample_weight=sample_weight)
        return cls._of(trace, names).plot(ax, kind=kind)

    @classmethod
    def _of(cls, trace: Trace, names: Sequence[str] | None) -> Self:
        # Rules that weigh pairs of row and class: a row weighs what its pairs weigh together.
        pairs = [weight.reshape(len(weight), -1).sum(axis=1) for weight in trace.weights]
        weights = np.array(pairs)
        if names is not None and len(names) != weights.shape[1]:
            raise ValueError(f"There are {weights.shape[1]} rows, but {len(names)} names.")
        return cls(weights, names)

    def groups(self) -> list[NDArray[np.intp]]:
        """Groups of rows with the same weight in all rounds, by their first row."""
        alike = self.weights.T.round(10)
        _, first, group = np.unique(alike, axis=0, return_index=True, return_inverse=True)
        return [np.flatnonzero(group.ravel() == g) for g in np.argsort(first)]

    # Narrower than the base's: this display leaves one choice.
    def plot(  # type: ignore[override]
        self, ax: Any = None, *, kind: Literal["auto", "lines", "image"] = "auto"
    ) -> Self:
        """Draw the weights.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.
        kind : {"auto", "lines", "image"}, default="auto"
            A line per group of rows that always weigh the same, or an image with a row of pixels
            for each of them, the heaviest first unless they have names; "auto" draws lines for up
            to 20 rows.

        Returns
        -------
        WeightsDisplay
        """
        if kind not in ("auto", "lines", "image"):
            raise ValueError(f"kind must be 'auto', 'lines' or 'image', not {kind!r}.")
        return super().plot(ax, kind=kind)

    def _draw(self, ax: Any, **options: Any) -> None:
        kind = options["kind"]
        n_rounds, n_rows = self.weights.shape
        if kind == "image" or (kind == "auto" and n_rows > MOST_LINES):
            self._image(ax)
        else:
            self._lines(ax)
        count_rounds(ax, n_rounds)
        ax.set_title("Weights of the rows")

    def _lines(self, ax: Any) -> None:
        names = self.names or [str(row) for row in range(self.weights.shape[1])]
        styles = [(color, style) for style in ("-", "--", ":") for color in PALETTE]
        t = np.arange(1, len(self.weights) + 1)
        for number, rows in enumerate(self.groups()):
            color, style = styles[number % len(styles)]
            label = ", ".join(names[row] for row in rows)
            line = self.weights[:, rows[0]]
            ax.plot(t, line, marker="o", markersize=4, color=color, linestyle=style, label=label)
        ax.set_ylim(bottom=0)
        ax.set_ylabel("weight before the round")
        ax.legend(title="rows", frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))

    def _image(self, ax: Any) -> None:
        n_rounds, n_rows = self.weights.shape
        relative = self.weights.T * n_rows
        label = "row"
        if self.names is None:  # rows that matter most are together
            relative, label = (
                relative[np.argsort(-relative.sum(axis=1), kind="stable")],
                "row, by weight",
            )
        # A few rows weigh many times the mean, most a fraction of it: equal steps of the scale
        # are equal factors, and the mean is in the middle.
        reach = max(2.0, float(relative.max()))
        corners = (0.5, n_rounds + 0.5, n_rows - 0.5, -0.5)
        image = ax.imshow(relative, norm="log", cmap="coolwarm", aspect="auto", extent=corners)
        image.set_clim(1 / reach, reach)
        ax.set_ylabel(label)
        if self.names is not None:
            ax.set_yticks(range(n_rows), self.names)
        ax.figure.colorbar(image, ax=ax, label="weight, as a multiple of the mean", extend="min")

"""Where a display draws: Matplotlib, asked for when it is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

#: Colours that are told apart by all kinds of eyes (Okabe and Ito); red is kept for boundaries.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442", "#7F7F7F")


def pyplot() -> Any:
    """``matplotlib.pyplot``, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Plots need Matplotlib, which is not installed: pip install 'coterie[plot]'"
        ) from error
    return plt


def axes_for(ax: Any = None) -> Any:
    """The axes given, or those of a new figure."""
    plt = pyplot()
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def names_of(model: Any, columns: tuple[int, int]) -> tuple[str, str]:
    """What two columns are called: by the frame that the model was fitted to, or by position."""
    known = getattr(model, "feature_names_in_", None)
    first, second = (f"column {j}" if known is None else str(known[j]) for j in columns)
    return first, second


@dataclass(eq=False, repr=False)
class Display:
    """A picture of its own data on one pair of axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    """

    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.
        **options : dict
            Drawing options of the display.

        Returns
        -------
        The display itself.
        """
        ax = axes_for(ax)
        self._draw(ax, **options)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw(self, ax: Any, **options: Any) -> None:
        raise NotImplementedError


def count_rounds(ax: Any, n_rounds: int) -> None:
    """Let the x-axis show whole rounds from 1 on."""
    pyplot()
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set(xlabel="round", xlim=(0.5, n_rounds + 0.5))

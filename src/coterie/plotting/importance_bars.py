"""Importances of columns, and Shapley values of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie.core.rule import Array
from coterie.data import DataError
from coterie.interpretation import permutation_importances, shap_values
from coterie.plotting.canvas import PALETTE, Display


@dataclass(eq=False, repr=False)
class ImportancesDisplay(Display):
    """Bar chart of column importances, the most important column first.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    means : ndarray of shape (n_columns,)
        Importances.
    deviations : ndarray of shape (n_columns,), optional
        Their standard deviations over repetitions.
    measure : str, default="importance"
        The metric whose differences they are.
    most : int, default=20
        How many columns are drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Breiman, "Random forests", Mach. Learn. 45 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import RandomForestClassifier
    >>> from coterie.plotting import ImportancesDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> display = ImportancesDisplay.from_estimator(forest, X[1::2], y[1::2])
    >>> display.ax_.get_xlabel()
    'decrease of accuracy when the column is shuffled'
    """

    names: Sequence[str]
    means: Array
    deviations: Array | None = None
    measure: str = "importance"
    most: int = 20

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        scoring: str | None = None,
        n_repeats: int = 5,
        most: int = 20,
        ax: Any = None,
    ) -> Self:
        """Plot permutation importances of any fitted model.

        Parameters
        ----------
        model : fitted estimator
            Any with ``predict``.
        X, y : array-like or data frame, array-like
            Rows, best some that the model has not seen, and their classes or numbers.
        scoring : str, optional
            Name of a scikit-learn scorer; by default accuracy, or R².
        n_repeats : int, default=5
            How often each column is shuffled.
        most : int, default=20
            How many columns are drawn.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ImportancesDisplay
        """
        found = permutation_importances(
            model, X, y, scoring=scoring, n_repeats=n_repeats, random_state=0
        )
        measure = scoring or ("accuracy" if hasattr(model, "classes_") else "R²")
        words = f"decrease of {measure} when the column is shuffled"
        names = [str(name) for name in found.feature_names]
        return cls(names, found.mean, found.std, words, most).plot(ax)

    @classmethod
    def from_values(
        cls,
        names: Sequence[str],
        means: Any,
        *,
        deviations: Any = None,
        measure: str = "importance",
        ax: Any = None,
    ) -> Self:
        """Plot importances from anywhere, such as ``feature_importances_``.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.
        means : array-like of shape (n_columns,)
            Importances.
        deviations : array-like of shape (n_columns,), optional
            Their standard deviations.
        measure : str, default="importance"
            What they are.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ImportancesDisplay
        """
        values = np.asarray(means, dtype=np.float64)
        if len(values) != len(names):
            raise DataError(f"There are {len(names)} names, but {len(values)} importances.")
        spread = None if deviations is None else np.asarray(deviations, dtype=np.float64)
        return cls(list(names), values, spread, measure).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        order = np.argsort(-self.means, kind="stable")[: self.most]
        places = np.arange(len(order))
        spread = None if self.deviations is None else self.deviations[order]
        look = {"color": PALETTE[0], "height": 0.7, "ecolor": "0.3"}
        ax.barh(places, self.means[order], xerr=spread, **look)
        ax.set_yticks(places, [self.names[column] for column in order])
        ax.invert_yaxis()
        ax.axvline(0.0, color="0.5", linewidth=0.8)
        left = "" if len(order) == len(self.means) else f", the first {len(order)}"
        ax.set(xlabel=self.measure, title=f"Importance of the columns{left}")


@dataclass(eq=False, repr=False)
class ShapDisplay(Display):
    r"""Shapley values: a dot for each row and column, coloured by the column's value.

    A dot to the right raised the prediction of its row by so much, one to the left lowered it [1]_.
    Columns with the largest mean of :math:`|\phi_j|` come first.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Shapley values.
    cells : ndarray of shape (n_rows, n_columns)
        The cells as numbers.
    names : sequence of str
        Names of the columns.
    output : str, default="prediction"
        What is explained.
    most : int, default=12
        How many columns are drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Lundberg, Erion & Lee, "Consistent individualized feature attribution for tree
       ensembles", arXiv:1802.03888 (2018).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import RandomForestClassifier
    >>> from coterie.plotting import ShapDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> display = ShapDisplay.from_estimator(forest, X[::5])
    >>> display.values.shape
    (30, 4)
    """

    values: Array
    cells: NDArray[Any]
    names: Sequence[str]
    output: str = "prediction"
    most: int = 12

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, *, output: int = -1, most: int = 12, ax: Any = None
    ) -> Self:
        """Plot the Shapley values of a tree, forest or booster.

        Parameters
        ----------
        model : fitted estimator
            One that `coterie.shap_values` explains.
        X : array-like or data frame
            Rows to explain.
        output : int, default=-1
            Which output, of a model with several; by default the last class.
        most : int, default=12
            How many columns are drawn.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ShapDisplay
        """
        found = shap_values(model, X)
        values, words = np.asarray(found.values), "prediction"
        if values.ndim == 3:
            values = values[:, :, output]
            words = f"prediction of {(found.output_names or ['the last output'])[output]}"
        cells = np.asarray(found.data, dtype=np.float64)
        return cls(values, cells, found.feature_names, words, most).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        order = np.argsort(-np.abs(self.values).mean(axis=0), kind="stable")[: self.most]
        for place, column in enumerate(order):
            here, cells = self.values[:, column], self.cells[:, column]
            low, high = np.nanquantile(cells, [0.05, 0.95]) if len(cells) else (0.0, 1.0)
            shade = np.clip((cells - low) / ((high - low) or 1.0), 0.0, 1.0)
            heights = place + 0.38 * _spread(here)
            dots = ax.scatter(here, heights, c=shade, cmap="coolwarm", s=9, vmin=0.0, vmax=1.0)
        ax.set_yticks(np.arange(len(order)), [str(self.names[column]) for column in order])
        ax.invert_yaxis()
        ax.axvline(0.0, color="0.5", linewidth=0.8)
        ax.set(xlabel=f"Shapley value, added to the {self.output}", title="Shapley values of rows")
        scale = ax.figure.colorbar(dots, ax=ax, ticks=[0, 1], label="value of the column")
        scale.ax.set_yticklabels(["low", "high"])


def _spread(values: Array) -> Array:
    """Heights between -1 and 1 that keep dots of similar value apart."""
    heights = np.zeros(len(values))
    reach = np.ptp(values) or 1.0
    bins = np.round(40 * (values - values.min()) / reach)
    for one in np.unique(bins):
        rows = np.flatnonzero(bins == one)
        steps = np.arange(len(rows))
        heights[rows] = np.where(steps % 2, -1, 1) * ((steps + 1) // 2)
    return heights / max(1.0, float(np.abs(heights).max()))

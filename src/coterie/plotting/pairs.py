"""How every two members compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from coterie import diversity
from coterie.core.rule import Array
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import Display
from coterie.selection.adapted import members_of

Measure = str | Callable[..., Array]
MEASURES = {
    "disagreement": "share of rows on which they differ",
    "correlation": "correlation",
    "q_statistic": "Q statistic",
    "kappa": r"agreement beyond chance $\kappa$",
    "double_fault": "share of rows that both get wrong",
}
MOST_NAMES = 40


@dataclass(eq=False, repr=False)
class PairwiseDisplay(Display):
    """A heat map of all pairs of members, with similar members next to each other.

    Members are in the order of a hierarchical clustering of their disagreement, so that groups of
    similar members are blocks on the diagonal.

    Parameters
    ----------
    matrix : ndarray of shape (members, members)
        The measure of every pair, members in the order in which they were given.
    order : ndarray of int of shape (members,)
        Members from left to right.
    measure : str, default="disagreement"
        What was measured.
    names : sequence of str, optional
        Names of the members, in the order in which they were given; by default their numbers.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Bar-Joseph, Gifford & Jaakkola, "Fast optimal leaf ordering for hierarchical clustering",
       Bioinformatics 17 (2001), on the order of the members.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from coterie.plotting import PairwiseDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(8, random_state=0).fit(X[::2], y[::2])
    >>> display = PairwiseDisplay.from_estimator(forest, X[1::2], y[1::2], measure="kappa")
    >>> display.matrix.shape
    (8, 8)
    """

    matrix: Array
    order: NDArray[np.intp]
    measure: str = "disagreement"
    names: Sequence[str] | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        measure: Measure = "disagreement",
        sample_weight: Any = None,
        names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Ask the members about rows, and draw.

        Parameters
        ----------
        model : fitted ensemble of classifiers, or list of fitted classifiers
            From coterie or scikit-learn.
        X, y : array-like or data frame, array-like
            Rows and, to compare whether members are right, their classes.
        measure : str or callable, default="disagreement"
            Name of a pairwise measure of `coterie.diversity`, or such a function.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        names : sequence of str, optional
            Names of the members; by default as in the list given, or their numbers.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        PairwiseDisplay
        """
        names = member_names(model) if names is None else names
        settings: dict[str, Any] = {"sample_weight": sample_weight, "names": names, "ax": ax}
        return cls.from_predictions(ballot_of(model, X).labels, y, measure=measure, **settings)

    @classmethod
    def from_predictions(
        cls,
        labels: Any,
        y: Any = None,
        *,
        measure: Measure = "disagreement",
        sample_weight: Any = None,
        names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot predictions from any source.

        Parameters
        ----------
        labels : array-like of shape (members, n_rows)
            Predicted labels.
        y : array-like of shape (n_rows,), optional
            True labels, to compare whether members are right.
        measure : str or callable, default="disagreement"
            Name of a pairwise measure of `coterie.diversity`, or such a function.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        names : sequence of str, optional
            Names of the members.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        PairwiseDisplay
        """
        if isinstance(measure, str) and measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}, not {measure!r}.")
        function = getattr(diversity, measure) if isinstance(measure, str) else measure
        matrix = function(labels, y, sample_weight=sample_weight)
        if names is not None and len(names) != len(matrix):
            raise ValueError(f"There are {len(matrix)} members, but {len(names)} names.")
        apart = diversity.disagreement(labels, sample_weight=sample_weight)
        called = measure if isinstance(measure, str) else function.__name__.replace("_", " ")
        return cls(matrix, clustered(apart), called, names).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        shown = self.matrix[np.ix_(self.order, self.order)].copy()
        np.fill_diagonal(shown, np.nan)  # a member and itself would fade all others
        finite = shown[np.isfinite(shown)]
        # Zero is in the middle of a scale that has both signs.
        signed = bool(len(finite) and finite.min() < 0 < finite.max())
        image = ax.imshow(shown, cmap="RdBu_r" if signed else "viridis", interpolation="nearest")
        if signed:
            reach = float(np.abs(finite).max())
            image.set_clim(-reach, reach)
        ax.set_facecolor("lightgrey")
        mean = diversity.mean_over_pairs(self.matrix).mean if len(shown) > 1 else float("nan")
        measure = MEASURES.get(self.measure, self.measure)
        ax.set_title(f"{measure[0].upper()}{measure[1:]}\n{len(shown)} members, mean {mean:.3f}")
        ax.set(xlabel="member", ylabel="member")
        if len(shown) <= MOST_NAMES:
            names = self.names or [str(t) for t in range(len(shown))]
            called = [names[t] for t in self.order]
            upright = 90 if max(map(len, called)) > 3 else 0
            ax.set_xticks(range(len(shown)), called, rotation=upright)
            ax.set_yticks(range(len(shown)), called)
        ax.figure.colorbar(image, ax=ax, label=measure)


def member_names(model: Any) -> list[str] | None:
    """What the members of an ensemble or a list are called, if they have names."""
    if isinstance(model, list | tuple):
        if all(isinstance(pair, tuple | list) for pair in model):
            return [str(pair[0]) for pair in model]
        return [type(member).__name__ for member in model]
    named = getattr(model, "named_estimators_", None)
    if named is None:
        return None
    names = [str(name) for name, member in dict(named).items() if not isinstance(member, str)]
    return names if len(names) == len(members_of(model)[0]) else None


def clustered(apart: Array) -> NDArray[np.intp]:
    """Members in an order in which neighbours differ little."""
    if len(apart) < 3:
        return np.arange(len(apart))
    between = squareform((apart + apart.T) / 2, checks=False)
    return np.asarray(leaves_list(linkage(between, "average", optimal_ordering=True)), np.intp)

"""Error and ambiguity of every member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from coterie import theory
from coterie.core.rule import Array
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import PALETTE, Display


@dataclass(eq=False, repr=False)
class AmbiguityDisplay(Display):
    r"""The ambiguity-error map: a point for each member; the centre shows the ensemble's error.

    The x-axis is a member's ambiguity :math:`A_t`, its distance from the average of all; the y-axis
    is its error :math:`E_t`. As :math:`E = \bar E - \bar A`, the height of the centre above the
    diagonal is the error of the averaged vote exactly [1]_. Members above the line through the
    centre parallel to the diagonal do more harm than good, those below do more good.

    Parameters
    ----------
    ambiguities, errors : ndarray of shape (members,)
        Ambiguity and error of each member.
    centre : tuple of two float
        Their means, weighted if members are.
    name : str, optional
        Name of the ensemble.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Krogh & Vedelsby, "Neural network ensembles, cross validation, and active learning",
       NIPS 7 (1995); the map is our own.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from coterie.plotting import AmbiguityDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X[::2], y[::2])
    >>> display = AmbiguityDisplay.from_estimator(forest, X[1::2], y[1::2])
    >>> bool(abs(display.error - ((forest.predict(X[1::2]) - y[1::2]) ** 2).mean()) < 1e-6)
    True
    """

    ambiguities: Array
    errors: Array
    centre: tuple[float, float]
    name: str | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Any = None
    ) -> Self:
        """Plot the members of a fitted ensemble on held-out rows.

        Parameters
        ----------
        model : fitted ensemble, or list of fitted models
            From coterie or scikit-learn, of classifiers or regressors. Classifiers vote with
            labels; weights of members are taken into account.
        X, y : array-like or data frame, array-like
            Rows, and their classes or numbers: not the members' training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        AmbiguityDisplay
        """
        ballot = ballot_of(model, X)
        settings: dict[str, Any] = {"sample_weight": sample_weight, "name": ballot.name, "ax": ax}
        kind = "numbers" if ballot.classes is None else "labels"
        weights = ballot.weights
        return cls.from_predictions(ballot.labels, y, weights=weights, kind=kind, **settings)

    @classmethod
    def from_predictions(
        cls,
        predictions: Any,
        y: Any,
        *,
        weights: Any = None,
        kind: str = "labels",
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot predictions from any source.

        Parameters
        ----------
        predictions : array-like of shape (members, n_rows)
            Labels, or numbers.
        y : array-like of shape (n_rows,)
            The truth.
        weights : array-like of shape (members,), optional
            Weights of the members; equal by default.
        kind : {"labels", "numbers"}, default="labels"
            Whether members classify, and errors are shares of mistakes, or errors are squared.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        name : str, optional
            Name of the ensemble.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        AmbiguityDisplay
        """
        if kind not in ("labels", "numbers"):
            raise ValueError(f'kind must be "labels" or "numbers", not {kind!r}.')
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64) / np.sum(weights)
        split = theory.vote_ambiguity if kind == "labels" else theory.ambiguity
        parts = split(predictions, y, weights, sample_weight=sample_weight)
        centre = parts.mean_ambiguity, parts.mean_error
        return cls(parts.member_ambiguities, parts.member_errors, centre, name).plot(ax)

    @property
    def error(self) -> float:
        """Error of the averaged vote: the height of the centre above the diagonal."""
        return self.centre[1] - self.centre[0]

    def _draw(self, ax: Any, **options: Any) -> None:
        number = sum(line.get_linestyle() == "-" for line in ax.lines)  # of displays that share ax
        color = PALETTE[number % len(PALETTE)]
        x, y = self.centre
        top = 1.05 * float(max(self.ambiguities.max(), x, 1e-12))
        ax.plot([0, top], [0, top], color="grey", linewidth=1, linestyle=":")
        ax.plot([0, top], [self.error, top + self.error], color=color, linewidth=1, linestyle="--")
        called = f"{self.name}: " if self.name else ""
        digits = ".3f" if y < 10 else ".4g"
        label = f"{called}{y:{digits}} − {x:{digits}} = {self.error:{digits}}"
        ax.scatter(self.ambiguities, self.errors, s=18, color=color, alpha=0.6, linewidths=0)
        ax.plot([x, x], [x, y], color=color, linewidth=2.5, linestyle="-")
        look = {"color": color, "edgecolors": "black", "zorder": 3}
        ax.scatter(x, y, s=110, marker="X", label=label, **look)
        ax.set(xlabel="ambiguity of the member", ylabel="error of the member")
        ax.set_title("Ambiguity-error map")
        ax.set_xlim(left=0, auto=True)
        ax.set_ylim(bottom=0, auto=True)
        ax.legend(frameon=False, title="error − ambiguity = error of the average")

"""A map of the members: similar members are close together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie import diversity, fusion
from coterie.core.rule import Array
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import Display
from coterie.plotting.pairs import member_names

MOST_NAMES = 15


@dataclass(eq=False, repr=False)
class SimilarityDisplay(Display):
    r"""A map of the members, their vote and the truth.

    The squared distance of two members is the share of rows on which they differ, and the squared
    distance to the truth, a star, is the error. Such distances are Euclidean, as they are those of
    indicator vectors, and the map is a plane through them. To the right is what members get wrong
    together: the direction from the truth to their mean, whose distance is the root of the error
    :math:`\bar E - \bar A` of the averaged vote. Upwards is what separates them most, the first
    principal component of the rest [1]_: members with similar predictions are close together. The
    title shows what share of the squared distances to the truth is visible; the colours are the
    exact errors.

    Parameters
    ----------
    points : ndarray of shape (members, 2)
        Where the members are.
    vote : ndarray of shape (2,)
        Where their vote is; the truth is at zero.
    errors : ndarray of shape (members,)
        Error of each member.
    vote_error : float
        Error of the vote.
    shown : float
        Share of the squared distances to the truth that the plane shows.
    names : sequence of str, optional
        Names of the members.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17 (1952); to
       look from the truth is our own.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from coterie.plotting import SimilarityDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> display = SimilarityDisplay.from_estimator(forest, X[1::2], y[1::2])
    >>> display.points.shape
    (20, 2)
    """

    points: Array
    vote: Array
    errors: Array
    vote_error: float
    shown: float
    names: Sequence[str] | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot a fitted ensemble on held-out rows.

        Parameters
        ----------
        model : fitted ensemble of classifiers, or list of fitted classifiers
            From coterie or scikit-learn. The vote is its prediction; for a list, the plurality.
        X, y : array-like or data frame, array-like
            Rows and their classes: not the members' training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        names : sequence of str, optional
            Names of the members; by default as in the list given. Up to 15 are written.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        SimilarityDisplay
        """
        ballot = ballot_of(model, X)
        names = member_names(model) if names is None else names
        settings: dict[str, Any] = {"sample_weight": sample_weight, "names": names, "ax": ax}
        return cls.from_predictions(ballot.labels, y, vote=ballot.vote, **settings)

    @classmethod
    def from_predictions(
        cls,
        labels: Any,
        y: Any,
        *,
        vote: Any = None,
        sample_weight: Any = None,
        names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot predictions from any source.

        Parameters
        ----------
        labels : array-like of shape (members, n_rows)
            Predicted labels.
        y : array-like of shape (n_rows,)
            True labels.
        vote : array-like of shape (n_rows,), optional
            Predictions of the ensemble; by default the plurality.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        names : sequence of str, optional
            Names of the members.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        SimilarityDisplay
        """
        said = np.asarray(labels)
        if names is not None and len(names) != len(said):
            raise ValueError(f"There are {len(said)} members, but {len(names)} names.")
        vote = fusion.plurality(said) if vote is None else np.asarray(vote)
        everyone = np.concatenate([said, vote[None], np.asarray(y)[None]])
        squared = diversity.disagreement(everyone, outputs="labels", sample_weight=sample_weight)
        places, shown = seen_from_last(squared)
        errors = squared[-1, :-1]
        return cls(places[:-1], places[-1], errors[:-1], float(errors[-1]), shown, names).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        points = ax.scatter(*self.points.T, c=self.errors, s=36, cmap="viridis_r", label="members")
        mark = {"edgecolors": "black", "zorder": 3}
        label = f"vote: error {self.vote_error:.3f}"
        ax.scatter(*self.vote, s=130, marker="D", color="red", label=label, **mark)
        ax.scatter(0, 0, s=240, marker="*", color="gold", label="truth", **mark)
        if self.names is not None and len(self.names) <= MOST_NAMES:
            for name, (x, y) in zip(self.names, self.points, strict=True):
                offset = {"textcoords": "offset points", "xytext": (5, 4), "fontsize": "small"}
                ax.annotate(name, (x, y), **offset)
        ax.margins(0.12)
        ax.set_aspect("equal", "datalim")
        ax.set(xlabel="common error", ylabel="first component of the differences")
        ax.set_title(f"Similarity of {len(self.points)} members ({self.shown:.0%} shown)")
        ax.legend(framealpha=0.8, fontsize="small")
        ax.figure.colorbar(points, ax=ax, label="error of the member")


def seen_from_last(squared: NDArray[np.float64]) -> tuple[Array, float]:
    """Places of all but the last, which is at zero, and the share of the members' squares shown.

    The last but one is the vote: it is placed, but the directions are those of the members.
    """
    from_truth = squared[-1, :-1]
    gram = (from_truth[:, None] + from_truth - squared[:-1, :-1]) / 2
    own = slice(0, len(gram) - 1)
    length = np.sqrt(max(0.0, float(gram[own, own].mean())))
    first = gram[:, own].mean(axis=1) / length if length > 1e-12 else np.zeros(len(gram))
    rest = gram - np.outer(first, first)
    values, vectors = np.linalg.eigh(rest[own, own])
    second = np.zeros(len(gram))
    if values[-1] > 1e-12:
        second = rest[:, own] @ vectors[:, -1] / np.sqrt(values[-1])
    # The sign of an eigenvector is arbitrary: the farthest member is above.
    second *= np.sign(second[own][np.abs(second[own]).argmax()]) or 1.0
    total = float(from_truth[own].sum())
    seen = float((first[own] ** 2).sum() + (second[own] ** 2).sum())
    return np.column_stack([first, second]), seen / total if total > 0 else 1.0

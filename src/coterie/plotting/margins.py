"""How clearly the rows are decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from coterie import theory
from coterie.core.rule import Array
from coterie.core.stages import StagedPool
from coterie.data.outputs import sample_weights
from coterie.plotting.ballots import ballot_of, pushes
from coterie.plotting.canvas import Display, pyplot
from coterie.plotting.story import at_rounds, chosen_rounds, codes_of, trace_of, votes_of


def margins(score: Array, codes: NDArray[np.intp]) -> Array:
    """Score of the row's own class over the best other; with two classes, the signed score.

    Parameters
    ----------
    score : ndarray of shape (n_rows,) or (n_rows, n_classes)
        What `decision_function` returns.
    codes : ndarray of shape (n_rows,)
        Position of each row's class among the classes.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> margins(np.array([0.5, -0.2]), np.array([1, 1]))
    array([ 0.5, -0.2])
    >>> margins(np.array([[3.0, 1.0, 2.0]]), np.array([0]))
    array([1.])
    """
    if score.ndim == 1:
        return np.where(codes == 1, score, -score)
    rows = np.arange(len(score))
    others = score.copy()
    others[rows, codes] = -np.inf
    return np.asarray(score[rows, codes] - others.max(axis=1))


def largest_say(vote: Array) -> float:
    r"""The most by which one member's weighted vote sets a class above another in any row.

    With two classes and votes of -1 and 1 that is :math:`|\alpha_t|`.
    """
    single = vote.ndim == 1 or vote.shape[1] == 1
    spread = np.abs(vote) if single else np.ptp(vote, axis=1)
    return float(spread.max())


@dataclass(eq=False, repr=False)
class MarginDisplay(Display):
    r"""Cumulative distribution of the normalised margins after chosen rounds.

    With two classes a row's margin is :math:`y F(x) / \sum_t |\alpha_t|`, of many the score of its
    own class minus the best other one, divided by what all members together could make of it at
    most. So it lies between -1 and 1; below zero are the mistakes. Boosting keeps moving margins to
    the right when all rows are already correct [1]_.

    Parameters
    ----------
    rounds : sequence of int
        After how many rounds, or with how many members.
    margins : ndarray of shape (len(rounds), n_rows)
        Normalised margins of the rows.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of the rows.
    unit : str, default="round"
        What `rounds` count.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Schapire, Freund, Bartlett & Lee, "Boosting the margin: a new explanation for the
       effectiveness of voting methods", Ann. Statist. 26 (1998).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie.boosting import AdaBoostClassifier
    >>> from coterie.plotting import MarginDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=50).fit(X, y)
    >>> display = MarginDisplay.from_estimator(model, X, y)
    """

    rounds: Sequence[int]
    margins: Array
    sample_weight: Array | None = None
    unit: str = "round"

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        rounds: Sequence[int] | None = None,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Compute the margins of the rows and draw their distribution.

        Parameters
        ----------
        model : fitted ensemble of classifiers, or list of fitted classifiers
            From coterie or scikit-learn. Members vote with their weights, by labels or, where the
            ensemble does so, by probabilities; those of gradient boosters by their scores.
        X, y : array-like or data frame, array-like
            Rows and their classes; training rows, or others.
        rounds : sequence of int, optional
            After how many rounds, or with how many members; by default the first, the last and
            two between.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        MarginDisplay
        """
        several = isinstance(model, list | tuple)
        if not several and not is_classifier(model):
            raise TypeError(f"{type(model).__name__} is not a classifier, so it has no margins.")
        if several or not (_has_trace(model) or pushes(model)):
            ballot = ballot_of(model, X)
            settings: dict[str, Any] = {"weights": ballot.weights, "classes": ballot.classes}
            settings |= {"rounds": rounds, "sample_weight": sample_weight, "ax": ax}
            return cls.from_predictions(ballot.counted(), y, **settings)
        codes = codes_of(model, y)
        rounds = chosen_rounds(rounds, _n_rounds(model))
        weight = sample_weights(sample_weight, len(codes))
        return cls(rounds, _normalised_margins(model, X, codes, rounds), weight).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        votes: Any,
        y: Any,
        *,
        weights: Any = None,
        classes: Any = None,
        rounds: Sequence[int] | None = None,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw the margins of votes from anywhere.

        Parameters
        ----------
        votes : array-like of shape (members, n_rows) or (members, n_rows, n_classes)
            Labels, or probabilities of the classes.
        y : array-like of shape (n_rows,)
            True labels.
        weights : array-like of shape (members,), optional
            Weights of the members; equal by default.
        classes : array-like of shape (n_classes,), optional
            What the columns of probabilities stand for, see `coterie.theory.margins`.
        rounds : sequence of int, optional
            Of how many members, in order; by default one, all and two numbers between.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        MarginDisplay
        """
        said = np.asarray(votes)
        share = np.ones(len(said)) if weights is None else np.asarray(weights, dtype=np.float64)
        chosen = chosen_rounds(rounds, len(said))
        shown = [theory.margins(said[:t], y, share[:t], classes=classes) for t in chosen]
        weight = sample_weights(sample_weight, len(shown[0]))
        return cls(chosen, np.array(shown), weight, "member").plot(ax)

    def cumulative(self, number: int) -> tuple[Array, Array]:
        """Margins in order, and the share of rows with at most that margin.

        Parameters
        ----------
        number : int
            Position among `rounds`.

        Returns
        -------
        margin, share : ndarrays of shape (n_rows,)
        """
        values = self.margins[number]
        order = np.argsort(values, kind="stable")
        weight = np.ones(len(values)) if self.sample_weight is None else self.sample_weight
        share = np.cumsum(weight[order])
        return values[order], share / share[-1]

    def _draw(self, ax: Any, **options: Any) -> None:
        """One curve per chosen round; later ones are darker."""
        shades = pyplot().get_cmap("viridis_r")(np.linspace(0.15, 1.0, len(self.rounds)))
        for number, (t, shade) in enumerate(zip(self.rounds, shades, strict=True)):
            margin, share = self.cumulative(number)
            margin = np.concatenate([[-1.0], margin, [1.0]])
            share = np.concatenate([[0.0], share, [1.0]])
            label = f"{t} {self.unit}{'s' if t > 1 else ''}"
            ax.step(margin, share, where="post", color=shade, label=label)
        ax.axvline(0.0, color="grey", linewidth=1, linestyle=":")
        ax.set(xlabel="normalised margin", ylabel="cumulative share of rows")
        ax.set(xlim=(-1.02, 1.02), ylim=(-0.02, 1.02), title="Distribution of the margins")
        ax.legend(frameon=False, loc="upper left")


def _has_trace(model: Any) -> bool:
    """Whether a booster of coterie tells its scores after each round."""
    return hasattr(model, "trace_") and hasattr(model, "staged_decision_function")


def _n_rounds(model: Any) -> int:
    """How many rounds a booster went."""
    if _has_trace(model):
        return len(trace_of(model))
    return int(model.n_estimators_ if hasattr(model, "n_estimators_") else model.n_iter_)


def _normalised_margins(
    model: Any, X: Any, codes: NDArray[np.intp], rounds: Sequence[int]
) -> Array:
    """Margins after each of `rounds`, shape (len(rounds), n_rows)."""

    def stages() -> Iterator[Array]:
        total, pool = 0.0, getattr(model, "pool_", None)
        for number, (score, vote) in enumerate(votes_of(model, X), start=1):
            if isinstance(pool, StagedPool):  # all members are weighed anew in every round
                total = float(np.abs(pool.stage(number)).sum())
            else:
                total += largest_say(vote)
            # Of two classes some boosters give a column of scores.
            flat = score[:, 0] if score.ndim == 2 and score.shape[1] == 1 else score
            yield margins(flat, codes) / (total or 1.0)

    return at_rounds(stages(), rounds)

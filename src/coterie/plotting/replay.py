"""The rounds of AdaBoost, reconstructed from its members' predictions on the training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie import theory
from coterie.core.trace import Trace
from coterie.data import DataError
from coterie.data.outputs import sample_weights, truthful_codes
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import Display
from coterie.plotting.story import trace_of

Array = NDArray[np.float64]
# A member without errors would have infinite weight.
_LEAST_ERROR = 1e-10


def story_of(model: Any, X: Any = None, y: Any = None, sample_weight: Any = None) -> Trace:
    """The trace of a booster; of AdaBoost from elsewhere, replayed on its training rows.

    Parameters
    ----------
    model : booster
        One of coterie's keeps a trace. One of scikit-learn's has ``estimator_errors_``.
    X, y, sample_weight : array-like, optional
        The training rows, where there is no trace.
    """
    known = hasattr(model, "estimator_errors_") and hasattr(model, "classes_")
    if isinstance(getattr(model, "trace_", None), Trace) or not known:
        return trace_of(model)
    if X is None or y is None:
        raise ValueError(
            f"{type(model).__name__} keeps no trace of its rounds. Pass its training rows as X "
            "and y, so that the rounds can be reconstructed."
        )
    rate = float(getattr(model, "learning_rate", 1.0))
    labels = ballot_of(model, X).labels
    return replay(labels, y, learning_rate=rate, sample_weight=sample_weight)


def replay(labels: Any, y: Any, *, learning_rate: float = 1.0, sample_weight: Any = None) -> Trace:
    r"""Errors, weights and margins of AdaBoost's rounds, given what its members say.

    With the weights :math:`D_t` of the rows before a round,

    .. math::
        \epsilon_t = \sum_{i: h_t(x_i) \ne y_i} D_t(i), \qquad
        D_{t+1}(i) \propto D_t(i) \left(\frac{1 - \epsilon_t}{\epsilon_t} (K - 1)\right)^
        {\nu [h_t(x_i) \ne y_i]}

    Weights of members are half the log-odds of being right for two classes, and SAMME's for more.

    Parameters
    ----------
    labels : array-like of shape (members, rows)
        Predictions of the members for the training rows, in the order of the rounds.
    y : array-like of shape (rows,)
        True labels.
    learning_rate : float, default=1
        Shrinkage :math:`\nu`.
    sample_weight : array-like of shape (rows,), optional
        Initial weights.

    Examples
    --------
    >>> trace = replay([[1, 1, 0, 0], [0, 1, 0, 1]], [1, 1, 0, 1])
    >>> trace["error"], trace["train_error"]
    (array([0.25 , 0.167]), array([0.25, 0.25]))
    """
    codes, truth, classes = truthful_codes(labels, y)
    start = sample_weights(sample_weight, len(truth))
    weight = np.full(len(truth), 1.0 / len(truth)) if start is None else start / start.sum()
    initial, two, trace = weight, len(classes) <= 2, Trace()
    scores, total, bound, edge = np.zeros((len(truth), max(2, len(classes)))), 0.0, 1.0, np.inf
    rows = np.arange(len(truth))
    for said in codes:
        wrong = said != truth
        error = float(weight @ wrong)
        if error >= 1.0:
            raise DataError(
                "A member is wrong about all rows with positive weight, so this is not AdaBoost."
            )
        odds = np.log((1 - error) / max(error, _LEAST_ERROR)) + np.log(max(1, len(classes) - 1))
        alpha = learning_rate * odds * (0.5 if two else 1.0)
        trace.weights.append(weight)
        weight = weight * np.exp(np.where(wrong, learning_rate * odds, 0.0))
        weight = weight / weight.sum()
        scores[rows, said] += alpha
        total += abs(alpha)
        facts = {"error": error, "edge": 1 - 2 * error, "alpha": alpha}
        facts["train_error"] = float(initial @ (np.round(scores, 9).argmax(axis=1) != truth))
        if two:
            bound *= (1 - error) * np.exp(-alpha) + error * np.exp(alpha)
            edge = min(edge, 1 - 2 * error)
            least = theory.margins(scores[None], truth).min() / (total or 1.0)
            facts |= {"bound": bound, "margin_bound": edge, "margin": least, "min_margin": least}
        trace.append(facts)
    return trace


@dataclass(eq=False, repr=False)
class RoundsTold(Display):
    """A picture of the rounds of a booster."""

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Plot the rounds of a fitted booster.

        Parameters
        ----------
        model : booster
            Fitted.
        X, y : array-like, optional
            The training rows, needed for models without a trace (scikit-learn's AdaBoost).
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        The display.
        """
        return cls._of(story_of(model, X, y)).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        labels: Any,
        y: Any,
        *,
        learning_rate: float = 1.0,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Reconstruct AdaBoost's rounds from its members' predictions and plot them.

        Parameters
        ----------
        labels : array-like of shape (members, n_rows)
            Predictions of the members for the training rows, in the order of the rounds.
        y : array-like of shape (n_rows,)
            True labels; margins are those of two classes.
        learning_rate : float, default=1
            Shrinkage of the member weights.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows before the first round.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        The display.
        """
        settings: dict[str, Any] = {"learning_rate": learning_rate, "sample_weight": sample_weight}
        return cls._of(replay(labels, y, **settings)).plot(ax)

    @classmethod
    def _of(cls, trace: Trace) -> Self:
        raise NotImplementedError

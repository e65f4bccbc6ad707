"""What a boosted fit proves about itself: a bound on its training error, or a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from coterie.boosting.anyboost import AnyBoost
from coterie.boosting.brown import BrownBoost
from coterie.boosting.gentle import GentleBoost
from coterie.boosting.gradient.classic import loss_factor
from coterie.boosting.logit import LogitBoost
from coterie.boosting.mada import MadaBoost
from coterie.boosting.robust import RobustBoost
from coterie.core.trace import Trace
from coterie.losses import LogLoss, MarginLoss, MultinomialLoss

Array = NDArray[np.float64]

_GAP = (
    "The margin is within this gap of the best margin of any vote of these members, which is "
    "bounded by the smallest edge so far."
)
_PRODUCT = "The training error is at most this value, the product of the normalisers so far."
_MARKOV = (
    "The training error is at most this value, because every mistake costs at least as much as a "
    "tie."
)
_NUMBERS = (
    "None: the loss is measured directly, and in regression there is no error count for it to "
    "bound."
)
_SAMME = (
    "None: with three or more classes, a wrong class may lead although the score of the true "
    "class is positive, so the loss does not bound the error."
)
_SUBSAMPLE = "None: the trace contains the loss on the rows sampled in each round, not on all rows."
_UNMEASURED = "None: this booster does not measure the loss on its training rows."


@dataclass(frozen=True)
class Certificate:
    """A guarantee that comes with a fit, round by round.

    Parameters
    ----------
    kind : {"bound", "gap", "none"}
        A bound on the training error, the distance from the best possible margin, or neither.
    words : str
        The guarantee in words, or why there is none.
    values : ndarray of shape (n_rounds,) or None
        The bound or gap after each round.
    """

    kind: str
    words: str
    values: Array | None = None


def certificate(model: Any) -> Certificate:
    r"""The bound or gap that a fitted booster guarantees in each round, or why there is none.

    Margin boosters have a duality gap, AdaBoost and its variants the product of their normalisers.
    Others minimise a loss :math:`\phi` of the margin with :math:`\phi(z) \ge \phi(0)` for :math:`z
    \le 0`, and then

    .. math:: \hat P(y F \le 0) \le \frac1n \sum_i \frac{\phi(y_i F(x_i))}{\phi(0)}

    by Markov's inequality. BrownBoost and RobustBoost use potentials instead of the loss.

    Parameters
    ----------
    model : fitted booster
        One of coterie's.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> from coterie.boosting import LogitBoostClassifier, certificate
    >>> from coterie.datasets import load_table
    >>> X, y = load_table("watermelon", return_X_y=True)
    >>> model = LogitBoostClassifier(n_estimators=5).fit(X, y)
    >>> proof = certificate(model)
    >>> proof.kind, bool((model.trace_["train_error"] <= proof.values).all())
    ('bound', True)
    """
    trace = getattr(model, "trace_", None)
    if not isinstance(trace, Trace):
        return Certificate(
            "none", "None: the members of this ensemble do not build on one another."
        )
    if "gap" in trace.names:
        return Certificate("gap", _GAP, trace["gap"])
    if "bound" in trace.names:
        return Certificate("bound", _PRODUCT, trace["bound"])
    if not hasattr(model, "classes_"):
        return Certificate("none", _NUMBERS)
    descends = hasattr(model, "loss_")
    found = _of_loss(model) if descends else _of_rule(model.rule_, trace, len(model.classes_))
    return found or Certificate("none", _UNMEASURED)


def _of_rule(rule: Any, trace: Trace, n_classes: int) -> Certificate | None:
    """By the rule's own loss or potential."""
    per_row = 1.0 if n_classes == 2 else float(n_classes)
    if isinstance(rule, LogitBoost):
        # A true class that does not lead has a probability of at most one half.
        return _bound(trace["loss"] / np.log(2.0))
    if isinstance(rule, BrownBoost):
        tie = erfc(trace["left"] / np.sqrt(rule.c))
        return _bound(per_row * trace["potential"] / tie)
    if isinstance(rule, RobustBoost):
        tie = [float(rule.potential.value(np.zeros(1), t)[0]) for t in trace["time"]]
        return _bound(per_row * trace["potential"] / np.array(tie))
    if isinstance(rule, GentleBoost):
        # exp(-F_y) + exp(F_k) is at least 2 where class k leads.
        return _bound(per_row / 2 * trace["loss"])
    if isinstance(rule, AnyBoost):
        tie = _tie(rule.loss)
        return None if tie is None else _bound(per_row * trace["loss"] / tie)
    if n_classes == 2 and isinstance(rule, MadaBoost):
        return _bound(trace["loss"])
    return Certificate("none", _SAMME) if n_classes > 2 else None


def _of_loss(model: Any) -> Certificate | None:
    """By the log-loss that gradient boosting descends."""
    loss, trace = getattr(model, "loss_", None), model.trace_
    if not isinstance(loss, LogLoss | MultinomialLoss):
        return None
    if "oob_loss" in trace.names or "oob_score" in trace.names:
        return Certificate("none", _SUBSAMPLE)
    if "bag_loss" in trace.names:
        return _bound(trace["bag_loss"] / (loss_factor(loss) * np.log(2.0)))
    return _bound(trace["loss"] / np.log(2.0)) if "loss" in trace.names else None


def _tie(loss: MarginLoss) -> float | None:
    """The loss of a tie, if no mistake costs less."""
    wrong = loss.value(np.linspace(-20.0, 0.0, 201))
    tie = float(wrong[-1])
    return tie if tie > 0 and bool((wrong >= tie * (1 - 1e-12)).all()) else None


def _bound(values: Array) -> Certificate:
    return Certificate("bound", _MARKOV, np.asarray(values))

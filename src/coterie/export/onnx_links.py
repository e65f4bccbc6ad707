"""From scores to probabilities and numbers, as ONNX operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.additive import Additive
from coterie.boosting.anyboost import AnyBoost
from coterie.boosting.calibrated_costs import CalibratedCosts
from coterie.boosting.descent import Descent
from coterie.boosting.logit import LogitBoost
from coterie.boosting.m1 import AdaBoostM1
from coterie.boosting.m2 import AdaBoostM2
from coterie.boosting.mada import MadaBoost
from coterie.boosting.margin.adaboostv import AdaBoostV
from coterie.boosting.margin.margin_votes import MarginVotes
from coterie.boosting.mh import AdaBoostMH
from coterie.boosting.real import RealAdaBoost
from coterie.export.onnx_graph import Graph
from coterie.losses.classification import MultinomialLoss, TwoClassLoss
from coterie.losses.counts import LogLinkLoss
from coterie.losses.cox import CoxLoss
from coterie.losses.failure_time import FailureTimeLoss
from coterie.losses.lambda_rank import LambdaRankLoss
from coterie.losses.margin import Exponential, Logistic, Mada, Squared, SquaredHinge
from coterie.losses.pointwise import SCORE_LIMIT
from coterie.losses.regression import (
    AbsoluteError,
    ExpectileLoss,
    HuberLoss,
    QuantileLoss,
    SquaredError,
)

__all__ = ["loss_link", "number_link", "pair", "rule_link", "shares"]

#: Appends what turns scores into probabilities; takes the graph, the scores and their number.
Link = Callable[[Graph, str, int], str]

_IDENTITY = (
    SquaredError,
    AbsoluteError,
    QuantileLoss,
    ExpectileLoss,
    HuberLoss,
    CoxLoss,
    LambdaRankLoss,
)


def pair(graph: Graph, second: str) -> str:
    """Probabilities of two classes from those of the second."""
    return graph.add("Concat", graph.add("Sub", graph.number(1.0), second), second, axis=1)


def _scaled(graph: Graph, raw: str, scale: float) -> str:
    return raw if scale == 1.0 else graph.add("Mul", raw, graph.number(scale))


def shares(graph: Graph, values: str) -> str:
    """Values divided by the sum of their row."""
    axes = graph.constant(np.array([1]))
    return graph.add("Div", values, graph.add("ReduceSum", values, axes, keepdims=1))


def _softmax(scale: Callable[[int], float]) -> Link:
    return lambda graph, raw, n: graph.add("Softmax", _scaled(graph, raw, scale(n)), axis=1)


def _logistic(scale: float) -> Link:
    return lambda graph, raw, n: pair(graph, graph.add("Sigmoid", _scaled(graph, raw, scale)))


def _logistic_shares(scale: float) -> Link:
    """Shares of logistic functions, by way of their logarithms so that none vanishes."""

    def link(graph: Graph, raw: str, n: int) -> str:
        score = _scaled(graph, raw, scale)
        size = graph.add("Neg", graph.add("Abs", score))
        rest = graph.add("Log", graph.add("Add", graph.add("Exp", size), graph.number(1.0)))
        below = graph.add("Min", score, graph.number(0.0))
        return graph.add("Softmax", graph.add("Sub", below, rest), axis=1)

    return link


def _between(graph: Graph, raw: str) -> str:
    """Scores from -1 to 1 as numbers from 0 to 1."""
    inside = graph.add("Clip", raw, graph.number(-1.0), graph.number(1.0))
    return graph.add("Mul", graph.add("Add", inside, graph.number(1.0)), graph.number(0.5))


def _clipped(graph: Graph, raw: str, n: int) -> str:
    return pair(graph, _between(graph, raw))


def _plain_shares(graph: Graph, raw: str, n: int) -> str:
    return shares(graph, raw)


# For two classes, and for more.
_RULES: dict[type, tuple[Link, Link]] = {
    AdaBoost: (_logistic(2.0), _softmax(lambda n: (n - 1) / n)),
    Additive: (_logistic(2.0), _logistic_shares(2.0)),
    LogitBoost: (_logistic(2.0), _softmax(lambda n: 1.0)),
    AdaBoostM1: (_logistic(2.0), _softmax(lambda n: 1.0)),
    AdaBoostM2: (_logistic(2.0), _softmax(lambda n: 2.0)),
    MadaBoost: (_logistic(1.0), _softmax(lambda n: (n - 1) / (2 * n))),
    AdaBoostMH: (_logistic(2.0), _logistic_shares(2.0)),
    RealAdaBoost: (_logistic(2.0), _softmax(lambda n: 1 / (n - 1))),
    AdaBoostV: (_logistic(2.0), _softmax(lambda n: 2.0)),
    MarginVotes: (_clipped, _plain_shares),
}


def _without_costs(rule: CalibratedCosts) -> Link:
    """Probabilities of calibrated scores, which costs do not change."""

    def link(graph: Graph, raw: str, n: int) -> str:
        lean = graph.constant(rule.lean(n)[None, :])
        plain = graph.add("Sub", raw, lean)
        if n == 1:
            return pair(graph, graph.add("Sigmoid", plain))
        return graph.add("Softmax", plain, axis=1)

    return link


def rule_link(rule: Any, n_scores: int) -> Link | None:
    """The link of a rule of boosting, or None if there is none in ONNX.

    Parameters
    ----------
    rule : Rule
        The rule of a fitted model.
    n_scores : int
        One for two classes, else as many as there are classes.
    """
    if isinstance(rule, AnyBoost):
        return _margin_link(rule.loss, n_scores)
    if isinstance(rule, CalibratedCosts):
        return _without_costs(rule)
    if isinstance(rule, Descent):
        return loss_link(rule.loss)
    for base in type(rule).__mro__:
        if "link" in vars(base):
            links = _RULES.get(base)
            return None if links is None else links[n_scores > 1]
    return None


def _margin_link(loss: Any, n_scores: int) -> Link | None:
    scales = {Exponential: 2.0, Mada: 1.0, Logistic: getattr(loss, "scale", 1.0)}
    if type(loss) in scales:
        scale = scales[type(loss)]
        return _logistic_shares(scale) if n_scores > 1 else _logistic(scale)
    if type(loss) in (Squared, SquaredHinge) and n_scores == 1:
        return _clipped
    return None


def loss_link(loss: Any) -> Link | None:
    """The link of a loss of classes, or None if there is none in ONNX.

    Parameters
    ----------
    loss : PointwiseLoss
        The loss of a fitted model.
    """
    if isinstance(loss, TwoClassLoss):
        return _logistic(float(loss.per_score))
    return _softmax(lambda n: 1.0) if isinstance(loss, MultinomialLoss) else None


def number_link(loss: Any) -> Callable[[Graph, str], str] | None:
    """The link of a loss of numbers, or None if there is none in ONNX."""
    if type(loss) in _IDENTITY:
        return lambda graph, raw: raw
    if type(loss) is FailureTimeLoss:  # risks are larger for shorter times
        return lambda graph, raw: graph.add("Neg", raw)
    if isinstance(loss, LogLinkLoss):
        limits = (-SCORE_LIMIT, SCORE_LIMIT)
        return lambda graph, raw: graph.add(
            "Exp", graph.add("Clip", raw, *(graph.number(limit) for limit in limits))
        )
    return None

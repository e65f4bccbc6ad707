"""Links in ONNX are those of the rules and losses, for any scores."""

import numpy as np
import pytest

from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.anyboost import AnyBoost
from coterie.boosting.brown import BrownBoost
from coterie.boosting.gentle import GentleBoost
from coterie.boosting.logit import LogitBoost
from coterie.boosting.m1 import AdaBoostM1
from coterie.boosting.m2 import AdaBoostM2
from coterie.boosting.mada import MadaBoost
from coterie.boosting.margin.margin_votes import MarginVotes
from coterie.boosting.mh import AdaBoostMH
from coterie.boosting.real import RealAdaBoost
from coterie.data.schema import Schema
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_links import loss_link, number_link, rule_link
from coterie.losses.classification import ExponentialLoss, LogLoss, MultinomialLoss
from coterie.losses.counts import PoissonLoss, TweedieLoss
from coterie.losses.distribution import NormalLoss
from coterie.losses.margin import Exponential, Logistic, Mada, Squared, Tangent
from coterie.losses.regression import HuberLoss, SquaredError

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

RULES = [
    AdaBoost(),
    AdaBoostM1(),
    AdaBoostM2(),
    AdaBoostMH(),
    GentleBoost(),
    LogitBoost(),
    MadaBoost(),
    RealAdaBoost(),
    AnyBoost(loss=Exponential()),
    AnyBoost(loss=Logistic()),
    AnyBoost(loss=Mada()),
]


def run(link, raw):
    graph = Graph("link", raw.shape[1])
    graph.output(link(graph), "Y", [None, None])
    session = onnxruntime.InferenceSession(graph.model(Schema(raw.shape[1])).SerializeToString())
    return session.run(None, {"X": raw})[0]


def scores(n):
    raw = np.random.default_rng(0).normal(size=(50, n)) * 3
    raw[0] = 0.0
    raw[1], raw[2] = -400.0, 400.0
    return raw


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: repr(rule)[:40])
def test_links_of_rules(rule, n):
    raw = scores(n)
    if isinstance(rule, AnyBoost) and n > 1:
        raw[1] /= 4  # where all vanish, shares of them are even, and here they are not
    link = rule_link(rule, n)
    said = run(lambda graph: link(graph, "X", n), raw)
    np.testing.assert_allclose(said, rule.link(raw), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "rule", [MarginVotes(), AnyBoost(loss=Squared())], ids=["votes", "squared"]
)
def test_links_of_bounded_scores(rule):
    raw = np.linspace(-1.5, 1.5, 7)[:, None]
    said = run(lambda graph: rule_link(rule, 1)(graph, "X", 1), raw)
    np.testing.assert_allclose(said, rule.link(raw), atol=1e-15)


@pytest.mark.parametrize("loss", [LogLoss(), ExponentialLoss(), MultinomialLoss(3)], ids=repr)
def test_links_of_classes(loss):
    n = 3 if isinstance(loss, MultinomialLoss) else 1
    raw = scores(n)
    said = run(lambda graph: loss_link(loss)(graph, "X", n), raw)
    np.testing.assert_allclose(said, loss.link(raw), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "loss", [SquaredError(), HuberLoss(0.9), PoissonLoss(), TweedieLoss(1.5)], ids=repr
)
def test_links_of_numbers(loss):
    raw = scores(1) * 2
    said = run(lambda graph: number_link(loss)(graph, "X"), raw)
    np.testing.assert_allclose(said[:, 0], loss.link(raw), rtol=1e-12)


def test_other_links_are_none():
    assert rule_link(BrownBoost(), 1) is None
    assert rule_link(AnyBoost(loss=Tangent()), 1) is None
    assert loss_link(SquaredError()) is None
    assert number_link(NormalLoss()) is None

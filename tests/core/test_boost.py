from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from coterie.boosting.adaboost import AdaBoost
from coterie.core.boost import Monitor, Settings, boost
from coterie.core.rule import Ask, Rule, State, Step
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.native import Growth

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TABLE = Table.read(X).bin()
TARGET = Target.numbers(X[:, 0] + X[:, 1] * X[:, 2])
SEEDS = np.arange(20, dtype=np.int64)
STUMP = TreeLearner(Growth(max_depth=1))


@dataclass(frozen=True)
class Residuals(Rule):
    """Least-squares boosting, and every third member is refused if asked."""

    refuse: bool = False
    gives = "score"

    def begin(self, target, weight):
        return State(target, weight, weight, np.zeros((len(weight), 1)))

    def ask(self, state):
        return Ask(Target.numbers((state.target.values - state.raw)[:, 0]), state.initial)

    def tell(self, state, vote, rng):
        if self.refuse and rng.random() < 0.5:
            return Step(0.0, keep=False, stop="refused")
        state.raw = state.raw + 0.5 * vote
        loss = float(((state.target.values - state.raw) ** 2).mean())
        return Step(0.5, {"loss": loss}, stop="exact" if loss < 1e-3 else "")


def run(n, **more):
    return boost(Residuals(), STUMP, TABLE, TARGET, None, seeds=SEEDS[:n], **more)


def test_the_state_is_the_sum_of_the_votes():
    boosted = run(8)
    total = sum(a * m.predict(X) for a, m in zip(boosted.alphas, boosted.members, strict=True))
    np.testing.assert_allclose(boosted.state.raw, total)
    assert (np.diff(boosted.trace["loss"]) < 0).all()
    assert boosted.trace.reason == "max_rounds"


def test_going_on_equals_never_having_stopped():
    whole = run(12)
    resumed = run(12, earlier=run(5))
    np.testing.assert_array_equal(whole.state.raw, resumed.state.raw)
    np.testing.assert_array_equal(whole.trace["loss"], resumed.trace["loss"])


def test_refused_members_are_drawn_again_as_often_as_allowed():
    settings = Settings(restarts=50)
    rule = Residuals(refuse=True)
    boosted = boost(rule, STUMP, TABLE, TARGET, None, seeds=SEEDS, settings=settings)
    assert len(boosted.members) == 20
    assert boosted.trace["restarts"].max() > 0
    resumed = boost(
        rule, STUMP, TABLE, TARGET, None, seeds=SEEDS, settings=settings, earlier=boosted
    )
    np.testing.assert_array_equal(resumed.state.raw, boosted.state.raw)
    refused = boost(rule, STUMP, TABLE, TARGET, None, seeds=SEEDS)
    assert refused.trace.reason == "refused"
    assert len(refused.members) < 20


def test_watches_end_the_loop_and_monitors_are_scored():
    held = Table.read(X[:10])

    def measure(raw):
        return {"held": float(((raw - TARGET.values[:10]) ** 2).mean())}

    monitor = Monitor(held, measure)
    watch = lambda trace: "enough" if len(trace) == 4 else ""  # noqa: E731
    boosted = run(10, settings=Settings(watches=[watch], monitors=[monitor]))
    assert boosted.trace.reason == "enough"
    assert len(boosted.members) == 4
    expected = ((boosted.state.raw[:10] - TARGET.values[:10]) ** 2).mean()
    assert boosted.trace["held"][-1] == pytest.approx(expected)


def test_weights_before_each_round_are_kept_when_asked():
    boosted = run(3, settings=Settings(keep_weights=True))
    np.testing.assert_allclose(boosted.trace.weights, np.full((3, 60), 1 / 60))
    assert run(3).trace.weights == []


def test_going_on_is_exact():
    """Weights are lent to members and rounded by it: so they are when members are told again."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(997, 3))
    y = X.sum(axis=1) + rng.normal(size=997) > 0
    table, target = Table.read(X).bin(), Target.labels(y)
    fit = partial(boost, AdaBoost(), TreeLearner(Growth("gini", max_depth=2)), table, target, None)
    whole = fit(seeds=np.arange(12))
    part = fit(seeds=np.arange(7))
    grown = fit(seeds=np.arange(12), earlier=part)
    assert grown.alphas == whole.alphas
    np.testing.assert_array_equal(grown.state.raw, whole.state.raw)
    np.testing.assert_array_equal(grown.state.weight, whole.state.weight)

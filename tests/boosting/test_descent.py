"""The rule: rays, residuals, leaves and steps by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from coterie.boosting.descent import Descent, DescentState, LeafTrainer, Ray, Residuals, as_numbers
from coterie.core.rule import State
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.losses import AbsoluteError, CustomLoss, HuberLoss, LogLoss, NormalLoss, SquaredError
from coterie.native import Growth
from tests.losses.cases import EVERY, rows_of

NOBODY = np.random.default_rng(0)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("scale", [0.01, 1.0, 50.0])
def test_rays_find_the_minimum(name, scale):
    y, raw, weight = rows_of(name)
    loss = EVERY[name]
    pull = loss.response(y, raw)
    ray = Ray(loss, y, weight, raw, scale * (pull + 0.1 * np.roll(pull, 1, axis=0)))
    assert ray.slope(0.0) < 0
    found = ray.first_minimum()
    reach = min(loss.reach(ray.direction), 1e4)
    best = minimize_scalar(ray.value, bounds=(0, reach), options={"xatol": 1e-10 * reach})
    assert 0 < found <= loss.reach(ray.direction)
    assert ray.value(found) <= best.fun + 1e-9 * abs(best.fun)


def test_ray_of_squares_by_hand():
    y, weight = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 1.0])
    h = np.array([1.0, 0.0, 3.0])
    ray = Ray(SquaredError(), y, weight, np.zeros((3, 1)), h[:, np.newaxis])
    assert ray.first_minimum() == pytest.approx((weight * y) @ h / (weight @ h**2))
    assert ray.slope(0.0) == -(weight * y) @ h


def test_a_loss_that_falls_for_ever_is_followed_to_the_end_of_its_reach():
    y = np.array([0.0, 1.0])
    ray = Ray(LogLoss(), y, np.ones(2), np.zeros((2, 1)), np.array([[-2.0], [2.0]]))
    assert ray.first_minimum() == 5.0


def test_a_loss_with_two_valleys_is_never_raised():
    def waves(y, f):
        return np.where(f < 1.3, 1 - f, 2.0 + np.cos(40 * f))

    loss = CustomLoss(waves, is_convex=False)
    ray = Ray(loss, np.zeros(1), np.ones(1), np.zeros((1, 1)), np.ones((1, 1)))
    assert ray.value(ray.first_minimum()) <= ray.value(0.0)
    y, raw = np.array([0.0, 3.0]), np.zeros((2, 2))
    normal = Ray(NormalLoss(), y, np.ones(2), raw, NormalLoss().response(y, raw))
    assert normal.value(normal.first_minimum()) < normal.value(0.0)


def opened(loss, y, **params):
    rule = Descent(loss, **params)
    return rule, rule.begin(Target.numbers(y), np.full(len(y), 1 / len(y)))


def test_a_round_by_hand():
    y = np.array([0.0, 0.0, 6.0])
    rule, state = opened(SquaredError(), y, learning_rate=0.5, line_search="round")
    np.testing.assert_allclose(state.raw[:, 0], 2.0)
    ask = rule.ask(state)
    np.testing.assert_allclose(ask.target.encoded[:, 0], [-2, -2, 4])
    np.testing.assert_allclose(ask.weight, 1.0)
    step = rule.tell(state, np.array([[-1.0], [-1.0], [2.0]]), NOBODY)
    assert step.alpha == pytest.approx(0.5 * 2.0)
    np.testing.assert_allclose(state.raw[:, 0], [1, 1, 4])
    assert step.facts["loss"] == pytest.approx((0.5 + 0.5 + 2.0) / 3)


def test_members_that_lead_nowhere_end_it():
    y = np.array([0.0, 0.0, 6.0])
    rule, state = opened(SquaredError(), y)
    assert rule.tell(state, np.zeros((3, 1)), NOBODY).stop == "no_improvement"
    step = rule.tell(state, np.array([[1.0], [1.0], [-2.0]]), NOBODY)
    assert (step.keep, step.stop) == (False, "too_weak")
    np.testing.assert_allclose(state.raw[:, 0], 2.0)
    # without a line search members are believed
    rule, state = opened(SquaredError(), y, line_search=None)
    assert rule.tell(state, np.array([[1.0], [1.0], [-2.0]]), NOBODY).keep


def test_rows_are_drawn_anew_every_round():
    y = np.arange(40.0)
    rule, state = opened(SquaredError(), y, subsample=0.25, entropy=5)
    again = opened(SquaredError(), y, subsample=0.25, entropy=5)[1]
    first = state.drawn.copy()
    assert first.sum() == 10
    np.testing.assert_array_equal(first, again.drawn)
    np.testing.assert_array_equal(rule.ask(state).weight > 0, first)
    # a vote of nothing keeps the round when other rows may have more to say
    assert rule.tell(state, np.zeros((40, 1)), NOBODY).keep
    assert (state.drawn != first).any()


def test_what_rows_left_out_say():
    y = np.arange(8.0)
    rule, state = opened(SquaredError(), y, subsample=0.5, line_search=None, learning_rate=1.0)
    out = ~state.drawn
    start, vote = state.raw.copy(), np.arange(8.0)[:, np.newaxis] / 10
    facts = rule.tell(state, vote, NOBODY).facts
    before, after = (np.mean(0.5 * (y - raw[:, 0])[out] ** 2) for raw in (start, start + vote))
    assert facts["oob_score"] == pytest.approx(after)
    assert facts["oob_improvement"] == pytest.approx(before - after)


def test_huber_is_settled_on_the_rows_drawn():
    y = np.append(np.arange(20.0), 1e6)
    _, state = opened(HuberLoss(alpha=0.9), y, subsample=0.5, entropy=3)
    sizes = np.sort(np.abs(y - state.raw[:, 0])[state.drawn])
    assert state.loss.delta == sizes[int(np.ceil(0.9 * len(sizes))) - 1]


def test_leaves_are_fitted_on_rows_with_weight():
    X, y = np.arange(6.0)[:, np.newaxis], np.array([1.0, 2.0, 90.0, 10.0, 20.0, 40.0])
    weight = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    table = Table.read(X).bin()
    target = Residuals(
        "values", np.sign(y - 5.0)[:, np.newaxis], loss=AbsoluteError(), y=y, raw=0 * X
    )
    trainer = LeafTrainer(TreeLearner(Growth(max_depth=1)))
    tree, vote = trainer.train(table, target, weight, NOBODY, lambda values: values)
    assert sorted(tree.values[:, 0]) == [1.0, 20.0]  # lower medians of what was seen
    assert vote[2, 0] in (1.0, 20.0)
    assert vote[[0, 1, 3, 4, 5], 0].tolist() == [1.0, 1.0, 20.0, 20.0, 20.0]


def test_outputs_of_residuals_know_their_score():
    target = Residuals("values", np.zeros((2, 3)), y=np.zeros(2), raw=np.zeros((2, 3)))
    part = target.output(2)
    assert isinstance(part, Residuals)
    assert (part.first, part.n_outputs, part.raw.shape) == (2, 1, (2, 3))


def test_states_of_other_rules_are_refused():
    target = Target.labels(["a", "b"])
    assert as_numbers(target).tolist() == [0.0, 1.0]
    state = State(target, np.ones(2), np.ones(2), np.zeros((2, 1)))
    with pytest.raises(AssertionError, match="another rule"):
        DescentState.of(state)


def test_a_loss_without_probabilities():
    with pytest.raises(ValueError, match="probabilities"):
        Descent(SquaredError()).link(np.zeros((2, 1)))

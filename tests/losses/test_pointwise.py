"""What every loss of raw scores promises: derivatives, starts, leaves, domains, large scores."""

import pickle

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from coterie.losses import LOSSES, PointwiseLoss, check_loss
from coterie.losses.pointwise import bounded_exp, bounded_reach, leaf_sums, ratio
from tests.losses.cases import EVERY, EXACT, rows_of

every = pytest.mark.parametrize("name", EVERY)


@every
def test_derivatives(name):
    y, raw, _ = rows_of(name)
    check_loss(EVERY[name], y, raw)


@every
def test_gradient_and_hessian_come_together(name):
    y, raw, _ = rows_of(name)
    loss = EVERY[name]
    gradient, hessian = loss.slopes(y, raw)
    assert gradient.shape == hessian.shape == raw.shape
    np.testing.assert_array_equal(loss.gradient(y, raw), gradient)
    np.testing.assert_array_equal(loss.hessian(y, raw), hessian)
    np.testing.assert_array_equal(loss.response(y, raw), -gradient)
    assert (hessian >= 0).all()
    assert loss.constant_hessian == bool((hessian == 1).all())


@every
def test_start_is_the_best_constant(name):
    y, raw, weight = rows_of(name)
    loss = EVERY[name]
    start = loss.start(y, weight)
    assert start.shape == (raw.shape[1],)

    def total(constant):
        return weight @ loss.value(y, np.tile(constant, (len(y), 1)))

    found = minimize(total, start + 0.3, method="Nelder-Mead", options={"xatol": 1e-9}).fun
    assert total(start) <= found + 1e-9 * abs(found)


@pytest.mark.parametrize("name", EXACT)
def test_exact_leaves_are_minima(name):
    y, raw, weight = rows_of(name, 90)
    loss = EVERY[name]
    leaves = np.random.default_rng(1).integers(0, 4, len(y))
    steps = loss.leaf(y, raw, weight, leaves, 5)
    assert steps[4] == 0  # nobody is there
    for number in range(4):
        here = leaves == number

        def total(step, here=here):
            return float(weight[here] @ loss.value(y[here], raw[here] + step))

        found = minimize_scalar(total, bracket=(-1, 1), options={"xtol": 1e-12})
        assert total(steps[number]) <= found.fun + 1e-9 * abs(found.fun)


@pytest.mark.parametrize("name", ["log", "multinomial"])
def test_other_leaves_are_newton_steps(name):
    y, raw, weight = rows_of(name)
    loss = EVERY[name]
    leaves = np.arange(len(y)) % 3
    gradient, hessian = loss.slopes(y, raw)
    for score in range(raw.shape[1]):
        steps = loss.leaf(y, raw, weight, leaves, 3, score)
        for number in range(3):
            here = leaves == number
            newton = -(weight[here] @ gradient[here, score]) / (weight[here] @ hessian[here, score])
            part = 3 / 4 if name == "multinomial" else 1.0
            assert steps[number] == pytest.approx(part * newton, rel=1e-12)


@every
def test_leaves_take_weights_for_repetitions(name):
    y, raw, _ = rows_of(name, 40)
    loss = EVERY[name]
    times = np.random.default_rng(2).integers(0, 4, len(y))
    leaves = np.arange(len(y)) % 3
    again = [np.repeat(each, times, axis=0) for each in (y, raw, np.ones(len(y)), leaves)]
    weighted = loss.leaf(y, raw, times.astype(float), leaves, 3)
    np.testing.assert_allclose(weighted, loss.leaf(*again, 3), rtol=1e-12)
    np.testing.assert_allclose(
        loss.start(y, times.astype(float)), loss.start(again[0], again[2]), rtol=1e-12
    )


@every
def test_large_scores_are_finite(name):
    y, raw, weight = rows_of(name)
    loss = EVERY[name]
    for scores in (raw + 1e4, raw - 1e4, 1e3 * raw):
        found = (loss.value(y, scores), *loss.slopes(y, scores), loss.link(scores))
        assert all(np.isfinite(each).all() for each in found)
        steps = loss.leaf(y, scores, weight, np.zeros(len(y), dtype=np.int32), 1)
        assert np.isfinite(steps).all()


@every
def test_link_and_back(name):
    _, raw, _ = rows_of(name)
    loss = EVERY[name]
    found = loss.unlink(loss.link(raw))
    if name == "multinomial":  # only differences of scores mean something
        raw = raw - raw.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found, raw, atol=1e-9)


@every
def test_reach_keeps_exponentials_in_bounds(name):
    loss = EVERY[name]
    vote = np.full((3, 1), -4.0)
    assert loss.reach(vote) == (np.inf if loss.name in IDENTITY else 2.5)


IDENTITY = {
    *("squared_error", "absolute_error", "huber", "quantile", "expectile"),
    *("mape", "fair", "log_cosh"),
}


@every
def test_losses_are_plain_objects(name):
    loss = EVERY[name]
    assert pickle.loads(pickle.dumps(loss)) == loss
    assert LOSSES[loss.name] is type(loss)
    assert loss.convex == (name != "focal")


def test_names_of_scikit_learn_are_there():
    theirs = {"squared_error", "absolute_error", "gamma", "poisson", "quantile", "log_loss"}
    assert theirs <= set(LOSSES)


def test_sums_and_ratios():
    leaves = np.array([1, 0, 1])
    np.testing.assert_array_equal(leaf_sums(np.array([1.0, 2.0, 3.0]), leaves, 3), [2, 4, 0])
    assert ratio(np.array([1.0, 1.0]), np.array([2.0, 1e-160])).tolist() == [0.5, 0.0]
    assert np.isfinite(bounded_exp(np.array([-1e9, 1e9]))).all()
    assert bounded_reach(np.zeros((2, 1)), 10.0) == np.inf


def test_newton_steps_do_not_lead_upwards():
    loss, one = EVERY["log"], np.zeros(2, dtype=np.int32)
    gradient, weight = np.ones(2), np.ones(2)
    assert loss.newton(gradient, np.full(2, 0.5), weight, one, 1) == -2.0
    assert loss.newton(gradient, np.full(2, -0.5), weight, one, 1) == 0.0


def test_a_loss_must_say_something():
    loss = PointwiseLoss()
    y, raw = np.zeros(2), np.zeros((2, 1))
    for act in (
        lambda: loss.value(y, raw),
        lambda: loss.slopes(y, raw),
        lambda: loss.link(raw),
        lambda: loss.unlink(y),
        lambda: loss.start(y, y),
    ):
        with pytest.raises(NotImplementedError):
            act()

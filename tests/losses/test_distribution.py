"""Losses of distributions: quantiles that are sorted, and the natural gradient by hand."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from coterie.losses import NormalLoss, QuantileLoss, QuantilesLoss, check_loss

RNG = np.random.default_rng(0)
TAUS = (0.1, 0.5, 0.8)
Y, RAW, WEIGHT = RNG.normal(size=80), RNG.normal(size=(80, 3)), RNG.uniform(0.5, 2, 80)
PAIR = np.column_stack([RNG.normal(size=80), RNG.normal(size=80)])
LEAVES = np.arange(80) % 3


def test_quantiles_are_quantiles_side_by_side():
    loss = QuantilesLoss(TAUS)
    check_loss(loss, Y, RAW)
    singles = [QuantileLoss(tau) for tau in TAUS]
    total = sum(one.value(Y, RAW[:, [j]]) for j, one in enumerate(singles))
    np.testing.assert_allclose(loss.value(Y, RAW), total, rtol=1e-14)
    np.testing.assert_allclose(loss.start(Y, WEIGHT), [one.start(Y, WEIGHT)[0] for one in singles])
    for j, one in enumerate(singles):
        np.testing.assert_array_equal(
            loss.leaf(Y, RAW, WEIGHT, LEAVES, 3, j),
            one.leaf(Y, RAW[:, [j]], WEIGHT, LEAVES, 3),
        )
    assert loss.n_scores(0) == 3
    np.testing.assert_array_equal(loss.point(RAW), np.sort(RAW, axis=1)[:, 1])
    np.testing.assert_array_equal(loss.unlink(RAW), RAW)


def test_sorting_lowers_every_loss_by_what_the_theory_says():
    loss = QuantilesLoss((0.2, 0.7))
    raw = np.array([[3.0, 1.0]])
    for y in (-4.0, 1.0, 2.2, 9.0):
        before, after = (loss.value(np.array([y]), r)[0] for r in (raw, loss.link(raw)))
        assert before - after == pytest.approx((0.7 - 0.2) * (3.0 - 1.0))
    many = QuantilesLoss(TAUS)
    assert (many.value(Y, many.link(RAW)) <= many.value(Y, RAW) + 1e-12).all()


@pytest.mark.parametrize("taus", [(), (0.5, 0.5), (0.9, 0.1), (0.0, 0.5), (0.5, 1.0)])
def test_levels_ascend_between_zero_and_one(taus):
    with pytest.raises(ValueError, match="tau"):
        QuantilesLoss(taus)


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_normal_loss_is_the_likelihood(least):
    loss = NormalLoss(least)
    check_loss(loss, Y, PAIR)
    mean, std = loss.link(PAIR).T
    assert std.min() >= least
    expected = -stats.norm(mean, std).logpdf(Y)
    np.testing.assert_allclose(loss.value(Y, PAIR), expected, rtol=1e-12)
    np.testing.assert_array_equal(loss.point(PAIR), PAIR[:, 0])


def test_natural_gradient_by_hand():
    y, raw = np.array([5.0, 1.0]), np.array([[1.0, np.log(2.0)], [1.0, 0.0]])
    # z is 2 and 0: the residual, and half of z squared minus one
    np.testing.assert_allclose(NormalLoss().response(y, raw), [[4.0, 1.5], [0.0, -0.5]])


def test_natural_gradient_is_the_gradient_over_the_fisher_information():
    loss = NormalLoss()
    sigma = np.exp(PAIR[:, 1])
    fisher = np.column_stack([sigma**-2, np.full(80, 2.0)])
    np.testing.assert_allclose(loss.response(Y, PAIR), -loss.gradient(Y, PAIR) / fisher, atol=1e-12)
    # the information is the variance of the gradient
    draws = RNG.normal(1.0, 3.0, 200_000)
    raw = np.repeat([[1.0, np.log(3.0)]], len(draws), axis=0)
    found = loss.gradient(draws, raw).var(axis=0)
    np.testing.assert_allclose(found, [1 / 9, 2.0], rtol=0.03)


def test_normal_start_and_leaves_are_minima():
    loss = NormalLoss()
    mean, std = loss.link(loss.start(Y, WEIGHT)[np.newaxis])[0]
    assert mean == pytest.approx(np.average(Y, weights=WEIGHT))
    assert std == pytest.approx(np.sqrt(np.average((Y - mean) ** 2, weights=WEIGHT)))
    for score in (0, 1):
        steps = loss.leaf(Y, PAIR, WEIGHT, LEAVES, 4, score)
        assert steps[3] == 0
        for number in range(3):
            here = number == LEAVES

            def total(step, here=here, score=score):
                raw = PAIR[here].copy()
                raw[:, score] += step
                return float(WEIGHT[here] @ loss.value(Y[here], raw))

            found = minimize_scalar(total, bracket=(-1, 1), options={"xtol": 1e-12})
            assert total(steps[number]) <= found.fun + 1e-9


def test_no_deviation_is_below_the_least():
    loss = NormalLoss(least=0.5)
    low = np.column_stack([Y, np.full(80, -9.0)])  # every row is hit exactly
    assert (loss.link(low)[:, 1] == 0.5).all()
    assert not loss.response(Y, low).any()
    assert not loss.gradient(Y, low)[:, 1].any()
    np.testing.assert_allclose(loss.leaf(Y, low, WEIGHT, LEAVES, 3, 1), -0.5)
    assert np.isfinite(loss.start(np.ones(5), np.ones(5))).all()
    far = loss.response(Y + 10, low)
    assert (far[:, 1] > 0).all()  # upwards is allowed


@pytest.mark.parametrize("shift", [-1e4, 1e4])
def test_large_scores_are_finite(shift):
    loss = NormalLoss()
    for raw in (PAIR + shift, PAIR + np.array([0.0, shift])):
        found = (loss.value(Y, raw), *loss.slopes(Y, raw), loss.response(Y, raw), loss.link(raw))
        assert all(np.isfinite(each).all() for each in found)


def test_link_and_back():
    loss = NormalLoss()
    np.testing.assert_allclose(loss.unlink(loss.link(PAIR)), PAIR, atol=1e-12)
    assert loss.reach(np.array([[100.0, -4.0]])) == 2.5
    assert loss.n_scores(9) == 2

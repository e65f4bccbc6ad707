"""Margin losses: derivatives, values by hand, links as minimisers of the expected loss."""

import pickle

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from coterie.losses import (
    MARGIN_LOSSES,
    Exponential,
    FunctionLoss,
    Logistic,
    MarginLoss,
    Savage,
    Sigmoid,
    derivative_gaps,
)

# Away from 0 and 1, where the curvature of two losses jumps.
MARGINS = np.linspace(-3.05, 3.05, 52)
LINKED = [name for name, loss in MARGIN_LOSSES.items() if loss.link(np.zeros(1)) is not None]
every = pytest.mark.parametrize("name", MARGIN_LOSSES)

# value and minus the slope at -1, 0 and 2
TABLE = {
    "exponential": ([np.e, 1, np.exp(-2)], [np.e, 1, np.exp(-2)]),
    "logistic": (np.log1p(np.exp([2, 0, -4])), 2 / (1 + np.exp([-2, 0, 4]))),
    "logistic1": (np.log1p(np.exp([1, 0, -2])), 1 / (1 + np.exp([-1, 0, 2]))),
    "madaboost": ([2, 1, np.exp(-2)], [1, 1, np.exp(-2)]),
    "squared_hinge": ([4, 1, 0], [4, 2, 0]),
    "squared": ([4, 1, 1], [4, 2, -2]),
    "sigmoid": (1 - np.tanh([-1, 0, 2]), 1 / np.cosh([-1, 0, 2]) ** 2),
    "savage": (
        1 / (1 + np.exp([-2, 0, 4])) ** 2,
        4 * np.exp([-2, 0, 4]) / (1 + np.exp([-2, 0, 4])) ** 3,
    ),
    "tangent": (
        (2 * np.arctan([-1, 0, 2]) - 1) ** 2,
        -4 * (2 * np.arctan([-1, 0, 2]) - 1) / np.array([2, 1, 5]),
    ),
}


@every
def test_derivatives(name):
    slope, curvature = derivative_gaps(MARGIN_LOSSES[name], MARGINS)
    assert slope < 1e-8
    assert curvature < 1e-7


def test_wrong_derivatives_are_found():
    wrong = FunctionLoss(lambda z: z**2, lambda z: 3 * z)
    assert derivative_gaps(wrong, MARGINS)[0] > 1


@every
def test_values_by_hand(name):
    loss, z = MARGIN_LOSSES[name], np.array([-1.0, 0.0, 2.0])
    value, pull = TABLE[name]
    np.testing.assert_allclose(loss.value(z), value, rtol=1e-12)
    np.testing.assert_allclose(-loss.slope(z), pull, rtol=1e-12, atol=1e-15)


@every
def test_convex_or_not(name):
    loss = MARGIN_LOSSES[name]
    assert loss.convex == bool((loss.curvature(MARGINS) >= 0).all())


@every
def test_large_margins_are_finite(name):
    loss, z = MARGIN_LOSSES[name], np.array([-600.0, 600.0])
    for values in (loss.value(z), loss.slope(z), loss.curvature(z)):
        assert np.isfinite(values).all()


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
def test_link_is_where_the_expected_loss_is_least(name, share):
    loss = MARGIN_LOSSES[name]
    best = minimize_scalar(
        lambda F: float(share * loss.value(np.array(F)) + (1 - share) * loss.value(np.array(-F))),
        bounds=(-4, 4),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert float(loss.link(np.array(best.x))) == pytest.approx(share, abs=1e-5)


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_least_expected_losses(share):
    def risk(name, F):
        loss = MARGIN_LOSSES[name]
        return share * loss.value(np.array(F)) + (1 - share) * loss.value(np.array(-F))

    assert risk("savage", 0.5 * np.log(share / (1 - share))) == pytest.approx(share * (1 - share))
    assert risk("tangent", np.tan(share - 0.5)) == pytest.approx(4 * share * (1 - share))


def test_tangent_turns_at_half_a_radian():
    z = np.tan(0.5)
    assert MARGIN_LOSSES["tangent"].slope(np.array([z]))[0] == pytest.approx(0, abs=1e-15)
    assert z == pytest.approx(0.5463, abs=1e-4)


def test_parameters_of_losses():
    z = np.array([0.3])
    np.testing.assert_allclose(Logistic(4.0).value(z), np.log1p(np.exp(-1.2)))
    np.testing.assert_allclose(Sigmoid(2.0).slope(z), -2 / np.cosh(0.6) ** 2)
    assert max(derivative_gaps(Sigmoid(2.0), MARGINS)) < 1e-7


def test_functions_have_numerical_slopes():
    own = FunctionLoss(lambda z: np.exp(-z))
    np.testing.assert_allclose(own.slope(MARGINS), -np.exp(-MARGINS), rtol=1e-8)
    np.testing.assert_allclose(own.curvature(MARGINS), np.exp(-MARGINS), rtol=1e-3)
    assert own.link(MARGINS) is None
    given = FunctionLoss(np.exp, np.cos)
    np.testing.assert_array_equal(given.slope(MARGINS), np.cos(MARGINS))


def test_losses_are_values():
    assert pickle.loads(pickle.dumps(Savage())) == Savage() != Exponential()
    with pytest.raises(NotImplementedError):
        MarginLoss().value(MARGINS)

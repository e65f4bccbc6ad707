"""Accelerated failure times."""

import numpy as np
import pytest
from scipy import stats

from coterie.losses import FailureTimeLoss
from coterie.losses.failure_time import noise_quantile

BOUNDS = np.array([[2.0, 2.0], [5.0, 0.0], [0.0, 4.0], [3.0, 7.0]])
SCORES = np.array([0.5, 1.0, 1.2, 1.4])[:, None]
# The means are XGBoost's "aft-nloglik".
KNOWN = {
    "normal": (
        [1.807361, 1.184909, 0.576812, 1.292542],
        [-0.134130, -0.955697, 0.584792, -0.081435],
    ),
    "logistic": (
        [2.268233, 0.978980, 0.618534, 1.747145],
        [-0.066921, -0.520255, 0.384389, -0.041124],
    ),
    "extreme": (
        [1.889146, 1.661739, 0.372522, 1.376027],
        [-0.145528, -1.384783, 0.439333, -0.103705],
    ),
}
every = pytest.mark.parametrize("distribution", KNOWN)


@every
def test_four_kinds_of_rows(distribution):
    loss, (values, gradient) = FailureTimeLoss(distribution, 1.2), KNOWN[distribution]
    np.testing.assert_allclose(loss.value(BOUNDS, SCORES), values, atol=1e-6)
    np.testing.assert_allclose(loss.slopes(BOUNDS, SCORES)[0][:, 0], gradient, atol=1e-6)


@every
def test_finite_differences(distribution):
    loss, step = FailureTimeLoss(distribution, 0.8), 1e-5
    gradient, hessian = loss.slopes(BOUNDS, SCORES)
    up, down = loss.value(BOUNDS, SCORES + step), loss.value(BOUNDS, SCORES - step)
    np.testing.assert_allclose((up - down) / (2 * step), gradient[:, 0], atol=1e-7)
    slopes = [loss.slopes(BOUNDS, SCORES + s)[0] for s in (step, -step)]
    np.testing.assert_allclose((slopes[0] - slopes[1]) / (2 * step), hessian, atol=1e-6)


@every
def test_signed_times_are_bounds(distribution):
    loss, raw = FailureTimeLoss(distribution), np.array([[0.3], [1.1]])
    signed, bounds = np.array([2.0, -5.0]), np.array([[2.0, 2.0], [5.0, 0.0]])
    assert np.array_equal(loss.value(signed, raw), loss.value(bounds, raw))


@every
def test_the_start_is_the_best_constant(distribution):
    rng = np.random.default_rng(0)
    y = rng.exponential(size=50) * rng.choice([1, -1], 50)
    loss, weight = FailureTimeLoss(distribution), rng.uniform(size=50)
    start = loss.start(y, weight)[0]
    around = [weight @ loss.value(y, np.full((50, 1), start + d)) for d in (-0.01, 0.0, 0.01)]
    assert around[1] < min(around[0], around[2])


@every
def test_curves_and_quantiles_are_those_of_scipy(distribution):
    kind = {"normal": stats.norm, "logistic": stats.logistic, "extreme": stats.gumbel_l}
    loss, times = FailureTimeLoss(distribution, 0.7), np.array([0.0, 0.5, 2.0, 9.0])
    curves = loss.survival(np.array([0.4]), times)
    with np.errstate(divide="ignore"):
        expected = kind[distribution].sf((np.log(times) - 0.4) / 0.7)
    np.testing.assert_allclose(curves[0], expected, atol=1e-12)
    assert abs(noise_quantile(distribution, 0.3) - kind[distribution].ppf(0.3)) < 1e-12


@every
def test_far_away_nothing_overflows(distribution):
    loss = FailureTimeLoss(distribution, 0.1)
    for score in (-300.0, 300.0):
        raw = np.full((4, 1), score)
        gradient, hessian = loss.slopes(BOUNDS, raw)
        assert np.isfinite(loss.value(BOUNDS, raw)).all()
        assert (np.abs(gradient) <= 15).all()
        assert (hessian > 0).all()

"""Losses of residuals by hand."""

import numpy as np
import pytest

from coterie.losses import AbsoluteError, ExpectileLoss, HuberLoss, QuantileLoss, SquaredError

Y = np.array([3.0, -1.0, 0.5])
ZERO = np.zeros((3, 1))


@pytest.mark.parametrize(
    ("loss", "value", "gradient"),
    [
        (SquaredError(), [4.5, 0.5, 0.125], [-3, 1, -0.5]),
        (AbsoluteError(), [3, 1, 0.5], [-1, 1, -1]),
        (QuantileLoss(tau=0.75), [2.25, 0.25, 0.375], [-0.75, 0.25, -0.75]),
        (HuberLoss(delta=1.0), [2.5, 0.5, 0.125], [-1, 1, -0.5]),
        (ExpectileLoss(tau=0.75), [6.75, 0.25, 0.1875], [-4.5, 0.5, -0.75]),
    ],
)
def test_values_by_hand(loss, value, gradient):
    np.testing.assert_allclose(loss.value(Y, ZERO), value, rtol=1e-15)
    np.testing.assert_allclose(loss.gradient(Y, ZERO)[:, 0], gradient, rtol=1e-15)


def test_limits_of_families():
    rng = np.random.default_rng(0)
    y, raw = rng.normal(size=20), rng.normal(size=(20, 1))
    squared = SquaredError().value(y, raw)
    np.testing.assert_allclose(ExpectileLoss(tau=0.5).value(y, raw), squared, rtol=1e-14)
    np.testing.assert_allclose(HuberLoss(delta=1e9).value(y, raw), squared, rtol=1e-14)
    halved = 2 * QuantileLoss(tau=0.5).value(y, raw)
    np.testing.assert_allclose(halved, AbsoluteError().value(y, raw), rtol=1e-14)


def test_huber_settles_on_the_residuals():
    y, raw = np.arange(1.0, 11.0), np.zeros((10, 1))
    loss = HuberLoss(alpha=0.9).settle(y, raw, np.ones(10))
    assert loss.delta == 9.0
    assert HuberLoss(alpha=0.9).settle(y, raw, np.append(np.full(9, 1e-6), 1.0)).delta == 10.0
    assert loss.settle(y, raw + 5, np.ones(10)) is loss
    with pytest.raises(ValueError, match="no delta yet"):
        HuberLoss().value(y, raw)


def test_huber_start():
    y = np.array([0.0, 1.0, 2.0, 50.0, 60.0])
    assert HuberLoss().start(y, np.ones(5)) == 2.0
    assert HuberLoss(delta=0.0).start(y, np.ones(5)) == 2.0
    assert HuberLoss(delta=1.0).start(np.ones(4), np.ones(4)) == 1.0
    # pulls of 1 from above balance 1 + 1 - (3 - 2) ... until they add up to nothing
    start = HuberLoss(delta=1.0).start(y, np.ones(5))[0]
    assert np.clip(y - start, -1, 1).sum() == pytest.approx(0, abs=1e-12)


def test_huber_leaf_by_hand():
    residual = np.array([0.0, 1.0, 2.0, 10.0])  # lower median 1, clipped at 2: -1, 0, 1, 2
    found = HuberLoss(delta=2.0).leaf(residual, np.zeros((4, 1)), np.ones(4), np.zeros(4, int), 1)
    assert found == pytest.approx(1 + 2 / 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: QuantileLoss(tau=0.0),
        lambda: QuantileLoss(tau=1.0),
        lambda: ExpectileLoss(tau=1.5),
        lambda: HuberLoss(alpha=0.0),
        lambda: HuberLoss(delta=-1.0),
    ],
)
def test_parameters_out_of_range(make):
    with pytest.raises(ValueError, match=r"between 0 and 1|negative"):
        make()

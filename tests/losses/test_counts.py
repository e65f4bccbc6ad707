"""Losses with a log link: values, domains and leaves that want a mean of zero."""

import numpy as np
import pytest

from coterie.losses import GammaLoss, PoissonLoss, TweedieLoss
from coterie.losses.counts import LEAST_SHARE, LogLinkLoss

ONE = np.zeros(4, dtype=np.int32)


@pytest.mark.parametrize(
    ("loss", "value", "gradient", "hessian"),
    [
        (PoissonLoss(), 2 - 3 * np.log(2), 2 - 3, 2),
        (GammaLoss(), 3 / 2 + np.log(2), 1 - 3 / 2, 3 / 2),
        (TweedieLoss(1.5), 10 / np.sqrt(2), -1 / np.sqrt(2), 2.5 / np.sqrt(2)),
    ],
)
def test_values_by_hand(loss, value, gradient, hessian):
    y, raw = np.array([3.0]), np.log([[2.0]])
    assert loss.value(y, raw)[0] == pytest.approx(value)
    assert loss.gradient(y, raw)[0, 0] == pytest.approx(gradient)
    assert loss.slopes_at(y, raw[:, 0])[1][0] == pytest.approx(hessian)
    assert loss.link(raw)[0] == pytest.approx(2.0)


def test_tweedie_lies_between_poisson_and_gamma():
    rng = np.random.default_rng(0)
    y, raw = rng.gamma(2, 1, 9), rng.normal(size=(9, 1))
    for power, limit in ((1 + 1e-9, PoissonLoss()), (2 - 1e-9, GammaLoss())):
        near = TweedieLoss(power).gradient(y, raw)
        np.testing.assert_allclose(near, limit.gradient(y, raw), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("loss", "bad"),
    [
        (PoissonLoss(), [-1.0, 2.0]),
        (PoissonLoss(), [0.0, 0.0]),
        (GammaLoss(), [0.0, 1.0]),
        (TweedieLoss(), [-0.1, 1.0]),
        (TweedieLoss(), [0.0, 0.0]),
    ],
)
def test_domains(loss, bad):
    loss.check(np.array([0.5, 2.0]))
    with pytest.raises(ValueError, match="requires"):
        loss.check(np.array(bad))


@pytest.mark.parametrize("power", [1.0, 2.0, 0.5])
def test_powers_between_one_and_two(power):
    with pytest.raises(ValueError, match="power"):
        TweedieLoss(power)


@pytest.mark.parametrize("loss", [PoissonLoss(), TweedieLoss()])
def test_a_leaf_without_counts_keeps_a_positive_mean(loss):
    y, raw = np.array([0.0, 0.0, 4.0, 4.0]), np.array([[0.0], [1.0], [0.0], [0.0]])
    leaves = np.array([0, 0, 1, 1])
    step = loss.leaf(y, raw, np.ones(4), leaves, 2)[0]
    assert step == -10.0
    low = raw - 15.0  # the floor is nearer than ten
    step = loss.leaf(y, low, np.ones(4), leaves, 2)[0]
    assert low[0, 0] + step == pytest.approx(np.log(LEAST_SHARE * 2.0))
    assert loss.leaf(y, raw - 90.0, np.ones(4), leaves, 2)[0] == 0.0


def test_steps_are_bounded():
    y = np.full(4, 1e9)
    assert PoissonLoss().leaf(y, np.zeros((4, 1)), np.ones(4), ONE, 1) == 10.0


def test_unlink_keeps_scores_finite():
    assert np.isfinite(PoissonLoss().unlink(np.array([0.0, 1.0, 100.0]))).all()


def test_parts_are_for_subclasses():
    with pytest.raises(NotImplementedError):
        LogLinkLoss().parts(ONE, ONE)

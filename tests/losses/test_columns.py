"""One loss per column."""

import pickle

import numpy as np

from coterie.losses import (
    AbsoluteError,
    ColumnsLoss,
    HuberLoss,
    LogLoss,
    SlopesLoss,
    SquaredError,
)

RNG = np.random.default_rng(0)
Y, RAW, WEIGHT = RNG.normal(size=(40, 2)), RNG.normal(size=(40, 2)), RNG.uniform(0.5, 2.0, 40)


def test_each_column_is_its_own_loss():
    for part in (SquaredError(), AbsoluteError()):
        loss = ColumnsLoss((part, part))
        one = [part.value(Y[:, k], RAW[:, k : k + 1]) for k in range(2)]
        np.testing.assert_allclose(loss.value(Y, RAW), sum(one))
        gradient, hessian = loss.slopes(Y, RAW)
        leaves = np.arange(40) % 3
        for k in range(2):
            alone = part.slopes(Y[:, k], RAW[:, k : k + 1])
            np.testing.assert_array_equal(gradient[:, k], alone[0][:, 0])
            np.testing.assert_array_equal(hessian[:, k], alone[1][:, 0])
            np.testing.assert_array_equal(
                loss.leaf(Y, RAW, WEIGHT, leaves, 3, k),
                part.leaf(Y[:, k], RAW[:, k : k + 1], WEIGHT, leaves, 3),
            )
            assert loss.start(Y, WEIGHT)[k] == part.start(Y[:, k], WEIGHT)[0]
        np.testing.assert_array_equal(loss.unlink(loss.link(RAW)), RAW)
        for name in ("constant_hessian", "adaptive", "exact_leaf", "longest_step", "convex"):
            assert getattr(loss, name) == getattr(part, name)
        assert loss.takes_newton_steps == part.takes_newton_steps
        assert loss.n_scores(0) == 2
        assert pickle.loads(pickle.dumps(loss)) == loss


def test_derivatives():
    loss = ColumnsLoss((LogLoss(), LogLoss()))
    codes = (Y > 0).astype(float)
    step = 1e-6
    for k in range(2):
        up, down = RAW.copy(), RAW.copy()
        up[:, k] += step
        down[:, k] -= step
        found = (loss.value(codes, up) - loss.value(codes, down)) / (2 * step)
        np.testing.assert_allclose(loss.gradient(codes, RAW)[:, k], found, atol=1e-8)
    assert loss.link(RAW).shape == (40, 2)
    np.testing.assert_allclose(loss.link(RAW), 1 / (1 + np.exp(-RAW)))


def test_columns_settle_by_themselves():
    loss = ColumnsLoss((HuberLoss(), HuberLoss()))
    settled = loss.settle(Y * [1.0, 10.0], np.zeros((40, 2)), WEIGHT)
    first, second = (part.delta for part in settled.parts)
    assert 5 * first < second
    plain = ColumnsLoss((SquaredError(),))
    assert plain.settle(Y[:, :1], RAW[:, :1], WEIGHT) is plain


def test_a_loss_of_unknown_value():
    part = SlopesLoss(lambda y, f: (f - y, np.ones_like(f)))
    assert not ColumnsLoss((part, part)).knows_value

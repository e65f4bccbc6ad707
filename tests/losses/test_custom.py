"""A user's own loss, and the check against finite differences."""

import numpy as np
import pytest

from coterie.losses import (
    CustomLoss,
    LogLoss,
    MultinomialLoss,
    SlopesLoss,
    SquaredError,
    check_loss,
)
from coterie.losses.custom import newton_start, numeric_gradient, numeric_hessian
from tests.losses.cases import EVERY, rows_of

RNG = np.random.default_rng(0)
Y, RAW = RNG.normal(size=20), RNG.normal(size=(20, 1))


def square(y, f):
    return 0.5 * (y - f) ** 2


def cosh(y, f):
    return np.log(np.cosh(f - y))


def tanh(y, f):
    return np.tanh(f - y)


def sech2(y, f):
    return 1 / np.cosh(f - y) ** 2


def test_functions_make_a_loss():
    loss = CustomLoss(cosh, tanh, sech2)
    check_loss(loss, Y, RAW)
    assert loss.n_scores(7) == 1
    assert loss.convex
    assert not CustomLoss(cosh, is_convex=False).convex
    np.testing.assert_array_equal(loss.link(RAW), RAW[:, 0])
    np.testing.assert_array_equal(loss.unlink(Y), Y[:, np.newaxis])


def test_derivatives_that_are_not_given_are_differences():
    known, unknown = CustomLoss(cosh, tanh, sech2), CustomLoss(cosh)
    for exact, found in zip(known.slopes(Y, RAW), unknown.slopes(Y, RAW), strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-5)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (CustomLoss(square, lambda y, f: 2 * (f - y)), "gradient.*row 0, score 0"),
        (CustomLoss(square, None, lambda y, f: np.full_like(f, 2.0)), "hessian.*row 0"),
        (CustomLoss(square, lambda y, f: np.where(y > 1, np.nan, f - y)), "gradient.*is nan"),
        (CustomLoss(lambda y, f: square(y, f).sum()), r"loss has shape \(\)"),
        (CustomLoss(square, lambda y, f: (f - y)[:, None]), r"gradient has shape \(20, 1\)"),
    ],
)
def test_wrong_losses_are_named(loss, message):
    with pytest.raises(ValueError, match=message):
        check_loss(loss, Y, RAW)


def test_check_finds_the_first_gap_of_many_scores():
    y, raw, _ = rows_of("multinomial")

    class Wrong(MultinomialLoss):
        def slopes(self, y, raw):
            gradient, hessian = super().slopes(y, raw)
            gradient[5:, 2] += 0.1
            return gradient, hessian

    with pytest.raises(ValueError, match="row 5, score 2"):
        check_loss(Wrong(4), y, raw)


def test_check_looks_at_shapes_and_domains():
    class Flat(SquaredError):
        def slopes(self, y, raw):
            return raw[:, 0] - y, np.ones(len(y))

    with pytest.raises(ValueError, match="shape"):
        check_loss(Flat(), Y, RAW)
    with pytest.raises(ValueError, match="0 and 1"):
        check_loss(LogLoss(), Y, RAW)


@pytest.mark.parametrize("name", ["squared", "huber", "expectile", "poisson", "log"])
def test_newton_finds_the_start_that_is_known(name):
    y, _, weight = rows_of(name)
    loss = EVERY[name]
    found, known = newton_start(loss, y, weight), loss.start(y, weight)
    np.testing.assert_allclose(found, known, atol=1e-5)


def test_newton_start_far_away():
    loss = CustomLoss(square, lambda y, f: f - y, lambda y, f: np.ones_like(f))
    assert loss.start(Y + 1e8, np.ones(20))[0] == pytest.approx((Y + 1e8).mean())
    flat = CustomLoss(lambda y, f: np.abs(f - y), lambda y, f: np.sign(f - y), np.multiply)
    assert np.isfinite(flat.start(Y, np.ones(20))).all()


def test_starts_and_links_of_the_user():
    loss = CustomLoss(square, constant=lambda y, w: 3.0, inverse=np.exp)
    assert loss.start(Y, np.ones(20)).tolist() == [3.0]
    np.testing.assert_array_equal(loss.link(RAW), np.exp(RAW))


def test_two_scores():
    def both(y, f):
        return 0.5 * (y - f[:, 0]) ** 2 + 0.5 * (y - f[:, 1]) ** 4

    loss, raw = CustomLoss(both, scores=2), RNG.normal(size=(20, 2))
    assert loss.n_scores(0) == 2
    assert loss.link(raw).shape == (20, 2)
    np.testing.assert_allclose(numeric_gradient(loss, Y, raw)[:, 0], raw[:, 0] - Y, atol=1e-8)
    second = 6 * (raw[:, 1] - Y) ** 2
    np.testing.assert_allclose(numeric_hessian(loss, Y, raw)[:, 1], second, atol=1e-4)
    assert loss.start(Y, np.ones(20))[0] == pytest.approx(Y.mean(), abs=1e-5)


def test_slopes_alone_find_their_start():
    y, weight = RNG.gamma(2.0, size=30), RNG.uniform(0.5, 2.0, 30)
    tilted = SlopesLoss(lambda y, f: (np.tanh(f - y), 1 - np.tanh(f - y) ** 2 + 1e-3))
    start = tilted.start(y, weight)
    assert abs(weight @ tilted.gradient(y, np.tile(start, (30, 1)))[:, 0]) < 1e-9
    mean = SlopesLoss(lambda y, f: (f - y, np.ones_like(f)))
    assert mean.start(y, weight)[0] == pytest.approx(np.average(y, weights=weight))
    with pytest.raises(ValueError, match="value is not known"):
        mean.value(y, np.zeros((30, 1)))
    np.testing.assert_array_equal(mean.link(y[:, None]), y)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda y, f: f - y, r"pair \(gradient, hessian\)"),
        (lambda y, f: (f - y, 1.0), r"hessian has shape \(\); it should have \(5,\)"),
        (lambda y, f: ((f - y)[:, None], f), r"gradient has shape \(5, 1\)"),
        (lambda y, f: (f - y, -np.ones_like(f)), "negative"),
        (lambda y, f: (f * np.nan, np.ones_like(f)), "not finite"),
    ],
)
def test_slopes_of_the_wrong_shape(function, message):
    with pytest.raises(ValueError, match=message):
        SlopesLoss(function).slopes(np.zeros(5), np.ones((5, 1)))

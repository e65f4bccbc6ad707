"""Slopes: those of the loss, weights included, in the arrays of the maker."""

import numpy as np
import pytest

from coterie.boosting.gradient.slopes import SlopeMaker
from coterie.losses import LogLoss, MultinomialLoss, PoissonLoss, SquaredError


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "loss", [SquaredError(), LogLoss(), PoissonLoss(), MultinomialLoss(3)], ids=lambda v: v.name
)
def test_slopes_are_those_of_the_loss(loss, weighted):
    rng = np.random.default_rng(0)
    n_scores = loss.n_scores(3)
    y = rng.integers(0, 2 if isinstance(loss, LogLoss) else 3, 40).astype(float)
    weight = rng.uniform(0.5, 2, 40) if weighted else None
    raw = np.asfortranarray(rng.normal(size=(40, n_scores)))
    gradient, hessian = SlopeMaker(y, weight, n_scores).at(loss, raw)
    factor = 1.0 if weight is None else weight[:, None]
    expected = loss.slopes(y, raw)
    np.testing.assert_allclose(gradient, factor * expected[0], rtol=1e-12, atol=1e-15)
    if isinstance(loss, SquaredError) and not weighted:
        assert hessian is None
    else:
        np.testing.assert_allclose(hessian, factor * expected[1], rtol=1e-10)


def test_long_tables_have_short_slopes():
    y = np.ones(70_000)
    raw = np.linspace(-50, 50, 70_000)[:, None]
    gradient, hessian = SlopeMaker(y, None, 1).at(LogLoss(), raw)
    assert gradient.dtype == hessian.dtype == np.float32
    np.testing.assert_allclose(gradient, LogLoss().gradient(y, raw), atol=1e-7)
    assert (hessian >= 0).all()


@pytest.mark.parametrize("size", [1e30, 1e-30])
def test_slopes_of_extreme_numbers_are_long(size):
    y = np.linspace(0, size, 70_000)
    gradient, hessian = SlopeMaker(y, None, 1).at(SquaredError(), np.zeros((70_000, 1)))
    np.testing.assert_array_equal(gradient[:, 0], -y)
    assert hessian is None

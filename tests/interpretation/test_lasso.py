import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import Lasso

from coterie.interpretation.lasso import Moments, logistic_lasso, penalties, squared_lasso


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8)) @ rng.normal(size=(8, 8))
    share = rng.uniform(0.5, 2, 300)
    share /= share.sum()
    return X - share @ X, share, rng


def test_the_lasso_of_scikit_learn(rows):
    design, _, rng = rows
    even = np.full(300, 1 / 300)
    design = design - design.mean(axis=0)
    y = design[:, 0] - 2 * design[:, 3] + rng.normal(size=300)
    moments = Moments.of(design, even)
    found = moments.lasso(design.T @ (even * y), 0.3)
    wanted = Lasso(alpha=0.3, fit_intercept=False, tol=1e-10).fit(design, y)
    np.testing.assert_allclose(found, wanted.coef_, atol=1e-5)


def test_weights_count_as_repetitions(rows):
    design, _, rng = rows
    times = rng.integers(1, 4, 300)
    y = design[:, 1] + rng.normal(size=300)
    share = times / times.sum()
    centred = design - share @ design
    repeated = np.repeat(centred, times, axis=0)
    even = np.full(len(repeated), 1 / len(repeated))
    first = squared_lasso(Moments.of(centred, share), centred, y, share, times.sum(), None)
    second = squared_lasso(
        Moments.of(repeated, even), repeated, np.repeat(y, times), even, times.sum(), None
    )
    assert first[0] == pytest.approx(second[0])
    np.testing.assert_allclose(first[1], second[1], rtol=1e-8, atol=1e-10)


def test_the_criterion_leaves_noise_out(rows):
    design, share, rng = rows
    y = 3 * design[:, 2] + 0.1 * rng.normal(size=300) + 5
    intercept, coef = squared_lasso(Moments.of(design, share), design, y, share, 300, None)
    assert intercept == pytest.approx(share @ y)
    assert abs(coef[2] - 3) < 0.1
    none = squared_lasso(Moments.of(design, share), design, y, share, 300, 1.0)[1]
    assert not none.any()
    constant = squared_lasso(Moments.of(design, share), design, np.ones(300), share, 300, None)
    assert constant[0] == pytest.approx(1)


def test_logistic_regression_at_its_optimum(rows):
    """Gradients of used columns are the penalty, those of others are smaller."""
    design, share, rng = rows
    y = (rng.random(300) < expit(0.5 * design[:, 0] - 1)).astype(float)
    moments = Moments.of(design, share)
    largest = np.abs(design.T @ (share * (y - share @ y))).max()
    intercept, coef = logistic_lasso(moments, design, y, share, 300, 0.2)
    gap = share * (y - expit(intercept + design @ coef))
    gradient = design.T @ gap
    assert abs(gap.sum()) < 1e-3
    used = coef != 0
    assert 0 < used.sum() < 8
    np.testing.assert_allclose(gradient[used], 0.2 * largest * np.sign(coef[used]), rtol=0.02)
    assert (np.abs(gradient[~used]) < 0.2 * largest * 1.02).all()


def test_logistic_regression_chooses(rows):
    design, share, rng = rows
    y = (rng.random(300) < expit(design[:, 0])).astype(float)
    intercept, coef = logistic_lasso(Moments.of(design, share), design, y, share, 300, None)
    assert np.abs(coef).argmax() == 0
    assert np.mean((intercept + design @ coef > 0) == y) > 0.75


def test_penalties_fall():
    found = list(penalties(2.0, None))
    assert found[0] < 2.0
    assert found[-1] == pytest.approx(0.002)
    assert (np.diff(found) < 0).all()
    assert list(penalties(2.0, 0.5)) == [1.0]

"""Losses that grow slowly, against other libraries. Derivatives are in test_pointwise."""

import numpy as np
import pytest

from coterie import HistGradientBoostingRegressor
from coterie.losses import FairLoss, LogCoshLoss, MapeLoss
from tests.boosting.gradient.tables import numbers


def test_log_cosh_is_majorised():
    r = np.linspace(-30, 30, 301)
    loss = LogCoshLoss()
    at, step = 2.3, np.linspace(-60, 60, 481)
    gradient, hessian = loss.slopes(np.zeros(1), np.array([[at]]))
    parabola = loss.value(np.zeros(1), np.array([[at]])) + gradient[0] * step
    parabola = parabola + 0.5 * hessian[0] * step**2
    assert (loss.value(np.zeros(481), (at + step)[:, None]) <= parabola + 1e-9).all()
    np.testing.assert_allclose(
        loss.value(np.zeros(301), r[:, None]), np.log(np.cosh(r)), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(loss.gradient(np.zeros(301), r[:, None])[:, 0], np.tanh(r))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fair", "mape"])
def test_lightgbm_has_the_same_loss(name):
    lightgbm = pytest.importorskip("lightgbm")
    X, y = numbers(600)
    y = 5 * y + 3
    common = {"learning_rate": 0.3, "random_state": 0}
    theirs = lightgbm.LGBMRegressor(
        objective=name, n_estimators=60, num_leaves=8, verbose=-1, min_data_in_bin=1, **common
    ).fit(X, y)
    ours = HistGradientBoostingRegressor(loss=name, max_iter=60, max_leaf_nodes=8, **common).fit(
        X, y
    )
    loss = {"fair": FairLoss(), "mape": MapeLoss()}[name]
    mine, other = (loss.value(y, m.predict(X)[:, None]).mean() for m in (ours, theirs))
    assert mine < 1.03 * other


@pytest.mark.slow
def test_outliers_hardly_matter():
    X, y = numbers(400)
    spoilt = y.copy()
    spoilt[::20] += 1e4
    for name in ("fair", "log_cosh", "mape"):
        said = HistGradientBoostingRegressor(loss=name, max_iter=50).fit(X, spoilt).predict(X)
        assert np.median(np.abs(said - y)) < 1.5, name
    plain = HistGradientBoostingRegressor(max_iter=50).fit(X, spoilt).predict(X)
    assert np.median(np.abs(plain - y)) > 10


def test_the_scale_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        FairLoss(0.0)

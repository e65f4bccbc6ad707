"""Learning rates that change from round to round."""

import numpy as np
import pytest

from coterie import GradientBoostingRegressor, HistGradientBoostingRegressor
from coterie.boosting.gradient.rates import read_rates
from coterie.core import ParameterError
from tests.boosting.gradient.tables import numbers


def test_three_ways_to_say_the_same():
    X, y = numbers()
    rates = [0.3 * 0.8**t for t in range(6)]
    params = {"max_iter": 6, "random_state": 0}
    listed = HistGradientBoostingRegressor(learning_rate=rates, **params).fit(X, y)
    called = HistGradientBoostingRegressor(learning_rate=lambda t: 0.3 * 0.8**t, **params)
    np.testing.assert_array_equal(listed.predict(X), called.fit(X, y).predict(X))
    np.testing.assert_allclose(listed.pool_.weights, rates)
    np.testing.assert_allclose(listed.trace_["weight"], rates)
    plain = HistGradientBoostingRegressor(learning_rate=0.3, **params).fit(X, y)
    constant = HistGradientBoostingRegressor(learning_rate=[0.3] * 6, **params).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), constant.predict(X))


def test_a_fit_with_another_rate_goes_on_where_it_was():
    X, y = numbers()
    whole = HistGradientBoostingRegressor(learning_rate=[0.5] * 3 + [0.1] * 3, max_iter=6)
    whole.fit(X, y)
    parts = HistGradientBoostingRegressor(learning_rate=0.5, max_iter=3, warm_start=True)
    parts.fit(X, y).set_params(learning_rate=0.1, max_iter=6).fit(X, y)
    np.testing.assert_array_equal(whole.predict(X), parts.predict(X))


def test_dart_scales_by_the_rate_of_the_round():
    X, y = numbers()
    rates = [0.5, 0.4, 0.3, 0.2]
    params = {"boosting": "dart", "drop_rate": 0.9, "skip_drop": 0.0, "random_state": 1}
    model = GradientBoostingRegressor(learning_rate=rates, n_estimators=4, **params).fit(X, y)
    assert model.pool_.weights[0] != 0.5  # dropped, and scaled
    np.testing.assert_allclose(
        model.train_score_[-1], np.mean((model.predict(X) - y) ** 2), rtol=1e-9
    )


def test_too_few_rates_or_none():
    X, y = numbers()
    with pytest.raises(ParameterError, match="3 rounds"):
        HistGradientBoostingRegressor(learning_rate=[0.1, 0.1], max_iter=3).fit(X, y)
    with pytest.raises(ParameterError, match="round 1 is -1"):
        HistGradientBoostingRegressor(learning_rate=lambda t: -t, max_iter=3).fit(X, y)
    with pytest.raises(ParameterError, match="'learning_rate' .* Got 'fast'"):
        HistGradientBoostingRegressor(learning_rate="fast").fit(X, y)
    assert read_rates(0.1, 5)(3) == 0.1

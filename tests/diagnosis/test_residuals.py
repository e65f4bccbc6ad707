import numpy as np
import pytest

from coterie.diagnosis.residuals import bias, spread
from tests.diagnosis.pools import numbers_case


def _case(rest, said=None):
    rng = np.random.default_rng(0)
    said = rng.normal(size=len(rest)) if said is None else said
    return numbers_case([said], said + rest)


def test_bias_by_hand():
    rest = np.random.default_rng(1).normal(size=400)
    found = bias(_case(rest + 1.0))
    assert (found.verdict, found.fine) == ("too low", False)
    assert found.numbers["bias"] == pytest.approx((rest + 1).mean())
    assert found.numbers["deviation"] == pytest.approx(rest.std() / 20)
    assert bias(_case(-rest - 1.0)).verdict == "too high"
    assert bias(_case(rest - rest.mean())).fine


def test_spread_that_grows():
    rng = np.random.default_rng(1)
    said = rng.uniform(1, 10, 600)
    found = spread(_case(said * rng.normal(size=600), said))
    assert (found.verdict, found.fine) == ("no", False)
    low, _, high = found.numbers["rmse_by_third"]
    assert found.numbers["ratio"] == pytest.approx(high / low)
    assert "NormalBoostingRegressor" in found.advice
    assert spread(_case(rng.normal(size=600), said)).fine


def test_too_few_predictions():
    assert spread(_case(np.arange(4.0))).fine is None
    assert spread(_case(np.arange(20.0), np.ones(20))).fine is None

"""Curves of outcomes alone."""

import numpy as np
import pytest

from coterie.survival import StepFunction, kaplan_meier, log_rank_test, nelson_aalen
from coterie.survival.incidence import LifeTable, censoring_curve, time_grid
from tests.survival.eight import COLUMN, EIGHT, EVENT, TIME, sample
from tests.survival.truncated import hazard_steps, late_sample

AT = [1, 2, 3, 4, 5, 6, 8]


def test_eight_rows():
    hazard = [0.125, 0.267857, 0.434524, 0.684524, 1.017857, 1.017857, 2.017857]
    np.testing.assert_allclose(nelson_aalen(EIGHT)(AT), hazard, atol=1e-6)
    survival = [0.875, 0.75, 0.625, 0.46875, 0.3125, 0.3125, 0.0]
    np.testing.assert_allclose(kaplan_meier(EIGHT)(AT), survival)


def test_weights_are_repetitions():
    weight = np.array([1, 2, 3, 1, 2, 1, 2, 3])
    repeated = np.repeat(EIGHT, weight)
    for curve in (kaplan_meier, nelson_aalen):
        np.testing.assert_allclose(curve(EIGHT, weight)(AT), curve(repeated)(AT))


def test_steps_are_right_continuous():
    step = StepFunction(np.array([1.0, 2.0]), np.array([5.0, 7.0]), 3.0)
    assert step([0.9, 1.0, 1.9, 2.0, 99.0]).tolist() == [3, 5, 5, 7, 7]
    assert step.left([1.0, 2.0, 2.1]).tolist() == [3, 5, 7]


def test_events_leave_before_the_censored():
    # At time 3 one of six at risk has the event, and one of the five left is censored.
    curve = censoring_curve(EVENT, TIME)
    np.testing.assert_allclose(curve([2, 3, 6, 8]), [1.0, 0.8, 0.4, 0.4])
    assert LifeTable.of(EVENT, TIME).at_risk.tolist() == [8, 7, 6, 4, 3, 2, 1]


def test_log_rank():
    test = log_rank_test(EIGHT, [1, 1, 1, 0, 1, 0, 0, 0])
    assert abs(test.difference - 2.488095) < 1e-6
    assert abs(test.variance - 0.904620) < 1e-6
    assert abs(test.statistic - 6.843334) < 1e-6
    statistics = [np.sqrt(log_rank_test(EIGHT, COLUMN[:, 0] <= z).statistic) for z in range(1, 8)]
    known = [1.520606, 1.236375, 0.027471, 0.539540, 1.341302, 0.447152, 0.020214]
    np.testing.assert_allclose(statistics, known, atol=1e-6)
    with pytest.raises(ValueError, match="two groups, but there are 3"):
        log_rank_test(EIGHT, [0, 1, 2, 0, 0, 0, 0, 0])


def test_curves_are_those_of_scikit_survival():
    nonparametric = pytest.importorskip("sksurv.nonparametric")
    y = sample()[1]
    times, survival = nonparametric.kaplan_meier_estimator(y["event"], y["time"])
    np.testing.assert_allclose(kaplan_meier(y)(times), survival)
    times, hazard = nonparametric.nelson_aalen_estimator(y["event"], y["time"])
    np.testing.assert_allclose(nelson_aalen(y)(times), hazard)


def test_the_grid_is_of_events_and_weighted():
    assert time_grid(EVENT, TIME).tolist() == [1, 2, 3, 4, 5, 8]
    assert time_grid(EVENT, TIME, number=2).tolist() == [1, 8]
    weight = np.array([1.0, 1, 1, 1, 9, 1, 1, 1])
    repeated = np.repeat(np.arange(8), weight.astype(int))
    assert np.array_equal(
        time_grid(EVENT, TIME, weight, 4), time_grid(EVENT[repeated], TIME[repeated], None, 4)
    )


def test_late_rows_are_at_risk_from_their_entry():
    X, y, entry = late_sample()
    times, deaths, at_risk = hazard_steps(y["event"], y["time"], entry)
    np.testing.assert_allclose(nelson_aalen(y, entry=entry)(times), np.cumsum(deaths / at_risk))
    survival = np.cumprod(1 - deaths / at_risk)
    np.testing.assert_allclose(kaplan_meier(y, entry=entry)(times), survival, atol=1e-12)
    zero = np.zeros(len(y))
    assert np.array_equal(kaplan_meier(y, entry=zero).values, kaplan_meier(y).values)

    group = X[:, 0] > 0
    second = hazard_steps(y["event"], y["time"], entry, group * 1.0)
    share, d = np.zeros(len(times)), np.zeros(len(times))
    for k, s in enumerate(times):
        share[k] = (group & (entry < s) & (s <= y["time"])).sum() / at_risk[k]
        d[k] = second[1][second[0] == s].sum()
    several = at_risk > 1
    left = (at_risk - deaths)[several] / (at_risk - 1)[several]
    test = log_rank_test(y, group, entry=entry)
    assert abs(test.difference - (d - share * deaths).sum()) < 1e-9
    assert abs(test.variance - ((share * (1 - share) * deaths)[several] * left).sum()) < 1e-9

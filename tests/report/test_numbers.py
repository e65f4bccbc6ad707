import numpy as np
import pytest

from coterie.report.numbers import POINTS, facts_of_numbers, residuals, tolerance


def test_residuals_by_hand():
    found = residuals(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    assert found["mean"] == 1.0
    assert found["half_within"] == 1.0
    assert found["largest"] == 2.0
    assert found["range"] == [1.0, 3.0]
    assert sum(found["counts"]) == 3


def test_points_are_few_and_reach_both_ends():
    rng = np.random.default_rng(0)
    said = rng.normal(size=5000)
    found = residuals(said + rng.normal(size=5000), said)
    assert len(found["points"]) == POINTS
    assert found["points"][0][0] == pytest.approx(said.min(), rel=1e-4)
    assert found["points"][-1][0] == pytest.approx(said.max(), rel=1e-4)
    assert sum(found["counts"]) == 5000


def test_bands_show_a_bias_and_a_spread():
    said = np.linspace(0, 1, 1000)
    truth = said + 0.5 + said * np.tile([-1, 1], 500)
    first, *_, last = residuals(truth, said)["bands"]
    assert first["middle"] == pytest.approx(0.5, abs=0.1)
    assert last["high"] - last["low"] > 5 * (first["high"] - first["low"])


def test_tolerance_counts_what_it_says():
    rng = np.random.default_rng(1)
    truth, said = rng.normal(size=300), rng.normal(size=300)
    found = tolerance(truth, said)
    for reach, share in zip(found["tolerance"], found["share"], strict=True):
        assert share == pytest.approx((np.abs(truth - said) <= reach).mean(), abs=0.01)


def test_perfect_and_constant_predictions_have_facts():
    found = facts_of_numbers(np.ones(4), np.ones(4))
    assert found["residuals"]["largest"] == 0
    assert found["tolerance"]["share"][0] == 1.0

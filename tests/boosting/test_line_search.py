"""The first minimum of a loss along a line."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from coterie.boosting.line_search import Line, SoftmaxLine, turning_point
from coterie.losses import MARGIN_LOSSES, FunctionLoss, Logistic

RNG = np.random.default_rng(0)
MARGIN = RNG.normal(size=200)
DIRECTION = np.where(RNG.uniform(size=200) < 0.7, 1.0, -1.0)
WEIGHT = RNG.uniform(size=200)


@pytest.mark.parametrize("name", [n for n, loss in MARGIN_LOSSES.items() if loss.convex])
def test_minimum_of_a_convex_loss(name):
    line = Line(MARGIN_LOSSES[name], MARGIN, DIRECTION, WEIGHT)
    found = line.first_minimum(10.0)
    assert line.slope(found) == pytest.approx(0, abs=1e-12)
    best = minimize_scalar(line.value, bounds=(0, 10), method="bounded", options={"xatol": 1e-9})
    assert found == pytest.approx(best.x, abs=1e-6)


@pytest.mark.parametrize("name", ["savage", "tangent"])
def test_minimum_of_a_loss_that_is_not_convex(name):
    line = Line(MARGIN_LOSSES[name], MARGIN, DIRECTION, WEIGHT)
    found = line.first_minimum(10.0)
    assert line.slope(found) == pytest.approx(0, abs=1e-10)
    assert line.curvature(found) > 0
    assert line.value(found) < line.value(0.0)


def test_first_of_several_minima():
    wave = FunctionLoss(lambda z: np.sin(z) - z / 10, lambda z: np.cos(z) - 0.1)
    line = Line(wave, np.array([2.0]), np.array([1.0]), np.array([1.0]))
    found = line.first_minimum(100.0)
    # The second minimum, one period further, is lower.
    assert 2 + found == pytest.approx(2 * np.pi - np.arccos(0.1))
    assert line.value(found + 2 * np.pi) < line.value(found)


def test_loss_that_falls_for_ever_has_no_minimum():
    for name in ("logistic", "sigmoid"):
        line = Line(MARGIN_LOSSES[name], np.zeros(3), np.ones(3), np.ones(3))
        assert line.first_minimum(10.0) is None


def test_minimum_beyond_the_first_steps():
    far = Line(MARGIN_LOSSES["squared"], np.full(2, -6.5), np.ones(2), np.ones(2))
    assert far.first_minimum(10.0) == pytest.approx(7.5)
    assert far.first_minimum(5.0) is None


def test_never_higher_than_the_start():
    # So narrow a valley lies between two steps, and a higher one behind a ridge.
    bumpy = FunctionLoss(lambda z: np.where(z < 0.0031, -z, 5 + (z - 1) ** 2))
    line = Line(bumpy, np.zeros(1), np.ones(1), np.ones(1))
    found = line.first_minimum(10.0)
    assert line.value(found) <= line.value(0.0)


@pytest.mark.parametrize("bend", [lambda a: 0.0, lambda a: -1.0, lambda a: np.inf, lambda a: 1e-9])
def test_turning_point_without_a_useful_curvature(bend):
    found = turning_point(lambda a: np.tanh(a - 0.3), bend, 0.0, 8.0)
    assert found == pytest.approx(0.3, abs=1e-12)


def test_turning_point_at_a_kink():
    found = turning_point(lambda a: -1.0 if a < 0.7 else 1.0, lambda a: 0.0, 0.0, 1.0)
    assert found == pytest.approx(0.7, abs=1e-12)


def test_deviance_of_many_classes():
    rng = np.random.default_rng(1)
    scores, votes = rng.normal(size=(2, 60, 4))
    codes = np.where(rng.random(60) < 0.7, votes.argmax(axis=1), 0).astype(np.int32)
    line = SoftmaxLine(Logistic(), scores, votes, rng.uniform(size=60), codes)
    step = 1e-5
    for at in (0.0, 0.7):
        slope = (line.value(at + step) - line.value(at - step)) / (2 * step)
        bend = (line.slope(at + step) - line.slope(at - step)) / (2 * step)
        assert line.slope(at) == pytest.approx(slope, rel=1e-6)
        assert line.curvature(at) == pytest.approx(bend, rel=1e-6)
    found = line.first_minimum(10.0)
    best = minimize_scalar(line.value, bounds=(0, 10), method="bounded", options={"xatol": 1e-9})
    assert found == pytest.approx(best.x, abs=1e-6)


def test_two_classes_of_the_deviance_are_a_margin():
    rng = np.random.default_rng(2)
    score, vote, codes = rng.normal(size=50), rng.normal(size=50), rng.integers(0, 2, 50)
    weight, signs = rng.uniform(size=50), 2.0 * codes - 1
    pair = SoftmaxLine(
        Logistic(), *(np.stack([-v, v], axis=1) for v in (score, vote)), weight, codes
    )
    one = Line(Logistic(), signs * score, signs * vote, weight)
    for at in (0.0, 0.4):
        assert pair.value(at) == pytest.approx(one.value(at))
        assert pair.slope(at) == pytest.approx(one.slope(at))
        assert pair.curvature(at) == pytest.approx(one.curvature(at))

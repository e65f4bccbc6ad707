"""The potential of RobustBoost, and the search along a member."""

import numpy as np
import pytest

from coterie.boosting.robust_line import RobustLine, RobustPotential, robust_weight


def test_potential():
    potential = RobustPotential()
    assert potential.rho == pytest.approx(0.860405, abs=1e-6)
    assert potential.mean(0.0) == pytest.approx(-2.956838, abs=1e-6)
    assert potential.width(0.0) == pytest.approx(2.542233, abs=1e-6)
    for goal, theta, sigma in [(0.1, 0.0, 0.1), (0.3, 0.5, 0.2), (0.01, 1.0, 0.05)]:
        other = RobustPotential(goal, theta, sigma)
        assert other.value(np.zeros(1), 0.0)[0] == pytest.approx(goal, abs=1e-12)
        assert other.mean(1.0) == pytest.approx(theta, abs=1e-12)
        assert other.width(1.0) == pytest.approx(sigma, abs=1e-12)


def test_potential_solves_its_differential_equation():
    potential, h = RobustPotential(0.15, 0.2, 0.1), 1e-3
    margin = np.linspace(0.3, 2.0, 9)
    for time in (0.1, 0.5):
        above = potential.mean(time) + margin
        values = {dm: potential.value(above + dm * h, time) for dm in (-1, 0, 1)}
        by_time = (potential.value(above, time + h) - potential.value(above, time - h)) / (2 * h)
        slope = (values[1] - values[-1]) / (2 * h)
        bend = (values[1] - 2 * values[0] + values[-1]) / h**2
        residual = by_time + (2 * potential.rho - above) * slope + bend / 2
        np.testing.assert_allclose(residual, 0, atol=1e-5)


def test_first_root_and_first_minimum():
    """Against a fine search, without any of the shortcuts of the solver."""
    rng = np.random.default_rng(1)
    margin, right = rng.normal(0.2, 0.4, 40), np.where(rng.random(40) < 0.3, -1.0, 1.0)
    weight = np.full(40, 1 / 40)
    line = RobustLine(RobustPotential(0.2), margin, right, weight, 0.3)
    step, elapsed = line.meet()
    steps = np.linspace(1e-4, 2.0, 1001)

    def lowest(time):
        values = [line.mean_potential(s, time) for s in steps]
        first = next(k for k in range(len(values)) if values[k + 1] > values[k])
        return steps[first], values[first]

    assert lowest(elapsed)[0] == pytest.approx(step, abs=2e-3)
    assert lowest(elapsed)[1] == pytest.approx(line.level, abs=1e-5)
    assert all(lowest(time)[1] < line.level for time in np.linspace(0, 0.95, 8) * elapsed)


def test_weights_are_one_sided():
    weight = robust_weight(np.array([-1.0, 0.0, 1.0, 2.0]))
    np.testing.assert_allclose(weight, [0, 0, 1, np.exp(-3)])
    assert not robust_weight(np.array([-1.0, -2.0])).any()
    np.testing.assert_allclose(robust_weight(np.array([40.0, 41.0])), [1, np.exp(-81)])

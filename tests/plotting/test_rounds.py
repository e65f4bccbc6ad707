import numpy as np
import pytest

from coterie.plotting import RoundsDisplay


def test_errors_and_weights_are_those_of_the_ten_points(ten_boosted):
    display = RoundsDisplay.from_estimator(ten_boosted)
    error = np.array([3 / 10, 3 / 14, 3 / 22])
    assert display.error == pytest.approx(error)
    assert display.alpha == pytest.approx([0.423649, 0.649641, 0.922913], abs=1e-6)
    (left,), (right,) = display.ax_.lines, display.twin_.lines
    assert left.get_xdata().tolist() == [1, 2, 3]
    assert left.get_ydata() == pytest.approx(error)
    assert right.get_ydata() == pytest.approx(display.alpha)
    display.figure_.canvas.draw()


def test_it_draws_where_it_is_told_to(ten_boosted):
    first = RoundsDisplay.from_estimator(ten_boosted)
    again = first.plot(first.ax_)
    assert again is first
    assert len(first.ax_.lines) == 2

import pytest

from coterie.boosting import AdaBoostVClassifier, LPBoostClassifier
from coterie.plotting import MarginBoundDisplay


@pytest.mark.slow
def test_margin_and_bound_of_the_ten_points(ten_points):
    display = MarginBoundDisplay.from_estimator(LPBoostClassifier(nu=None).fit(*ten_points))
    assert display.margin == pytest.approx([-1, 0, 1 / 3])
    assert display.bound == pytest.approx([0.4] * 3)
    bound, margin, zero = display.ax_.lines  # of a hard margin, the least is the same line
    assert margin.get_ydata()[-1] == pytest.approx(1 / 3)
    assert bound.get_ydata()[-1] == pytest.approx(0.4)
    assert list(zero.get_ydata()) == [0, 0]
    display.figure_.canvas.draw()


def test_soft_margin_is_drawn_besides_the_least(ten_points):
    model = LPBoostClassifier(nu=1.0).fit(*ten_points)
    display = MarginBoundDisplay.from_estimator(model)
    assert display.margin == pytest.approx(0.4)
    assert display.min_margin == pytest.approx(-1)
    assert len(display.ax_.lines) == 4


def test_margin_of_adaboost_star(ten_points):
    display = MarginBoundDisplay.from_estimator(AdaBoostVClassifier().fit(*ten_points))
    assert display.bound[-1] - display.margin[-1] <= 0.1
    assert (display.margin <= display.bound).all()


def test_a_booster_without_margins_is_refused(ten_boosted):
    with pytest.raises(ValueError, match="margin"):
        MarginBoundDisplay.from_estimator(ten_boosted)

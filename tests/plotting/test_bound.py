import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from coterie.boosting import AdaBoostClassifier
from coterie.plotting import BoundDisplay


@pytest.mark.slow
def test_error_and_bound_of_the_ten_points(ten_boosted):
    display = BoundDisplay.from_estimator(ten_boosted)
    z = 2 * np.sqrt(np.array([3 / 10 * 7 / 10, 3 / 14 * 11 / 14, 3 / 22 * 19 / 22]))
    assert display.bound == pytest.approx(np.cumprod(z))
    # Two stumps decide as the stronger one of them, three are right about all.
    assert display.train_error == pytest.approx([0.3, 0.3, 0.0])
    assert display.validation_error is None
    assert [line.get_ydata()[-1] for line in display.ax_.lines] == pytest.approx([z.prod(), 0.0])
    display.figure_.canvas.draw()


def test_rows_held_out_are_drawn_too():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=10, early_stopping=True, random_state=0).fit(X, y)
    display = BoundDisplay.from_estimator(model)
    assert np.array_equal(display.validation_error, model.trace_["validation_error"])
    assert len(display.ax_.lines) == 3
    assert (display.train_error <= display.bound).all()


def test_a_rule_without_a_bound_shows_its_error(ten_boosted):
    for facts in ten_boosted.trace_:
        del facts["bound"]
    display = BoundDisplay.from_estimator(ten_boosted)
    assert display.bound is None
    (line,) = display.ax_.lines
    assert line.get_ydata() == pytest.approx([0.3, 0.3, 0.0])

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from coterie.combining import risk_coverage
from coterie.plotting import RiskCoverageDisplay

X, Y = load_iris(return_X_y=True)


@pytest.mark.slow
def test_curve_of_predictions():
    display = RiskCoverageDisplay.from_predictions([1, 0, 1, 1], [0.9, 0.6, 0.8, 0.5])
    assert display.curve.coverage == pytest.approx([0.25, 0.5, 0.75, 1])
    assert display.curve.risk == pytest.approx([0, 0, 1 / 3, 1 / 4])
    drawn = display.ax_.lines[0]
    # The risk between two coverages is that of the next row to be answered.
    np.testing.assert_allclose(drawn.get_xdata(), [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(drawn.get_ydata(), [0, 0, 1 / 3, 1 / 4, 1 / 4])
    display.figure_.canvas.draw()


def test_curve_of_a_classifier():
    model = GaussianNB().fit(X[:, :2], Y)
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    display = RiskCoverageDisplay.from_estimator(model, X[:, :2], Y, sample_weight=weight)
    chances = model.predict_proba(X[:, :2])
    wanted = risk_coverage(chances.max(axis=1), chances.argmax(axis=1) == Y, weight)
    np.testing.assert_allclose(display.curve.risk, wanted.risk)
    assert display.curve.risk[-1] == pytest.approx(
        np.average(model.predict(X[:, :2]) != Y, weights=weight)
    )
    assert display.name == "GaussianNB"

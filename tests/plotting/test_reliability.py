import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from coterie import fusion
from coterie.plotting import ReliabilityDisplay
from coterie.plotting.reliability import chances_and_codes

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["x", "y", "z"])[Y]


@pytest.mark.slow
def test_points_of_predictions():
    display = ReliabilityDisplay.from_predictions([0, 1, 1, 1], [0.1, 0.3, 0.8, 1.0], n_bins=2)
    assert display.curve.mean == pytest.approx([0.2, 0.9])
    assert display.curve.frequency == pytest.approx([0.5, 1])
    assert display.error == pytest.approx(0.2)
    drawn = display.ax_.collections[0].get_offsets()
    np.testing.assert_allclose(drawn, [[0.2, 0.5], [0.9, 1]])
    assert "0.200" in display.ax_.get_legend().get_texts()[0].get_text()
    display.figure_.canvas.draw()


def test_two_classes_look_at_the_second():
    two = Y < 2
    model = GaussianNB().fit(X[two, :1], NAMES[two])
    display = ReliabilityDisplay.from_estimator(model, X[two, :1], NAMES[two], strategy="quantile")
    wanted = fusion.calibration_error(
        model.predict_proba(X[two, :1])[:, 1], Y[two] == 1, strategy="quantile"
    )
    assert display.error == pytest.approx(wanted)
    assert display.name == "GaussianNB"


def test_many_classes_look_at_the_largest():
    model = GaussianNB().fit(X[:, :1], NAMES)
    display = ReliabilityDisplay.from_estimator(model, X[:, :1], NAMES)
    assert display.error == pytest.approx(
        fusion.calibration_error(model.predict_proba(X[:, :1]), Y)
    )


def test_displays_share_axes():
    first = ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.7], name="a")
    second = ReliabilityDisplay.from_predictions([0, 1], [0.4, 0.9], name="b", ax=first.ax_)
    assert second.ax_ is first.ax_
    assert len(first.ax_.lines) == 3  # one diagonal
    colors = {tuple(points.get_facecolor()[0]) for points in first.ax_.collections}
    assert len(colors) == 2


def test_models_that_cannot_be_shown():
    with pytest.raises(TypeError, match="no probabilities"):
        chances_and_codes(RidgeClassifier().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="not one of the classes"):
        chances_and_codes(GaussianNB().fit(X, Y), X, Y + 5)

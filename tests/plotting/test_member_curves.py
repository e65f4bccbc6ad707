import numpy as np
import pytest

from coterie import AdaBoostClassifier, BaggingRegressor
from coterie.plotting import MemberCurvesDisplay

X = np.stack([np.linspace(0, 6, 40), np.tile([0.0, 1.0], 20)], axis=1)
Y = np.sin(X[:, 0])


@pytest.mark.slow
def test_curves_are_what_members_predict():
    model = BaggingRegressor(n_estimators=5, random_state=0).fit(X, Y)
    display = MemberCurvesDisplay.from_estimator(model, X, Y, resolution=30)
    rows = np.stack([display.x, np.full(30, 0.5)], axis=1)
    for member, curve in zip(model.estimators_, display.members, strict=True):
        np.testing.assert_allclose(curve, member.predict(rows))
    np.testing.assert_allclose(display.whole, model.predict(rows))
    np.testing.assert_allclose(display.whole, display.members.mean(axis=0))
    assert len(display.ax_.lines) == 6
    display.figure_.canvas.draw()


def test_predictions_from_anywhere():
    display = MemberCurvesDisplay.from_predictions([0, 1, 2], [[0, 0, 0], [2, 4, 6]], name="t")
    np.testing.assert_array_equal(display.whole, [1, 2, 3])
    assert display.ax_.get_xlabel() == "t"
    with pytest.raises(ValueError, match="2 points, but 3 predictions"):
        MemberCurvesDisplay.from_predictions([0, 1], [[0, 0, 0]])


def test_classifiers_are_refused():
    with pytest.raises(TypeError, match="use RegionsDisplay"):
        MemberCurvesDisplay.from_estimator(AdaBoostClassifier().fit(X, Y > 0), X)

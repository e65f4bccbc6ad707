import numpy as np
import pytest

from coterie.boosting import AdaBoostClassifier
from coterie.plotting import RoundPictureDisplay


@pytest.mark.slow
def test_areas_are_the_weights_of_the_round(ten_boosted, ten_points):
    display = RoundPictureDisplay.from_estimator(ten_boosted, *ten_points, resolution=40)
    assert list(display.rounds) == [1, 2, 3]
    for place, ax in enumerate(display.axes_):
        drawn = np.concatenate([dots.get_sizes() for dots in ax.collections[-2:]])
        by_class = np.argsort(display.labels, kind="stable")
        assert drawn / drawn.sum() == pytest.approx(ten_boosted.trace_.weights[place][by_class])
    assert [ax.get_title() for ax in display.axes_] == ["round 1", "round 2", "round 3"]
    display.figure_.canvas.draw()


def test_shading_is_the_score_and_its_sign_the_decision(ten_boosted, ten_points):
    display = RoundPictureDisplay.from_estimator(
        ten_boosted, *ten_points, rounds=[3], resolution=20
    )
    said = ten_boosted.predict(display.grid.rows).reshape(20, 20)
    np.testing.assert_array_equal(display.scores[0] > 0, said == 1)
    last = ten_boosted.estimator_weights_[-1]
    assert set(np.abs(display.steps[0]).round(6).ravel()) == {round(last, 6)}


def test_what_is_missing_is_said(ten_points):
    X, y = ten_points
    bare = AdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="trace='weights'"):
        RoundPictureDisplay.from_estimator(bare, X, y)
    model = AdaBoostClassifier(n_estimators=2, trace="weights").fit(X, y)
    with pytest.raises(ValueError, match="fitted on 10 rows"):
        RoundPictureDisplay.from_estimator(model, X[:5], y[:5])
    three = AdaBoostClassifier(n_estimators=2, trace="weights").fit(X, np.arange(10) % 3)
    with pytest.raises(ValueError, match="there are 3"):
        RoundPictureDisplay.from_estimator(three, X, np.arange(10) % 3)
    with pytest.raises(ValueError, match="1 rounds, but 2 axes"):
        RoundPictureDisplay.from_estimator(model, X, y, rounds=[1], ax=[None, None])

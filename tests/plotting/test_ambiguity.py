"""The ambiguity-error map: the centre's height above the diagonal is the ensemble's error."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import AdaBoostRegressor, RandomForestRegressor

from coterie import RandomForestRegressor as Ours
from coterie import theory
from coterie.plotting import AmbiguityDisplay
from tests.diversity.pools import FIGURE, forest_pool
from tests.plotting.pictures import check_picture, texts


@pytest.mark.slow
@pytest.mark.parametrize("model", [RandomForestRegressor, Ours])
def test_height_above_the_diagonal(model):
    X, y = load_diabetes(return_X_y=True)
    forest = model(7, random_state=0).fit(X[::2], y[::2])
    display = AmbiguityDisplay.from_estimator(forest, X[1::2], y[1::2])
    wanted = ((forest.predict(X[1::2]) - y[1::2]) ** 2).mean()
    assert display.error == pytest.approx(wanted)
    segment = next(line for line in display.ax_.lines if line.get_linewidth() > 2)
    low, high = segment.get_ydata()
    assert high - low == pytest.approx(wanted)
    assert segment.get_xdata()[0] == pytest.approx(low)
    check_picture(display.figure_)


def test_members_with_weights():
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=4, random_state=0).fit(X, y)
    display = AmbiguityDisplay.from_estimator(model, X, y)
    said = np.stack([member.predict(X) for member in model.estimators_])
    mean = np.average(said, axis=0, weights=model.estimator_weights_[: len(said)])
    assert display.error == pytest.approx(((mean - y) ** 2).mean())


def test_points_of_votes():
    labels, y = forest_pool()
    display = AmbiguityDisplay.from_predictions(labels, y, name="forest")
    parts = theory.vote_ambiguity(labels, y)
    drawn = display.ax_.collections[0].get_offsets()
    np.testing.assert_allclose(drawn[:, 0], parts.member_ambiguities)
    np.testing.assert_allclose(drawn[:, 1], (labels != y).mean(axis=1))
    assert display.error == pytest.approx(parts.error, abs=1e-12)
    assert f"forest: {parts.mean_error:.3f} − {parts.mean_ambiguity:.3f}" in texts(display.ax_)


def test_the_figure_is_told_apart():
    displays = {
        pool: AmbiguityDisplay.from_predictions(hits, [1, 1, 1]) for pool, hits in FIGURE.items()
    }
    assert displays["helps"].centre == pytest.approx((2 / 9, 1 / 3))
    assert displays["hurts"].centre == pytest.approx((2 / 9, 2 / 3))
    assert displays["nothing"].centre == pytest.approx((0, 1 / 3))


def test_refusals():
    with pytest.raises(ValueError, match="kind"):
        AmbiguityDisplay.from_predictions([[1]], [1], kind="text")

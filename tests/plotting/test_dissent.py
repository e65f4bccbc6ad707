"""The dissent profile as drawn: areas of the bars are the numbers of the theory."""

import numpy as np
import pytest

from coterie import theory
from coterie.plotting import DissentDisplay
from tests.diversity.pools import FIGURE, forest_pool, random_pool
from tests.plotting.pictures import check_picture, fitted, rows, texts


def area(container):
    return sum(bar.get_width() * bar.get_height() for bar in container)


def check_areas(display):
    profile = display.profile
    together, bad, good = display.ax_.containers
    assert area(together) == pytest.approx(profile.together, abs=1e-12)
    assert area(bad) == pytest.approx(profile.bad, abs=1e-12)
    assert area(good) == pytest.approx(profile.good, abs=1e-12)
    assert area(together) + area(good) == pytest.approx(profile.mean_error, abs=1e-12)
    assert area(together) + area(bad) == pytest.approx(profile.error, abs=1e-12)
    # The mean error and the error of the vote are on the axes.
    flat, upright = display.ax_.lines
    assert flat.get_ydata()[0] == pytest.approx(profile.mean_error)
    assert upright.get_xdata()[0] == pytest.approx(profile.error)
    # Both profiles have the same area.
    own, alone = (patch.get_data() for patch in display.ax_.patches if hasattr(patch, "get_data"))
    for values, edges, _ in (own, alone):
        assert values @ np.diff(edges) == pytest.approx(profile.mean_error, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_areas_are_errors(n_classes):
    labels, y = random_pool(3, n_members=6, n_classes=n_classes)
    weight = np.random.default_rng(0).random(60)
    check_areas(DissentDisplay.from_predictions(labels, y, sample_weight=weight))


@pytest.mark.slow
def test_real_trees():
    labels, y = forest_pool()
    display = DissentDisplay.from_predictions(labels, y, name="forest")
    check_areas(display)
    expected = theory.good_bad_diversity(labels, y)
    assert display.profile.good == pytest.approx(expected.good)
    words = texts(display.ax_)
    assert f"error of the vote: {expected.error:.3f}" in words
    assert f"forest\ngain {expected.good - expected.bad:+.3f}" in words
    check_picture(display.figure_)


@pytest.mark.parametrize(("pool", "error"), [("helps", 0), ("nothing", 1 / 3), ("hurts", 1)])
def test_the_figure(pool, error):
    display = DissentDisplay.from_predictions(FIGURE[pool])
    check_areas(display)
    assert display.profile.error == pytest.approx(error)


def test_equal_neighbours_are_one_step():
    display = DissentDisplay.from_predictions([[1, 1, 0, 0, 1], [1, 1, 0, 0, 1], [1, 0, 1, 0, 1]])
    edges, heights = display.steps()
    np.testing.assert_allclose(edges, [0, 0.2, 0.4, 0.6, 1])
    np.testing.assert_allclose(heights, [1, 2 / 3, 1 / 3, 0])
    # Rows that nobody gets wrong are cut off.
    assert display.ax_.get_xlim()[1] == pytest.approx(0.612)
    # A vote that loses although half of the members are right splits equal heights.
    split = DissentDisplay.from_predictions([[1, 0], [0, 1]], vote=[1, 0])
    assert split.steps()[1].tolist() == [0.5, 0.5]
    check_areas(split)


def test_members_that_never_fail():
    display = DissentDisplay.from_predictions([[1, 1], [1, 1], [1, 1]])
    assert display.ax_.get_xlim() == (0, 1)
    check_areas(display)
    check_areas(DissentDisplay.from_predictions([[0, 0], [0, 0], [0, 0]]))


@pytest.mark.parametrize("ensemble", ["stack", "AdaBoost of scikit-learn", "named list"])
def test_the_vote_is_that_of_the_model(ensemble):
    model, (X, y) = fitted(ensemble), rows("test")
    display = DissentDisplay.from_estimator(model, X, y)
    if ensemble != "named list":
        assert display.profile.error == pytest.approx(np.mean(model.predict(X) != y))
    check_areas(display)

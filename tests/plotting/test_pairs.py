"""The heat map: the matrix in an order in which similar members are neighbours."""

import numpy as np
import pytest

from coterie import diversity
from coterie.plotting import PairwiseDisplay
from coterie.plotting.pairs import MEASURES, clustered, member_names
from tests.diversity.pools import forest_pool, random_pool
from tests.plotting.pictures import check_picture, fitted, rows


@pytest.mark.slow
@pytest.mark.parametrize("measure", [m for m in MEASURES if m != "q_statistic"])
def test_what_is_drawn(measure):
    labels, y = random_pool(0)
    display = PairwiseDisplay.from_predictions(labels, y, measure=measure)
    expected = getattr(diversity, measure)(labels, y)
    np.testing.assert_array_equal(display.matrix, expected)
    shown = np.asarray(display.ax_.images[0].get_array())
    away = ~np.eye(7, dtype=bool)
    np.testing.assert_array_equal(shown[away], expected[np.ix_(display.order, display.order)][away])
    mean = diversity.mean_over_pairs(expected).mean
    assert f"{mean:.3f}" in display.ax_.get_title()


@pytest.mark.slow
def test_groups_are_blocks():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, (2, 200))
    labels = np.where(rng.random((8, 200)) < 0.9, group[np.arange(8) % 2], 1)
    display = PairwiseDisplay.from_predictions(labels)
    halves = {tuple(sorted(display.order[:4])), tuple(sorted(display.order[4:]))}
    assert halves == {(0, 2, 4, 6), (1, 3, 5, 7)}
    ticks = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert ticks == [str(t) for t in display.order]
    check_picture(display.figure_)


@pytest.mark.slow
def test_a_scale_with_both_signs_has_zero_in_the_middle():
    labels, _ = random_pool(1, n_classes=2, n_members=12, n_samples=20)
    image = PairwiseDisplay.from_predictions(1 - labels, measure="correlation").ax_.images[0]
    values = np.asarray(image.get_array())
    low, high = image.get_clim()
    assert np.nanmin(values) < 0 < np.nanmax(values)
    assert low == -high


def test_names():
    X, y = rows("test")
    assert member_names(fitted("named list")) == ["Bayes", "stump", "logistic"]
    assert member_names(fitted("votes of scikit-learn")) == ["Bayes", "stump", "logistic"]
    assert member_names(fitted("list"))[0] == "GaussianNB"
    assert member_names(fitted("forest")) is None
    display = PairwiseDisplay.from_estimator(fitted("votes"), X, y)
    ticks = {tick.get_text() for tick in display.ax_.get_yticklabels()}
    assert ticks == {"Bayes", "stump", "logistic"}


def test_a_measure_of_ones_own():
    labels, y = forest_pool()
    display = PairwiseDisplay.from_predictions(labels, y, measure=diversity.error_ratio)
    assert display.measure == "error ratio"
    with pytest.raises(ValueError, match="measure must be one of disagreement"):
        PairwiseDisplay.from_predictions(labels, y, measure="distance")
    with pytest.raises(ValueError, match="9 members, but 2 names"):
        PairwiseDisplay.from_predictions(labels, y, names=["a", "b"])


def test_two_members_have_one_order():
    assert clustered(np.array([[0.0, 0.5], [0.5, 0.0]])).tolist() == [0, 1]

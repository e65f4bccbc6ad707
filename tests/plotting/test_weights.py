import numpy as np
import pytest

from coterie.plotting import WeightsDisplay

NAMES = ["P1", "P2", "P3", "P4", "P5", "N1", "N2", "N3", "N4", "N5"]
# Before each round, in the groups P1 P2 | P3 P4 P5 | N1 N2 N3 | N4 N5.
BY_HAND = np.array([[1 / 10] * 4, [1 / 14, 1 / 6, 1 / 14, 1 / 14], [1 / 22, 7 / 66, 1 / 6, 1 / 22]])


@pytest.mark.slow
def test_weights_of_the_ten_points(ten_boosted):
    display = WeightsDisplay.from_estimator(ten_boosted, names=NAMES)
    assert display.weights == pytest.approx(np.repeat(BY_HAND, [2, 3, 3, 2], axis=1))
    # N4 and N5 weigh what P1 and P2 weigh: no stump so far was wrong about them.
    assert [group.tolist() for group in display.groups()] == [[0, 1, 8, 9], [2, 3, 4], [5, 6, 7]]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["P1, P2, N4, N5", "P3, P4, P5", "N1, N2, N3"]
    assert display.ax_.lines[1].get_ydata() == pytest.approx(BY_HAND[:, 1])
    display.figure_.canvas.draw()


@pytest.mark.slow
def test_an_image_shows_multiples_of_the_mean(ten_boosted):
    display = WeightsDisplay.from_estimator(ten_boosted, names=NAMES, kind="image")
    (image,) = display.ax_.images
    assert np.asarray(image.get_array()) == pytest.approx(display.weights.T * 10)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == NAMES
    display.figure_.canvas.draw()


@pytest.mark.parametrize(("n_rows", "images"), [(20, 0), (21, 1)])
def test_many_rows_become_an_image(n_rows, images):
    display = WeightsDisplay(np.full((4, n_rows), 1 / n_rows)).plot()
    assert len(display.ax_.images) == images


def test_weights_of_pairs_are_added_up(ten_boosted):
    pairs = [
        np.stack([weight / 4, weight * 3 / 4], axis=1) for weight in ten_boosted.trace_.weights
    ]
    before = np.array(ten_boosted.trace_.weights)
    ten_boosted.trace_.weights = pairs
    assert WeightsDisplay.from_estimator(ten_boosted).weights == pytest.approx(before)


def test_what_is_missing_or_wrong_is_said(ten_boosted):
    with pytest.raises(ValueError, match="10 rows, but 2 names"):
        WeightsDisplay.from_estimator(ten_boosted, names=["a", "b"])
    with pytest.raises(ValueError, match="kind must be"):
        WeightsDisplay.from_estimator(ten_boosted, kind="pie")
    ten_boosted.trace_.weights = []
    with pytest.raises(ValueError, match="Fit it with trace='weights'"):
        WeightsDisplay.from_estimator(ten_boosted)


def test_rows_without_names_are_sorted_by_weight():
    weights = np.tile(np.linspace(1, 3, 30), (4, 1))
    weights[:, 5] = 9.0
    display = WeightsDisplay(weights / weights.sum(axis=1, keepdims=True)).plot()
    shown = np.asarray(display.ax_.images[0].get_array())[:, 0]
    assert (np.diff(shown) <= 0).all()
    assert display.ax_.get_ylabel() == "row, by weight"

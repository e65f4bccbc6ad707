"""The kappa-error diagram: points against another library's kappa, by hand."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from coterie import diversity
from coterie.plotting import KappaErrorDisplay
from tests.diversity.pools import forest_pool, random_pool
from tests.plotting.pictures import check_picture, texts


@pytest.mark.slow
def test_points_are_pairs():
    labels, y = random_pool(0)
    display = KappaErrorDisplay.from_predictions(labels, y)
    assert len(display.pairs) == 21
    drawn = display.ax_.collections[0].get_offsets()
    for (i, j), (kappa, error) in zip(display.pairs, drawn, strict=True):
        assert kappa == pytest.approx(cohen_kappa_score(labels[i], labels[j]))
        assert error == pytest.approx(((labels[i] != y).mean() + (labels[j] != y).mean()) / 2)
    centre = display.ax_.collections[1].get_offsets()[0]
    np.testing.assert_allclose(centre, [diversity.mean_kappa(labels), (labels != y).mean()])
    check_picture(display.figure_)


@pytest.mark.slow
def test_pools_share_axes():
    labels, y = forest_pool()
    first = KappaErrorDisplay.from_predictions(labels, y, name="forest")
    other = random_pool(1)
    second = KappaErrorDisplay.from_predictions(*other, name="chance", ax=first.ax_)
    assert second.ax_ is first.ax_
    colors = {tuple(points.get_facecolor()[0][:3]) for points in first.ax_.collections}
    assert len(colors) == 2
    assert "forest: " in texts(first.ax_)
    assert "chance: " in texts(first.ax_)
    # Both clouds are within the axes.
    first.figure_.canvas.draw()
    high = first.ax_.get_ylim()[1]
    assert high >= max(first.error.max(), second.error.max())


def test_many_pairs_are_thinned_out_but_counted():
    labels, y = random_pool(2, n_members=20)
    display = KappaErrorDisplay.from_predictions(labels, y, max_pairs=50)
    assert len(display.kappa) == 50
    assert display.centre[0] == pytest.approx(diversity.mean_kappa(labels))


def test_undefined_pairs_are_counted():
    display = KappaErrorDisplay.from_predictions([[1, 1, 1], [1, 1, 1], [1, 0, 1]], [1, 0, 1])
    assert (len(display.pairs), display.n_undefined) == (2, 1)
    with pytest.raises(ValueError, match="undefined for all"):
        KappaErrorDisplay.from_predictions([[1, 1], [1, 1]], [1, 0])
    with pytest.raises(ValueError, match="at least two"):
        KappaErrorDisplay.from_predictions([[1, 0]], [1, 0])


def test_rows_count_what_they_weigh():
    labels, y = random_pool(3)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    heavy = KappaErrorDisplay.from_predictions(labels, y, sample_weight=weight)
    again = KappaErrorDisplay.from_predictions(
        np.repeat(labels, weight, axis=1), np.repeat(y, weight)
    )
    np.testing.assert_allclose(heavy.kappa, again.kappa)
    np.testing.assert_allclose(heavy.error, again.error)

"""Sets of points."""

import numpy as np
import pytest

from coterie.studio.toys import CURVES, TOYS, toy


@pytest.mark.parametrize("name", TOYS)
def test_sets_have_two_classes_and_repeat(name):
    X, y = toy(name, n=80, seed=3)
    assert X.shape == (len(y), 2)
    assert set(y) == {0, 1}
    np.testing.assert_array_equal(toy(name, n=80, seed=3)[0], X)


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_numbers_over_one_column(name):
    X, y = toy(name, n=80, spread=0.0, seed=3)
    assert X.shape == (80, 1)
    assert y.dtype == np.float64
    noisy = toy(name, n=80, spread=0.0, noise=0.25, seed=3)[1]
    assert 0 < (noisy != y).sum() <= 20


def test_noise_turns_labels_round():
    clean, noisy = toy("moons", n=100)[1], toy("moons", n=100, noise=0.2)[1]
    assert (clean != noisy).sum() == 20


def test_unknown_sets_are_named():
    with pytest.raises(ValueError, match="no data set 'x'; choose from moons"):
        toy("x")

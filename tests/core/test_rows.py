import numpy as np
import pytest

from coterie.core.rows import Fraction, Resample, every_row
from coterie.core.rule import Ask
from coterie.data import Target

ASK = Ask(Target.labels([0, 1, 0, 1]), np.array([1.0, 2.0, 0.0, 5.0]))


def test_every_row_is_the_ask_itself():
    assert every_row(ASK, np.random.default_rng(0)) is ASK


@pytest.mark.slow
def test_resampled_rows_follow_their_weights():
    rng = np.random.default_rng(0)
    counts = np.array([Resample()(ASK, rng).weight for _ in range(4000)])
    assert (counts.sum(axis=1) == 4).all()
    np.testing.assert_allclose(counts.mean(axis=0), 4 * ASK.weight / 8, atol=0.06)
    assert Resample(0.5)(ASK, rng).weight.sum() == 2


def test_each_output_is_resampled_by_its_own_weights():
    ask = Ask(ASK.target, np.array([[1.0, 0.0], [0.0, 1.0]]))
    drawn = Resample()(ask, np.random.default_rng(0)).weight
    np.testing.assert_array_equal(drawn, [[2, 0], [0, 2]])


@pytest.mark.parametrize(("fraction", "kept"), [(0.5, 2), (0.01, 1), (1.0, 4)])
def test_a_fraction_of_the_rows_keeps_its_weights(fraction, kept):
    ask = Ask(ASK.target, np.arange(1.0, 5.0))
    weight = Fraction(fraction)(ask, np.random.default_rng(0)).weight
    assert (weight > 0).sum() == kept
    assert set(weight[weight > 0]) <= set(ask.weight)
    np.testing.assert_array_equal(ask.weight, np.arange(1.0, 5.0))


def test_draws_have_no_scale_and_parts_keep_theirs():
    ask = Ask(ASK.target, np.array([0.1, 0.2, 0.3, 0.4]), scale=4.0)
    assert Resample()(ask, np.random.default_rng(0)).scale == 1.0
    assert Fraction(0.5)(ask, np.random.default_rng(0)).scale == 4.0

"""What a further member would add."""

import numpy as np
import pytest

from coterie.automl.combine import OutOfFold
from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS
from coterie.automl.race import Rival, by_gain


def numbers(said, truth):
    return OutOfFold(np.array(said)[:, :, None], np.array(truth), NUMBER_METRICS["mse"])


def test_the_gain_is_that_of_the_best_share():
    """Errors of +1 and -1 cancel out with equal shares; the loss was 1."""
    rival = Rival(numbers([[1.0, 2.0, 3.0]], [0.0, 1.0, 2.0]))
    assert rival.loss == 1.0
    assert rival.gain(np.array([[-1.0], [0.0], [1.0]])) == 1.0
    assert rival.gain(np.array([[-3.0], [-2.0], [-1.0]])) == 1.0  # a quarter of it


def test_what_is_worse_in_every_mixture_gains_nothing():
    rival = Rival(numbers([[1.0, 2.0, 3.0]], [0.0, 1.0, 2.0]))
    assert rival.gain(np.array([[9.0], [9.0], [9.0]])) == 0.0


def test_members_count_together():
    rival = Rival(numbers([[1.0, 1.0], [-1.0, -1.0]], [0.0, 0.0]))
    assert rival.loss == pytest.approx(0.0, abs=1e-6)


def test_some_of_many_rows_are_looked_at():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([1, 1], size=(1, 20_001))
    rival = Rival(OutOfFold(chances, rng.integers(0, 2, 20_001), CLASS_METRICS["log_loss"]))
    assert len(rival.rows) <= 5_000
    assert rival.gain(chances[0]) == 0.0


def test_most_gain_per_second_comes_first():
    assert by_gain([0.2, 0.1, 0.0], [10.0, 1.0, 0.0]) == [1, 0, 2]
    assert by_gain([], []) == []

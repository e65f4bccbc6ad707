"""Brier scores."""

import numpy as np
import pytest

from coterie.survival import (
    brier_score,
    integrated_brier_score,
    kaplan_meier,
    make_outcomes,
)
from tests.survival.eight import EIGHT, sample

CURVES = np.array(
    [
        (0.9, 0.7, 0.4),
        (0.8, 0.5, 0.3),
        (0.85, 0.6, 0.5),
        (0.9, 0.7, 0.6),
        (0.8, 0.6, 0.4),
        (0.95, 0.8, 0.6),
        (0.97, 0.9, 0.8),
        (0.98, 0.9, 0.85),
    ]
)
TIMES = [2, 4, 5]


def test_eight_rows():
    score = brier_score(EIGHT, EIGHT, CURVES, TIMES)
    np.testing.assert_allclose(score, [0.190788, 0.203125, 0.153516], atol=1e-6)
    assert abs(integrated_brier_score(EIGHT, EIGHT, CURVES, TIMES) - 0.190744) < 1e-6
    score = brier_score(EIGHT, EIGHT, CURVES, TIMES, ties="sksurv")
    np.testing.assert_allclose(score, [0.190788, 0.214375, 0.161328], atol=1e-6)
    parity = integrated_brier_score(EIGHT, EIGHT, CURVES, TIMES, ties="sksurv")
    assert abs(parity - 0.197671) < 1e-6


def test_without_censoring_it_is_a_squared_error():
    rng = np.random.default_rng(0)
    y, said = make_outcomes(np.ones(50), rng.exponential(size=50)), rng.random((50, 1))
    status = y["time"] > 0.7
    expected = np.mean((status - said[:, 0]) ** 2)
    assert abs(brier_score(y, y, said, [0.7])[0] - expected) < 1e-12


def test_as_scikit_survival():
    metrics = pytest.importorskip("sksurv.metrics")
    y = sample()[1]
    times = np.arange(2.0, 9.0)
    said = np.tile(kaplan_meier(y)(times), (len(y), 1)) * np.linspace(0.8, 1, len(y))[:, None]
    mine = brier_score(y, y, said, times, ties="sksurv")
    np.testing.assert_allclose(mine, metrics.brier_score(y, y, said, times)[1], atol=1e-12)


def test_bad_input():
    with pytest.raises(ValueError, match="a column for each of the 2 times"):
        brier_score(EIGHT, EIGHT, CURVES, [1, 2])
    with pytest.raises(ValueError, match="at least two ascending"):
        integrated_brier_score(EIGHT, EIGHT, CURVES[:, :1], [2])

"""Tables for members that take numbers only."""

import numpy as np
import pytest

from coterie.automl.encoding import as_numbers
from coterie.automl.situation import Situation

RNG = np.random.default_rng(0)


def table(n=200):
    numbers = RNG.lognormal(0, 2, (n, 2))
    numbers[::7, 0] = np.nan
    few, many = RNG.integers(0, 3, n).astype(float), RNG.integers(0, 60, n).astype(float)
    few[::11] = np.nan
    return np.column_stack([numbers, few, many])


@pytest.mark.parametrize("ranks", [False, True])
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_no_gaps_and_one_scale(task, ranks):
    X, n_classes = table(), {"binary": 2, "multiclass": 3, "regression": 0}[task]
    y = RNG.normal(size=200) if not n_classes else RNG.integers(0, n_classes, 200)
    s = Situation(task, 200, n_classes, np.array([0, 0, 3, 60]), missing=True)
    made = as_numbers(s, ranks=ranks).fit(X, y).transform(X)
    assert np.isfinite(made).all()
    # Two numbers, one of them with gaps; three labels and a gap; forty labels at most.
    assert made.shape[1] == 2 + 1 + 4 + 40
    assert np.abs(made).max() < 15
    unseen = np.array([[np.nan, 1e9, 99.0, 99.0]])
    assert np.isfinite(as_numbers(s, ranks=ranks).fit(X, y).transform(unseen)).all()


def test_many_columns_are_put_between_zero_and_one():
    """One that is almost always zero would be huge if it were standardised."""
    X = np.zeros((1000, 120))
    X[0, 0] = 255.0
    X[:, 1] = RNG.normal(size=1000)
    s = Situation("binary", 1000, 2, np.zeros(120, dtype=int))
    made = as_numbers(s).fit(X).transform(np.vstack([X, X[:1] * 9]))
    assert made.min() == 0.0
    assert made.max() == 1.0

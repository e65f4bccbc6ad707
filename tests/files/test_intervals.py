from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from coterie.files.errors import CommandError
from coterie.files.intervals import interval_width, outside, residual_quantile, set_limit
from coterie.files.models import Fitted


def test_ranks_by_hand():
    residuals = [5.0, -1.0, 3.0, -2.0, 4.0, np.nan]
    # ceil(6 * 0.5) = 3, ceil(6 * 0.8) = 5
    assert residual_quantile(residuals, 0.5) == 3.0
    assert residual_quantile(residuals, 0.8) == 5.0
    with pytest.raises(CommandError, match="more than the 5 rows"):
        residual_quantile(residuals, 0.9)


def test_new_rows_are_covered():
    rng = np.random.default_rng(0)
    covered = [
        np.mean(np.abs(rng.normal(size=1000)) <= residual_quantile(rng.normal(size=200), 0.9))
        for _ in range(50)
    ]
    assert np.mean(covered) == pytest.approx(0.9, abs=0.01)


def test_what_has_no_intervals():
    classifier = SimpleNamespace(classes_=np.array(["a", "b"]))
    with pytest.raises(CommandError, match="classifier"):
        interval_width(Fitted(classifier, Path("a")), 0.9)
    with pytest.raises(CommandError, match="keeps no out-of-fold predictions"):
        interval_width(Fitted(SimpleNamespace(), Path("a")), 0.9)


def test_sets_have_the_limit_of_the_rank():
    chances = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6]])
    model = SimpleNamespace(
        classes_=np.array(["a", "b"]), truth_=np.zeros(4, dtype=int), out_of_fold_=chances
    )
    fitted = Fitted(model, Path("a"))
    assert set_limit(fitted, 0.6) == pytest.approx(0.3)
    with pytest.raises(CommandError, match="more than the 4 rows"):
        set_limit(fitted, 0.9)
    numbers = SimpleNamespace(truth_=np.arange(4.0), out_of_fold_=np.zeros(4))
    assert set_limit(Fitted(numbers, Path("a")), 0.6) == 2.0
    assert outside(0.9) == 0.1

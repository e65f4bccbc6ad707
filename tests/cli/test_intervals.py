from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from coterie.cli.errors import CommandError
from coterie.cli.intervals import interval_width, residual_quantile
from coterie.cli.models import Fitted


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
    with pytest.raises(CommandError, match="classes"):
        interval_width(Fitted(classifier, Path("a")), 0.9)
    with pytest.raises(CommandError, match="keeps no out-of-fold predictions"):
        interval_width(Fitted(SimpleNamespace(), Path("a")), 0.9)

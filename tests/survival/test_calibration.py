"""Predicted against observed survival."""

import numpy as np
import pytest

from coterie.survival import kaplan_meier, make_outcomes, survival_calibration
from tests.survival.eight import EIGHT, sample
from tests.survival.truncated import late_sample

X, Y = sample(600)
SAID = 1 / (1 + np.exp(X[:, 0]))


def test_deciles_are_those_of_scikit_survival():
    nonparametric = pytest.importorskip("sksurv.nonparametric")
    found = survival_calibration(Y, SAID, time=5.0)
    assert found.rows.tolist() == [60] * 10
    assert (np.diff(found.predicted) > 0).all()
    order = np.argsort(SAID)
    for k in range(10):
        own = order[60 * k : 60 * (k + 1)]
        assert abs(found.predicted[k] - SAID[own].mean()) < 1e-12
        times, survival, band = nonparametric.kaplan_meier_estimator(
            Y["event"][own], Y["time"][own], conf_type="log-log"
        )
        at = np.searchsorted(times, 5.0, side="right") - 1
        assert abs(found.observed[k] - survival[at]) < 1e-12
        # The band is S^exp(±z θ) with θ = error / (S |ln S|).
        ratio = np.log(np.log(band[0, at]) / np.log(survival[at]))
        theta = found.error[k] / (survival[at] * -np.log(survival[at]))
        assert abs(abs(ratio) - 1.959964 * theta) < 1e-5


def test_one_group_is_everyone():
    found = survival_calibration(EIGHT, np.full(8, 0.5), 4.0)
    assert found.rows.tolist() == [8]
    assert found.observed[0] == kaplan_meier(EIGHT)([4.0])[0]
    as_column = survival_calibration(EIGHT, np.full((8, 1), 0.5), 4.0)
    assert as_column.observed[0] == found.observed[0]


def test_late_rows_are_counted_from_their_entry():
    _, y, entry = late_sample()
    found = survival_calibration(y, np.full(len(y), 0.5), 6.0, entry=entry)
    assert abs(found.observed[0] - kaplan_meier(y, entry=entry)([6.0])[0]) < 1e-12


def test_the_ends():
    gone = make_outcomes([1, 1], [1, 2])
    assert survival_calibration(gone, [0.1, 0.2], 3.0, 1).observed.tolist() == [0.0]
    lost = make_outcomes([1, 0], [1, 2])
    assert np.isnan(survival_calibration(lost, [0.1, 0.2], 3.0, 1).observed).all()
    with pytest.raises(ValueError, match="one number for each of the 8 rows"):
        survival_calibration(EIGHT, [0.5], 3.0)
    with pytest.raises(ValueError, match="n_bins=0"):
        survival_calibration(EIGHT, np.full(8, 0.5), 3.0, 0)

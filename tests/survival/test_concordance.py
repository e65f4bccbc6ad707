"""Concordance."""

import numpy as np
import pytest

from coterie.survival import (
    concordance_index,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    make_outcomes,
)
from coterie.survival.concordance import compare_pairs
from tests.survival.eight import EIGHT, EVENT, TIME, sample
from tests.survival.truncated import late_sample

RISK = np.array([8.0, 7, 3, 6, 5, 4, 2, 1])


def by_hand(event, time, risk, weight):
    """All pairs, one by one."""
    counts = np.zeros(3)
    for i in np.flatnonzero(event):
        for j in range(len(time)):
            if time[i] < time[j] or (time[i] == time[j] and not event[j]):
                which = 2 if abs(risk[i] - risk[j]) <= 1e-8 else 0 if risk[i] > risk[j] else 1
                counts[which] += weight[i] * weight[j]
    return counts


def test_eight_rows():
    assert compare_pairs(EVENT, TIME, RISK)[:] == (20, 3, 0)
    assert abs(concordance_index(EIGHT, RISK) - 0.869565) < 1e-6
    tied = np.array([8.0, 8, 3, 6, 5, 5, 2, 1])
    assert compare_pairs(EVENT, TIME, tied)[:] == (18, 3, 2)
    assert abs(concordance_index(EIGHT, tied) - 0.826087) < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_every_pair(seed):
    rng = np.random.default_rng(seed)
    n = 70
    event, time = rng.random(n) < 0.6, rng.integers(1, 15, n).astype(float)
    risk, weight = rng.integers(0, 9, n) + rng.choice([0, 5e-9], n), rng.uniform(size=n)
    found = compare_pairs(event, time, risk, weight)
    np.testing.assert_allclose(found, by_hand(event, time, risk, weight), atol=1e-9)


def test_weights_are_repetitions():
    times = np.array([1, 2, 0, 3, 1, 2, 1, 4])
    repeated = concordance_index(np.repeat(EIGHT, times), np.repeat(RISK, times))
    weighted = compare_pairs(EVENT, TIME, RISK, times.astype(float))
    # Copies of a row with the event at one time are not compared with each other.
    assert abs(weighted.share - repeated) < 1e-12


def test_uno():
    assert abs(concordance_index_ipcw(EIGHT, EIGHT, RISK, 6) - 0.883777) < 1e-6
    # An event at the limit itself counts no more.
    limits = [concordance_index_ipcw(EIGHT, EIGHT, RISK, tau) for tau in (4.5, 5.0, 5.5)]
    assert limits[0] == limits[1] != limits[2]
    parity = concordance_index_ipcw(EIGHT, EIGHT, RISK, 6, ties="sksurv")
    assert abs(parity - 0.836245) < 1e-6
    everyone = make_outcomes(np.ones(8), TIME + np.arange(8) / 100)
    assert (
        abs(concordance_index_ipcw(everyone, everyone, RISK) - concordance_index(everyone, RISK))
        < 1e-12
    )


def test_as_scikit_survival():
    metrics = pytest.importorskip("sksurv.metrics")
    X, y = sample()
    risk = X[:, 0] + X[:, 1]
    theirs = metrics.concordance_index_censored(y["event"], y["time"], risk)[0]
    assert abs(concordance_index(y, risk) - theirs) < 1e-12
    tau = np.quantile(y["time"], 0.8)
    theirs = metrics.concordance_index_ipcw(y, y, risk, tau)[0]
    assert abs(concordance_index_ipcw(y, y, risk, tau, ties="sksurv") - theirs) < 1e-12
    times = np.array([3.0, 5.0, 9.0])
    theirs = metrics.cumulative_dynamic_auc(y, y, risk, times)[0]
    mine = cumulative_dynamic_auc(y, y, risk, times, ties="sksurv")
    np.testing.assert_allclose(mine, theirs, atol=1e-12)


def test_nobody_to_compare_with():
    assert np.isnan(concordance_index(make_outcomes([0, 1], [1, 2]), [1, 2]))
    assert np.isnan(cumulative_dynamic_auc(EIGHT, EIGHT, RISK, [0.5, 99.0])).all()


def test_bad_input():
    with pytest.raises(ValueError, match="one number for each of the 8 rows"):
        concordance_index(EIGHT, RISK[:-1])
    last = make_outcomes([1, 1, 0], [1, 2, 3])
    late = make_outcomes([1, 1], [2, 5])
    with pytest.raises(ValueError, match="No training row is still observed at time 5; choose"):
        concordance_index_ipcw(last, late, [1, 2])


@pytest.mark.slow
def test_many_rows_need_no_pairs_in_memory():
    rng = np.random.default_rng(0)
    y = make_outcomes(rng.random(300_000) < 0.5, rng.exponential(size=300_000))
    risk = rng.normal(size=300_000) - y["time"]
    assert 0.7 < concordance_index(y, risk) < 0.9


def test_late_rows_are_compared_while_at_risk():
    X, y, entry = late_sample(80)
    risk, strata = np.round(X[:, 0], 1), X[:, 1] > 0
    weight = np.random.default_rng(0).integers(1, 4, 80).astype(float)
    event, time = y["event"], y["time"]

    def by_hand(same):
        earlier = (time[:, None] < time) | ((time[:, None] == time) & ~event)
        pairs = event[:, None] & earlier & (entry < time[:, None]) & same
        right = (risk[:, None] > risk) + 0.5 * (risk[:, None] == risk)
        mass = pairs * np.outer(weight, weight)
        return (mass * right).sum() / mass.sum()

    every, own = np.ones((80, 80), dtype=bool), strata[:, None] == strata
    assert abs(concordance_index(y, risk, weight, entry=entry) - by_hand(every)) < 1e-12
    both = concordance_index(y, risk, weight, entry=entry, strata=strata)
    assert abs(both - by_hand(own)) < 1e-12
    zero = concordance_index(y, risk, weight, entry=np.zeros(80))
    assert zero == concordance_index(y, risk, weight)


def test_risks_may_change_with_time():
    metrics = pytest.importorskip("sksurv.metrics")
    X, y = sample()
    times = np.array([3.0, 5.0, 9.0])
    risk = X[:, :1] + np.array([0.0, 0.3, 0.6]) * X[:, 1:2]
    theirs = metrics.cumulative_dynamic_auc(y, y, risk, times)[0]
    mine = cumulative_dynamic_auc(y, y, risk, times, ties="sksurv")
    np.testing.assert_allclose(mine, theirs, atol=1e-12)
    with pytest.raises(ValueError, match="a column for each of the 2 times"):
        cumulative_dynamic_auc(y, y, risk, times[:2])

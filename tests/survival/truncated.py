"""Rows that come under observation late, and risk sets by brute force."""

import numpy as np

from tests.survival.eight import sample


def late_sample(n=300, seed=0):
    """Rows of `sample`, half of which are seen from some time on only; and these times."""
    X, y = sample(n, seed)
    rng = np.random.default_rng(seed + 1)
    since = np.floor(y["time"] * rng.uniform(0, 1, n))
    return X, y, np.where(rng.random(n) < 0.5, np.minimum(since, y["time"] - 1), 0.0)


def hazard_steps(event, time, entry, weight=None):
    """Times of events, deaths and risk sets, row by row."""
    weight = np.ones(len(time)) if weight is None else weight
    times = np.unique(time[event & (weight > 0)])
    deaths = np.array([weight[event & (time == s)].sum() for s in times])
    at_risk = np.array([weight[(entry < s) & (s <= time)].sum() for s in times])
    return times, deaths, at_risk

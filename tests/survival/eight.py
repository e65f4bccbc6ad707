"""Eight rows that are small enough to reckon by hand."""

import numpy as np

from coterie.survival import make_outcomes

TIME = np.array([1.0, 2, 3, 3, 4, 5, 6, 8])
EVENT = np.array([1, 1, 1, 0, 1, 1, 0, 1], dtype=bool)
EIGHT = make_outcomes(EVENT, TIME)
COLUMN = np.array([5.0, 1, 4, 7, 2, 8, 6, 3])[:, None]


def sample(n=300, seed=0):
    """Rows whose hazard depends on the first column, half of them censored, with equal times."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    time, limit = rng.exponential(np.exp(-X[:, 0])), rng.exponential(1.5, size=n)
    return X, make_outcomes(time <= limit, np.ceil(10 * np.minimum(time, limit)))

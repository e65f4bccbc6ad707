"""Tables whose columns have few distinct values, so that bins are exact in every library."""

import numpy as np

#: Small models that learn something from few rows.
SMALL = {"max_iter": 20, "max_leaf_nodes": 8, "min_samples_leaf": 5, "random_state": 0}


def coarse(n_rows=400, seed=0, missing=0.0):
    """Five columns, and a signal that takes interactions to learn."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n_rows, 5)), 1)
    signal = X[:, 0] + X[:, 1] ** 2 + X[:, 2] * X[:, 3]
    X[rng.random(X.shape) < missing] = np.nan
    return X, signal, rng


def numbers(n_rows=400, seed=0, missing=0.0):
    """A regression table."""
    X, signal, rng = coarse(n_rows, seed, missing)
    return X, signal + rng.normal(size=n_rows)


def counts(n_rows=400, seed=0, missing=0.0):
    """A table with counts to predict."""
    X, signal, rng = coarse(n_rows, seed, missing)
    return X, rng.poisson(np.exp(signal / 4)).astype(float)


def two_classes(n_rows=400, seed=0, missing=0.0):
    """A table with noisy classes 0 and 1."""
    X, signal, rng = coarse(n_rows, seed, missing)
    return X, (signal + rng.normal(size=n_rows) > 1).astype(int)


def three_classes(n_rows=400, seed=0, missing=0.0):
    """A table with noisy classes 0, 1 and 2."""
    X, signal, rng = coarse(n_rows, seed, missing)
    return X, np.digitize(signal + rng.normal(size=n_rows), [0.3, 1.6])

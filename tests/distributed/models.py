"""Tables, and comparing models to the last bit."""

import numpy as np

from coterie.distributed.row_holder import Place


def filled(holder, codes):
    """A holder of all rows that has taken them."""
    holder.take(codes, Place("", None, 0, 0))
    return holder


def table(n=1500, seed=0):
    """Numbers with missing values and categories, and a target with some signal."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(2)
    X[rng.random(n) < 0.1, 1] = np.nan
    X[:, 3] = rng.integers(0, 6, n)
    y = X[:, 0] + np.nan_to_num(X[:, 1]) ** 2 + (X[:, 3] == 2) + rng.normal(size=n)
    return X, y


def same_forest(model, other):
    """Whether two models have the same trees, to the last bit."""
    names = ("nodes", "values", "n_samples", "weight", "impurity", "categories")
    mine, its = model.pool_, other.pool_
    assert len(mine) == len(its)
    for name in names:
        np.testing.assert_array_equal(
            getattr(mine.forest, name), getattr(its.forest, name), err_msg=name
        )
    np.testing.assert_array_equal(mine.weights, its.weights)
    return True

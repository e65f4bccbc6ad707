"""Where experts begin, and what they are shown."""

import numpy as np
from sklearn.linear_model import LinearRegression

from coterie import MixtureOfExpertsRegressor
from coterie.combining.mixture import first_shares

rng = np.random.default_rng(0)


def test_beginnings():
    inputs = np.hstack([np.ones((30, 1)), rng.normal(size=(30, 2))])
    shares = first_shares(inputs, 4, [0, 0])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    order = rng.permutation(30)
    np.testing.assert_array_equal(first_shares(inputs[order], 4, [0, 0]), shares[order])
    assert not np.array_equal(first_shares(inputs, 4, [0, 1]), shares)


def test_every_expert_sees_every_row():
    least = []

    class Watching(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            least.append(float(sample_weight.min()))
            return super().fit(X, y, sample_weight)

    table = rng.normal(size=(60, 1))
    MixtureOfExpertsRegressor(Watching(), n_experts=3, random_state=0).fit(table, table[:, 0] ** 2)
    assert min(least) > 0

"""Importances by shuffling."""

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from coterie import RandomForestRegressor
from coterie.automl.candidates import Candidate
from coterie.automl.clock import Clock, Deadline
from coterie.automl.combine import Blend
from coterie.automl.importances import _effort, most_used, permutation_importances
from coterie.automl.material import Material
from coterie.automl.metrics import NUMBER_METRICS
from coterie.automl.trial import run_trial
from coterie.learners import ForeignMember
from tests.automl.material import numbered


def importances(clock, matrix=None):
    situation, material, _, _ = numbered(600)
    y = 3 * material.matrix[:, 0] + material.matrix[:, 1]
    material = Material(material.matrix, y, material.splits, 0)
    linear = Candidate("l", "l", lambda s: clone(LinearRegression()))
    models = run_trial(linear, situation, material, Clock(1e6)).models
    if matrix is not None:
        material = Material(matrix(material.matrix), y, material.splits, 0)
    mse = NUMBER_METRICS["mse"]
    return permutation_importances(Blend("", np.ones(1)), [models], material, mse, clock, 0)


def test_shuffling_a_term_of_a_sum_costs_twice_its_variance():
    found = importances(Clock(1e6).until(1e6))
    assert set(found) == {0, 1, 2, 3}
    np.testing.assert_allclose([found[0][0], found[1][0]], [18, 2], rtol=0.2)
    np.testing.assert_allclose([found[2][0], found[3][0]], 0, atol=1e-9)
    assert 0 < found[0][1] < 3


def test_columns_out_of_time_or_sparse_are_left_out():
    assert importances(Deadline(0.0)) == {}
    assert importances(Clock(1e6).until(1e6), sparse.csr_array) == {}


def test_with_little_time_fewer_rows_are_shuffled():
    assert _effort(20, 0.01, 10.0) == (3, 2, 600)
    assert _effort(20, 0.01, 0.7) == (3, 1, 600)
    assert _effort(20, 0.01, 0.15) == (1, 1, 300)
    assert _effort(20, 0.01, 0.0) == (1, 1, 100)


def test_columns_that_trees_use_come_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    forest = RandomForestRegressor(20, random_state=0).fit(X, 5 * X[:, 2] + X[:, 1])
    linear = LinearRegression().fit(X, X[:, 0])
    order = most_used([[ForeignMember(linear)], [ForeignMember(forest)]], 4)
    assert order[:2].tolist() == [2, 1]
    assert most_used([[ForeignMember(linear)]], 4).tolist() == [0, 1, 2, 3]

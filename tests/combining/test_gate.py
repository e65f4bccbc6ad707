"""The gate."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from coterie.combining.gate import GateInputs, fit_gate
from coterie.data import Table

rng = np.random.default_rng(0)


def objective(inputs, target, share, coef, penalty):
    logs = log_softmax(inputs @ coef, axis=1)
    return -(share @ (target * logs).sum(axis=1)) + penalty / 2 * (coef**2).sum()


@pytest.mark.parametrize("n_columns", [3, 400])
def test_no_step_is_downhill_from_the_end(n_columns):
    inputs = np.hstack([np.ones((80, 1)), rng.normal(size=(80, n_columns))])
    target = rng.dirichlet(np.ones(3), 80)
    weight = rng.uniform(0.5, 2, 80)
    start = np.zeros((n_columns + 1, 3))
    found = fit_gate(inputs, target, weight, start, 1e-2)
    share = weight / weight.sum()
    best = objective(inputs, target, share, found, 1e-2)
    for _ in range(20):
        aside = found + 0.05 * rng.normal(size=found.shape)
        assert objective(inputs, target, share, aside, 1e-2) > best
    slope = inputs.T @ ((softmax(inputs @ found, axis=1) - target) * share[:, None]) + 1e-2 * found
    assert np.abs(slope).max() < (1e-12 if n_columns == 3 else 1e-3)


def test_inputs():
    table = Table.read([[1.0, 5.0, 1e308], [3.0, 5.0, -1e308], [np.nan, 5.0, 0.0]])
    learnt = GateInputs.learn(table, np.ones(3))
    assert learnt.columns.tolist() == [0, 2]  # a constant says nothing
    read = learnt.read(table)
    np.testing.assert_allclose(read[:, 0], 1)
    np.testing.assert_allclose(read[:, 1], [-1, 1, 0])
    assert np.isfinite(read).all()

"""The gate of a mixture of experts: a softmax of linear scores, fitted to soft targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from coterie.data import Table
from coterie.tags import tagged

Array = NDArray[np.float64]

# Beyond as many coefficients their second derivatives are not worth their room.
_MOST_FOR_NEWTON = 600


@tagged
@dataclass(frozen=True)
class GateInputs:
    """Columns of numbers at a common scale, missing values at the mean; categories left out.

    Parameters
    ----------
    columns : ndarray of int
        Which columns.
    size, middle, spread : ndarray of shape (n_columns,)
        Largest magnitude, and then mean and standard deviation.
    """

    columns: NDArray[np.intp]
    size: Array
    middle: Array
    spread: Array

    @classmethod
    def learn(cls, table: Table, weight: Array) -> GateInputs:
        """Scales of the columns of numbers that are not constant."""
        labels = table.schema.labels
        columns = np.array([j for j in range(table.n_columns) if j not in labels], dtype=np.intp)
        values = _numbers(table, columns)
        known = np.isfinite(values)
        size = np.abs(np.where(known, values, 0.0)).max(axis=0)
        size = np.where(size > 0, size, 1.0)
        values = np.where(known, values / size, 0.0)
        total = np.maximum(weight @ known, 1e-300)
        middle = weight @ values / total
        spread = np.sqrt(weight @ (np.where(known, values - middle, 0.0) ** 2) / total)
        kept = spread > 1e-12
        return cls(columns[kept], size[kept], middle[kept], spread[kept])

    def read(self, table: Table) -> Array:
        """Inputs of rows with a leading one, shape (n_rows, 1 + n_columns)."""
        values = _numbers(table, self.columns)
        scaled = (values / self.size - self.middle) / self.spread
        # New rows may lie far outside; a gate that is sure is sure at ten deviations too.
        scaled = np.clip(np.where(np.isfinite(scaled), scaled, 0.0), -10.0, 10.0)
        return np.hstack([np.ones((table.n_rows, 1)), scaled])


def _numbers(table: Table, columns: NDArray[np.intp]) -> Array:
    parts = [np.asarray(values[:, columns], dtype=np.float64) for _, values in table.blocks()]
    return np.concatenate(parts)


def fit_gate(inputs: Array, target: Array, weight: Array, start: Array, penalty: float) -> Array:
    r"""Coefficients of the gate that is closest to the soft targets.

    .. math:: \max_V \sum_i w_i \sum_j h_{ij} \ln g_j(x_i) - \frac{\lambda}{2} \|V\|^2, \qquad
        g(x) = softmax(V x)

    with weights that add up to one. Newton's method, since an optimum that is found exactly does
    not depend on how the rows are written down.

    Parameters
    ----------
    inputs : ndarray of shape (rows, inputs)
        The rows, with a column of ones.
    target : ndarray of shape (rows, experts)
        How much of each row belongs to each expert.
    weight : ndarray of shape (rows,)
        What each row counts.
    start : ndarray of shape (inputs, experts)
        Where to begin.
    penalty : float
        :math:`\lambda`.

    Returns
    -------
    ndarray of shape (inputs, experts)

    Examples
    --------
    >>> inputs = np.array([[1.0, -1.0], [1.0, 1.0]])
    >>> found = fit_gate(inputs, np.eye(2), np.ones(2), np.zeros((2, 2)), 0.1)
    >>> softmax(inputs @ found, axis=1).round(2)
    array([[0.89, 0.11],
           [0.11, 0.89]])
    """
    share = weight / weight.sum()
    if start.size > _MOST_FOR_NEWTON:
        return _by_gradient(inputs, target, share, start, penalty)
    coef, value = start, _loss(inputs, target, share, start, penalty)
    for _ in range(50):
        chances = softmax(inputs @ coef, axis=1)
        slope = inputs.T @ ((chances - target) * share[:, None]) + penalty * coef
        step = _newton_step(inputs, chances, share, slope, penalty)
        length = 1.0
        while length > 1e-6:
            tried = coef - length * step
            now = _loss(inputs, target, share, tried, penalty)
            if now <= value + 1e-12:  # near the optimum steps are right, but losses equal
                break
            length *= 0.5
        else:
            break
        done = np.abs(tried - coef).max() <= 1e-13 * max(1.0, np.abs(coef).max())
        coef, value = tried, now
        if done:
            break
    return coef


def _loss(inputs: Array, target: Array, share: Array, coef: Array, penalty: float) -> float:
    logs = log_softmax(inputs @ coef, axis=1)
    return float(-(share @ (target * logs).sum(axis=1)) + 0.5 * penalty * (coef**2).sum())


def _newton_step(
    inputs: Array, chances: Array, share: Array, slope: Array, penalty: float
) -> Array:
    n_inputs, n_experts = slope.shape
    second = np.empty((n_experts, n_inputs, n_experts, n_inputs))
    for j in range(n_experts):
        for m in range(j, n_experts):
            own = chances[:, j] * ((j == m) - chances[:, m]) * share
            second[j, :, m] = second[m, :, j] = (inputs * own[:, None]).T @ inputs
    matrix = second.reshape(n_experts * n_inputs, -1)
    matrix = matrix + penalty * np.eye(len(matrix))
    try:
        solved = cho_solve(cho_factor(matrix), slope.T.ravel())
    except LinAlgError:
        solved = np.linalg.lstsq(matrix, slope.T.ravel(), rcond=None)[0]
    return np.asarray(solved.reshape(n_experts, n_inputs).T)


def _by_gradient(inputs: Array, target: Array, share: Array, start: Array, penalty: float) -> Array:
    def value_and_slope(flat: Array) -> tuple[float, Array]:
        coef = flat.reshape(start.shape)
        chances = softmax(inputs @ coef, axis=1)
        slope = inputs.T @ ((chances - target) * share[:, None]) + penalty * coef
        return _loss(inputs, target, share, coef, penalty), slope.ravel()

    found: Any = minimize(
        value_and_slope, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 50}
    )
    return np.asarray(found.x.reshape(start.shape))

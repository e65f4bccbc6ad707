"""How much rows for calibration resemble the rows to come, when these come from elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.core import RandomLike
from coterie.data import Table
from coterie.forests import RandomForestClassifier

Array = NDArray[np.float64]


def density_ratio(
    X: Any, X_new: Any, *, n_trees: int = 200, random_state: RandomLike = None
) -> tuple[Array, Array]:
    r"""Weights for `calibrate` and for new rows, when their columns are distributed differently.

    A forest learns to tell the new rows from the others. Its out-of-bag odds, times the ratio of
    the numbers of rows, estimate how much denser new rows are at a point: the weight
    :math:`w(x) = p_{new}(x) / p(x)` of conformal prediction under covariate shift. Leaves hold at
    least the square root of the number of rows, which keeps the odds calibrated. The guarantee
    holds for the true ratio, and approximately for an estimate.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        The rows for calibration.
    X_new : array-like, data frame or sparse matrix of shape (n_new, n_features)
        Rows without targets from where sets will be needed.
    n_trees : int, default=200
        Trees of the forest.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Returns
    -------
    weight, weight_new : ndarray of shape (n_samples,), ndarray of shape (n_new,)
        Weights of both, around 1 where nothing has shifted.

    References
    ----------
    .. [1] Tibshirani, Barber, Candès & Ramdas, "Conformal prediction under covariate shift",
       NeurIPS 32 (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(0.0, 1.0, (300, 1)), rng.normal(1.0, 1.0, (200, 1))
    >>> weight, _ = density_ratio(X, X_new, random_state=0)
    >>> bool(weight[X[:, 0] > 1].mean() > 2 * weight[X[:, 0] < 0].mean())
    True
    """
    table = Table.read(X)
    tables = [table, Table.under(table.schema, X_new, owner="density_ratio")]
    cells = np.vstack([np.asarray(block) for each in tables for _, block in each.blocks()])
    n, total = table.n_rows, len(cells)
    forest = RandomForestClassifier(
        n_trees,
        min_samples_leaf=max(1, int(np.sqrt(total))),
        oob_score=True,
        categorical_features=table.schema.categorical,
        random_state=random_state,
    ).fit(cells, np.arange(total) >= n)
    chance = forest.oob_decision_function_[:, 1]
    # Nobody is certain: rows in all bags are as usual, and odds are finite.
    chance = np.where(np.isnan(chance), (total - n) / total, chance)
    chance = np.clip(chance, 1.0 / (total + 1), total / (total + 1))
    weight = chance / (1.0 - chance) * n / (total - n)
    return weight[:n], weight[n:]

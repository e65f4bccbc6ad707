"""Shapley interaction values of trees and of sums of trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base import thread_count
from coterie.core import Pool
from coterie.data import Table


def interaction_values(model: Any, pool: Pool, table: Table) -> NDArray[np.float64]:
    """Interaction values, shape (n_samples, n_features, n_features, n_outputs).

    Parameters
    ----------
    model : estimator
        A fitted model, see `coterie.interpretation.shap_values`.
    pool : Pool
        Its trees.
    table : Table
        The rows to explain.
    """
    if hasattr(model, "rule_") or getattr(model, "ordered_", None) is not None:
        raise TypeError(
            "Interactions are supported for trees, forests and gradient boosting whose trees use "
            "the original columns."
        )
    pairs = pool.shap_interactions(table, n_threads=thread_count(model.n_jobs))
    return pairs if hasattr(model, "start_") else pairs / pool.weights.sum()

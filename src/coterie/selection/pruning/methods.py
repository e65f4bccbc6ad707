"""Ways of pruning by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coterie.selection.pruning.clusters import clustered_numbers, clustered_subsets
from coterie.selection.pruning.gasen import gasen_numbers_order, gasen_order
from coterie.selection.pruning.numbers import (
    complementary_residuals_order,
    reduced_squares_order,
    residual_orientation_order,
    squares_order,
)
from coterie.selection.pruning.orders import (
    boosting_order,
    complementarity_order,
    margin_distance_order,
    reduced_error_order,
)
from coterie.selection.pruning.pareto import pareto_numbers_subsets, pareto_subsets
from coterie.selection.pruning.quadratic import quadratic_numbers_subsets, quadratic_subsets
from coterie.selection.pruning.rankings import (
    accuracy_order,
    kappa_order,
    margin_diversity_order,
    orientation_order,
)

#: From votes and truth to an order of the members, or to a list of sub-ensembles.
Find = Callable[..., Any]

#: Of members that classify.
ORDERS: dict[str, Find] = {
    "reduced_error": reduced_error_order,
    "complementarity": complementarity_order,
    "margin_distance": margin_distance_order,
    "orientation": orientation_order,
    "boosting": boosting_order,
    "kappa": kappa_order,
    "margin_diversity": margin_diversity_order,
    "accuracy": accuracy_order,
    "clusters": clustered_subsets,
    "gasen": gasen_order,
    "quadratic": quadratic_subsets,
    "pareto": pareto_subsets,
}

#: Of members that predict numbers.
NUMBER_ORDERS: dict[str, Find] = {
    "reduced_error": reduced_squares_order,
    "complementarity": complementary_residuals_order,
    "orientation": residual_orientation_order,
    "accuracy": squares_order,
    "clusters": clustered_numbers,
    "gasen": gasen_numbers_order,
    "quadratic": quadratic_numbers_subsets,
    "pareto": pareto_numbers_subsets,
}

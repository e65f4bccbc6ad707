"""Pruning: orders, clusters and programmes, and ensembles pruned by them.

1. Orders are functions of arrays: votes of shape (members, samples[, classes]), with gaps where a
   member has no say, and the truth. They give members, the first to keep first; some give
   sub-ensembles of several sizes instead.
2. :class:`PrunedEnsembleClassifier` and :class:`PrunedEnsembleRegressor` let rows order members
   that have not seen them, and choose the size by rows that did not take part in the order.
"""

from coterie.selection.pruning.clusters import clustered_numbers, clustered_subsets
from coterie.selection.pruning.curve import PruningCurve
from coterie.selection.pruning.gasen import gasen_numbers_order, gasen_order, gasen_weights
from coterie.selection.pruning.methods import NUMBER_ORDERS, ORDERS
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
from coterie.selection.pruning.pruned import PrunedEnsembleClassifier, PrunedEnsembleRegressor
from coterie.selection.pruning.quadratic import (
    least_subset,
    pair_costs,
    quadratic_numbers_subsets,
    quadratic_subsets,
)
from coterie.selection.pruning.rankings import (
    Orientation,
    accuracy_order,
    kappa_order,
    margin_diversity_order,
    orientation,
    orientation_order,
)

__all__ = [
    "NUMBER_ORDERS",
    "ORDERS",
    "Orientation",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
    "PruningCurve",
    "accuracy_order",
    "boosting_order",
    "clustered_numbers",
    "clustered_subsets",
    "complementarity_order",
    "complementary_residuals_order",
    "gasen_numbers_order",
    "gasen_order",
    "gasen_weights",
    "kappa_order",
    "least_subset",
    "margin_distance_order",
    "margin_diversity_order",
    "orientation",
    "orientation_order",
    "pair_costs",
    "pareto_numbers_subsets",
    "pareto_subsets",
    "quadratic_numbers_subsets",
    "quadratic_subsets",
    "reduced_error_order",
    "reduced_squares_order",
    "residual_orientation_order",
    "squares_order",
]

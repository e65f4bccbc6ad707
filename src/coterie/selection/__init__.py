"""Dynamic selection and pruning: which members to use for a query, and which to keep.

1. Competences (:func:`ola`, :func:`lca`, :func:`rank`, ...) and selections (:func:`knora_e`,
   :func:`des_p`, :func:`rrc`, ...) are functions of arrays: hits of shape (members, samples),
   neighbours and distances of shape (queries, k). They give arrays (members, queries), for all
   queries at once.
2. :class:`DynamicSelectionClassifier` and :class:`DynamicSelectionRegressor` set rows aside that
   members have not seen, find the neighbours of queries among them, and let those vote whom a
   method of these chooses.
3. Orders (:func:`reduced_error_order`, :func:`kappa_order`, ...) and sub-ensembles
   (:func:`clustered_subsets`, :func:`pareto_subsets`, ...) prune a pool once for all queries, from
   votes of shape (members, samples[, classes]); :class:`PrunedEnsembleClassifier` and
   :class:`PrunedEnsembleRegressor` do it for any ensemble.
"""

from coterie.selection.classifier import DynamicSelectionClassifier
from coterie.selection.competence import (
    a_posteriori,
    a_priori,
    lca,
    mcb,
    mla,
    ola,
    rank,
    similarity,
)
from coterie.selection.ensembles import (
    best,
    des_knn,
    des_mi,
    des_p,
    knora_e,
    knora_u,
    knora_w,
    near_best,
    or_all,
)
from coterie.selection.meta_des import MetaDES, meta_features
from coterie.selection.methods import METHODS, LocalClassAccuracy, Probable
from coterie.selection.pruning import (
    NUMBER_ORDERS,
    ORDERS,
    Orientation,
    PrunedEnsembleClassifier,
    PrunedEnsembleRegressor,
    PruningCurve,
    accuracy_order,
    boosting_order,
    clustered_numbers,
    clustered_subsets,
    complementarity_order,
    complementary_residuals_order,
    gasen_numbers_order,
    gasen_order,
    gasen_weights,
    kappa_order,
    least_subset,
    margin_distance_order,
    margin_diversity_order,
    orientation,
    orientation_order,
    pair_costs,
    pareto_numbers_subsets,
    pareto_subsets,
    quadratic_numbers_subsets,
    quadratic_subsets,
    reduced_error_order,
    reduced_squares_order,
    residual_orientation_order,
    squares_order,
)
from coterie.selection.regions import Region, closeness, frienemies
from coterie.selection.regressor import (
    DynamicSelectionRegressor,
    local_error,
    select,
    weigh,
    weigh_selected,
)
from coterie.selection.rrc import rrc, rrc_chance

__all__ = [
    "METHODS",
    "NUMBER_ORDERS",
    "ORDERS",
    "DynamicSelectionClassifier",
    "DynamicSelectionRegressor",
    "LocalClassAccuracy",
    "MetaDES",
    "Orientation",
    "Probable",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
    "PruningCurve",
    "Region",
    "a_posteriori",
    "a_priori",
    "accuracy_order",
    "best",
    "boosting_order",
    "closeness",
    "clustered_numbers",
    "clustered_subsets",
    "complementarity_order",
    "complementary_residuals_order",
    "des_knn",
    "des_mi",
    "des_p",
    "frienemies",
    "gasen_numbers_order",
    "gasen_order",
    "gasen_weights",
    "kappa_order",
    "knora_e",
    "knora_u",
    "knora_w",
    "lca",
    "least_subset",
    "local_error",
    "margin_distance_order",
    "margin_diversity_order",
    "mcb",
    "meta_features",
    "mla",
    "near_best",
    "ola",
    "or_all",
    "orientation",
    "orientation_order",
    "pair_costs",
    "pareto_numbers_subsets",
    "pareto_subsets",
    "quadratic_numbers_subsets",
    "quadratic_subsets",
    "rank",
    "reduced_error_order",
    "reduced_squares_order",
    "residual_orientation_order",
    "rrc",
    "rrc_chance",
    "select",
    "similarity",
    "squares_order",
    "weigh",
    "weigh_selected",
]

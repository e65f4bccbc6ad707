"""Choosing whom to trust: for every query the members that did well near it.

1. Competences (:func:`ola`, :func:`lca`, :func:`rank`, ...) and selections (:func:`knora_e`,
   :func:`des_p`, :func:`rrc`, ...) are functions of arrays: hits of shape (members, samples),
   neighbours and distances of shape (queries, k). They give arrays (members, queries), for all
   queries at once.
2. :class:`DynamicSelectionClassifier` and :class:`DynamicSelectionRegressor` set rows aside that
   members have not seen, find the neighbours of queries among them, and let those vote whom a
   method of these chooses.
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
    "DynamicSelectionClassifier",
    "DynamicSelectionRegressor",
    "LocalClassAccuracy",
    "MetaDES",
    "Probable",
    "Region",
    "a_posteriori",
    "a_priori",
    "best",
    "closeness",
    "des_knn",
    "des_mi",
    "des_p",
    "frienemies",
    "knora_e",
    "knora_u",
    "knora_w",
    "lca",
    "local_error",
    "mcb",
    "meta_features",
    "mla",
    "near_best",
    "ola",
    "or_all",
    "rank",
    "rrc",
    "rrc_chance",
    "select",
    "similarity",
    "weigh",
    "weigh_selected",
]

"""Forests, drop-in replacements for scikit-learn's.

Steps of a fit:

1. Parameters become the engine's plain numbers, as for single trees (`coterie.trees`); the table
   is binned once.
2. Each tree gets a seed. A sampler draws its bag; bags are not stored, but drawn again from the
   seed (`coterie.core.bag_rows`).
3. `coterie.core.gather` grows the trees; they end up in ``pool_``, one flat native forest.
4. Out-of-bag rows evaluate the forest on request, and have other uses
   (`coterie.base.oob_estimates`).
5. ``estimators_`` shows the trees one by one (`members`), each as a single tree.
"""

from coterie.base.oob_votes import OobCurve
from coterie.forests.embedding import RandomTreesEmbedding
from coterie.forests.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from coterie.forests.proximity import proximity_blocks, proximity_matrix

__all__ = [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "OobCurve",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
    "proximity_blocks",
    "proximity_matrix",
]

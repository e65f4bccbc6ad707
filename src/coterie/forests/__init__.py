"""Trees and forests, drop-in for scikit-learn's.

The life of a forest:

1. Parameters become the engine's plain numbers (`growth`); the table is binned once.
2. Each tree gets a seed. A bootstrap shake draws its bag; the bag is never stored, only drawn
   again (`bags`).
3. `coterie.core.gather` grows the trees; they end up in ``pool_``, one flat native forest.
4. Out-of-bag rows judge the forest, if asked (`oob`).
5. ``estimators_`` shows the trees one by one (`members`), each as a single tree with a ``tree_``
   (`view`) that can be printed (`text`).
"""

from coterie.forests.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from coterie.forests.oob import OobCurve
from coterie.forests.proximity import proximity_blocks, proximity_matrix
from coterie.forests.text import export_text
from coterie.forests.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from coterie.forests.view import TreeView

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "OobCurve",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "TreeView",
    "export_text",
    "proximity_blocks",
    "proximity_matrix",
]

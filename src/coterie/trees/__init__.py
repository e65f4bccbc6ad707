"""Single trees, drop-in replacements for scikit-learn's, and the default members of ensembles.

Steps of a fit:

1. Parameters become the engine's plain numbers (`growth`); the table is binned once.
2. A `coterie.learners.TreeLearner` grows it; it ends up in ``pool_``, a native forest of one.
3. ``tree_`` shows its nodes under scikit-learn's names (`view`), `export_text` prints
   them, and `plot_tree` and `export_graphviz` draw them.
"""

from coterie.trees.drawing import export_graphviz, plot_tree
from coterie.trees.single import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from coterie.trees.text import export_text
from coterie.trees.view import TreeView

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "TreeView",
    "export_graphviz",
    "export_text",
    "plot_tree",
]

"""Explanations of fitted ensembles, and interpretable models derived from them.

- Effects of columns: `shap_values` explains single predictions, `permutation_importances` and
  `oob_importances` measure how much a model depends on each column.
- Similarity of rows: `proximity_outliers`, `proximity_prototypes` and `proximity_embedding`.
- One tree, list of rules or linear model instead of many trees: `TwiceLearningClassifier` and
  `DistilledClassifier`; sums and means of rules: `RuleFitClassifier` and `SirusClassifier`.
"""

from coterie.interpretation.distillation import (
    DistilledClassifier,
    DistilledRegressor,
    fidelity,
)
from coterie.interpretation.importances import (
    Importances,
    oob_importances,
    permutation_importances,
)
from coterie.interpretation.proximities import (
    Prototype,
    proximity_embedding,
    proximity_outliers,
    proximity_prototypes,
)
from coterie.interpretation.rulefit import RuleFitClassifier, RuleFitRegressor
from coterie.interpretation.rules import Rules, extract_rules
from coterie.interpretation.shap_trees import shap_trees
from coterie.interpretation.shapley import Explanation, shap_values
from coterie.interpretation.sirus import SirusClassifier, SirusRegressor
from coterie.interpretation.terms import Term
from coterie.interpretation.twice import TwiceLearningClassifier, TwiceLearningRegressor

__all__ = [
    "DistilledClassifier",
    "DistilledRegressor",
    "Explanation",
    "Importances",
    "Prototype",
    "RuleFitClassifier",
    "RuleFitRegressor",
    "Rules",
    "SirusClassifier",
    "SirusRegressor",
    "Term",
    "TwiceLearningClassifier",
    "TwiceLearningRegressor",
    "extract_rules",
    "fidelity",
    "oob_importances",
    "permutation_importances",
    "proximity_embedding",
    "proximity_outliers",
    "proximity_prototypes",
    "shap_trees",
    "shap_values",
]

"""Semi-supervised ensembles: classifiers that also learn from unlabelled rows.

Steps of a fit:

1. Labels that are -1 or missing are unknown. The table of all rows is binned once (`Scene`).
2. The supervised ensemble is fitted to the labelled rows.
3. Round by round, members are trained on rows that other members label with confidence (`teach`);
   boosting and UDEED have their own loops.
4. Both ensembles are evaluated on hidden labels; a warning says if the unlabelled rows do harm.
"""

from coterie.semisupervised.assemble import AssembleClassifier
from coterie.semisupervised.co_forest import CoForestClassifier, companion_errors
from coterie.semisupervised.co_training import (
    CoTrainingByCommitteeClassifier,
    CoTrainingClassifier,
    surest_rows,
)
from coterie.semisupervised.democratic import (
    DemocraticCoLearningClassifier,
    combine_groups,
    learning_gain,
    wilson_interval,
)
from coterie.semisupervised.self_training import SelfTrainingClassifier, precise_threshold
from coterie.semisupervised.semi_boost import (
    SemiBoostClassifier,
    semi_boost_pull,
    semi_boost_weight,
)
from coterie.semisupervised.tri_training import TriTrainingClassifier, tri_training_update
from coterie.semisupervised.udeed import UDEEDClassifier

__all__ = [
    "AssembleClassifier",
    "CoForestClassifier",
    "CoTrainingByCommitteeClassifier",
    "CoTrainingClassifier",
    "DemocraticCoLearningClassifier",
    "SelfTrainingClassifier",
    "SemiBoostClassifier",
    "TriTrainingClassifier",
    "UDEEDClassifier",
    "combine_groups",
    "companion_errors",
    "learning_gain",
    "precise_threshold",
    "semi_boost_pull",
    "semi_boost_weight",
    "surest_rows",
    "tri_training_update",
    "wilson_interval",
]

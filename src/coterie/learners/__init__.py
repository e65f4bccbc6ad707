"""What can be a member: the native tree, and any scikit-learn estimator."""

from coterie.learners.foreign import (
    ConstantMember,
    ForeignLearner,
    ForeignMember,
    Method,
    adapt,
    fit_member,
    seeded,
    takes_weight,
)
from coterie.learners.member_votes import class_places
from coterie.learners.naming import naming
from coterie.learners.shown import cut_params, one_class, rows_given, show
from coterie.learners.tree import TreeLearner

__all__ = [
    "ConstantMember",
    "ForeignLearner",
    "ForeignMember",
    "Method",
    "TreeLearner",
    "adapt",
    "class_places",
    "cut_params",
    "fit_member",
    "naming",
    "one_class",
    "rows_given",
    "seeded",
    "show",
    "takes_weight",
]

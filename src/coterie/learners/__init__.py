"""What can be a member: the native tree, and any scikit-learn estimator."""

from coterie.learners.foreign import (
    ConstantMember,
    ForeignLearner,
    ForeignMember,
    fit_member,
    naming,
    seeded,
    takes_weight,
)
from coterie.learners.tree import TreeLearner
from coterie.learners.votes import votes_of_labels, votes_of_probabilities

__all__ = [
    "ConstantMember",
    "ForeignLearner",
    "ForeignMember",
    "TreeLearner",
    "fit_member",
    "naming",
    "seeded",
    "takes_weight",
    "votes_of_labels",
    "votes_of_probabilities",
]

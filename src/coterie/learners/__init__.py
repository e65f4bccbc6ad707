"""What fits a member: native trees, behind the `coterie.core.Learner` protocol."""

from coterie.learners.tree import TreeLearner

__all__ = ["TreeLearner"]

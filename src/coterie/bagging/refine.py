"""What a member may do with rows outside its bag: prune itself, re-estimate its leaves, stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.bagging.branches import (
    node_posteriors,
    one_hot_facts,
    prune_branches,
    prune_by_price,
    with_posteriors,
)
from coterie.bagging.epochs import EarlyStopping
from coterie.core import Learner, at_least, check_params, one_of
from coterie.data import Table, Target
from coterie.native import Forest
from coterie.tags import tagged
from coterie.trees.single import is_native

Array = NDArray[np.float64]


class Refinement(Protocol):
    """Makes a learner that uses rows outside the bag."""

    def around(self, learner: Learner, member: Any) -> Learner:
        """The learner of `member` with the refinement."""
        ...


@tagged
@dataclass(frozen=True)
class Pruning:
    """Prune the branches of a native tree that do not help on out-of-bag rows.

    Parameters
    ----------
    method : {"branches", "price"}, default="branches"
        Evaluate every branch separately (reduced-error pruning), or choose the penalty per leaf in
        cost-complexity pruning, which prunes less if there are few out-of-bag rows.
    empty : {"prune", "keep"}, default="prune"
        Whether "branches" prunes a branch that no out-of-bag row reaches.
    """

    method: Literal["branches", "price"] = "branches"
    empty: Literal["prune", "keep"] = "prune"

    def around(self, learner: Learner, member: Any) -> Learner:
        """A learner of pruned trees."""
        words = {"method": one_of("branches", "price"), "empty": one_of("prune", "keep")}
        check_params("Pruning", vars(self), words)
        check_tree(self, member)
        return RefinedTree(learner, self)

    def refine(self, tree: Forest, table: Table, target: Target, prior: Array) -> Forest:
        """The pruned tree."""
        if self.method == "price":
            return prune_by_price(tree, table, target)
        return prune_branches(tree, table, target, empty=self.empty)


@tagged
@dataclass(frozen=True)
class Posteriors:
    """Re-estimate leaf values from out-of-bag rows, shrunk towards the parent nodes.

    Parameters
    ----------
    strength : float, default=2.0
        Number of rows that the parent's value counts for.
    source : {"oob", "both", "inbag"}, default="oob"
        Which rows count.
    """

    strength: float = 2.0
    source: Literal["oob", "both", "inbag"] = "oob"

    def around(self, learner: Learner, member: Any) -> Learner:
        """A learner of trees with re-estimated leaves."""
        words = {"strength": at_least(0.0), "source": one_of("oob", "both", "inbag")}
        check_params("Posteriors", vars(self), words)
        check_tree(self, member)
        return RefinedTree(learner, self)

    def refine(self, tree: Forest, table: Table, target: Target, prior: Array) -> Forest:
        """The tree with other values in its leaves."""
        posteriors = node_posteriors(
            tree, table, target, prior, strength=self.strength, source=self.source
        )
        return with_posteriors(tree, posteriors)


REFINEMENTS: Mapping[str, Refinement] = {
    "prune": Pruning(),
    "posterior": Posteriors(),
    "stop": EarlyStopping(),
}


def check_tree(use: Any, member: Any) -> None:
    """Refuse members that have no branches of the native kind, or no means in them."""
    if not is_native(member):
        raise ValueError(
            f"{type(use).__name__} works with native trees, not with {type(member).__name__}. "
            "Use a coterie.DecisionTreeClassifier or DecisionTreeRegressor, or another oob_use."
        )
    if getattr(member, "criterion", None) == "absolute_error":
        raise ValueError(
            f"{type(use).__name__} cannot be combined with criterion='absolute_error', whose "
            "nodes hold medians. Use criterion='squared_error'."
        )


@tagged
@dataclass(frozen=True)
class RefinedTree:
    """Grows a native tree on the bag, and refines it on rows outside.

    Parameters
    ----------
    learner : Learner
        Grows the tree.
    use : Pruning or Posteriors
        What is done with the rows.
    spare : ndarray of bool or None
        The rows.
    """

    learner: Any
    use: Pruning | Posteriors
    spare: NDArray[np.bool_] | None = None

    def among(self, columns: NDArray[np.intp]) -> RefinedTree:
        """The same learner, kept to some of the columns."""
        return replace(self, learner=self.learner.among(columns))

    def watching(self, spare: NDArray[np.bool_]) -> RefinedTree:
        """The same learner, which may look at some rows."""
        return replace(self, spare=spare)

    def fit(self, table: Table, target: Target, weight: Array | None, rng: Generator) -> Forest:
        """The refined tree; without rows to look at, the tree as it grew."""
        tree: Forest = self.learner.fit(table, target, weight, rng)
        if self.spare is None or not self.spare.any():
            return tree
        rows = np.flatnonzero(self.spare)
        facts = one_hot_facts(target) if target.kind == "labels" else target.values
        prior = np.average(facts, axis=0, weights=weight)
        return self.use.refine(tree, table.take(rows), target.take(rows), prior)

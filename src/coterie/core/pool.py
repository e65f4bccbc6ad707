"""A pool: fitted members and their weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MethodType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie.core.learner import Foreign, Member
from coterie.data import Table
from coterie.native import Forest
from coterie.tags import tagged

Kind = TypeVar("Kind", bound=np.generic)


Cast = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@tagged
@dataclass(frozen=True)
class Pool:
    """Members and weights; a part of a pool is a pool.

    ``pool[:t]`` is the pool as it was after ``t`` members, so every staged view is a slice.
    Native members live in one flat forest: slices share its memory, and it pickles as a handful
    of arrays.

    Parameters
    ----------
    members : Forest or tuple of members
        All native trees in one forest, or foreign members.
    weights : ndarray of shape (n_members,)
        What each vote is multiplied by.
    width : int, default=1
        Native trees per member. With more than one, the k-th tree of a member votes on score k.
    cast : callable, optional
        Turns what a member says of a row into its vote; by default they are the same.
    """

    members: Forest | tuple[Foreign, ...]
    weights: NDArray[np.float64]
    width: int = 1
    cast: Cast | None = None

    @classmethod
    def of(
        cls,
        members: Sequence[Member],
        weights: NDArray[np.float64] | None = None,
        *,
        cast: Cast | None = None,
    ) -> Pool:
        """A pool of `members`, each of weight one unless told otherwise."""
        native = [member for member in members if isinstance(member, Forest)]
        foreign = tuple(member for member in members if not isinstance(member, Forest))
        if native and foreign:
            raise TypeError(_MIXED)
        weights = np.ones(len(members)) if weights is None else weights
        if not native:
            return cls(foreign, weights, cast=cast)
        return cls(Forest.concatenate(native), weights, len(native[0]), cast)

    @classmethod
    def taking(cls, members: list[Member]) -> Pool:
        """A pool of `members`, which empties the list: no tree is in memory twice."""
        if not all(isinstance(member, Forest) for member in members):
            return cls.of(members)
        forest = Forest.assemble(members)  # type: ignore[arg-type]  # as was just checked
        return cls(forest, np.ones(len(forest)))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields; ballots are cast anew.

        A method goes as its owner and its name: skops takes it for one of the class that defines
        it.
        """
        state = {name: value for name, value in vars(self).items() if name != "ballots"}
        if isinstance(self.cast, MethodType):
            state["cast"] = [self.cast.__self__, self.cast.__name__]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields."""
        cast = state.get("cast")
        vars(self).update(state, cast=getattr(*cast) if isinstance(cast, list) else cast)

    def __len__(self) -> int:
        """Number of members."""
        return len(self.members) // self.width

    def __getitem__(self, part: slice) -> Pool:
        """The pool of some of the members."""
        start, stop, step = part.indices(len(self))
        if self.width > 1 and step == 1:
            trees = slice(start * self.width, max(start, stop) * self.width)
            return replace(self, members=self.members[trees], weights=self.weights[part])
        if self.width > 1:
            raise ValueError("a pool of several trees per member takes slices of step one")
        return replace(self, members=self.members[part], weights=self.weights[part])

    def take(self, numbers: NDArray[np.integer[Any]]) -> Pool:
        """The pool of the members of these numbers, in this order; native ones stay native."""
        weights = self.weights[numbers]
        if isinstance(self.members, tuple):
            chosen = tuple(self.members[number] for number in numbers)
            return replace(self, members=chosen, weights=weights)
        trees = (np.asarray(numbers)[:, None] * self.width + np.arange(self.width)).ravel()
        return replace(self, members=self.members[trees], weights=weights)

    def __add__(self, other: Pool) -> Pool:
        """The members of both pools, these first."""
        weights = np.concatenate([self.weights, other.weights])
        if isinstance(self.members, Forest) and isinstance(other.members, Forest):
            joined = Forest.concatenate([self.members, other.members])
            return replace(self, members=joined, weights=weights)
        if isinstance(self.members, tuple) and isinstance(other.members, tuple):
            return replace(self, members=self.members + other.members, weights=weights)
        raise TypeError(_MIXED)

    def member(self, number: int) -> Member:
        """One member by itself."""
        if isinstance(self.members, tuple):
            return self.members[number]
        return self.members[number * self.width : (number + 1) * self.width]

    @property
    def forest(self) -> Forest:
        """The native trees."""
        if not isinstance(self.members, Forest):
            raise TypeError("the members of this pool are not native trees")
        return self.members

    @cached_property
    def ballots(self) -> Forest:
        """The native trees with votes in their leaves.

        A vote depends on what a tree says, and that on the leaf alone: leaves can be cast once
        for all rows.
        """
        forest = self.forest
        values = forest.values if self.cast is None else self.cast(forest.values)
        if self.width > 1:
            values = values[:, -1:]
        return forest if values is forest.values else forest.with_values(values)

    @property
    def n_outputs(self) -> int | None:
        """On how many scores native trees vote in turn; None if each votes on all."""
        return self.width if self.width > 1 else None

    def raw(self, table: Table, *, n_threads: int = 1) -> NDArray[np.float64]:
        """Weighted sum of the votes, shape (n_rows, n_scores); no tensor of votes is built."""
        if isinstance(self.members, Forest):
            forest, weights = self.ballots, np.repeat(self.weights, self.width)
            predict = partial(
                forest.predict,
                tree_weight=weights,
                n_outputs=self.n_outputs,
                n_threads=n_threads,
            )
            return _walk(table, predict)
        first, *others = self.members
        total = self.weights[0] * self._vote(first, table)
        for weight, member in zip(self.weights[1:], others, strict=True):
            total += weight * self._vote(member, table)
        return np.asarray(total)

    def spread(self) -> Forest:
        """The native trees with a vote on every score, zero on those of the others."""
        return _spread(self.ballots, self.width)

    def shap(
        self, table: Table, *, background: Table | None = None, n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Shapley values of `raw`, shape (n_rows, n_columns + 1, n_scores).

        The last of the columns is the expected score; see `Forest.shap`. Foreign members take
        part if they have a method `shap` like this one.
        """
        if isinstance(self.members, Forest):
            forest = self.spread()
            settings: dict[str, Any] = {
                "tree_weight": np.repeat(self.weights, self.width),
                "background": None if background is None else _by_rows(background, np.asarray),
                "n_threads": n_threads,
            }
            return _by_rows(table, lambda x: forest.shap(x, **settings))
        parts: list[Any] = [getattr(member, "shap", None) for member in self.members]
        if self.cast is not None or None in parts:
            raise TypeError(_NO_SHAP)
        return np.asarray(
            sum(
                weight * part(table, background=background, n_threads=n_threads)
                for weight, part in zip(self.weights, parts, strict=True)
            )
        )

    def shap_interactions(self, table: Table, *, n_threads: int = 1) -> NDArray[np.float64]:
        """Shapley interaction values of `raw`, (n_rows, n_columns, n_columns, n_scores)."""
        if not isinstance(self.members, Forest):
            raise TypeError(_NO_SHAP)
        forest, weights = self.spread(), np.repeat(self.weights, self.width)
        return _by_rows(
            table,
            lambda x: forest.shap_interactions(x, tree_weight=weights, n_threads=n_threads),
        )

    def votes(self, table: Table, *, n_threads: int = 1) -> NDArray[np.float64]:
        """Every vote by itself and unweighted, shape (n_members, n_rows, n_scores)."""
        if isinstance(self.members, Forest) and self.width == 1 and self.ballots.linear is None:
            return self._leaf_votes(self.leaves(table, n_threads=n_threads))
        if isinstance(self.members, Forest):
            parts = [self.ballots[t * self.width : (t + 1) * self.width] for t in range(len(self))]
            settings: dict[str, Any] = {"n_outputs": self.n_outputs, "n_threads": n_threads}
            predicts = [partial(part.predict, **settings) for part in parts]
            return np.stack([_walk(table, predict) for predict in predicts])
        return np.stack([self._vote(member, table) for member in self.members])

    def _leaf_votes(self, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Votes of native trees, given the leaf of each row in each of them."""
        forest = self.ballots
        votes = np.empty((len(forest), len(nodes), forest.values.shape[1]))
        values = forest.values + 0.0  # a sum that begins with zero is never -0
        left, starts, leaves = forest.nodes["left"], forest.node_offsets, forest.leaf_offsets
        for tree, vote in enumerate(votes):
            places = leaves[tree] + ~left[starts[tree] : starts[tree + 1]][nodes[:, tree]]
            np.take(values, places, axis=0, out=vote, mode="clip")
        return votes

    def _vote(self, member: Foreign, table: Table) -> NDArray[np.float64]:
        """What a foreign member votes; members side by side are cast one by one."""
        parts = getattr(member, "members", (member,))
        cast = self.cast or (lambda output: output)
        votes = [cast(part.predict(table)) for part in parts]
        return votes[0] if len(votes) == 1 else np.stack([vote[:, -1] for vote in votes], axis=1)

    def leaves(self, table: Table, *, n_threads: int = 1) -> NDArray[np.int32]:
        """Node each row ends in, numbered within each tree, shape (n_rows, n_members)."""
        forest = self.forest
        return _walk(table, lambda x: forest.apply(x, n_threads=n_threads))

    def paths(self, table: Table) -> sparse.csr_array:
        """Which nodes of all trees each row passes, shape (n_rows, n_nodes)."""
        forest = self.forest
        n_nodes = int(forest.node_offsets[-1] - forest.node_offsets[0])

        def indicator(x: NDArray[Any]) -> sparse.csr_array:
            indptr, indices = forest.decision_path(x)
            ones = np.ones(len(indices), dtype=np.int64)
            return sparse.csr_array((ones, indices, indptr), shape=(len(x), n_nodes))

        return sparse.vstack([indicator(x) for _, x in table.blocks()], format="csr")


def _spread(forest: Forest, width: int) -> Forest:
    """The same trees with the values of all scores in each leaf, zero but for the tree's own."""
    if width == 1:
        return forest
    tree = np.repeat(np.arange(len(forest)), forest.leaf_counts())
    values = np.zeros((len(tree), width))
    values[np.arange(len(tree)), tree % width] = forest.values[:, -1]
    return forest.with_values(values)


_NO_SHAP = (
    "Shapley values are supported for native trees only, but these members are of another kind. "
    "Use a model-agnostic explainer, such as shap.PermutationExplainer."
)
_MIXED = "a pool holds native trees or foreign members, not both"


def _walk(table: Table, compute: Callable[[Any], NDArray[Kind]]) -> NDArray[Kind]:
    """As `_by_rows`, of what walks the rows of a sparse table as they are."""
    parts = [compute(rows) for _, rows in table.walks()]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _by_rows(table: Table, compute: Callable[[NDArray[Any]], NDArray[Kind]]) -> NDArray[Kind]:
    """``compute`` of every row, shape (n_rows, ...); a sparse table goes block by block."""
    parts = [compute(values) for _, values in table.blocks()]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)

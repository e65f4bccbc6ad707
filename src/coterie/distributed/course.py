"""The course of a tree that grows on what holders count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.native import Bins, Forest, NewtonGrowth, NewtonTable, _engine

Array = NDArray[Any]
AddUp = Callable[..., Any]

_SURE = 6  # of so many splits that are left, one is sure to be taken whatever else is found


@dataclass
class Step:
    """What the driver asks of all holders at a time, in this order.

    Parameters
    ----------
    opening : tuple or None
        Scale of all slopes and the seed, to begin a tree.
    parts : list of (node, split)
        Nodes whose rows are parted.
    divides : list of (node, left)
        Nodes whose parts become nodes.
    counts : list of (node, barren)
        Nodes to be counted.
    codes : list of (node, column, size)
        Nodes whose rows are counted by their code in a column.
    """

    opening: tuple[Any, int] | None = None
    parts: list[tuple[int, Any]] = field(default_factory=list)
    divides: list[tuple[int, int]] = field(default_factory=list)
    counts: list[tuple[int, Array]] = field(default_factory=list)
    codes: list[tuple[int, int, int]] = field(default_factory=list)


class Found(NamedTuple):
    """What a holder answers; entries of all holders are added up."""

    lefts: Array
    histograms: list[Array]
    codes: list[Array]

    @property
    def arrays(self) -> list[Array]:
        """All that is added up."""
        return [self.lefts, *self.histograms, *self.codes]

    def add(self, other: Found) -> None:
        """Add what another holder answers; sums are exact in any order."""
        for mine, its in zip(self.arrays, other.arrays, strict=True):
            mine += its


def layout_of(bins: Bins) -> NewtonTable:
    """How the decider believes the rows to be laid out: as all holders lay them out."""
    rows = np.zeros((2, len(bins.categorical)), dtype=bins.dtype)
    return NewtonTable(rows, np.asfortranarray(rows), bins)


def decide_tree(
    add_up: AddUp, layout: NewtonTable, growth: NewtonGrowth, scale: Any, seed: int
) -> tuple[Forest, Forest]:
    """Grow a tree on what holders count, given the scale of all slopes.

    Also the tree as rows walk it that are known by their bins.

    Parameters
    ----------
    add_up : callable
        ``add_up(method, *given)``: the answers of all holders, added up.
    layout : NewtonTable
        See `layout_of`.
    growth : NewtonGrowth
        How the tree grows.
    scale : SlopeScale
        Of the slopes of all rows.
    seed : int
        Of columns drawn and of roundings.
    """
    n_columns = layout.codes.shape[1]
    decider = _engine.Decider(
        table=layout.arrays(), growth=growth.arrays(n_columns), scale=scale, seed=seed
    )
    course = Course(add_up, decider, growth, scale.rows)
    course.open(scale, seed)
    while True:
        decider.decide(course.codes)
        if not decider.to_part():
            break
        course.go_on()
    leaves = [course.place[node] for node in decider.leaves()]
    sums = add_up("leaf_sums", leaves)
    tree = Forest.of_tree(decider.write(sums), n_features=n_columns, n_outputs=1)
    return tree, _by_codes(tree, decider.last_left(), layout.bins)


class Ahead(NamedTuple):
    """What is known of a split before the decider asks: rows on the left, and where the parts are.

    `histogram` is that of one part, of the right one if `side` is 1; None if nobody will ask.
    """

    left: int
    place: int
    side: int
    histogram: NDArray[Any] | None


class Course:
    """The course of a tree: carries out what a decider wants, and what it is going to want.

    An exchange with the holders takes as long as counting some million cells. So whenever a node
    has to be parted and counted, so are others that wait for their turn and will surely be split.
    The decider takes the same splits as without it.

    Parameters
    ----------
    add_up : callable
        See `decide_tree`.
    decider : Decider
        Chooses.
    growth : NewtonGrowth
        How the tree grows.
    n_rows : int
        Rows of the root.
    """

    def __init__(self, add_up: AddUp, decider: Any, growth: NewtonGrowth, n_rows: int) -> None:
        self.add_up, self.decider, self.growth = add_up, decider, growth
        # By the decider's numbers of nodes. Holders know nodes by their places.
        self.rows, self.depth, self.place = {0: n_rows}, {0: 0}, {0: 0}
        self.ahead: dict[int, Ahead] = {}
        self.waiting: set[int] = set()
        self.places = 1

    def open(self, scale: Any, seed: int) -> None:
        """Begin, and count the root if that is wanted."""
        wanted = self.decider.to_count()
        found = self._ask(Step((scale, seed), counts=[(0, self.decider.barren(0)) for _ in wanted]))
        for counted in found.histograms:
            self.decider.tell(0, counted.view(np.uint8))

    def codes(self, node: int, column: int, size: int) -> NDArray[Any]:
        """Rows of a node by their code in a column."""
        self.ahead.pop(node, None)  # another split of it is looked for
        return self._ask(Step(codes=[(self.place[node], column, size)])).codes[0]

    def go_on(self) -> None:
        """Part what the decider wants parted, and tell it what it wants to know then."""
        wanted = self.decider.to_part()
        unknown = [node for node in wanted if node not in self.ahead]
        if unknown:
            self._look_ahead([*unknown, *self._likely(set(wanted))])
        counted: dict[int, NDArray[Any]] = {}
        for node in wanted:
            known = self.ahead.pop(node)
            self.waiting.discard(node)
            left = self.decider.parted(node, known.left)
            if not left:  # another split will be looked for
                self.waiting.add(node)
                continue
            sizes = known.left, self.rows[node] - known.left
            for side in (0, 1):
                self.rows[left + side], self.depth[left + side] = sizes[side], self.depth[node] + 1
                self.place[left + side] = known.place + side
                self.waiting.add(left + side)
            if known.histogram is not None:
                counted[left + known.side] = known.histogram
        self._tell(counted)

    def _tell(self, counted: dict[int, NDArray[Any]]) -> None:
        """Tell the decider histograms, each of a child or of its sibling."""
        wanted = self.decider.to_count()
        missing = [n for n in wanted if n not in counted and _sibling(n) not in counted]
        if missing:
            asked = [(self.place[node], self.decider.barren(node)) for node in missing]
            found = self._ask(Step(counts=asked)).histograms
            counted |= dict(zip(missing, found, strict=True))
        for node in wanted:
            known = node if node in counted else _sibling(node)
            self.decider.tell(node, counted[known].view(np.uint8))
            if known != node:
                self.decider.counted_sibling(node)

    def _likely(self, wanted: set[int]) -> list[int]:
        """Nodes that will be split soon, the most promising ones.

        Children mostly gain less than their parents, so the first sixth of those that may still be
        split hardly ever stay leaves. More of them would spare hardly any exchanges, but send
        histograms in vain. By levels, all nodes are split.
        """
        if self.growth.symmetric:  # levels are parted as wholes
            return []
        found = {
            node: self.decider.split(node).gain
            for node in self.waiting - wanted - self.ahead.keys()
            if self.decider.split(node).column >= 0
        }
        budget = self._budget()
        if self.growth.level_wise:
            return sorted(found, key=lambda node: (self.depth[node], node))[: budget - 1]
        ranked = sorted(found, key=lambda node: -found[node])[: budget - 1]
        return [node for rank, node in enumerate(ranked) if rank * _SURE < budget]

    def _budget(self) -> int:
        """Splits that are left."""
        most = self.growth.max_leaf_nodes
        n_leaves = (len(self.rows) + 1) // 2
        return len(self.rows) + 1 if most is None else most - n_leaves

    def _look_ahead(self, nodes: Sequence[int]) -> None:
        """Part nodes, and count a part of each.

        Which part has fewer rows is known when all holders have parted. So that it takes no
        further exchange, the one of less weight is counted; either tells the other.
        """
        step, decider = Step(), self.decider
        for node in nodes:
            side = int(decider.left_share(node) > 0.5)
            step.parts.append((self.place[node], decider.split(node)))
            step.divides.append((self.place[node], self.places))
            if self._is_counted(node):
                step.counts.append((self.places + side, decider.barren(node)))
            self.ahead[node] = Ahead(0, self.places, side, None)
            self.places += 2
        found = self._ask(step)
        histograms = iter(found.histograms)
        for node, left in zip(nodes, found.lefts.tolist(), strict=True):
            counted = next(histograms) if self._is_counted(node) else None
            self.ahead[node] = self.ahead[node]._replace(left=left, histogram=counted)

    def _is_counted(self, node: int) -> bool:
        """Whether the decider may ask for the parts of a node."""
        growth = self.growth
        deepest = growth.max_depth is not None and self.depth[node] + 1 >= growth.max_depth
        last = not growth.symmetric and self._budget() <= 1
        return not deepest and not last

    def _ask(self, step: Step) -> Found:
        found: Found = self.add_up("step", step)
        return found


def _sibling(node: int) -> int:
    """Children come in pairs after the root."""
    return node + 1 if node % 2 else node - 1


def _by_codes(tree: Forest, last_left: list[int], bins: Bins) -> Forest:
    """The tree with thresholds at the last bin that goes left.

    Rows are known by the smallest value of their bins here, and a threshold may lie within a bin
    that no row of its node has, but rows that were not drawn.
    """
    columns = tree.features
    last = np.minimum(np.array(last_left), np.maximum(bins.counts[columns] - 1, 0))
    place = np.minimum(bins.offsets[columns] + last, len(bins.upper) - 1)
    return tree.with_thresholds(bins.upper[place])

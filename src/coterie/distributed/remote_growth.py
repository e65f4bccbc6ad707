"""Growing trees of gradient boosting on rows that are on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from coterie.boosting.gradient.rows import Draw
from coterie.boosting.gradient.trees import GrowthTable, Votes, grow_singly, limited
from coterie.distributed.holders import HolderLostError, Holders
from coterie.distributed.row_holder import together
from coterie.native import Forest, Slopes, add_votes

Done = TypeVar("Done")


@dataclass(frozen=True)
class RemoteGround(GrowthTable):
    """What trees grow on, when that is the bins of holders.

    Parameters
    ----------
    holders : Holders
        They have the rows.
    """

    holders: Holders

    def grow(self, slopes: Slopes, seed: int) -> Forest:
        """A tree on slopes; `leaves` receives the leaf of every row."""
        tree = persist(lambda: self._grow(slopes, seed))
        self.holders.finished()
        return tree

    def grow_all(self, slopes: Slopes, seed: int, votes: Votes) -> Forest:
        """A tree per score, one after the other; each has voted on the scores."""
        raw, rate, longest = votes
        trees = []
        draw = Draw(slopes.rows)
        for k, grown in enumerate(grow_singly(self, slopes.gradient, slopes.hessian, draw, seed)):
            trees.append(limited(grown[0], longest))
            add_votes(raw[:, k], grown[1], rate * trees[k].values[:, 0], n_threads=self.n_threads)
        return Forest.concatenate(trees)

    def _grow(self, slopes: Slopes, seed: int) -> Forest:
        holders = self.holders
        own = [_part(slopes, share.rows) for share in holders.shares]
        scale = together(holders.ask("begin", [self.growth] * len(own), own))
        tree, walked = holders.lead("grow", self.growth, seed, scale)
        found = holders.ask_alike("find_leaves", walked)
        np.concatenate(found, out=self.leaves, casting="unsafe")
        return tree


def persist(attempt: Callable[[], Done]) -> Done:
    """What an attempt gives that no loss of a holder has spoilt."""
    while True:
        try:
            return attempt()
        except HolderLostError:
            continue


def within(rows: NDArray[Any] | None, at: slice) -> Any:
    """Which of some ascending rows a holder has, counted within it."""
    if rows is None:
        return None
    begin, end = np.searchsorted(rows, [at.start, at.stop])
    return (rows[begin:end] - at.start).astype(np.int32)


def _part(slopes: Slopes, rows: slice) -> Slopes:
    """The slopes of one holder's rows."""
    known = within(slopes.rows, rows)
    hessian = None if slopes.hessian is None else slopes.hessian[rows]
    return Slopes(slopes.gradient[rows], hessian, known)

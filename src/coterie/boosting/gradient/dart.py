"""DART: boosting that leaves trees out at random while the next one is grown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.tags import tagged


@tagged
@dataclass(frozen=True)
class Dart:
    r"""Which trees are dropped in a round, and what all weigh afterwards.

    The first trees of a boosted ensemble do most of the work, and later ones mend a few rows.
    DART drops each earlier tree with some probability and grows the next one on the gradients
    of what is left. The new tree then does part of the work of the :math:`k` dropped ones, so
    they are scaled down together. With learning rate :math:`\eta`

    * ``"tree"``: the new tree weighs :math:`\eta / (k + \eta)`, dropped ones are multiplied by
      :math:`k / (k + \eta)`: the new tree counts like one of them;
    * ``"forest"``: the new tree weighs :math:`\eta / (1 + \eta)`, dropped ones are multiplied by
      :math:`1 / (1 + \eta)`: the new tree counts like all of them.

    A round that drops nothing is a plain one.

    Parameters
    ----------
    drop_rate : float, default=0.1
        Probability of each tree to be dropped.
    skip_drop : float, default=0.5
        Probability of a round to drop nothing.
    normalise : {"tree", "forest"}, default="tree"
        See above.

    References
    ----------
    .. [1] Rashmi & Gilad-Bachrach, "DART: dropouts meet multiple additive regression trees",
       AISTATS (2015).

    Examples
    --------
    >>> Dart().shares(2, 0.5)
    (0.2, 0.8)
    """

    drop_rate: float = 0.1
    skip_drop: float = 0.5
    normalise: Literal["tree", "forest"] = "tree"

    def drop(self, n_members: int, rng: Generator) -> NDArray[np.intp]:
        """Numbers of the members left out this round."""
        if rng.random() < self.skip_drop:
            return np.array([], dtype=np.intp)
        return np.flatnonzero(rng.random(n_members) < self.drop_rate)

    def shares(self, n_dropped: int, learning_rate: float) -> tuple[float, float]:
        """What the new member weighs, and what dropped ones are multiplied by."""
        if not n_dropped:
            return learning_rate, 1.0
        among = n_dropped if self.normalise == "tree" else 1
        return learning_rate / (among + learning_rate), among / (among + learning_rate)

"""What a learner and a member are."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.data import Table, Target
from coterie.native import Forest


@runtime_checkable
class Foreign(Protocol):
    """A fitted member that is not a native tree."""

    def predict(self, table: Table) -> NDArray[np.float64]:
        """Its vote for every row, shape (n_rows, n_outputs)."""
        ...


# A native member is a forest of one tree: a pool joins those into one flat forest.
Member = Forest | Foreign


class Learner(Protocol):
    """Fits one member."""

    def fit(
        self,
        table: Table,
        target: Target,
        weight: NDArray[np.float64] | None,
        rng: Generator,
    ) -> Member:
        """A member fitted to the table, with all its randomness from `rng`."""
        ...


class Choosy(Learner, Protocol):
    """A learner that can be kept to some of the columns."""

    def among(self, columns: NDArray[np.intp]) -> Learner:
        """The same learner on `columns`; its members are still given all columns."""
        ...


class Numbered(Learner, Protocol):
    """A learner that says in errors which member it was."""

    def numbered(self, number: int) -> Learner:
        """The same learner for the member at a position."""
        ...


class Careful(Learner, Protocol):
    """A learner that checks itself on rows it is not fitted to."""

    def watching(self, spare: NDArray[np.bool_]) -> Learner:
        """The same learner, which may look at the rows marked in `spare`."""
        ...


def numbered(learner: Any, number: int) -> Any:
    """The learner for the member at a position, if it or the one it wraps wants to know.

    Parameters
    ----------
    learner : Learner or Trainer
        One that wraps another has it as `learner` or `trainer`.
    number : int
        The position.
    """
    if hasattr(learner, "numbered"):
        return learner.numbered(number)
    for part in ("learner", "trainer"):
        inner = getattr(learner, part, None)
        if inner is not None and is_dataclass(learner):
            told = numbered(inner, number)
            return learner if told is inner else replace(learner, **{part: told})  # type: ignore[type-var]
    return learner

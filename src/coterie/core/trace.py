"""The trace: one row of facts per round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from coterie.tags import tagged


@tagged
@dataclass
class Trace:
    """What happened in each round, and why it ended.

    ``trace["error"]`` is an array with one number per round; a fact that a round did not state is
    NaN. Early stopping, progress, plots and reports read nothing but this.

    Parameters
    ----------
    rounds : list of dict
        The facts of each round.
    weights : list of ndarray
        The distribution before each round, if it was asked for.
    reason : str
        Why boosting stopped.

    Examples
    --------
    >>> trace = Trace()
    >>> trace.append({"error": 0.3, "alpha": 0.42})
    >>> trace.append({"error": 0.2})
    >>> trace["error"]
    array([0.3, 0.2])
    >>> trace.names
    ('error', 'alpha')
    """

    rounds: list[dict[str, float]] = field(default_factory=list)
    weights: list[NDArray[np.float64]] = field(default_factory=list)
    reason: str = ""

    def append(self, facts: Mapping[str, float]) -> None:
        """Note the facts of a new round."""
        self.rounds.append({name: float(value) for name, value in facts.items()})

    def note(self, **facts: float) -> None:
        """Add facts to the last round."""
        self.rounds[-1].update(facts)

    @property
    def names(self) -> tuple[str, ...]:
        """The facts that some round states, in the order they first appear."""
        return tuple(dict.fromkeys(name for facts in self.rounds for name in facts))

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if self.rounds and name not in self.names:
            raise KeyError(
                f"The trace does not contain {name!r}; it contains {', '.join(self.names)}."
            )
        return np.array([facts.get(name, np.nan) for facts in self.rounds])

    def __len__(self) -> int:
        """Number of rounds."""
        return len(self.rounds)

    def __iter__(self) -> Iterator[dict[str, float]]:
        return iter(self.rounds)

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """All facts by name, ready for a data frame."""
        return {name: self[name] for name in self.names}

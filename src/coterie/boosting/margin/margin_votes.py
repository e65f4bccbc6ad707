"""Votes between -1 and 1, and how right they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from coterie.core.rule import Array, State, majority, two_sided
from coterie.data import Target
from coterie.tags import tagged

if TYPE_CHECKING:
    from coterie.core.rule import Rule as Mixin
else:
    Mixin = object


@tagged
@dataclass(frozen=True)
class MarginVotes(Mixin):
    r"""A rule whose members say -1 to 1 with two classes, or give every class its share of a vote.

    A hit is how right a member is about a row: :math:`u(i) = y_i h(x_i)` with two classes, and of
    many :math:`P(y_i) - \max_{k \ne y_i} P(k)`. Sums of hits are margins of two classes and never
    more than the margin of many.

    Parameters
    ----------
    voting : {"auto", "hard", "soft"}
        Whether members vote with classes or with probabilities; "auto" uses classes if there are
        two.
    """

    voting: Literal["auto", "hard", "soft"] = "auto"
    spare_levels: ClassVar[int | None] = 1

    def for_target(self, target: Target) -> Self:
        """The rule with hard or soft votes."""
        if self.voting != "auto":
            return self
        return replace(self, voting="hard" if target.n_classes[0] <= 2 else "soft")

    @property
    def gives(self) -> Literal["label", "proba", "score"]:  # type: ignore[override]
        """What a member must return."""
        return "proba" if self.voting == "soft" else "label"

    @staticmethod
    def n_scores(target: Target) -> int:
        """One score for two classes, otherwise one per class."""
        n_classes = target.n_classes[0]
        return 1 if n_classes <= 2 else n_classes

    def vote(self, output: Array) -> Array:
        """The difference of two classes' votes; of many, a vote shared among them."""
        if self.voting == "hard":
            output = np.eye(output.shape[1])[majority(output)]
        if output.shape[1] > 2:
            return output
        if output.shape[1] == 1:
            return -np.ones((len(output), 1))
        return output[:, 1:] - output[:, :1]

    @staticmethod
    def hits(state: State, vote: Array) -> Array:
        """How right the vote is about each row, shape (n_rows,)."""
        if vote.shape[1] == 1:
            return np.asarray(state.signs * vote[:, 0])
        rows = np.arange(len(vote))
        others = vote.astype(np.float64)  # they may be kept as small integers
        others[rows, state.codes] = -np.inf
        return np.asarray(vote[rows, state.codes] - others.max(axis=1))

    def fallback(self, state: State) -> Array:
        """The shares of the classes; of two, the difference between them."""
        n_scores = state.raw.shape[1]
        shares = np.bincount(state.codes, weights=state.initial, minlength=max(n_scores, 2))
        return np.asarray(shares[1:] - shares[:1] if n_scores == 1 else shares, dtype=np.float64)

    def link(self, raw: Array) -> Array:
        """Shares of the votes: a score between 0 and 1, not a calibrated probability."""
        if raw.shape[1] == 1:
            return two_sided(np.clip((raw[:, 0] + 1) / 2, 0.0, 1.0))
        return np.asarray(raw / raw.sum(axis=1, keepdims=True))

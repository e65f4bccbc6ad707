r"""A loss of several outputs: the sum of one loss per column of y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie.losses.pointwise import Array, Leaves, PointwiseLoss


@dataclass(frozen=True)
class ColumnsLoss(PointwiseLoss):
    r""":math:`\sum_k L_k(y_k, F_k)`: a separate score for every column of y.

    Parameters
    ----------
    parts : tuple of PointwiseLoss
        The loss of each column, of one score and of one kind.

    Examples
    --------
    >>> from coterie.losses import SquaredError
    >>> loss = ColumnsLoss((SquaredError(), SquaredError()))
    >>> y = np.array([[1.0, 0.0], [3.0, 4.0]])
    >>> loss.start(y, np.ones(2)), loss.value(y, np.zeros((2, 2)))
    (array([2., 2.]), array([ 0.5, 12.5]))
    """

    parts: tuple[PointwiseLoss, ...]
    name: ClassVar[str] = "columns"

    # Here these depend on the object, elsewhere on the class; nobody asks a class.
    @property
    def constant_hessian(self) -> bool:  # type: ignore[override]
        """Whether `hessian` is 1 in every row."""
        return self.parts[0].constant_hessian

    @property
    def true_hessian(self) -> bool:  # type: ignore[override]
        """Whether `hessian` is the second derivative."""
        return self.parts[0].true_hessian

    @property
    def adaptive(self) -> bool:  # type: ignore[override]
        """Whether leaves must be refitted."""
        return self.parts[0].adaptive

    @property
    def exact_leaf(self) -> bool:  # type: ignore[override]
        """Whether `leaf` finds the minimum."""
        return self.parts[0].exact_leaf

    @property
    def longest_step(self) -> float:  # type: ignore[override]
        """How far a leaf may move a score at once."""
        return self.parts[0].longest_step

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """Whether a local minimum along a line is the minimum."""
        return self.parts[0].convex

    @property
    def knows_value(self) -> bool:  # type: ignore[override]
        """Whether `value` is known."""
        return self.parts[0].knows_value

    @property
    def takes_newton_steps(self) -> bool:
        """Whether `leaf` is `newton` of the slopes."""
        return self.parts[0].takes_newton_steps

    def n_scores(self, n_classes: int) -> int:  # type: ignore[override]
        """One a column."""
        return len(self.parts)

    def check(self, y: Array) -> None:
        """Every column by its own loss."""
        for part, column in zip(self.parts, y.T, strict=True):
            part.check(column)

    def settle(self, y: Array, raw: Array, weight: Array) -> PointwiseLoss:
        """Every column by itself."""
        if type(self.parts[0]).settle is PointwiseLoss.settle:
            return self
        each = zip(self.parts, range(len(self.parts)), strict=True)
        return ColumnsLoss(tuple(p.settle(y[:, k], raw[:, k : k + 1], weight) for p, k in each))

    def value(self, y: Array, raw: Array) -> Array:
        """The sum over the columns."""
        total = np.zeros(len(y))
        for k, part in enumerate(self.parts):
            total += part.value(y[:, k], raw[:, k : k + 1])
        return total

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian, column by column."""
        both = [part.slopes(y[:, k], raw[:, k : k + 1]) for k, part in enumerate(self.parts)]
        return np.hstack([g for g, _ in both]), np.hstack([h for _, h in both])

    def link(self, raw: Array) -> Array:
        """What each score predicts; with two classes, the probability of the second."""
        said = [part.link(raw[:, k : k + 1]) for k, part in enumerate(self.parts)]
        return np.column_stack([one if one.ndim == 1 else one[:, -1] for one in said])

    def unlink(self, predicted: Array) -> Array:
        """Scores that predict this."""
        return np.hstack([part.unlink(predicted[:, k]) for k, part in enumerate(self.parts)])

    def start(self, y: Array, weight: Array) -> Array:
        """The best constant of every column."""
        return np.concatenate([part.start(y[:, k], weight) for k, part in enumerate(self.parts)])

    def leaf(
        self, y: Array, raw: Array, weight: Array, leaves: Leaves, n_leaves: int, score: int = 0
    ) -> Array:
        """As the loss of the column has it."""
        shown = raw[:, score : score + 1]
        return self.parts[score].leaf(y[:, score], shown, weight, leaves, n_leaves)

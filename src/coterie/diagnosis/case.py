"""The rows that an ensemble is judged by, and what can be said about means over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.data.outputs import sample_weights
from coterie.diagnosis.ensemble_predictions import Answers
from coterie.selection.pruning.curve import mean_losses
from coterie.theory.decomposition import class_positions

Array = NDArray[np.float64]

#: Standard errors on both sides of a mean that hold it 95 times of 100.
WIDE = 1.96


class Estimate(NamedTuple):
    """A mean over rows, and its standard error."""

    value: float
    deviation: float

    @property
    def clear(self) -> bool:
        """Whether it is above zero for sure, up to one time of 40."""
        return self.value > WIDE * self.deviation and self.value > 0


@dataclass(frozen=True)
class Case:
    """An ensemble's answers to rows whose truth is known.

    Parameters
    ----------
    answers : Answers
        What the ensemble and its members say of the rows.
    truth : ndarray of shape (rows,)
        Labels, or numbers.
    codes : ndarray of int of shape (rows,) or None
        Positions of the labels among the classes; None for numbers.
    weight : ndarray of shape (rows,)
        Weight of each row.
    """

    answers: Answers
    truth: NDArray[Any]
    codes: NDArray[np.intp] | None
    weight: Array

    @classmethod
    def of(cls, answers: Answers, y: Any, sample_weight: Any = None) -> Case:
        """Check the truth against the answers."""
        truth = truth_of(y, answers.classes, len(answers.vote))
        codes = None
        if answers.classes is not None:
            codes = _codes(truth, answers.classes)
        weight = sample_weights(sample_weight, len(truth))
        return cls(answers, truth, codes, np.ones(len(truth)) if weight is None else weight)

    @property
    def labels(self) -> bool:
        """Whether classes are told, rather than numbers."""
        return self.codes is not None

    @property
    def shares(self) -> Array:
        """What rows count; they sum to one."""
        return np.asarray(self.weight / self.weight.sum())

    @property
    def size(self) -> float:
        """Number of rows of equal weight that would tell as much."""
        return float(1.0 / (self.shares**2).sum())

    def loss(self, said: NDArray[Any]) -> Array:
        """Whether answers are wrong, or their squared errors; of one or of many answers a row."""
        if self.labels:
            return np.asarray(said != self.truth, dtype=np.float64)
        return np.asarray((said - self.truth) ** 2, dtype=np.float64)

    def mean(self, loss: Array) -> Estimate:
        """Mean over the rows, and its standard error."""
        value, deviation = mean_losses(np.asarray(loss, dtype=np.float64)[None], self.weight)
        return Estimate(float(value[0]), float(deviation[0]))

    def guess(self) -> NDArray[Any]:
        """What could be said without a model: the largest class, or the mean."""
        if self.codes is None:
            return np.full(len(self.truth), self.shares @ self.truth)
        known = self.answers.classes
        assert known is not None
        most = np.bincount(self.codes, self.weight, len(known)).argmax()
        return np.full(len(self.truth), known[most])


def _codes(truth: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    try:
        return class_positions(truth, len(classes), classes)
    except TypeError:  # what cannot be compared with labels, such as None
        raise DataError(
            f"y must contain labels like {classes.tolist()[0]!r}, but contains other values."
        ) from None


def truth_of(y: Any, classes: NDArray[Any] | None, n_rows: int) -> NDArray[Any]:
    """The truth as an array of one value a row."""
    truth = np.asarray(y)
    if truth.ndim == 2 and truth.shape[1] == 1:
        truth = truth[:, 0]
    if truth.ndim != 1:
        raise DataError(
            f"y must have shape (n_rows,), not {truth.shape}: only one target is supported."
        )
    if len(truth) != n_rows:
        raise DataError(f"X has {n_rows} rows, but y has {len(truth)} values.")
    if not n_rows:
        raise DataError("There are no rows to evaluate the ensemble on.")
    if classes is not None:
        return truth
    try:
        numbers = truth.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("The model predicts numbers, but y contains other values.") from None
    if not np.isfinite(numbers).all():
        raise DataError("y contains missing or infinite values. Remove these rows.")
    return np.asarray(numbers)


def wilson(share: float, size: float, wide: float = WIDE) -> tuple[float, float]:
    """Limits of a share that was seen in so many rows [1]_.

    References
    ----------
    .. [1] Wilson, "Probable inference, the law of succession, and statistical inference", J. Am.
       Stat. Assoc. 22 (1927).

    Examples
    --------
    >>> wilson(0.0, 10)
    (0.0, 0.278)
    """
    spread = wide**2 / size
    centre = (share + spread / 2) / (1 + spread)
    reach = wide * np.sqrt(share * (1 - share) / size + spread / (4 * size)) / (1 + spread)
    return float(max(0.0, centre - reach)), float(min(1.0, centre + reach))

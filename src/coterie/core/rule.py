"""What a boosting algorithm must say, and nothing else.

A rule is asked and told. Each round the loop asks it what the next member should fit, hands the
fitted member's votes back, and is told what the member weighs. All that changes between rounds
is in a `State`: plain arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.data import Target
from coterie.native import elementary
from coterie.tags import tagged_family

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ask:
    """The target and weights for the next member.

    Attributes
    ----------
    target : Target
        Labels, or numbers as pseudo-responses.
    weight : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Row weights; one column per output asks for one member per output.
    scale : float
        Factor of the weights. It is multiplied in where they are and taken out again after the
        fit, so a rule that gives the weights of its state needs no second array of them.
    merits : ndarray of shape (n_rows, n_classes), optional
        What a row gains if a class is called plausible: 1 for its own, less than 0 for those that
        it is mistaken for. Learners that can fit such label weights (`LabelWeightTrainer`) do so;
        the others fit the target.
    """

    target: Target
    weight: Array
    scale: float = 1.0
    merits: Array | None = None


@dataclass(slots=True)
class State:
    """Everything that changes from round to round.

    Attributes
    ----------
    target : Target
        The labels or numbers of the training rows.
    initial : ndarray of shape (n_rows,)
        The weights boosting began with; they sum to one.
    weight : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The distribution the next member is fitted under; it sums to one.
    raw : ndarray of shape (n_rows, n_scores)
        The score of every training row.
    copies : ndarray of shape (n_rows,) or None
        How many rows each stands for, if weights are repetitions.
    """

    target: Target
    initial: Array
    weight: Array
    raw: Array
    copies: NDArray[np.int64] | None = field(default=None, init=False, repr=False)
    _signs: NDArray[np.int8] | None = field(default=None, init=False, repr=False)

    @property
    def codes(self) -> NDArray[np.int32]:
        """Class codes of the only output, shape (n_rows,)."""
        return self.target.codes[:, 0]

    @property
    def signs(self) -> NDArray[np.int8]:
        """Labels of two classes as -1 and +1, shape (n_rows,)."""
        if self._signs is None:
            self._signs = np.where(self.codes > 0, np.int8(1), np.int8(-1))
        return self._signs


@dataclass(frozen=True, slots=True)
class Step:
    """What the rule makes of a new member.

    Attributes
    ----------
    alpha : float
        The member's weight in the pool.
    facts : mapping of str to float
        What the trace notes of the round.
    keep : bool
        False throws the member away; the state is as it was before.
    stop : str
        Why boosting ends with this round, or an empty string.
    alphas : ndarray of shape (n_rounds,), optional
        The weights of all members, of rules that weigh the earlier ones anew; by default these
        keep the weights they had.
    """

    alpha: float
    facts: Mapping[str, float] = field(default_factory=dict)
    keep: bool = True
    stop: str = ""
    alphas: Array | None = None


@tagged_family
class Rule:
    """A boosting algorithm; see `coterie.core.boost.boost` for who calls what.

    Subclasses give `begin`, `ask` and `tell`, and override the rest where they differ.
    """

    #: What a member must return: the predicted class, class probabilities, or a number.
    gives: ClassVar[Literal["label", "proba", "score"]] = "label"
    #: Levels that its default trees have beyond a leaf for each of three or more classes; None for
    #: stumps, as of AdaBoost in scikit-learn.
    spare_levels: ClassVar[int | None] = None

    def for_target(self, target: Target) -> Self:
        """The rule for this target; unchanged unless it depends on the number of outputs."""
        return self

    def begin(self, target: Target, weight: Array) -> State:
        """The state before the first round; `weight` sums to one."""
        raise NotImplementedError

    def ask(self, state: State) -> Ask:
        """The target and weights for the next member."""
        raise NotImplementedError

    def vote(self, output: Array) -> Array:
        """Turn a member's output, shape (n, n_outputs), into its vote, shape (n, n_scores).

        A row-wise function, used both in fitting and in prediction: the votes of a native tree are
        the votes of its leaves.
        """
        return output

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Compute the member's weight and, if it is kept, update the state."""
        raise NotImplementedError

    def fallback(self, state: State) -> Array:
        """The constant score if no member is useful, shape (n_scores,)."""
        return np.zeros(state.raw.shape[1])

    def settle(self, raw: Array) -> Array:
        """Normalise the sum of the votes for display, if only differences are meaningful."""
        return raw

    def link(self, raw: Array) -> Array:
        """Class probabilities from scores, shape (n, n_classes)."""
        raise NotImplementedError

    def decide(self, raw: Array) -> NDArray[np.integer]:
        """Class codes from scores; a two-class score of 0 is the first class."""
        if raw.shape[1] == 1:
            return (raw[:, 0] > 0).view(np.int8)  # a byte a row
        return np.asarray(raw.argmax(axis=1))


def normalised(weight: Array) -> Array:
    """The weights divided by their sum."""
    return np.asarray(weight / weight.sum())


def share(weight: Array, chosen: NDArray[np.bool_]) -> float:
    """The weight of the chosen rows together.

    Examples
    --------
    >>> share(np.array([0.5, 0.25, 0.25]), np.array([True, False, True]))
    0.75
    """
    return elementary.dot(weight, chosen)


def exponential_sum(
    initial: Array, exponent: Array, out: Array | None = None
) -> tuple[Array, float]:
    r"""The distribution :math:`\propto D_0 e^{\text{exponent}}`, and the sum it was divided by.

    The largest exponent is taken out first, so that nothing overflows. The distribution is written
    to `out`, which may be the exponent itself: of a million rows, every array is eight megabytes.
    """
    most = float(exponent.max())
    weight = np.subtract(exponent, most, out=out)
    elementary.exp(weight, out=weight)
    weight *= initial
    total = float(weight.sum())
    weight /= total
    with np.errstate(over="ignore"):
        return weight, float(total * elementary.exp(most))


def exponential_weight(initial: Array, exponent: Array) -> Array:
    r"""The distribution :math:`\propto D_0 e^{\text{exponent}}`, safe from overflow."""
    return exponential_sum(initial, exponent)[0]


def majority(output: Array) -> NDArray[np.intp]:
    """The class each row of probabilities votes for; in case of ties, the first.

    Equal means up to rounding, which differs between a row of weight two and a row given twice.
    """
    return np.asarray((output >= output.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1))


def smallest_error(state: State) -> float:
    """The error a perfect member is counted with: half the lightest row, of several copies one."""
    each = state.initial if state.copies is None else state.initial / state.copies
    return max(0.5 * float(each.min()), float(np.finfo(np.float64).eps))


def rounding(state: State) -> float:
    """Errors closer than this to 0 or 1/2 are equal to it."""
    return 8 * len(state.initial) * float(np.finfo(np.float64).eps)


def two_sided(second: Array) -> Array:
    """Probabilities of two classes from those of the second, shape (n, 2)."""
    return np.stack([1.0 - second, second], axis=1)

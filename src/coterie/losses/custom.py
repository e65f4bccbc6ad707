r"""A user's own loss, and a check of any loss against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from coterie.losses.pointwise import Array, PointwiseLoss, ratio

Function = Callable[[Array, Array], Array]

# Steps of central differences that balance truncation and rounding: first and second ones.
_STEP = float(np.cbrt(np.finfo(np.float64).eps))
_WIDE_STEP = float(np.finfo(np.float64).eps ** 0.25)
_NEWTON_STEPS = 100
_HALVINGS = 40


class UserLoss(PointwiseLoss):
    """Base class of losses defined by functions; subclasses have `inverse` and `scores`."""

    inverse: Callable[[Array], Array] | None
    scores: int

    def n_scores(self, n_classes: int) -> int:  # type: ignore[override]
        """As said."""
        return self.scores

    def shaped(self, what: str, got: Any, raw: Array, shape: tuple[int, ...]) -> Array:
        """What the user's function says, in the shape of ours."""
        said: Array = np.asarray(got, dtype=np.float64)
        wanted = shape[:1] if raw.shape[1] == 1 else shape
        if said.shape != wanted:
            raise ValueError(f"The {what} has shape {said.shape}; it should have {wanted}.")
        return said.reshape(shape)

    def link(self, raw: Array) -> Array:
        """What the scores predict."""
        if self.inverse is None:
            return raw[:, 0] if raw.shape[1] == 1 else raw
        return np.asarray(self.inverse(raw), dtype=np.float64)

    def unlink(self, predicted: Array) -> Array:
        """Predictions are taken for scores."""
        return predicted.reshape(len(predicted), -1)


@dataclass(frozen=True)
class CustomLoss(UserLoss):
    """A loss defined by functions of ``(y, raw)``.

    With one score, the functions get `raw` of shape (n,) and return that shape; with several,
    both have shape (n, scores), but for `function`, which gives one loss a row.

    Parameters
    ----------
    function : callable
        The loss of every row.
    first : callable, optional
        Its derivative by the scores; by default of central differences.
    second : callable, optional
        Its second derivative by each score, or a positive stand-in; by default of central
        differences of the first.
    inverse : callable, optional
        From scores of shape (n, scores) to what is predicted; by default the scores themselves.
    constant : callable, optional
        The best constant score of ``(y, weight)``; by default found by Newton steps from zero.
    scores : int, default=1
        Number of raw scores per row.
    is_convex : bool, default=True
        Whether a local minimum along a line is the minimum.

    Examples
    --------
    The logarithm of the hyperbolic cosine: Huber's loss without a corner.

    >>> loss = CustomLoss(lambda y, f: np.log(np.cosh(f - y)), lambda y, f: np.tanh(f - y))
    >>> y = np.array([0.0, 1.0, 5.0])
    >>> loss.start(y, np.ones(3)).round(4)
    array([1.175])
    """

    function: Function
    first: Function | None = None
    second: Function | None = None
    inverse: Callable[[Array], Array] | None = None
    constant: Callable[[Array, Array], Array] | None = None
    scores: int = 1
    is_convex: bool = field(default=True)
    name: ClassVar[str] = "custom"

    # Here these depend on the object, elsewhere on the class; nobody asks a class.
    @property
    def convex(self) -> bool:  # type: ignore[override]
        """Whether a local minimum along a line is the minimum."""
        return self.is_convex

    def value(self, y: Array, raw: Array) -> Array:
        """The loss of every row."""
        return self.answer("loss", self.function, (y, raw), (len(y),))

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian."""
        return self.gradient(y, raw), self.hessian(y, raw)

    def gradient(self, y: Array, raw: Array) -> Array:
        """First derivatives."""
        if self.first is None:
            return numeric_gradient(self, y, raw)
        return self.answer("gradient", self.first, (y, raw), raw.shape)

    def hessian(self, y: Array, raw: Array) -> Array:
        """Second derivatives."""
        if self.second is None:
            return numeric_hessian(self, y, raw)
        return self.answer("hessian", self.second, (y, raw), raw.shape)

    def answer(
        self, what: str, function: Function, given: tuple[Array, Array], shape: tuple[int, ...]
    ) -> Array:
        """What the user's function says, in the shape of ours."""
        y, raw = given
        got = function(y, raw[:, 0] if self.scores == 1 else raw)
        return self.shaped(what, got, raw, shape)

    def start(self, y: Array, weight: Array) -> Array:
        """The best constant score."""
        if self.constant is None:
            return newton_start(self, y, weight)
        start = np.asarray(self.constant(y, weight), dtype=np.float64)
        return np.broadcast_to(start, (self.scores,)).copy()


@dataclass(frozen=True)
class SlopesLoss(UserLoss):
    r"""A loss defined by its gradient and Hessian only: a function of ``(y, raw)``.

    This is what a plain function passed as ``loss=`` becomes. `raw` has shape (n,) if there is one
    score, else (n, scores); the function returns the gradient and the Hessian, each of the shape of
    `raw`. Classes come as codes 0, 1, ... Weights are multiplied in by the caller. Scores start
    where the sum of gradients vanishes, which Newton steps from zero find.

    The value of the loss is unknown: early stopping needs another `scoring`. Without an `inverse`
    a regressor predicts the score itself, and a classifier the class of the largest score, or the
    second of two where the score is positive; it has no probabilities then.

    Parameters
    ----------
    function : callable
        ``(y, raw) -> (gradient, hessian)``; the Hessian must not be negative.
    inverse : callable, optional
        From scores of shape (n, scores) to what is predicted; by default the scores themselves.
    scores : int, default=1
        Number of raw scores per row.

    Examples
    --------
    >>> loss = SlopesLoss(lambda y, f: (f - y, np.ones_like(f)))
    >>> loss.start(np.array([1.0, 3.0]), np.ones(2))
    array([2.])
    """

    function: Callable[[Array, Array], tuple[Array, Array]]
    inverse: Callable[[Array], Array] | None = None
    scores: int = 1
    name: ClassVar[str] = "slopes"
    knows_value: ClassVar[bool] = False

    def slopes(self, y: Array, raw: Array) -> tuple[Array, Array]:
        """Gradient and Hessian."""
        got = self.function(y, raw[:, 0] if raw.shape[1] == 1 else raw)
        if not isinstance(got, tuple | list) or len(got) != 2:
            raise ValueError(
                "The loss function must return a pair (gradient, hessian), but it returned "
                f"{type(got).__name__}."
            )
        gradient, hessian = (
            self.shaped(what, part, raw, raw.shape)
            for what, part in zip(("gradient", "hessian"), got, strict=True)
        )
        if not (np.isfinite(gradient).all() and np.isfinite(hessian).all()):
            raise ValueError(
                "The loss function returned gradients or Hessians that are not finite."
            )
        if hessian.min(initial=0.0) < 0:
            raise ValueError(
                "The loss function returned a negative Hessian for some rows. Return a "
                "non-negative approximation instead, such as its absolute value or ones."
            )
        return gradient, hessian

    def value(self, y: Array, raw: Array) -> Array:
        """Nobody knows."""
        raise ValueError("The loss defines only gradients; its value is not known.")

    def start(self, y: Array, weight: Array) -> Array:
        """Where the sum of gradients vanishes."""
        return slope_start(self, y, weight)


def slope_start(loss: PointwiseLoss, y: Array, weight: Array) -> Array:
    """Where the sums of gradients vanish, by Newton steps from zero that shorten them."""
    constant = np.zeros(loss.n_scores(0))

    def pulls(constant: Array) -> tuple[Array, Array]:
        gradient, hessian = loss.slopes(y, np.tile(constant, (len(y), 1)))
        return weight @ gradient, weight @ hessian

    pull, bend = pulls(constant)
    for _ in range(_NEWTON_STEPS):
        step = -ratio(pull, np.where(bend > 0, bend, weight.sum()))
        for _ in range(_HALVINGS):
            new, new_bend = pulls(constant + step)
            if np.abs(new).sum() < np.abs(pull).sum():
                break
            step = step / 2
        else:
            break
        constant, pull, bend = constant + step, new, new_bend
        if np.abs(pull).sum() <= 1e-12 * weight.sum():
            break
    return constant


def newton_start(loss: PointwiseLoss, y: Array, weight: Array) -> Array:
    """The best constant score by damped Newton steps from zero."""
    constant = np.zeros(loss.n_scores(0))

    def at(constant: Array) -> float:
        return float(weight @ loss.value(y, np.tile(constant, (len(y), 1))))

    least = at(constant)
    for _ in range(_NEWTON_STEPS):
        gradient, hessian = loss.slopes(y, np.tile(constant, (len(y), 1)))
        pull, bend = weight @ gradient, np.abs(weight @ hessian)
        # Without curvature the step is that of gradient descent on the mean loss.
        step = -ratio(pull, np.where(bend > 0, bend, weight.sum()))
        for _ in range(_HALVINGS):
            new = at(constant + step)
            if new < least:
                break
            step = step / 2
        else:
            break
        constant, gain, least = constant + step, least - new, new
        if gain <= 1e-15 * abs(least):
            break
    return constant


def numeric_gradient(loss: PointwiseLoss, y: Array, raw: Array) -> Array:
    """Central differences of the loss."""
    result = np.empty_like(raw)
    for score in range(raw.shape[1]):
        step = _STEP * np.maximum(1.0, np.abs(raw[:, score]))
        up, down = raw.copy(), raw.copy()
        up[:, score] += step
        down[:, score] -= step
        result[:, score] = (loss.value(y, up) - loss.value(y, down)) / (2 * step)
    return result


def numeric_hessian(loss: PointwiseLoss, y: Array, raw: Array) -> Array:
    """Central differences of the gradient, by each score."""
    result = np.empty_like(raw)
    # A gradient that is itself a difference needs wider steps.
    rough = isinstance(loss, CustomLoss) and loss.first is None
    for score in range(raw.shape[1]):
        step = (_WIDE_STEP if rough else _STEP) * np.maximum(1.0, np.abs(raw[:, score]))
        up, down = raw.copy(), raw.copy()
        up[:, score] += step
        down[:, score] -= step
        rise = loss.gradient(y, up)[:, score] - loss.gradient(y, down)[:, score]
        result[:, score] = rise / (2 * step)
    return result


def check_loss(loss: PointwiseLoss, y: Array, raw: Array, tolerance: float = 1e-5) -> None:
    """Compare gradient and Hessian with finite differences; a ValueError names a mismatch.

    Avoid points where a derivative jumps, such as residuals of exactly 0 with the absolute error. A
    Hessian that is only a substitute for the true one is not compared.

    Parameters
    ----------
    loss : PointwiseLoss
        The loss in question.
    y : array of shape (n,)
        Targets.
    raw : array of shape (n,) or (n, k)
        Scores at which to compare.
    tolerance : float, default=1e-5
        Tolerance, relative where a derivative exceeds one.

    Examples
    --------
    >>> wrong = CustomLoss(lambda y, f: (f - y) ** 2, lambda y, f: f - y)
    >>> check_loss(wrong, np.zeros(2), np.array([0.0, 3.0]))
    Traceback (most recent call last):
    ...
    ValueError: The gradient of the custom loss in row 1, score 0, is 3; central differences give 6.
    """
    y, raw = np.asarray(y, dtype=np.float64), np.asarray(raw, dtype=np.float64)
    raw = raw.reshape(len(y), -1)
    loss.check(y)
    pairs = [("gradient", loss.gradient, numeric_gradient)]
    if loss.true_hessian:
        pairs.append(("hessian", loss.hessian, numeric_hessian))
    for what, says, differences in pairs:
        said = says(y, raw)
        if said.shape != raw.shape:
            raise ValueError(f"The {what} has shape {said.shape}; it should have {raw.shape}.")
        found = differences(loss, y, raw)
        # Written so that NaN counts as a gap.
        fine = np.abs(said - found) <= tolerance * np.maximum(1.0, np.abs(found))
        if not fine.all():
            row, score = np.argwhere(~fine)[0]
            raise ValueError(
                f"The {what} of the {loss.name} loss in row {row}, score {score}, is "
                f"{said[row, score]:.6g}; central differences give {found[row, score]:.6g}."
            )

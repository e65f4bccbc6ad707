r"""Small networks trained together: arrays of all members at once, members first.

Member i is pulled towards the truth y and pushed away from the mean F of all members:

.. math:: e_i = \tfrac12 (f_i - y)^2 - \lambda (f_i - F)^2, \qquad
   \frac{\partial e_i}{\partial f_i} = (f_i - y) - \lambda (f_i - F)

where F counts as a constant, as in the paper. With :math:`\lambda = 0` members do not know of one
another; with 1 all of them follow the error of the mean, :math:`F - y`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import softmax

from coterie.core.trace import Trace
from coterie.fusion.sums import row_product
from coterie.tags import tagged

Array = NDArray[np.float64]
Product = Callable[[Array, Array], Array]
Output = Literal["identity", "softmax"]

_DECAY, _DECAY_SQUARES, _TINY = 0.9, 0.999, 1e-8  # of Adam, as published


def penalised_loss(outputs: Array, truth: Array, penalty: float) -> Array:
    r"""Loss of every member, :math:`\tfrac12\|f_i - y\|^2 - \lambda \|f_i - F\|^2`, shape (T, n).

    Parameters
    ----------
    outputs : ndarray of shape (n_members, n_rows, n_outputs)
        What members say.
    truth : ndarray of shape (n_rows, n_outputs)
        What is right.
    penalty : float
        The penalty :math:`\lambda`.

    Examples
    --------
    >>> penalised_loss(np.array([[[1.0]], [[2.0]], [[6.0]]]), np.array([[2.0]]), 0.5).ravel()
    array([-1.5, -0.5,  3.5])
    """
    spread = outputs - outputs.mean(axis=0)
    return ((outputs - truth) ** 2 / 2 - penalty * spread**2).sum(axis=2)


def pull(outputs: Array, truth: Array, penalty: float) -> Array:
    r"""Gradient of every member, :math:`(f_i - y) - \lambda (f_i - F)`, the mean held constant.

    The gradient that lets the mean move too is the same with :math:`2\lambda(1 - 1/T)` in place of
    :math:`\lambda`, see `effective_penalty`.

    Examples
    --------
    >>> pull(np.array([[[1.0]], [[2.0]], [[6.0]]]), np.array([[2.0]]), 0.5).ravel()
    array([0. , 0.5, 2.5])
    """
    return (outputs - truth) - penalty * (outputs - outputs.mean(axis=0))


def effective_penalty(penalty: float, gradient: str, n_members: int) -> float:
    r"""The penalty of `pull` that stands for a gradient.

    Parameters
    ----------
    penalty : float
        The penalty :math:`\lambda`.
    gradient : {"liu-yao", "exact"}
        Whether the mean is held constant, or moves with the member.
    n_members : int
        Number of members.

    References
    ----------
    .. [1] Brown, Wyatt & Tiňo, "Managing diversity in regression ensembles", J. Mach. Learn. Res.
       6 (2005).

    Examples
    --------
    >>> outputs, truth = np.array([[[1.0]], [[2.0]], [[6.0]]]), np.array([[2.0]])
    >>> pull(outputs, truth, effective_penalty(0.5, "exact", 3)).ravel().round(3)
    array([0.333, 0.667, 2.   ])
    """
    return penalty if gradient == "liu-yao" else 2 * penalty * (1 - 1 / n_members)


@tagged
@dataclass(frozen=True)
class Networks:
    """Networks of one hidden layer side by side; without hidden units they are linear.

    Attributes
    ----------
    inner, bias : ndarray of shape (T, n_inputs, n_hidden), (T, n_hidden)
        From inputs to hidden units, whose answer is the hyperbolic tangent.
    outer, offset : ndarray of shape (T, n_hidden, n_outputs), (T, n_outputs)
        From hidden units to outputs; from the inputs where there are no hidden units.
    output : {"identity", "softmax"}
        Numbers, or probabilities.
    """

    inner: Array
    bias: Array
    outer: Array
    offset: Array
    output: Output = "identity"

    @classmethod
    def draw(
        cls, streams: list[Generator], n_inputs: int, n_hidden: int, n_outputs: int, output: Output
    ) -> Networks:
        """Initial weights, one stream of random numbers per network."""
        last = n_hidden or n_inputs
        inner = [_glorot(rng, n_inputs, n_hidden) for rng in streams]
        outer = [_glorot(rng, last, n_outputs) for rng in streams]
        bias, offset = np.zeros((len(streams), n_hidden)), np.zeros((len(streams), n_outputs))
        return cls(np.stack(inner), bias, np.stack(outer), offset, output)

    def __len__(self) -> int:
        """Number of networks."""
        return len(self.inner)

    def __getitem__(self, part: slice) -> Networks:
        """Some of the networks."""
        return replace(
            self,
            inner=self.inner[part],
            bias=self.bias[part],
            outer=self.outer[part],
            offset=self.offset[part],
        )

    def parameters(self) -> dict[str, Array]:
        """The weights by name."""
        return {"inner": self.inner, "bias": self.bias, "outer": self.outer, "offset": self.offset}

    def hidden(self, inputs: Array, product: Product = np.matmul) -> Array:
        """Answers of the hidden units, shape (T, n, n_hidden); the inputs if there are none."""
        if not self.bias.shape[1]:
            return np.broadcast_to(inputs, (len(self), *inputs.shape))
        return np.tanh(product(inputs, self.inner) + self.bias[:, None])

    def answer(self, hidden: Array, product: Product = np.matmul) -> Array:
        """Outputs by what the hidden units say, shape (T, n, n_outputs)."""
        raw = product(hidden, self.outer) + self.offset[:, None]
        return raw if self.output == "identity" else softmax(raw, axis=2)

    def __call__(self, inputs: Array) -> Array:
        """Outputs of every network on every row, shape (T, n, n_outputs)."""
        return self.answer(self.hidden(inputs, _steady), _steady)

    def slopes(
        self, inputs: Array, hidden: Array, outputs: Array, pulls: Array
    ) -> dict[str, Array]:
        """Gradients of all weights, from those of the outputs."""
        if self.output == "softmax":
            pulls = outputs * (pulls - (outputs * pulls).sum(axis=2, keepdims=True))
        slopes = {"outer": np.swapaxes(hidden, 1, 2) @ pulls, "offset": pulls.sum(axis=1)}
        if not self.bias.shape[1]:
            return slopes
        back = (pulls @ np.swapaxes(self.outer, 1, 2)) * (1 - hidden**2)
        return {"inner": inputs.T @ back, "bias": back.sum(axis=1), **slopes}


@dataclass(frozen=True)
class Training:
    """How networks are trained.

    Parameters
    ----------
    penalty : float
        What `pull` takes.
    n_epochs : int
        Passes over the rows.
    batch_size : int
        Rows between two steps.
    learning_rate : float
        Step length of Adam.
    """

    penalty: float
    n_epochs: int
    batch_size: int
    learning_rate: float

    def run(
        self, networks: Networks, inputs: Array, truth: Array, weight: Array, rng: Generator
    ) -> tuple[Networks, Trace]:
        """Trained networks, and their errors in every epoch.

        All members see the same rows at the same time, and each step is computed for all of them
        before any moves. The trace has the squared error of the mean, the mean squared error of
        members and the ambiguity, which is the difference of the two.
        """
        step, trace = _Adam(networks, self.learning_rate), Trace()
        share = weight / weight.mean()
        for _ in range(self.n_epochs):
            order, books = rng.permutation(len(inputs)), np.zeros(3)
            for start in range(0, len(order), self.batch_size):
                rows = order[start : start + self.batch_size]
                x, y, w = inputs[rows], truth[rows], share[rows]
                hidden = networks.hidden(x)
                outputs = networks.answer(hidden)
                pulls = pull(outputs, y, self.penalty) * (w / len(rows))[:, None]
                networks = step(networks, networks.slopes(x, hidden, outputs, pulls))
                books += _balance(outputs, y, w)
            error, member_error, ambiguity = books / len(order)
            trace.append({"error": error, "member_error": member_error, "ambiguity": ambiguity})
        return networks, trace


def _balance(outputs: Array, truth: Array, weight: Array) -> Array:
    """Total squared error of the mean, mean one of members, and ambiguity."""
    mean = outputs.mean(axis=0)
    error = weight @ ((mean - truth) ** 2).sum(axis=1)
    ambiguity = weight @ ((outputs - mean) ** 2).sum(axis=2).mean(axis=0)
    return np.array([error, error + ambiguity, ambiguity])


class _Adam:
    """Steps of Kingma & Ba (2015), each weight by itself."""

    def __init__(self, networks: Networks, learning_rate: float) -> None:
        self.learning_rate, self.time = learning_rate, 0
        self.first = {name: np.zeros_like(v) for name, v in networks.parameters().items()}
        self.second = {name: np.zeros_like(v) for name, v in networks.parameters().items()}

    def __call__(self, networks: Networks, slopes: dict[str, Array]) -> Networks:
        self.time += 1
        rate = self.learning_rate * np.sqrt(1 - _DECAY_SQUARES**self.time)
        rate /= 1 - _DECAY**self.time
        moved = {}
        for name, slope in slopes.items():
            first, second = self.first[name], self.second[name]
            first += (1 - _DECAY) * (slope - first)
            second += (1 - _DECAY_SQUARES) * (slope**2 - second)
            moved[name] = getattr(networks, name) - rate * first / (np.sqrt(second) + _TINY)
        return replace(networks, **moved)


def _glorot(rng: Generator, n_in: int, n_out: int) -> Array:
    """Uniform initial weights of Glorot & Bengio (2010)."""
    bound = np.sqrt(6 / max(n_in + n_out, 1))
    return rng.uniform(-bound, bound, size=(n_in, n_out))


def _steady(inputs: Array, coef: Array) -> Array:
    """``inputs @ coef`` for every network, the same for a row alone as among others."""
    shown = np.broadcast_to(inputs, (len(coef), *inputs.shape[-2:]))
    return np.stack([row_product(rows, own) for rows, own in zip(shown, coef, strict=True)])

r"""Negative correlation learning: networks trained together so that they differ.

Arrays hold all members at once, members first. Member i is pulled towards the truth y and pushed
away from the mean F of all members:

.. math:: e_i = \tfrac12 (f_i - y)^2 - \lambda (f_i - F)^2, \qquad
   \frac{\partial e_i}{\partial f_i} = (f_i - y) - \lambda (f_i - F)

where F counts as a constant, as in the paper. With :math:`\lambda = 0` members do not know of one
another; with 1 all of them follow the error of the mean, :math:`F - y`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from scipy.special import softmax

from coterie.bagging.coordinates import Array, Coordinates, Rows, settle_rows
from coterie.base import Admitted, ClassifierTask, Committee, RegressorTask
from coterie.core import (
    Allowed,
    ParameterError,
    Pool,
    RandomLike,
    at_least,
    between,
    draw_entropy,
    growing_stream,
    member_seeds,
    one_of,
)
from coterie.core.trace import Trace
from coterie.data import Table
from coterie.fusion.sums import row_product
from coterie.tags import tagged
from coterie.trees.growth import SHAPE

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
        Number of rows per step.
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


_CORRELATION: dict[str, Allowed] = {
    "n_members": at_least(1),
    "penalty": between(0.0, np.inf, closed="left"),
    "gradient": one_of("liu-yao", "exact"),
    "n_hidden": at_least(0),
    "learning_rate": between(0.0, np.inf, closed="neither"),
    "max_iter": at_least(1),
    "batch_size": at_least(1),
    **{name: SHAPE[name] for name in ("random_state", "n_jobs", "max_bins")},
    "categorical_features": SHAPE["categorical_features"],
}


@tagged
@dataclass(frozen=True)
class NetworkMember:
    """One network of a trained crowd.

    Parameters
    ----------
    coordinates : Coordinates
        Where rows lie.
    network : Networks
        The network, alone.
    scale, shift : ndarray of shape (n_outputs,)
        What its outputs are multiplied by, and what is added then.
    """

    coordinates: Coordinates
    network: Networks
    scale: Array
    shift: Array

    def predict(self, table: Table) -> Array:
        """Its output for every row, shape (n_rows, n_outputs)."""
        return self.network(self.coordinates(table))[0] * self.scale + self.shift


@dataclass(eq=False, repr=False, kw_only=True)
class CorrelatedNetworks(Committee):
    """What both tasks share.

    Parameters
    ----------
    n_members : int, default=10
        Number of networks. They are trained together, so fewer are not the beginning of more.
    penalty : float, default=0.5
        How strongly members are pushed apart: 0 trains them independently; 1, or T / (2(T - 1))
        for the exact gradient of T members, trains their mean as one large network. More makes
        members run away from one another and is refused.
    gradient : {"liu-yao", "exact"}, default="liu-yao"
        Whether the mean counts as a constant when a member moves, as in the paper, or moves with
        it. The exact gradient equals the other with the penalty times 2(1 - 1/T).
    n_hidden : int, default=8
        Hidden units of every network; 0 makes members linear.
    learning_rate : float, default=0.01
        Step length of Adam.
    max_iter : int, default=200
        Passes over the rows.
    batch_size : int, default=128
        Number of rows per step.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness for initial weights and the order of rows.
    n_jobs : int, default=None
        Has no effect: the linear algebra behind NumPy decides how many threads it uses.
    max_bins : int, default=32
        Maximum number of categories per column that get their own input, the most frequent first.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    """

    n_members: int = 10
    penalty: float = 0.5
    gradient: Literal["liu-yao", "exact"] = "liu-yao"
    n_hidden: int = 8
    learning_rate: float = 0.01
    max_iter: int = 200
    batch_size: int = 128
    random_state: RandomLike = None
    n_jobs: int | None = None
    max_bins: int = 32
    categorical_features: Any = "from_dtype"

    allowed: ClassVar[Mapping[str, Allowed]] = _CORRELATION
    output: ClassVar[Output]

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        penalty = effective_penalty(self.penalty, self.gradient, self.n_members)
        if penalty > 1:
            raise ParameterError(
                f"{type(self).__name__}: penalty={self.penalty!r} is not allowed; with "
                f"gradient={self.gradient!r} and {self.n_members} members, more than "
                f"{self.penalty / penalty:.4g} makes the members diverge."
            )
        entropy = draw_entropy(self.random_state)
        rows = settle_rows(admitted.table, admitted.target, admitted.weight, merge=True)
        coordinates = Coordinates.learn(rows, admitted.table.schema, self.max_bins)
        coordinates = coordinates.along_rows(coordinates.place(rows.cells))
        inputs = coordinates.place(rows.cells)
        truth, scale, shift = self._aims(rows, draft)
        streams = [growing_stream(int(s)) for s in member_seeds(entropy, 0, self.n_members)]
        start = Networks.draw(streams, inputs.shape[1], self.n_hidden, truth.shape[1], self.output)
        training = Training(penalty, self.max_iter, self.batch_size, self.learning_rate)
        shuffle = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(2**31,)))
        networks, draft.trace_ = training.run(start, inputs, truth, rows.weight, shuffle)
        draft.n_iter_ = self.max_iter
        draft.pool_ = Pool.of(
            [
                NetworkMember(coordinates, networks[t : t + 1], scale, shift)
                for t in range(self.n_members)
            ]
        )

    def _aims(self, rows: Rows, draft: Self) -> tuple[Array, Array, Array]:
        """What outputs are trained towards, and how they are scaled and shifted back."""
        raise NotImplementedError

    @property
    def estimators_(self) -> list[Any]:
        """The members: networks with ``predict(table)``."""
        pool = self._settled().pool_
        return [pool.member(t) for t in range(len(pool))]


@dataclass(eq=False, repr=False, kw_only=True)
class NegativeCorrelationRegressor(RegressorTask, CorrelatedNetworks):
    r"""Neural networks trained together, each towards the target and away from the others.

    With :math:`F` the mean of T members, member i is trained on

    .. math:: e_i = \tfrac12 (f_i - y)^2 - \lambda (f_i - F)^2 .

    The second term is the member's part in the ambiguity, by which the error of the mean is smaller
    than the mean error of members: :math:`(F - y)^2 = \frac1T\sum_i (f_i - y)^2 - \frac1T\sum_i
    (f_i - F)^2`. So a larger :math:`\lambda` increases diversity at the price of worse members. All
    networks are trained at once, as arrays with one slice per member.

    Numbers are standardised, categories become one input per level, and missing numbers the mean,
    with an input that marks them.

    Parameters
    ----------
    n_members, penalty, gradient, n_hidden, learning_rate, max_iter : see below
        Settings of the networks.

    Attributes
    ----------
    pool_, estimators_ : Pool, list of members
        The networks.
    n_iter_ : int
        Passes over the rows.
    trace_ : Trace
        By epoch, of the standardised target: "error" of the mean, "member_error" and "ambiguity",
        whose difference is the first.

    References
    ----------
    .. [1] Liu & Yao, "Ensemble learning via negative correlation", Neural Networks 12 (1999).
    .. [2] Brown, Wyatt & Tiňo, "Managing diversity in regression ensembles", J. Mach. Learn. Res.
       6 (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> shy = NegativeCorrelationRegressor(penalty=0.0, max_iter=50, random_state=0).fit(X, y)
    >>> bold = NegativeCorrelationRegressor(penalty=0.9, max_iter=50, random_state=0).fit(X, y)
    >>> bool(bold.trace_["ambiguity"][-1] > shy.trace_["ambiguity"][-1])
    True
    """

    output: ClassVar[Output] = "identity"

    def _aims(self, rows: Rows, draft: Self) -> tuple[Array, Array, Array]:
        values = rows.encoded.astype(np.float64)
        shift = np.average(values, axis=0, weights=rows.weight)
        centred = np.where(np.ptp(values, axis=0) > 0, values - shift, 0.0)
        # Divided before it is squared: a target of 1e70 is allowed.
        largest = np.abs(centred).max(axis=0)
        unit = np.where(largest > 0, largest, 1.0)
        scale = unit * np.sqrt(np.average((centred / unit) ** 2, axis=0, weights=rows.weight))
        shift = np.where(largest > 0, shift, values[0])
        return centred / np.where(scale > 0, scale, 1.0), scale, shift


@dataclass(eq=False, repr=False, kw_only=True)
class NegativeCorrelationClassifier(ClassifierTask, CorrelatedNetworks):
    r"""Neural networks trained together, each towards the labels and away from the others.

    As `NegativeCorrelationRegressor`, with the class probabilities p of a network (a softmax) in
    place of a number: member i is trained on :math:`\tfrac12\|p_i - y\|^2 - \lambda\|p_i -
    \bar p\|^2`, where y is 1 for the right class and 0 for the others. The prediction is the class
    of the largest mean probability.

    Parameters
    ----------
    n_members, penalty, gradient, n_hidden, learning_rate, max_iter : see below
        Settings of the networks.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_, estimators_ : Pool, list of members
        The networks.
    n_iter_ : int
        Passes over the rows.
    trace_ : Trace
        By epoch: squared "error" of the mean probabilities, "member_error" and "ambiguity", whose
        difference is the first.

    References
    ----------
    .. [1] Liu & Yao, "Ensemble learning via negative correlation", Neural Networks 12 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = NegativeCorrelationClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    multi_output: ClassVar[bool] = False
    output: ClassVar[Output] = "softmax"

    def _aims(self, rows: Rows, draft: Self) -> tuple[Array, Array, Array]:
        truth = np.eye(draft.n_classes_)[rows.encoded[:, 0].astype(np.intp)]
        return truth, np.ones(draft.n_classes_), np.zeros(draft.n_classes_)

"""Negative correlation learning: networks trained together so that they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from coterie.bagging.coordinates import Array, Coordinates, Rows, settle_rows
from coterie.bagging.correlation_networks import (
    Networks,
    Output,
    Training,
    effective_penalty,
)
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
from coterie.data import Table
from coterie.tags import tagged
from coterie.trees.growth import SHAPE

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
        Rows between two steps.
    random_state : int, RandomState, Generator or None, default=None
        Source of initial weights and of the order of rows.
    n_jobs : int, default=None
        Has no effect: the linear algebra behind NumPy decides how many threads it uses.
    max_bins : int, default=32
        Levels of a category that have an input of their own, the most frequent ones.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories, besides those of text or a categorical type.
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
                f"{self.penalty / penalty:.4g} makes members run away from one another."
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
    r"""Networks trained together, each drawn to the target and away from the others.

    With :math:`F` the mean of T members, member i is trained on

    .. math:: e_i = \tfrac12 (f_i - y)^2 - \lambda (f_i - F)^2 .

    The second term is the member's part in the ambiguity, by which the error of the mean is
    smaller than the mean error of members: :math:`(F - y)^2 = \frac1T\sum_i (f_i - y)^2 -
    \frac1T\sum_i (f_i - F)^2`. So a larger :math:`\lambda` buys diversity with worse members. All
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
    r"""Networks trained together, each drawn to the labels and away from the others.

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

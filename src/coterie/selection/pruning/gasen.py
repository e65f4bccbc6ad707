"""GASEN: keep the members with large weights in the optimal weighted mean."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from coterie import fusion
from coterie.base.member_weights import error_products
from coterie.data.outputs import numbers_of
from coterie.selection.pruning.ballots import Array, Ballot, Ints
from coterie.selection.pruning.numbers import Answers

_TINY = 1e-12
Solver = Literal["qp", "ga"]


def gasen_weights(covariance: Any, *, solver: Solver = "qp", random_state: int = 0) -> Array:
    r"""Weights that minimise the expected error of the weighted mean.

    .. math:: \min_w w^T C w \quad \text{with} \quad w \ge 0, \; \sum_t w_t = 1

    where :math:`C_{st}` is the mean product of the errors of two members. GASEN keeps the members
    whose weight is above :math:`1/T`, with equal weights.

    Parameters
    ----------
    covariance : array-like of shape (members, members)
        Mean products of errors, see `coterie.fusion.error_covariance`.
    solver : {"qp", "ga"}, default="qp"
        The exact solution; or the genetic algorithm of the paper: 50 vectors of weights, 100
        generations.
    random_state : int, default=0
        Seed of the genetic algorithm.

    Returns
    -------
    ndarray of shape (members,)

    References
    ----------
    .. [1] Zhou, Wu & Tang, "Ensembling neural networks: many could be better than all",
       Artificial Intelligence 137 (2002).

    Examples
    --------
    >>> gasen_weights([[1.0, 0.0], [0.0, 4.0]]).round(3)
    array([0.8, 0.2])
    """
    matrix = numbers_of(covariance, "covariance", (2,))
    if solver == "ga":
        return _evolved(matrix, np.random.default_rng(random_state))
    if solver != "qp":
        raise ValueError(f"solver={solver!r} is not allowed; use 'qp' or 'ga'.")
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    # Rows R with R'R = C turn the form into a sum of squares, which has an exact solution.
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return fusion.simplex_weights(root, np.zeros(root.shape[1]))


def _evolved(matrix: Array, rng: np.random.Generator, size: int = 50, rounds: int = 100) -> Array:
    """Weights by tournaments of two, blended parents, one mutated gene, and the best kept."""
    n_members = len(matrix)

    def settle(genes: Array) -> tuple[Array, Array]:
        weights = genes / np.maximum(genes.sum(axis=1, keepdims=True), _TINY)
        return weights, np.einsum("is,st,it->i", weights, matrix, weights)

    genes = rng.random((size, n_members))
    _, cost = settle(genes)
    for _ in range(rounds):
        rivals = rng.integers(size, size=(2 * size, 2))
        parents = genes[np.where(cost[rivals[:, 0]] <= cost[rivals[:, 1]], *rivals.T)]
        first, second = parents[:size], parents[size:]
        share = rng.random((size, 1)) * (rng.random((size, 1)) < 0.8)
        young = first + share * (second - first)
        spots = rng.integers(n_members, size=size)
        young[np.arange(size), spots] += rng.normal(0.0, 0.1, size)
        young = np.clip(young, 0.0, None)
        young[0] = genes[cost.argmin()]
        genes = young
        _, cost = settle(genes)
    return np.asarray(settle(genes)[0][cost.argmin()])


def gasen_order(
    votes: Any,
    truth: Any,
    *,
    sample_weight: Any = None,
    solver: Solver = "qp",
    random_state: int = 0,
) -> Ints:
    r"""Members by their weights in `gasen_weights`; those with zero weight by their error.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    solver : {"qp", "ga"}, default="qp"
        Exact, or the genetic algorithm of the paper.
    random_state : int, default=0
        Seed of the genetic algorithm.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Zhou, Wu & Tang, "Ensembling neural networks: many could be better than all",
       Artificial Intelligence 137 (2002).

    Examples
    --------
    >>> gasen_order([list("aab"), list("abb"), list("baa")], list("aaa"))
    array([0, 2, 1])
    """
    ballot = Ballot.read(votes, truth, sample_weight)
    wrong = np.where(ballot.heard, (~ballot.hits).astype(np.float64), np.nan)
    products = _products(wrong, ballot.row)
    return _falling(
        gasen_weights(products, solver=solver, random_state=random_state), ballot.errors
    )


def gasen_numbers_order(
    votes: Any,
    truth: Any,
    *,
    sample_weight: Any = None,
    solver: Solver = "qp",
    random_state: int = 0,
) -> Ints:
    r"""`gasen_order` for regression.

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    solver : {"qp", "ga"}, default="qp"
        Exact, or the genetic algorithm of the paper.
    random_state : int, default=0
        Seed of the genetic algorithm.

    Returns
    -------
    ndarray of int of shape (members,)

    References
    ----------
    .. [1] Zhou, Wu & Tang, "Ensembling neural networks: many could be better than all",
       Artificial Intelligence 137 (2002).

    Examples
    --------
    >>> gasen_numbers_order([[2.0, 3.0], [0.0, 1.0], [5.0, 5.0]], [1.0, 2.0])
    array([0, 1, 2])
    """
    answers = Answers.read(votes, truth, sample_weight)
    products = number_products(answers)
    weights = gasen_weights(products, solver=solver, random_state=random_state)
    return _falling(weights, answers.errors)


def number_products(answers: Answers) -> Array:
    """Mean products of residuals, in units of the truth's variance."""
    spread = float(np.sqrt(answers.truth**2 @ answers.row)) or 1.0
    wrong = np.where(answers.heard, answers.residuals / spread, np.nan)
    return _products(wrong, answers.row)


def _products(wrong: Array, row: Array) -> Array:
    """Mean products of errors; those of pairs that meet on few samples are freed of noise."""
    if np.isnan(wrong).any():
        return error_products(wrong[:, :, None], row)
    return np.asarray((wrong * row) @ wrong.T)


def _falling(weights: Array, errors: Array) -> Ints:
    shares = np.round(weights, 9)
    return np.asarray(np.lexsort((np.round(errors, 12), -shares)))

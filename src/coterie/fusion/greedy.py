"""Greedy selection of members with replacement, for any loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import numbers_of
from coterie.fusion.row_losses import brier_rows, error_rows, log_loss_rows
from coterie.tags import tagged

Array = NDArray[np.float64]
Loss = str | Callable[[Any, Array], float]

# Losses this close are the same, and the first member is taken.
_TINY = 1e-12
# Cells of the averages that are tried at once.
_BLOCK_CELLS = 1 << 23


@tagged
@dataclass(frozen=True)
class GreedySelection:
    """The members selected, in order.

    Parameters
    ----------
    order : ndarray of int of shape (rounds,)
        The member selected in each round; members may be selected repeatedly.
    losses : ndarray of shape (rounds,)
        Loss of the average of all members selected so far.
    n_best : int
        The number of rounds with the lowest loss; the first in case of ties.
    weights : ndarray of shape (members,)
        How often each member was selected up to that round, divided by the number of rounds.

    Examples
    --------
    >>> from coterie import fusion
    >>> members = [[0.9, 0.6, 0.4, 0.2], [0.6, 0.9, 0.1, 0.4], [0.3, 0.8, 0.2, 0.1]]
    >>> chosen = fusion.greedy_selection(members, [1, 1, 0, 0], max_rounds=6)
    >>> chosen.order, chosen.n_best, chosen.weights
    (array([1, 0, 1, 0, 1, 0]), 2, array([0.5, 0.5, 0. ]))
    """

    order: NDArray[np.intp]
    losses: Array
    n_best: int
    weights: Array


def greedy_selection(
    outputs: Any,
    y: Any,
    loss: Loss = "rmse",
    *,
    classes: Any = None,
    n_start: int = 1,
    max_rounds: int = 100,
    replace: bool = True,
) -> GreedySelection:
    r"""Add members one by one, each time the one that lowers the loss of the average most.

    .. math:: t_{m+1} = \arg\min_t L\Big(y, \frac{1}{m + 1} \big(\sum_{s \le m} h_{t_s} + h_t\big)
        \Big)

    Members may be selected repeatedly, which gives them more weight; the result is the prefix with
    the lowest loss [1]_.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, classes)
        Predictions for samples the members have not seen.
    y : array-like of shape (samples,)
        The truth: numbers, or labels if there are probabilities of classes.
    loss : {"rmse", "mae", "log_loss", "brier", "error"} or callable, default="rmse"
        The loss to minimise: the first two for numbers, the others for probabilities. A callable
        gets `y` and an average of shape (samples,) or (samples, classes) and returns a number.
    classes : array-like of shape (classes,), optional
        Classes of the probability columns, in increasing order; by default 0, 1, and so on.
    n_start : int, default=1
        Begin with up to this many of the best members, as long as each helps.
    max_rounds : int, default=100
        Maximum number of members to select.
    replace : bool, default=True
        Whether a member may be selected repeatedly.

    Returns
    -------
    GreedySelection

    References
    ----------
    .. [1] Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models",
       ICML (2004).

    Examples
    --------
    >>> from coterie import fusion
    >>> members = [[0.9, 0.6, 0.4, 0.2], [0.6, 0.9, 0.1, 0.4], [0.3, 0.8, 0.2, 0.1]]
    >>> fusion.greedy_selection(members, [1, 1, 0, 0], max_rounds=3).losses
    array([0.292, 0.263, 0.265])
    """
    members: Array = numbers_of(outputs)
    if n_start < 1 or max_rounds < 1:
        raise ValueError("n_start and max_rounds must be at least one.")
    measure = _measure(loss, members, y, classes)
    single = measure(members)
    first = np.argsort(single, kind="stable")
    order, losses = [_least(single)], [float(single.min())]
    total = members[order[0]].copy()
    for t in first[first != order[0]][: min(n_start, max_rounds) - 1]:
        tried = float(measure((total + members[t])[None] / (len(order) + 1))[0])
        if tried >= losses[-1] - _TINY:
            break
        order.append(int(t))
        losses.append(tried)
        total += members[t]
    while len(order) < max_rounds and (replace or len(order) < len(members)):
        scores = np.concatenate(
            [measure((total + part) / (len(order) + 1)) for part in _parts(members)]
        )
        if not replace:
            scores[order] = np.inf
        t = _least(scores)
        order.append(t)
        losses.append(float(scores[t]))
        total += members[t]
    best = _least(np.array(losses)) + 1
    weights = np.bincount(order[:best], minlength=len(members)) / best
    return GreedySelection(np.array(order), np.array(losses), best, weights)


def bagged_selection(
    outputs: Any,
    y: Any,
    loss: Loss = "rmse",
    *,
    n_bags: int = 20,
    fraction: float = 0.5,
    random_state: int = 0,
    **options: Any,
) -> Array:
    r"""Mean weights of greedy selections among random subsets of the members.

    .. math:: w = \frac1B \sum_b w^{(b)}

    A large library always contains a member that fits by chance, but few subsets contain the same
    one [1]_.

    Parameters
    ----------
    outputs : array-like of shape (members, samples) or (members, samples, classes)
        Predictions for samples the members have not seen.
    y : array-like of shape (samples,)
        The truth.
    loss : str or callable, default="rmse"
        As for `greedy_selection`.
    n_bags : int, default=20
        How many subsets, B.
    fraction : float, default=0.5
        Share of the members in each.
    random_state : int, default=0
        Seed of the subsets.
    **options : dict
        Other parameters of `greedy_selection`.

    Returns
    -------
    ndarray of shape (members,)
        They sum to one.

    References
    ----------
    .. [1] Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models",
       ICML (2004).

    Examples
    --------
    >>> from coterie import fusion
    >>> members = [[0.9, 0.6, 0.4, 0.2], [0.6, 0.9, 0.1, 0.4], [0.3, 0.8, 0.2, 0.1]]
    >>> fusion.bagged_selection(members, [1, 1, 0, 0], fraction=1.0, n_bags=3)
    array([0.5, 0.5, 0. ])
    """
    members: Array = numbers_of(outputs)
    if n_bags < 1 or not 0 < fraction <= 1:
        raise ValueError("n_bags must be at least one, and fraction above zero and at most one.")
    size = max(1, round(fraction * len(members)))
    weights = np.zeros(len(members))
    for rng in np.random.default_rng(random_state).spawn(n_bags):
        subset = np.sort(rng.choice(len(members), size, replace=False))
        weights[subset] += greedy_selection(members[subset], y, loss, **options).weights
    return weights / n_bags


def _least(values: Array) -> int:
    """Position of the smallest value, the first of equal ones."""
    if np.isnan(values).any():
        raise DataError("The loss is NaN: it is undefined on these samples.")
    return int(np.argmax(values <= values.min() + _TINY))


def _parts(members: Array) -> Iterator[Array]:
    step = max(1, _BLOCK_CELLS // max(1, members[0].size))
    for start in range(0, len(members), step):
        yield members[start : start + step]


def _measure(loss: Loss, members: Array, y: Any, classes: Any) -> Callable[[Array], Array]:
    """The loss of many averages at once."""
    if callable(loss):
        metric = loss
        return lambda averages: np.array([float(metric(y, one)) for one in averages])
    numbers = {"rmse": _rmse, "mae": _mae}
    chances = {"log_loss": log_loss_rows, "brier": brier_rows, "error": error_rows}
    if loss not in numbers and loss not in chances:
        names = ", ".join(map(repr, [*numbers, *chances]))
        raise ValueError(f"loss must be one of {names} or a callable, not {loss!r}.")
    truth = np.asarray(y)
    if truth.shape != members.shape[1:2]:
        raise DataError(f"y must have shape {members.shape[1:2]}, not {truth.shape}.")
    if loss in numbers:
        if members.ndim != 2:
            raise DataError(f'loss "{loss}" is for numbers, of shape (members, samples).')
        wanted: Array = numbers_of(truth, "y", (1,))
        return lambda averages: numbers[loss](averages, wanted)
    if members.ndim != 3:
        raise DataError(
            f'loss "{loss}" is for probabilities, of shape (members, samples, classes).'
        )
    known = np.arange(members.shape[2]) if classes is None else np.asarray(classes)
    hot = truth[:, None] == known
    if known.shape != members.shape[2:] or not hot.any(axis=1).all():
        raise DataError("y contains a label that is not one of the classes.")
    return lambda averages: np.asarray(chances[loss](averages, hot).mean(axis=1))


def _rmse(averages: Array, y: Array) -> Array:
    return np.asarray(np.sqrt(((averages - y) ** 2).mean(axis=1)))


def _mae(averages: Array, y: Array) -> Array:
    return np.asarray(np.abs(averages - y).mean(axis=1))

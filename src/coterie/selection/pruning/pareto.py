"""Few members and few errors at once: sub-ensembles of which none is better in both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.selection.pruning.ballots import Array, Ballot, Ints, tie_losses
from coterie.selection.pruning.numbers import Answers, reduced_squares_order
from coterie.selection.pruning.orders import reduced_error_order

_CELLS = 1 << 24  # of votes that are counted together
_CAP = 1000  # rounds at most, unless more are asked for
_KEPT = 2.0**40  # of the digits of a cost
_FEW = 30  # members up to which every success is followed by a search around it

Masks = NDArray[np.bool_]
Cost = Callable[[Masks], Array]


class Front:
    """Sub-ensembles of which none has both fewer members and fewer errors than another."""

    def __init__(self) -> None:
        self.found: dict[int, tuple[float, Masks]] = {}

    def offer(self, mask: Masks, cost: float) -> bool:
        """Take a sub-ensemble in if no other is better; true if it is better than those there.

        One that is as good as another of its size takes its place, so that the search moves on.
        """
        size = int(mask.sum())
        if not size or any(
            s <= size and c <= cost and (s, c) != (size, cost) for s, (c, _) in self.found.items()
        ):
            return False
        new = size not in self.found or self.found[size][0] > cost
        self.found = {s: kept for s, kept in self.found.items() if s < size or kept[0] < cost}
        self.found[size] = (cost, mask.copy())
        return new

    def subsets(self) -> list[Ints]:
        """The members of each, from the fewest to the most."""
        return [np.flatnonzero(self.found[size][1]) for size in sorted(self.found)]


def pareto_subsets(
    votes: Any,
    truth: Any,
    *,
    sample_weight: Any = None,
    n_rounds: int | None = None,
    depth: int | None = None,
    random_state: int = 0,
) -> list[Ints]:
    r"""Pareto-optimal sub-ensembles, by error and number of members.

    .. math:: \min_{S} \; (\text{error of the vote of } S, \; |S|)

    An evolutionary search: begin with the sub-ensembles of `reduced_error_order`; in every round
    change one that is in the archive, each member with chance 1/T, and where the result is new and
    no worse, improve it by single changes.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, None or NaN where there is no vote; or votes for each class.
    truth : array-like of shape (samples,)
        True labels; positions of classes if votes are for each class.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    n_rounds : int, optional
        Rounds; by default :math:`T^2 \log T`, but at most 1000.
    depth : int, optional
        Number of single changes tried after a success; by default the number of members, or none if
        there are more than 30, because it would take long.
    random_state : int, default=0
        Seed of the search.

    Returns
    -------
    list of ndarray of int
        From the fewest members to the lowest error.

    References
    ----------
    .. [1] Qian, Yu & Zhou, "Pareto ensemble pruning", AAAI (2015).

    Examples
    --------
    >>> pareto_subsets([list("aaaab"), list("aabba"), list("bbaaa")], list("aaaaa"))
    [array([0]), array([0, 1, 2])]
    """
    ballot = Ballot.read(votes, truth, sample_weight)
    path = reduced_error_order(votes, truth, sample_weight=sample_weight)
    return search(path, vote_cost(ballot), n_rounds, depth, random_state)


def pareto_numbers_subsets(
    votes: Any,
    truth: Any,
    *,
    sample_weight: Any = None,
    n_rounds: int | None = None,
    depth: int | None = None,
    random_state: int = 0,
) -> list[Ints]:
    r"""`pareto_subsets` for regression, by the squared error of the mean.

    Parameters
    ----------
    votes : array-like of shape (members, samples)
        Predictions of the members, NaN where there are none.
    truth : array-like of shape (samples,)
        True numbers.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    n_rounds : int, optional
        Rounds; by default :math:`T^2 \log T`, but at most 1000.
    depth : int, optional
        Number of single changes tried after a success; by default the number of members, or none if
        there are more than 30, because it would take long.
    random_state : int, default=0
        Seed of the search.

    Returns
    -------
    list of ndarray of int
        From the fewest members to the lowest error.

    References
    ----------
    .. [1] Qian, Yu & Zhou, "Pareto ensemble pruning", AAAI (2015).

    Examples
    --------
    >>> pareto_numbers_subsets([[2.0, 3.0], [0.5, 1.0], [5.0, 5.0]], [1.0, 2.0])
    [array([1]), array([0, 1])]
    """
    answers = Answers.read(votes, truth, sample_weight)
    path = reduced_squares_order(votes, truth, sample_weight=sample_weight)
    return search(path, mean_cost(answers), n_rounds, depth, random_state)


def vote_cost(ballot: Ballot) -> Cost:
    """Errors of the votes of many sub-ensembles, of masks of shape (subsets, members)."""
    n_members, n_samples = ballot.labels.shape
    hot = np.stack([ballot.labels == k for k in range(ballot.n_classes)], axis=2)
    flat = hot.reshape(n_members, -1).astype(np.float32)
    own = (np.arange(ballot.n_classes) == ballot.truth[:, None])[None]

    def cost(masks: Masks) -> Array:
        counts = (masks.astype(np.float32) @ flat).reshape(len(masks), n_samples, -1)
        mine = np.where(own, counts, 0.0).sum(axis=2)
        rest = np.where(own, -1.0, counts)
        other = rest.max(axis=2)
        n_other = (rest == other[:, :, None]).sum(axis=2) * (other >= 0)
        return np.asarray(tie_losses(mine, other, n_other) @ ballot.row)

    return _in_blocks(cost, flat.shape[1])


def mean_cost(answers: Answers) -> Cost:
    """Squared errors of the means of many sub-ensembles, of masks of shape (subsets, members)."""

    def cost(masks: Masks) -> Array:
        chosen = masks.astype(np.float64)
        total, mass = chosen @ answers.said, chosen @ answers.heard
        mean = np.divide(total, mass, out=np.zeros_like(total), where=mass > 0)
        return np.asarray((mean - answers.truth) ** 2 @ answers.row)

    return _in_blocks(cost, len(answers.truth))


def _in_blocks(cost: Cost, width: int) -> Cost:
    step = max(1, _CELLS // width)

    def whole(masks: Masks) -> Array:
        parts = [cost(masks[start : start + step]) for start in range(0, len(masks), step)]
        # Sub-ensembles that are as good must tie, whatever the BLAS: the last bits are not kept.
        digits, power = np.frexp(np.concatenate(parts))
        return np.ldexp(np.round(digits * _KEPT), power) / _KEPT

    return whole


def search(
    path: Ints, cost: Cost, n_rounds: int | None, depth: int | None, random_state: int
) -> list[Ints]:
    """The archive after an evolutionary search that begins with the prefixes of a path."""
    n_members, rng = len(path), np.random.default_rng(random_state)
    if n_rounds is None:
        n_rounds = min(_CAP, int(np.ceil(n_members**2 * np.log(max(n_members, 2)))))
    if depth is None:
        depth = n_members if n_members <= _FEW else 0
    front = Front()
    prefixes = np.tri(n_members, dtype=bool)[:, np.argsort(path)]
    for mask, value in zip(prefixes, cost(prefixes), strict=True):
        front.offer(mask, float(value))
    for _ in range(n_rounds):
        masks = [mask for _, mask in front.found.values()]
        young = masks[rng.integers(len(masks))] ^ (rng.random(n_members) < 1.0 / n_members)
        if young.any() and front.offer(young, float(cost(young[None])[0])):
            _improve(front, young, cost, depth)
    return front.subsets()


def _improve(front: Front, mask: Masks, cost: Cost, depth: int) -> None:
    """Change one member after the other, always the best, each once; offer all that is met."""
    free = np.ones(len(mask), dtype=bool)
    for _ in range(min(depth, len(mask))):
        spots = np.flatnonzero(free)
        tries = np.repeat(mask[None], len(spots), axis=0)
        tries[np.arange(len(spots)), spots] ^= True
        values = np.where(tries.any(axis=1), cost(tries), np.inf)
        # Among equals the smallest sub-ensemble.
        best = int(np.lexsort((tries.sum(axis=1), values))[0])
        mask, free[spots[best]] = tries[best], False
        front.offer(mask, float(values[best]))

"""Voting: counting votes, plurality, majority with reject, and ties."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.hashes import ODD, mix
from coterie.data.outputs import counted_votes, member_weights, numbers_of
from coterie.fusion.labels import coded
from coterie.fusion.sums import sum_of_members

Array = NDArray[np.float64]

# Votes this close, relative to all of them, are tied.
_TINY = 1e-12


class VoteTally(NamedTuple):
    """Counted votes.

    Parameters
    ----------
    votes : ndarray of shape (samples, classes)
        Weight that votes for each class.
    classes : ndarray of shape (classes,)
        Their labels, in increasing order.

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.tally([["a", "b"], ["a", "a"]]).votes
    array([[2., 0.],
           [1., 1.]])
    """

    votes: Array
    classes: NDArray[Any]


def tally(votes: Any, weights: Any = None, *, classes: Any = None, start: Any = None) -> VoteTally:
    r"""Count weighted votes.

    .. math:: V_k(x) = s_k + \sum_t w_t h_t^k(x)

    with hard votes, 0 or 1, or soft ones, probabilities [1]_.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, or votes for each class.
    weights : array-like of shape (members,), optional
        Weights of the members; equal by default. They may be negative.
    classes : array-like of shape (classes,), optional
        Labels in increasing order. By default those that occur, or 0, 1, and so on for votes that
        are not labels.
    start : array-like of shape (classes,), optional
        Initial votes of each class: with log-odds as weights, the logarithm of its prior.

    Returns
    -------
    VoteTally

    References
    ----------
    .. [1] Zhou, "Ensemble methods: foundations and algorithms" (2012), section 4.3.

    Examples
    --------
    >>> from coterie import fusion
    >>> counted, classes = fusion.tally([["a", "b"], ["a", "c"]], [2, 1])
    >>> counted
    array([[3., 0., 0.],
           [0., 2., 1.]])
    """
    array = np.asarray(votes)
    if array.ndim == 3:
        members: Array = numbers_of(array, "votes")
        known = np.arange(members.shape[2]) if classes is None else np.asarray(classes)
        if len(known) != members.shape[2]:
            raise DataError(f"There are {members.shape[2]} columns for {len(known)} classes.")
        weight = member_weights(weights, len(members), signed=True)
        counted = sum_of_members(weight, members)
    else:
        codes, known = coded(array, classes)
        weight = member_weights(weights, len(codes), signed=True)
        counted = counted_votes(codes, weight, len(known))
    if start is not None:
        before = numbers_of(start, "start", (1,))
        if len(before) != len(known):
            raise DataError(f"start has {len(before)} values for {len(known)} classes.")
        counted = counted + before
    return VoteTally(counted, known)


def plurality(
    votes: Any,
    weights: Any = None,
    *,
    classes: Any = None,
    start: Any = None,
    ties: Any = "first",
    random_state: int = 0,
    keys: Any = None,
) -> NDArray[Any]:
    r"""The class with the most votes.

    .. math:: H(x) = c_{\arg\max_k V_k(x)}

    where :math:`V_k` is the `tally` [1]_.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels (hard votes), or probabilities of the classes (soft votes).
    weights : array-like of shape (members,), optional
        Weights of the members; equal by default.
    classes : array-like of shape (classes,), optional
        Labels in increasing order; see `tally`.
    start : array-like of shape (classes,), optional
        Initial votes of each class; see `tally`.
    ties : {"first", "random"} or array-like, default="first"
        How ties are broken: the first class, a random one, or the one with the largest value in an
        array of shape (classes,), such as priors, or (samples, classes), such as summed
        probabilities.
    random_state : int, default=0
        Seed of random ties.
    keys : array-like of int of shape (samples,), optional
        Keys for random ties in addition to the seed, for example a hash of the sample, so that the
        decision does not depend on its position. By default the position.

    Returns
    -------
    ndarray of shape (samples,)
        Labels.

    References
    ----------
    .. [1] Lam & Suen, "Application of majority voting to pattern recognition", IEEE Trans. Syst.
       Man Cybern. A 27 (1997).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.plurality([list("aab"), list("bac"), list("bca")])
    array(['b', 'a', 'a'], dtype='<U1')
    >>> fusion.plurality([list("aab"), list("bac"), list("bca")], [3, 1, 1])
    array(['a', 'a', 'b'], dtype='<U1')
    """
    counted, known = tally(votes, weights, classes=classes, start=start)
    return np.asarray(known[winners(counted, ties, random_state, keys)])


def majority(
    votes: Any,
    weights: Any = None,
    *,
    threshold: float = 0.5,
    classes: Any = None,
    reject: Any = "auto",
) -> NDArray[Any]:
    r"""The class with more than half of the votes, or a reject.

    .. math:: H(x) = c_k \text{ if } V_k(x) > q \sum_j V_j(x) \text{, otherwise reject}

    At most one class can have more than half [1]_.

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels (hard votes), or probabilities of the classes (soft votes).
    weights : array-like of shape (members,), optional
        Weights of the members, not negative; equal by default.
    threshold : float, default=0.5
        The share :math:`q`, from one half to below one. Of T members of equal weight :math:`(k -
        \frac12)/T` requires at least k votes; k = T means unanimity.
    classes : array-like of shape (classes,), optional
        Labels in increasing order; see `tally`.
    reject : object, default="auto"
        The reject label. By default None for text, -1 for integers and NaN for others.

    Returns
    -------
    ndarray of shape (samples,)
        Labels, and rejects; an array of objects if the mark is of another kind than the labels.

    References
    ----------
    .. [1] Lam & Suen, "Application of majority voting to pattern recognition", IEEE Trans. Syst.
       Man Cybern. A 27 (1997).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.majority([list("aa"), list("ba"), list("ab"), list("cb")])
    array([None, None], dtype=object)
    >>> fusion.majority([[1, 1], [2, 1], [1, 3]])
    array([1, 1])
    """
    counted, known = tally(votes, weights, classes=classes)
    mask = _rejected(counted, weights, threshold)
    return with_rejects(known[winners(counted, "first", 0, None)], mask, known, reject)


def rejected(votes: Any, weights: Any = None, *, threshold: float = 0.5) -> NDArray[np.bool_]:
    r"""Where `majority` rejects: no class has more than the required share of the votes.

    .. math:: \max_k V_k(x) \le q \sum_j V_j(x)

    Parameters
    ----------
    votes : array-like of shape (members, samples) or (members, samples, classes)
        Labels, or probabilities of the classes.
    weights : array-like of shape (members,), optional
        Weights of the members, not negative; equal by default.
    threshold : float, default=0.5
        The share :math:`q`, from one half to below one.

    Returns
    -------
    ndarray of bool of shape (samples,)

    References
    ----------
    .. [1] Lam & Suen, "Application of majority voting to pattern recognition", IEEE Trans. Syst.
       Man Cybern. A 27 (1997).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.rejected([list("aa"), list("ba"), list("cb")])
    array([ True, False])
    """
    return _rejected(tally(votes, weights).votes, weights, threshold)


def winners(counted: Array, ties: Any, random_state: int, keys: Any) -> NDArray[np.intp]:
    """Columns with most votes; ties as asked."""
    # Votes of many samples rarely tie; the largest one is found without looking at ties then.
    total = np.abs(counted).sum(axis=1, keepdims=True)
    close = counted >= counted.max(axis=1, keepdims=True) - _TINY * np.maximum(1.0, total)
    if isinstance(ties, str):
        if ties == "first":
            return np.asarray(close.argmax(axis=1))
        if ties != "random":
            raise ValueError(f'ties must be "first", "random" or an array, not {ties!r}.')
        chance = _uniform(len(counted), random_state, keys)
        # Of m tied classes the one whose turn it is.
        turn = np.floor(chance * close.sum(axis=1)).astype(np.intp)
        chosen = close & (np.cumsum(close, axis=1) == turn[:, None] + 1)
        return np.asarray(chosen.argmax(axis=1))
    order = np.asarray(ties, dtype=np.float64)
    if order.shape not in (counted.shape, counted.shape[1:]):
        shapes = f"{counted.shape[1:]} or {counted.shape}"
        raise DataError(f"An array that breaks ties must have shape {shapes}, not {order.shape}.")
    return np.asarray(np.where(close, order, -np.inf).argmax(axis=1))


def with_rejects(
    labels: NDArray[Any], mask: NDArray[np.bool_], classes: NDArray[Any], reject: Any
) -> NDArray[Any]:
    """Labels with marks where `mask` is true, in an array that can hold both."""
    kind = classes.dtype.kind
    if isinstance(reject, str) and reject == "auto":
        reject = {"i": -1, "u": -1, "f": np.nan}.get(kind)
    if reject is not None and (classes == reject).any():
        raise DataError(f"The reject label {reject!r} is one of the classes. Choose another one.")
    dtype: np.dtype[Any] = np.dtype(object)
    if kind in "iu" and isinstance(reject, int | np.integer):
        dtype = np.promote_types(classes.dtype, np.min_scalar_type(int(reject)))
    elif kind == "f" and isinstance(reject, float | np.floating):
        dtype = classes.dtype
    marked = labels.astype(dtype)
    marked[mask] = reject
    return marked


def _rejected(counted: Array, weights: Any, threshold: float) -> NDArray[np.bool_]:
    if not 0.5 <= threshold < 1:
        raise ValueError(f"threshold must be at least 0.5 and below 1, not {threshold}.")
    if (weights is not None and np.min(weights) < 0) or (counted < 0).any():
        raise DataError("A majority needs non-negative votes and weights.")
    total = counted.sum(axis=1)
    return np.asarray(counted.max(axis=1) - threshold * total <= _TINY * np.maximum(1.0, total))


def _uniform(n_samples: int, random_state: int, keys: Any) -> Array:
    """A number from zero to below one for each sample, from its key and the seed only."""
    if keys is None:
        state = np.arange(n_samples, dtype=np.uint64)
    else:
        state = np.asarray(keys)
        if state.shape != (n_samples,) or state.dtype.kind not in "iu":
            raise DataError(f"keys must be {n_samples} integers, one for each sample.")
        state = state.astype(np.uint64)
    seed = np.random.SeedSequence(random_state).generate_state(1, np.uint64)[0]
    # Twice: keys may be close together.
    with np.errstate(over="ignore"):
        state = mix(mix(state + ODD) ^ seed)
    return np.asarray((state >> np.uint64(11)) * 2.0**-53)

"""Combining and calibrating the scores of several detectors.

All functions take scores of shape (members, samples), or one row of them; higher is stranger.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

Array = NDArray[np.float64]
Standard = Literal["z", "robust", "rank", "unify", "none"]

#: What makes a median absolute deviation the deviation of a normal distribution.
MAD_SCALE = 1.4826
_LEAST = 1e-300


def standardize(
    scores: ArrayLike, method: Standard = "z", reference: ArrayLike | None = None
) -> Array:
    """Bring the scores of all members to the same scale.

    Parameters
    ----------
    scores : array-like of shape (n_members, n_samples) or (n_samples,)
        The scores.
    method : {"z", "robust", "rank", "unify", "none"}, default="z"
        Subtract the mean and divide by the standard deviation; subtract the median and divide by
        the median absolute deviation (times 1.4826); the mid-rank divided by n; the probability
        that a normal score is smaller (see `calibrate`); or no change.
    reference : array-like of the same number of members, optional
        Scores from which mean, deviation and ranks are computed, such as those of the training
        rows; the scores themselves by default.

    Returns
    -------
    ndarray of the same shape
        Members whose scores do not vary become 0, or 0.5 as ranks.

    Examples
    --------
    >>> standardize([1.0, 2.0, 3.0, 4.0, 10.0], "robust").round(3)
    array([-1.349, -0.674,  0.   ,  0.674,  4.721])
    >>> standardize([1.0, 2.0, 2.0, 9.0], "rank")
    array([0.25 , 0.625, 0.625, 1.   ])
    """
    given = np.asarray(scores, dtype=np.float64)
    known = given if reference is None else np.asarray(reference, dtype=np.float64)
    if method == "none":
        return given
    if method == "unify":
        return calibrate(given, "gaussian", known)
    if method == "rank":
        return _ranks(given, known)
    if method == "robust":
        centre = np.median(known, axis=-1, keepdims=True)
        width = MAD_SCALE * np.median(np.abs(known - centre), axis=-1, keepdims=True)
    elif method == "z":
        centre = known.mean(axis=-1, keepdims=True)
        width = known.std(axis=-1, keepdims=True)
    else:
        raise ValueError(
            f"method={method!r} is not allowed; use 'z', 'robust', 'rank', 'unify' or 'none'."
        )
    return np.asarray((given - centre) / np.where(width > 0, width, 1.0))


def _ranks(scores: Array, known: Array) -> Array:
    """Middle ranks among known scores, over their number."""
    if scores.ndim > 1:
        return np.stack([_ranks(a, b) for a, b in zip(scores, known, strict=True)])
    ordered = np.sort(known)
    below = np.searchsorted(ordered, scores, side="left")
    up_to = np.searchsorted(ordered, scores, side="right")
    return (below + up_to + (up_to > below)) / (2.0 * len(ordered))


def groups_of(
    n_members: int, n_groups: int = 5, random_state: Generator | None = None
) -> list[NDArray[np.intp]]:
    """Divide members into groups of equal size; the last may be smaller.

    Parameters
    ----------
    n_members, n_groups : int
        Number of members, and number of groups (at most the number of members).
    random_state : Generator, optional
        Source of randomness for shuffling; by default the members stay in order.

    Examples
    --------
    >>> [group.tolist() for group in groups_of(5, 2)]
    [[0, 1, 2], [3, 4]]
    """
    order = np.arange(n_members) if random_state is None else random_state.permutation(n_members)
    size = math.ceil(n_members / min(n_groups, n_members))
    return [order[start : start + size] for start in range(0, n_members, size)]


def average_of_maxima(scores: ArrayLike, groups: list[NDArray[np.intp]] | None = None) -> Array:
    """Mean over groups of members of the maximum score in the group (AOM).

    Parameters
    ----------
    scores : array-like of shape (n_members, n_samples)
        Scores on one scale.
    groups : list of ndarray of int, optional
        The members of each group; by default five in their order.

    References
    ----------
    .. [1] Aggarwal & Sathe, "Outlier Ensembles" (2017).

    Examples
    --------
    >>> S = np.array([[0.1, 0.8, 0.5], [0.9, 0.2, 0.5], [0.3, 0.7, 0.5], [0.4, 0.6, 0.9]])
    >>> average_of_maxima(S, groups_of(4, 2))
    array([0.65, 0.75, 0.7 ])
    """
    matrix = np.asarray(scores, dtype=np.float64)
    groups = groups_of(len(matrix)) if groups is None else groups
    return np.mean([matrix[group].max(axis=0) for group in groups], axis=0)


def maximum_of_averages(scores: ArrayLike, groups: list[NDArray[np.intp]] | None = None) -> Array:
    """Maximum over groups of members of the mean score in the group (MOA).

    Parameters
    ----------
    scores, groups
        See `average_of_maxima`.

    Examples
    --------
    >>> S = np.array([[0.1, 0.8, 0.5], [0.9, 0.2, 0.5], [0.3, 0.7, 0.5], [0.4, 0.6, 0.9]])
    >>> maximum_of_averages(S, groups_of(4, 2))
    array([0.5 , 0.65, 0.7 ])
    """
    matrix = np.asarray(scores, dtype=np.float64)
    groups = groups_of(len(matrix)) if groups is None else groups
    return np.max([matrix[group].mean(axis=0) for group in groups], axis=0)


def thresholded_sum(scores: ArrayLike) -> Array:
    """Sum of the scores above 0, so members that consider a row normal do not count.

    Parameters
    ----------
    scores : array-like of shape (n_members, n_samples)
        Standardised scores.

    Examples
    --------
    >>> thresholded_sum([[1.0, -2.0], [0.5, 3.0]])
    array([1.5, 3. ])
    """
    return np.maximum(np.asarray(scores, dtype=np.float64), 0.0).sum(axis=0)


def breadth_first(scores: ArrayLike) -> Array:
    """Scores from a breadth-first merge of the members' rankings.

    The merged order is: the most abnormal row of member 1, the most abnormal of member 2, …, the
    second of member 1, and so on.

    Parameters
    ----------
    scores : array-like of shape (n_members, n_samples)
        On any scales.

    Returns
    -------
    ndarray of shape (n_samples,)
        n for the first row in this order, 1 for the last.

    References
    ----------
    .. [1] Lazarevic & Kumar, "Feature bagging for outlier detection", KDD (2005).

    Examples
    --------
    Orders a, b, c and b, a, c:

    >>> breadth_first([[3.0, 2.0, 1.0], [2.0, 3.0, 1.0]])
    array([3., 2., 1.])
    """
    matrix = np.asarray(scores, dtype=np.float64)
    met = np.argsort(-matrix, axis=1, kind="stable").T.ravel()
    rows, first = np.unique(met, return_index=True)
    final = np.empty(len(rows))
    final[rows[np.argsort(first)]] = np.arange(len(rows), 0, -1)
    return final


#: How scores of members become one; "aom" and "moa" put members into groups.
COMBINATIONS: dict[str, Callable[..., Any]] = {
    "mean": lambda scores, groups: np.mean(scores, axis=0),
    "max": lambda scores, groups: np.max(scores, axis=0),
    "median": lambda scores, groups: np.median(scores, axis=0),
    "aom": average_of_maxima,
    "moa": maximum_of_averages,
    "threshold": lambda scores, groups: thresholded_sum(scores),
}


def combine(
    scores: ArrayLike, combination: str = "mean", groups: list[NDArray[np.intp]] | None = None
) -> Array:
    """Combine the scores of several members.

    Parameters
    ----------
    scores : array-like of shape (n_members, n_samples)
        Scores on one scale, see `standardize`.
    combination : {"mean", "max", "median", "aom", "moa", "threshold"}, default="mean"
        How: see `average_of_maxima`, `maximum_of_averages` and `thresholded_sum` for the last.
    groups : list of ndarray of int, optional
        Groups of members for "aom" and "moa".

    Examples
    --------
    >>> combine([[1.0, 4.0], [3.0, 0.0]], "max")
    array([3., 4.])
    """
    if combination not in COMBINATIONS:
        known = ", ".join(map(repr, COMBINATIONS))
        raise ValueError(f"combination={combination!r} is not allowed; use one of {known}.")
    return np.asarray(COMBINATIONS[combination](np.asarray(scores, dtype=np.float64), groups))


def calibrate(
    scores: ArrayLike,
    method: Literal["gaussian", "gamma", "mixture"] = "gaussian",
    reference: ArrayLike | None = None,
) -> Array:
    r"""Convert scores to probabilities of being an outlier, without labels.

    Parameters
    ----------
    scores : array-like of shape (n_samples,) or (n_members, n_samples)
        The scores.
    method : {"gaussian", "gamma", "mixture"}, default="gaussian"
        "gaussian": :math:`\max(0, \mathrm{erf}((s - \mu) / (\sigma \sqrt 2)))`. "gamma": the same
        with the distribution function of a gamma distribution that has the mean and deviation of
        the scores above their least one. "mixture": the posterior of a normal distribution of
        outliers against an exponential one of other rows, fitted by EM.
    reference : array-like, optional
        Scores that the distributions are fitted to; the scores themselves by default.

    Returns
    -------
    ndarray of the same shape
        Numbers in [0, 1], non-decreasing in the scores.

    References
    ----------
    .. [1] Kriegel, Kröger, Schubert & Zimek, "Interpreting and unifying outlier scores", SDM
       (2011).
    .. [2] Gao & Tan, "Converting output scores from outlier detection algorithms into probability
       estimates", ICDM (2006).

    Examples
    --------
    >>> calibrate([1.0, 2.0, 3.0, 4.0, 10.0]).round(6)
    array([0.     , 0.     , 0.     , 0.     , 0.94222])
    """
    given = np.asarray(scores, dtype=np.float64)
    known = given if reference is None else np.asarray(reference, dtype=np.float64)
    if method not in ("gaussian", "gamma", "mixture"):
        raise ValueError(f"method={method!r} is not allowed; use 'gaussian', 'gamma' or 'mixture'.")
    if given.ndim > 1:
        pairs = zip(given, known, strict=True)
        return np.stack([calibrate(a, method, b) for a, b in pairs])
    if method == "gamma":
        return _gamma(given, known)
    if method == "mixture":
        return _mixture(given, known)
    mean, deviation = known.mean(), known.std()
    if deviation == 0:
        return np.zeros_like(given)
    return np.maximum(0.0, special.erf((given - mean) / (deviation * math.sqrt(2.0))))


def _gamma(given: Array, known: Array) -> Array:
    least = known.min()
    above = known - least
    mean, variance = above.mean(), above.var()
    if variance == 0:
        return np.zeros_like(given)
    shape, scale = mean**2 / variance, variance / mean
    usual = stats.gamma.cdf(mean, shape, scale=scale)
    chance = stats.gamma.cdf(np.maximum(given - least, 0.0), shape, scale=scale)
    return np.maximum(0.0, (chance - usual) / (1.0 - usual))


def _mixture(given: Array, known: Array, n_steps: int = 200) -> Array:
    """Posterior of the normal part of a mixture with an exponential one, by EM."""
    least = known.min()
    x = known - least
    if x.max() == 0:
        return np.zeros_like(given)
    belongs = (x > np.quantile(x, 0.9)).astype(np.float64)
    for _ in range(n_steps):
        share = np.clip(belongs.mean(), 1e-6, 1.0 - 1e-6)
        rate = (1.0 - belongs).sum() / max(((1.0 - belongs) * x).sum(), _LEAST)
        centre = (belongs * x).sum() / max(belongs.sum(), _LEAST)
        spread = math.sqrt((belongs * (x - centre) ** 2).sum() / max(belongs.sum(), _LEAST))
        spread = max(spread, 1e-6 * x.max())
        new = _posterior(x, share, rate, centre, spread)
        if np.abs(new - belongs).max() < 1e-9:
            break
        belongs = new
    if not centre * rate > 1.0:  # the mean of the normal part is not above the exponential one's
        warnings.warn(
            "The mixture found no outliers above the other scores; the gaussian calibration is "
            "used instead.",
            UserWarning,
            stacklevel=4,
        )
        return calibrate(given, "gaussian", known)
    # Beyond its centre a normal density falls faster than an exponential one: the chance must not.
    grid = np.linspace(0.0, max(x.max(), float((given - least).max())), 2049)
    chances = np.maximum.accumulate(_posterior(grid, share, rate, centre, spread))
    return np.interp(given - least, grid, chances)


def _posterior(x: Array, share: float, rate: float, centre: float, spread: float) -> Array:
    usual = math.log((1.0 - share) * rate) - rate * x
    strange = math.log(share) - 0.5 * ((x - centre) / spread) ** 2
    strange = strange - math.log(spread * math.sqrt(2.0 * math.pi))
    return np.asarray(special.expit(strange - usual))

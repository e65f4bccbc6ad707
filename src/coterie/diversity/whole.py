"""Measures of a whole pool at once, from how many members are right on each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from coterie.data.outputs import hits_of, label_codes, sample_weights, truthful_codes
from coterie.diversity.tables import Array


def entropy(predictions: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    r"""How evenly the members are split between right and wrong.

    .. math:: E = \frac1n \sum_i \frac{\min(l_i, T - l_i)}{T - \lceil T/2 \rceil}

    with :math:`l_i` members right on sample :math:`i`. From 0 (all the same) to 1; it is not
    Shannon's entropy, for which see `vote_entropy` [1]_. NaN for one member.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Kuncheva & Whitaker, "Measures of diversity in classifier ensembles and their
       relationship with the ensemble accuracy", Mach. Learn. 51 (2003).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.entropy([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    1.0
    """
    right, share, n_members = _right(predictions, y, sample_weight)
    if n_members == 1:
        return float("nan")
    # T - ⌈T/2⌉ is ⌊T/2⌋.
    return float(share @ np.minimum(right, n_members - right)) / (n_members // 2)


def vote_entropy(predictions: Any, *, base: float = 2.0, sample_weight: Any = None) -> float:
    r"""Mean entropy of the votes.

    .. math:: -\frac1n \sum_i \sum_k \frac{v_{ik}}{T} \log \frac{v_{ik}}{T}

    with :math:`v_{ik}` votes of sample :math:`i` for class :math:`k` [1]_. More is more diverse.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes.
    base : float, default=2
        Base of the logarithm: bits by default.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Cunningham & Carney, "Diversity versus quality in classification ensembles based on
       feature selection", ECML (2000).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.vote_entropy([list("ab"), list("aa")])
    0.5
    """
    codes, _, classes = label_codes(predictions)
    total = np.zeros(codes.shape[1])
    for k in range(len(classes)):
        voted = np.mean(codes == k, axis=0)
        total -= xlogy(voted, voted)
    return float(_share(sample_weight, codes.shape[1]) @ total / np.log(base))


def kohavi_wolpert_variance(predictions: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    r"""Variance of being right, over the members.

    .. math:: KW = \frac{1}{n T^2} \sum_i l_i (T - l_i) = \frac{T - 1}{2T} \overline{dis}

    with :math:`l_i` members right on sample :math:`i`. More is more diverse; at most 1/4 [1]_.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Kohavi & Wolpert, "Bias plus variance decomposition for zero-one loss functions",
       ICML (1996); in this form Kuncheva & Whitaker (2003).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.kohavi_wolpert_variance([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    0.222
    """
    right, share, n_members = _right(predictions, y, sample_weight)
    return float(share @ (right * (n_members - right))) / n_members**2


def interrater_agreement(predictions: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    r"""Agreement of all members beyond chance: Fleiss' kappa of being right.

    .. math::
        \kappa = 1 - \frac{\frac1T \sum_i l_i (T - l_i)}{n (T - 1)\, \bar p (1 - \bar p)}
               = 1 - \frac{\overline{dis}}{2 \bar p (1 - \bar p)}

    with :math:`l_i` members right on sample :math:`i` and mean accuracy :math:`\bar p`. It is not
    the mean of the pairwise `kappa`. Less is more diverse [1]_. NaN for one member, or when all
    are always right or always wrong.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Fleiss, "Measuring nominal scale agreement among many raters", Psychol. Bull. 76 (1971).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.interrater_agreement([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    -0.5
    """
    right, share, n_members = _right(predictions, y, sample_weight)
    accuracy = float(share @ right) / n_members
    constant = right[share > 0]
    if n_members == 1 or not constant.any() or (constant == n_members).all():
        return float("nan")
    apart = float(share @ (right * (n_members - right))) / n_members
    return 1.0 - apart / ((n_members - 1) * accuracy * (1.0 - accuracy))


def difficulty(predictions: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    r"""Variance over the samples of the share of members that are right.

    .. math:: \theta = \operatorname{Var}_i (l_i / T) = \bar p (1 - \bar p) - KW

    with :math:`l_i` members right on sample :math:`i` and mean accuracy :math:`\bar p`. Less is
    more diverse: then no sample is hard for all members and none is easy for all [1]_.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Hansen & Salamon, "Neural network ensembles", IEEE Trans. Pattern Anal. Mach. Intell. 12
       (1990).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.difficulty([[1, 1, 0], [1, 1, 0], [1, 1, 0]])
    0.222
    """
    right, share, n_members = _right(predictions, y, sample_weight)
    part = right / n_members
    return float(share @ (part - share @ part) ** 2)


def generalised_diversity(predictions: Any, y: Any = None, *, sample_weight: Any = None) -> float:
    r"""How rarely a second member fails where a first one does.

    .. math::
        GD = 1 - \frac{p(2)}{p(1)}, \qquad p(1) = \sum_j \frac jT \pi_j, \qquad
        p(2) = \sum_j \frac{j (j - 1)}{T (T - 1)} \pi_j

    with :math:`\pi_j` the share of samples on which exactly :math:`j` members fail. 1 if failures
    never coincide, 0 if they always do [1]_. NaN for one member, and if no member fails.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Partridge & Krzanowski, "Software diversity: practical statistics for its measurement
       and exploitation", Inf. Softw. Technol. 39 (1997).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.generalised_diversity([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    0.5
    """
    right, share, n_members = _right(predictions, y, sample_weight)
    wrong = n_members - right
    once = float(share @ wrong)
    if n_members == 1 or once == 0.0:
        return float("nan")
    return 1.0 - float(share @ (wrong * (wrong - 1))) / (n_members - 1) / once


def coincident_failure_diversity(
    predictions: Any, y: Any = None, *, sample_weight: Any = None
) -> float:
    r"""How rarely members fail together, on the samples on which any member fails.

    .. math:: CFD = \sum_{j \ge 1} \frac{T - j}{T - 1} \frac{\pi_j}{1 - \pi_0}

    with :math:`\pi_j` the share of samples on which exactly :math:`j` members fail. 1 when failures
    never coincide, 0 when all members fail together or no member ever fails [1]_. NaN for one
    member.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Partridge & Krzanowski, "Software diversity: practical statistics for its measurement
       and exploitation", Inf. Softw. Technol. 39 (1997).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.coincident_failure_diversity([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    0.5
    """
    right, share, n_members = _right(predictions, y, sample_weight)
    if n_members == 1:
        return float("nan")
    failing = right < n_members
    failed = float(share @ failing)
    if failed == 0.0:
        return 0.0
    return float((share * failing) @ right) / (n_members - 1) / failed


def distinct_failure_diversity(predictions: Any, y: Any, *, sample_weight: Any = None) -> float:
    r"""How rarely members make the same mistake.

    .. math:: DFD = \sum_{j \ge 1} \frac{T - j}{T - 1} t_j

    A distinct failure is a wrong label that at least one member gives to a sample, and :math:`t_j`
    is the share of them that exactly :math:`j` members give. 1 when no two members ever make the
    same mistake; 0 when nobody ever fails [1]_. NaN for one member.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes.
    y : array-like of shape (samples,)
        True labels.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    float

    References
    ----------
    .. [1] Partridge & Krzanowski, "Software diversity: practical statistics for its measurement
       and exploitation", Inf. Softw. Technol. 39 (1997).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.distinct_failure_diversity([list("bbb"), list("bca"), list("bca")], list("aaa"))
    0.625
    """
    codes, truth, classes = truthful_codes(predictions, y)
    if len(codes) == 1:
        return float("nan")
    share, spread, failures = _share(sample_weight, codes.shape[1]), 0.0, 0.0
    for k in range(len(classes)):
        together = (codes == k).sum(axis=0) * (truth != k)
        failures += float(share @ (together > 0))
        spread += float(share @ ((together > 0) * (len(codes) - together)))
    return spread / (len(codes) - 1) / failures if failures else 0.0


def _right(predictions: Any, y: Any, sample_weight: Any) -> tuple[Array, Array, int]:
    """Number of members right on each sample, the samples' shares, and the number of members."""
    hits = hits_of(predictions, y)
    return hits.sum(axis=0, dtype=np.float64), _share(sample_weight, hits.shape[1]), len(hits)


def _share(sample_weight: Any, n_samples: int) -> Array:
    """Weights of the samples that sum to one."""
    weight = sample_weights(sample_weight, n_samples)
    return np.full(n_samples, 1.0 / n_samples) if weight is None else weight / weight.sum()

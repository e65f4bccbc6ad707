"""Pairwise measures: each returns a symmetric matrix, and its mean over pairs."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np

from coterie.data.errors import DataError
from coterie.data.outputs import sample_weights, truthful_codes
from coterie.diversity.tables import Agreement, Array, Outputs, agreement, blocks, pair_counts

# Relative to the square of the total; a constant member is never this close by chance.
_TINY = 1e-12


def disagreement(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> Array:
    r"""Share of samples on which two members differ.

    .. math:: dis_{ij} = \frac{b + c}{a + b + c + d} = P(h_i \ne h_j)

    From 0 (identical) to 1; larger is more diverse. With two classes it is the same for labels and
    for correctness. The diagonal is zero.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes, or hits.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Skalak, "The sources of increased accuracy for two proposed boosting algorithms",
       AAAI workshop on integrating multiple learned models (1996).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.disagreement([["a", "b", "c", "a"], ["a", "b", "b", "c"], list("abca")])
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0.5],
           [0. , 0.5, 0. ]])
    """
    same, _, total = agreement(predictions, y, outputs=outputs, sample_weight=sample_weight)
    matrix = np.clip(1.0 - same / total, 0.0, 1.0)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def correlation(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> Array:
    r"""Correlation of the predictions of two members.

    .. math:: \rho_{ij} = \frac{ad - bc}{\sqrt{(a+b)(a+c)(c+d)(b+d)}}

    From -1 to 1; smaller is more diverse. For more than two classes it is Gorodkin's :math:`R_K`
    [1]_, the correlation of the two indicator matrices, which is the formula above for two. NaN for
    a member with constant predictions.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes, or hits.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Gorodkin, "Comparing two K-category assignments by a K-category correlation
       coefficient", Comput. Biol. Chem. 28 (2004).

    Examples
    --------
    >>> from coterie import diversity
    >>> first, second = [1, 1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1]
    >>> diversity.correlation([first, second])
    array([[1.  , 0.25],
           [0.25, 1.  ]])
    """
    table = agreement(predictions, y, outputs=outputs, sample_weight=sample_weight)
    spread = table.total**2 - (table.shares**2).sum(axis=1)
    spread[spread <= _TINY * table.total**2] = 0.0
    chance = table.shares @ table.shares.T
    joint = np.sqrt(spread[:, None] * spread)
    return np.clip(_ratio(table.same * table.total - chance, joint), -1.0, 1.0)


def q_statistic(
    predictions: Any, y: Any = None, *, outputs: Outputs = None, sample_weight: Any = None
) -> Array:
    r"""Yule's Q of two members.

    .. math:: Q_{ij} = \frac{ad - bc}{ad + bc}

    From -1 to 1; less is more diverse, and independent members have 0. It has the sign of the
    correlation and is never smaller in size [1]_. NaN where :math:`ad + bc = 0`. It is defined for
    two classes, or on correctness.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels with two classes, or hits; labels of any number of classes along with `y`.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Kuncheva & Whitaker, "Measures of diversity in classifier ensembles and their
       relationship with the ensemble accuracy", Mach. Learn. 51 (2003).

    Examples
    --------
    >>> from coterie import diversity
    >>> first, second, y = [1, 1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]
    >>> float(diversity.q_statistic([first, second])[0, 1])
    0.5
    >>> float(diversity.q_statistic([first, second], y)[0, 1])
    1.0
    """
    a, b, c, d = pair_counts(predictions, y, outputs=outputs, sample_weight=sample_weight)
    return _ratio(a * d - b * c, a * d + b * c)


def kappa(
    predictions: Any,
    y: Any = None,
    *,
    outputs: Outputs = None,
    sample_weight: Any = None,
    zero_division: float = np.nan,
) -> Array:
    r"""Agreement of two members beyond chance: Cohen's kappa.

    .. math::
        \kappa_{ij} = \frac{p_1 - p_2}{1 - p_2}, \qquad p_1 = P(h_i = h_j), \qquad
        p_2 = \sum_k P(h_i = k) P(h_j = k)

    1 is full agreement, 0 is agreement by chance, and values below 0 are rare; smaller is more
    diverse [1]_. Undefined for two members that always predict the same single label.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes, or hits.
    y : array-like of shape (samples,), optional
        True labels.
    outputs : {"labels", "oracle"}, optional
        Compare the members' labels, or whether they are right. By default the latter if `y` is
        given, the former otherwise.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.
    zero_division : float, default=nan
        The value where it is undefined.

    Returns
    -------
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Cohen, "A coefficient of agreement for nominal scales", Educ. Psychol. Meas. 20 (1960);
       for ensembles Margineantu & Dietterich, "Pruning adaptive boosting", ICML (1997).

    Examples
    --------
    >>> from coterie import diversity
    >>> first, second, y = [1, 1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]
    >>> float(diversity.kappa([first, second])[0, 1])
    0.25
    >>> float(diversity.kappa([first, second], y)[0, 1])
    0.333
    """
    table = agreement(predictions, y, outputs=outputs, sample_weight=sample_weight)
    return _kappa(table, zero_division)


def double_fault(
    predictions: Any,
    y: Any = None,
    *,
    mistakes: Literal["any", "same"] = "any",
    sample_weight: Any = None,
) -> Array:
    r"""Share of samples on which both members are wrong.

    .. math:: DF_{ij} = P(h_i \ne y,\; h_j \ne y)

    Smaller is better: mistakes that two members share are hard for a third to correct [1]_. The
    diagonal contains the errors of the members.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels along with `y`, or hits without.
    y : array-like of shape (samples,), optional
        True labels.
    mistakes : {"any", "same"}, default="any"
        Whether any mistakes count, or only those where both give the same wrong label.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Giacinto & Roli, "Design of effective neural network ensembles for image classification
       purposes", Image Vis. Comput. 19 (2001).

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.double_fault([list("abca"), list("abba")], list("aaaa"))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> labels = [list("abca"), list("abba")]
    >>> diversity.double_fault(labels, list("aaaa"), mistakes="same")
    array([[0.5 , 0.25],
           [0.25, 0.5 ]])
    """
    if mistakes not in ("any", "same"):
        raise ValueError(f'mistakes must be "any" or "same", not {mistakes!r}.')
    if mistakes == "any":
        counts = pair_counts(predictions, y, outputs="oracle", sample_weight=sample_weight)
        return counts.d / (counts.a + counts.b + counts.c + counts.d)
    return _same_mistakes(predictions, y, sample_weight)


def error_ratio(predictions: Any, y: Any = None, *, sample_weight: Any = None) -> Array:
    r"""Ratio of the errors of only one of two members to their common errors.

    .. math:: ratio_{ij} = \frac{b + c}{d}

    Larger is more diverse; infinite without common mistakes, NaN without any [1]_.

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
    ndarray of shape (members, members)

    References
    ----------
    .. [1] Aksela, "Comparison of classifier selection methods for improving committee
       performance", MCS (2003).

    Examples
    --------
    >>> from coterie import diversity
    >>> float(diversity.error_ratio([[1, 1, 0, 0], [1, 0, 1, 0]])[0, 1])
    2.0
    """
    _, b, c, d = pair_counts(predictions, y, outputs="oracle", sample_weight=sample_weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((b + c) / d)


class PairMean(NamedTuple):
    """Mean of a matrix over the pairs of members.

    Parameters
    ----------
    mean : float
        Mean over the pairs for which the measure is defined; NaN if there is none.
    n_pairs : int
        Number of pairs.
    n_undefined : int
        Number of pairs left out because their value is NaN.

    Examples
    --------
    >>> from coterie import diversity
    >>> diversity.mean_over_pairs([[0.0, 0.5], [0.5, 0.0]]).mean
    0.5
    """

    mean: float
    n_pairs: int
    n_undefined: int


def mean_over_pairs(matrix: Any) -> PairMean:
    """Mean of a matrix of pairs over the pairs :math:`i < j` for which it is defined.

    Parameters
    ----------
    matrix : array-like of shape (members, members)
        The result of one of the pairwise measures.

    Returns
    -------
    PairMean
        The mean, the number of pairs, and how many of them are undefined. A single member makes
        no pair: the mean is NaN, with a warning.

    Examples
    --------
    >>> from coterie import diversity
    >>> hits = [[1, 1, 0], [0, 1, 1], [1, 1, 1]]
    >>> diversity.mean_over_pairs(diversity.correlation(hits))
    PairMean(mean=-0.5, n_pairs=3, n_undefined=2)
    """
    array = np.asarray(matrix, dtype=np.float64)
    if array.ndim != 2 or len(array) != array.shape[1]:
        raise DataError(f"A matrix of pairs must be square, but this one has shape {array.shape}.")
    values = array[np.triu_indices(len(array), k=1)]
    defined = values[~np.isnan(values)]
    if not len(values):
        warnings.warn(
            "With a single member there are no pairs: the diversity is NaN.",
            UserWarning,
            stacklevel=2,
        )
    mean = float(defined.mean()) if len(defined) else float("nan")
    return PairMean(mean, len(values), len(values) - len(defined))


def _kappa(table: Agreement, zero_division: float) -> Array:
    chance = table.shares @ table.shares.T
    beyond = table.total**2 - chance
    beyond[beyond <= _TINY * table.total**2] = 0.0
    matrix = _ratio(table.same * table.total - chance, beyond)
    matrix[beyond == 0] = zero_division
    return matrix


def _ratio(above: Array, below: Array) -> Array:
    """Quotients, NaN where nothing is below."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)


def _same_mistakes(predictions: Any, y: Any, sample_weight: Any) -> Array:
    """Share of samples to which both members give the same wrong label."""
    codes, truth, classes = truthful_codes(predictions, y)
    weight = sample_weights(sample_weight, codes.shape[1])
    share = np.ones(codes.shape[1]) if weight is None else weight
    share = share / share.sum()
    counts = np.zeros((len(codes), len(codes)))
    for part in blocks(codes.shape[1], len(codes)):
        for k in range(len(classes)):
            wrong = (codes[:, part] == k) & (truth[part] != k)
            product = (wrong * share[part]) @ wrong.astype(np.float64).T
            counts += (product + product.T) / 2
    return counts

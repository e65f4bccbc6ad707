"""The members' joint information about the truth, split into accuracy and diversity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from coterie.data.outputs import truthful_codes
from coterie.diversity.tables import Array, blocks

# Joint tables of more members are mostly empty cells: their entropy says little.
_FEW_MEMBERS = 10
# Cells of a table of pairs that are held at once.
_TABLE_CELLS = 1 << 23


@dataclass(frozen=True)
class InformationParts:
    r"""Information that the members give about the truth, in bits.

    .. math::
        I(X_{1:T}; Y) = \sum_t I(X_t; Y) - TC(X_{1:T}) + TC(X_{1:T} | Y)

    Parameters
    ----------
    relevancies : ndarray of shape (members,)
        :math:`I(X_t; Y)`: the information of each member on its own.
    redundancy : float
        :math:`TC(X_{1:T})`: the redundancy of the members.
    conditional_redundancy : float
        :math:`TC(X_{1:T} | Y)`: the redundancy given the class.
    target_entropy : float
        :math:`H(Y)`: the entropy of the classes.
    n_classes : int
        Number of true classes.

    Examples
    --------
    >>> from coterie import diversity
    >>> parts = diversity.information([[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0])
    >>> parts.relevancy, parts.diversity, parts.total
    (0.0, 1.0, 1.0)
    """

    relevancies: Array
    redundancy: float
    conditional_redundancy: float
    target_entropy: float
    n_classes: int

    @property
    def relevancy(self) -> float:
        """The sum of the members' individual information."""
        return float(self.relevancies.sum())

    @property
    def diversity(self) -> float:
        """Conditional redundancy minus redundancy: the information gained or lost by combining."""
        return self.conditional_redundancy - self.redundancy

    @property
    def total(self) -> float:
        """The joint information of all members."""
        return self.relevancy + self.diversity

    def error_bounds(self) -> tuple[float, float]:
        r"""Bounds on the error of the best possible combination of the members.

        .. math:: \frac{H(Y) - I - 1}{\log_2 K} \le P(err) \le \frac{H(Y) - I}{2}

        The lower bound is Fano's (1961), the upper one Hellman and Raviv's (1970). They hold for
        the true information; estimates from few samples are too large.

        Returns
        -------
        lower, upper : float
        """
        unknown = max(0.0, self.target_entropy - self.total)
        lower = (unknown - 1.0) / np.log2(self.n_classes) if self.n_classes > 1 else 0.0
        return max(0.0, float(lower)), min(1.0, unknown / 2.0)


def information(
    predictions: Any,
    y: Any,
    *,
    method: Literal["auto", "joint", "pairs"] = "auto",
    correction: Literal["miller_madow"] | None = None,
) -> InformationParts:
    r"""Split the members' information about the truth into relevance and diversity.

    .. math::
        I(X_{1:T}; Y) = \underbrace{\sum_t I(X_t; Y)}_{relevancy}
        - \underbrace{TC(X_{1:T})}_{redundancy}
        + \underbrace{TC(X_{1:T} | Y)}_{conditional~redundancy}, \qquad
        TC(X_{1:T}) = \sum_t H(X_t) - H(X_{1:T})

    Redundancy is bad diversity, conditional redundancy is good diversity [1]_; the total
    correlations sum up all their interactions [2]_. The joint table of many members is nearly
    empty. For them sums over pairs, :math:`\sum_{s<t} I(X_s; X_t)` and :math:`\sum_{s<t} I(X_s; X_t
    | Y)`, stand for the total correlations: exact for two members, an approximation for more.

    Parameters
    ----------
    predictions : array-like of shape (members, samples)
        Labels of any number of classes.
    y : array-like of shape (samples,)
        True labels.
    method : {"auto", "joint", "pairs"}, default="auto"
        Joint tables of all members, or of pairs; "auto" takes pairs for more than ten members.
    correction : {"miller_madow"}, optional
        Adds :math:`(cells - 1) / 2n` to each entropy, in nats, against its bias on few samples.

    Returns
    -------
    InformationParts

    References
    ----------
    .. [1] Brown, "An information theoretic perspective on multiple classifier systems", MCS (2009).
    .. [2] Zhou & Li, "Multi-information ensemble diversity", MCS (2010).

    Examples
    --------
    Two fair coins tell nothing by themselves about whether they differ, and all together:

    >>> from coterie import diversity
    >>> parts = diversity.information([[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0])
    >>> parts.relevancy, parts.redundancy, parts.conditional_redundancy, parts.total
    (0.0, 0.0, 1.0, 1.0)
    """
    if method not in ("auto", "joint", "pairs"):
        raise ValueError(f'method must be "auto", "joint" or "pairs", not {method!r}.')
    if correction not in ("miller_madow", None):
        raise ValueError(f'correction must be "miller_madow" or None, not {correction!r}.')
    codes, truth, classes = truthful_codes(predictions, y)
    corrected = correction is not None
    alone = np.array([_entropy(row, corrected) for row in codes])
    target = _entropy(truth, corrected)
    beside = np.array([_entropy(_joined(row[None], truth), corrected) for row in codes])
    joint = method == "joint" or (method == "auto" and len(codes) <= _FEW_MEMBERS)
    if joint:
        together = _joined(codes[:-1], codes[-1])
        redundancy = alone.sum() - _entropy(together, corrected)
        with_target = _entropy(_joined(together[None], truth), corrected)
        conditional = (beside - target).sum() - (with_target - target)
    else:
        redundancy, conditional = _pair_sums(codes, truth, len(classes), corrected)
    n_classes = len(np.unique(truth))
    relevancies = alone + target - beside
    return InformationParts(relevancies, float(redundancy), float(conditional), target, n_classes)


def _entropy(codes: NDArray[np.integer], corrected: bool) -> float:
    """Plug-in entropy of codes in bits."""
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    cells = len(counts) if corrected else 1
    return float(_bits(counts.astype(np.float64), len(codes), (), cells))


def _bits(counts: Array, n: float, axes: tuple[int, ...], cells: Any) -> Any:
    """Entropy of counts over `axes` (all if none) with the correction for `cells`, in bits."""
    over = axes or None
    entropy = np.log(n) - xlogy(counts, counts).sum(axis=over) / n
    return (entropy + (cells - 1) / (2 * n)) / np.log(2)


def _joined(rows: NDArray[np.integer], last: NDArray[np.integer]) -> NDArray[np.intp]:
    """One code for each combination of codes that occurs."""
    joined = np.asarray(last, dtype=np.intp)
    for row in rows:
        joined = joined * (int(row.max()) + 1) + row
        # Only what occurs keeps a code, so that codes never overflow.
        joined = np.unique(joined, return_inverse=True)[1]
    return joined


def _pair_sums(
    codes: NDArray[np.integer], truth: NDArray[np.intp], n_classes: int, corrected: bool
) -> tuple[float, float]:
    r"""Sums over pairs of :math:`I(X_s; X_t)` and :math:`I(X_s; X_t | Y)`."""
    n_members, n_samples = codes.shape
    step = max(1, _TABLE_CELLS // (n_members * n_classes**2 * (int(truth.max()) + 1)))
    alone = np.array([_entropy(row, corrected) for row in codes])
    beside = np.array([_entropy(_joined(row[None], truth), corrected) for row in codes])
    target = _entropy(truth, corrected)
    sums = np.zeros(2)
    for start in range(0, n_members, step):
        rows = np.arange(start, min(start + step, n_members))
        counts = _pair_tables(codes, truth, n_classes, rows)
        for number, (table, single, given) in enumerate(
            [(counts.sum(axis=0)[None], alone, 0.0), (counts, beside, target)]
        ):
            cells = (table > 0).sum(axis=(0, 2, 4)) if corrected else 1
            pair = _bits(table, n_samples, (0, 2, 4), cells)
            mutual = single[rows, None] + single - pair - given
            sums[number] += mutual[rows[:, None] < np.arange(n_members)].sum()
    return float(sums[0]), float(sums[1])


def _pair_tables(
    codes: NDArray[np.integer], truth: NDArray[np.intp], n_classes: int, rows: NDArray[np.intp]
) -> Array:
    """Counts of shape (true classes, len(rows), classes, members, classes)."""
    n_members = len(codes)
    kinds = np.arange(n_classes)[:, None]
    tables = np.zeros((int(truth.max()) + 1, len(rows) * n_classes, n_members * n_classes))
    for k in np.unique(truth):
        own = codes[:, truth == k]
        for part in blocks(own.shape[1], n_members * n_classes):
            said = (own[:, None, part] == kinds).reshape(n_members * n_classes, -1)
            block = said.astype(np.float32)
            chosen = block.reshape(n_members, n_classes, -1)[rows].reshape(-1, block.shape[1])
            tables[k] += chosen @ block.T
    return tables.reshape(-1, len(rows), n_classes, n_members, n_classes)

"""LODA: the sum of log densities of many one-dimensional histograms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted
from coterie.core import Allowed, at_least, draw_entropy, member_seeds, one_of
from coterie.core.seeds import growing_stream
from coterie.data import DataError, Table
from coterie.outliers.detector import (
    Contaminated,
    OutlierDetector,
    dense_rows,
    refuse_categories,
)
from coterie.tags import tagged

Array = NDArray[np.float64]

_MOST = 1000  # bins: the best number grows with the cube root of the rows
_LARGEST = 1e300  # sums of larger numbers overflow
_SMALLEST = 1e-290  # densities of what varies less would be infinite


def n_histogram_bins(values: Array, weight: Array | None = None) -> int:
    r"""The best number of equal-width bins for the given values.

    It is the b that maximises :math:`\sum_j n_j \ln (b n_j / n) - (b - 1 + \ln(b)^{2.5})`, up to
    :math:`n / \ln n` and to 1,000.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The values.
    weight : ndarray of shape (n,), optional
        Number of occurrences of each value.

    References
    ----------
    .. [1] Birgé & Rozenholc, "How many bins should be put in a regular histogram", ESAIM:
       Probability and Statistics 10 (2006).

    Examples
    --------
    >>> n_histogram_bins(np.r_[np.linspace(0, 1, 50), np.linspace(9, 10, 50)])
    10
    """
    return int(np.argmax(bin_criterion(values, weight))) + 1


def bin_criterion(values: Array, weight: Array | None = None) -> Array:
    """What `n_histogram_bins` maximises, for 1, 2, … bins."""
    counter = _Counter(values, weight)
    n = counter.total
    most = max(1, int(min(_MOST, n / math.log(n)))) if n > 1 else 1
    gains = np.full(most, -np.inf)
    for bins in range(1, most + 1):
        counts = counter.counts(bins)
        if counts is None:
            break
        filled = counts[counts > 0]
        fit = float((filled * np.log(bins * filled / n)).sum())
        gains[bins - 1] = fit - (bins - 1 + math.log(bins) ** 2.5)
    return gains


class _Counter:
    """Counts values in bins: they are sorted once, so that each number of bins is quick.

    Parameters
    ----------
    values, weight
        See `n_histogram_bins`.
    """

    def __init__(self, values: Array, weight: Array | None) -> None:
        order = np.argsort(values, kind="stable")
        ones = np.ones(len(values)) if weight is None else weight[order]
        self.values, self.ends = values[order], np.append(0.0, np.cumsum(ones))
        self.total = float(self.ends[-1])

    def counts(self, bins: int) -> Array | None:
        """Weight in bins of equal width, the last one with its right end; None if none is wide."""
        edges = np.linspace(self.values[0], self.values[-1], bins + 1)
        if bins > 1 and not (edges[1:] > edges[:-1]).all():
            return None  # closer than numbers are
        places = np.searchsorted(self.values, edges[1:-1])
        return np.diff(self.ends[np.concatenate([[0], places, [len(self.values)]])])


@tagged
@dataclass(frozen=True)
class Histogram:
    """The logarithm of a density in bins of equal width.

    Parameters
    ----------
    low, width : float
        Where the first bin begins, and how wide each is; a width of 0 stands for a projection that
        does not vary, whose density is 1.
    log_density : ndarray of shape (n_bins + 1,)
        Of every bin, and at last of what is outside.
    """

    low: float
    width: float
    log_density: Array

    @classmethod
    def of(cls, values: Array, bins: int | None, weight: Array | None) -> Histogram:
        """Count values; half a row is added to every bin, so that no density is 0."""
        low, high = float(values.min()), float(values.max())
        if high - low < _SMALLEST:
            return cls(low, 0.0, np.zeros(2))
        bins = n_histogram_bins(values, weight) if bins is None else bins
        counts = _Counter(values, weight).counts(bins)
        if counts is None:
            return cls(low, 0.0, np.zeros(2))
        width = (high - low) / bins
        mass = (counts.sum() + 0.5 * bins) * width
        return cls(low, width, np.log(np.append(counts + 0.5, 0.5) / mass))

    def __call__(self, values: Array) -> Array:
        """Log densities of values; the right end belongs to the last bin."""
        n_bins = len(self.log_density) - 1
        if self.width == 0.0:
            return np.zeros(len(values))
        place = np.floor((values - self.low) / self.width)
        place = np.where(values == self.low + n_bins * self.width, n_bins - 1, place)
        inside = (place >= 0) & (place < n_bins)
        return self.log_density[np.where(inside, place, n_bins).astype(np.intp)]


@dataclass(eq=False, repr=False, kw_only=True)
class LODADetector(Contaminated, OutlierDetector):
    r"""LODA, the lightweight on-line detector of anomalies.

    Each of k random projections w uses about :math:`\sqrt d` columns; a histogram estimates the
    density p of :math:`w \cdot x`. The score is the mean log density,

    .. math:: \frac{1}{k} \sum_{i=1}^k \ln p_i(w_i \cdot x)

    A projection that needs a missing value is skipped, and the mean is over the others. Half a row
    is added to every bin, and is also the count outside all bins.

    Parameters
    ----------
    n_projections : int, default=100
        Number of projections.
    bins : "auto" or int, default="auto"
        Bins of a histogram; "auto" chooses them for each, see `n_histogram_bins`.

    Attributes
    ----------
    offset_ : float
        What `decision_function` subtracts.
    projections_ : ndarray of shape (n_projections, n_features)
        The weights w.
    histograms_ : list of Histogram
        A density for each.

    References
    ----------
    .. [1] Pevný, "Loda: Lightweight on-line detector of anomalies", Machine Learning 102 (2016).

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 4))
    >>> X[0] = 6.0
    >>> model = LODADetector(contamination=0.01, random_state=0).fit(X)
    >>> int(model.score_samples(X).argmin()), int(model.predict(X)[0])
    (0, -1)
    """

    allowed: ClassVar[dict[str, Allowed]] = Contaminated.allowed | {
        "n_projections": at_least(1),
        "bins": one_of("auto") | at_least(1),
    }

    n_projections: int = 100
    bins: Any = "auto"

    def _learn(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        rows = _numbers(admitted.table)
        _check_size(rows, admitted.table)
        d = rows.shape[1]
        seeds = member_seeds(draw_entropy(self.random_state), 0, self.n_projections)
        weights = np.zeros((len(seeds), d))
        for number, seed in enumerate(seeds):
            rng = growing_stream(int(seed))
            used = rng.choice(d, max(1, math.isqrt(d)), replace=False)
            weights[number, used] = rng.normal(size=len(used))
        draft.projections_ = weights
        bins = None if self.bins == "auto" else int(self.bins)
        draft.histograms_ = []
        for used, values in draft._projected(rows):
            weight = None if admitted.weight is None else admitted.weight[used]
            known = values if len(values) else np.zeros(1)
            draft.histograms_.append(Histogram.of(known, bins, weight if len(values) else None))

    def _projected(self, rows: Array) -> Any:
        """For each projection the rows it can say something of, and where they lie."""
        for weights in self.projections_:
            used = np.flatnonzero(weights)
            values = np.zeros(len(rows))
            for column in used:  # in order: a matrix product has other bits elsewhere
                values += weights[column] * rows[:, column]
            known = ~np.isnan(values)
            yield known, values[known]

    def _log_densities(self, rows: Array) -> Array:
        """Of every projection and row, NaN where a cell is missing; (n_projections, n_rows)."""
        found = np.full((len(self.projections_), len(rows)), np.nan)
        for number, (known, values) in enumerate(self._projected(rows)):
            found[number, known] = self.histograms_[number](values)
        return found

    def _normality(self, table: Table) -> Array:
        total, count = np.zeros(table.n_rows), np.zeros(table.n_rows)
        rows = _numbers(table)
        for number, (known, values) in enumerate(self._projected(rows)):
            total[known] += self.histograms_[number](values)
            count += known
        # A row of which nothing is known is as good as any other.
        return np.divide(total, count, out=np.zeros(len(total)), where=count > 0)

    def feature_scores(self, X: Any) -> Array:
        """How much each column contributes to the abnormality of a row.

        It is the one-tailed t statistic between the negative log densities of projections that
        use the column and of those that do not.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            NaN where fewer than two projections use a column, or fewer than two do not.
        """
        this = self._settled()
        strange = -this._log_densities(_numbers(this._admit(X)))
        scores = np.full((strange.shape[1], this.n_features_in_), np.nan)
        for column in range(this.n_features_in_):
            uses = this.projections_[:, column] != 0
            scores[:, column] = _welch(strange[uses], strange[~uses])
        return scores


def _welch(first: Array, second: Array) -> Array:
    """Welch's t statistic of columns, without missing ones."""
    means, errors = [], []
    for part in (first, second):
        known = ~np.isnan(part)
        n = known.sum(axis=0)
        filled = np.where(known, part, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = filled.sum(axis=0) / n
            variance = np.where(known, (part - mean) ** 2, 0.0).sum(axis=0) / (n - 1.0)
            means.append(mean)
            errors.append(np.where(n > 1, variance / n, np.nan))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((means[0] - means[1]) / np.sqrt(errors[0] + errors[1]))


def _numbers(table: Table) -> Array:
    refuse_categories(table, "Projections", "Encode it, or use IsolationForest.")
    return dense_rows(table).astype(np.float64, copy=False)


def _check_size(rows: Array, table: Table) -> None:
    """Refuse training rows that projections would make infinite."""
    huge = (np.abs(rows) > _LARGEST).any(axis=0)
    if huge.any():
        names: Any = table.names or range(table.n_columns)
        raise DataError(
            f"Column {names[int(np.argmax(huge))]!r} contains numbers beyond {_LARGEST:g}, whose "
            "projections overflow. Rescale it."
        )

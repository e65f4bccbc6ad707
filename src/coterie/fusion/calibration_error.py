"""Calibration errors: how far probabilities are from frequencies."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError
from coterie.data.outputs import numbers_of
from coterie.fusion.calibration import weights_or_ones

Array = NDArray[np.float64]
Strategy = Literal["uniform", "quantile"]


class ReliabilityCurve(NamedTuple):
    """Bins of samples by predicted probability; empty bins are left out.

    Attributes
    ----------
    mean : ndarray of shape (bins,)
        Mean probability in each bin.
    frequency : ndarray of shape (bins,)
        How often what was given that probability came true.
    mass : ndarray of shape (bins,)
        Weight of the samples in the bin, as a share of all.
    """

    mean: Array
    frequency: Array
    mass: Array


def reliability_curve(
    chances: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
) -> ReliabilityCurve:
    r"""Mean probability and observed frequency in bins of probability.

    .. math:: \bar p_b = \frac{\sum_{i \in b} w_i p_i}{\sum_{i \in b} w_i}, \qquad
       \bar y_b = \frac{\sum_{i \in b} w_i y_i}{\sum_{i \in b} w_i}

    Parameters
    ----------
    chances : array-like of shape (samples,) or (samples, classes)
        Probabilities of an event; or of all classes, of which the largest counts and the event is
        that it is right.
    y : array-like of shape (samples,)
        Whether the event occurred; or the class, as a column of `chances`.
    sample_weight : array-like of shape (samples,), optional
        Weights.
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or of equally many samples.

    Returns
    -------
    ReliabilityCurve

    References
    ----------
    .. [1] Niculescu-Mizil & Caruana, "Predicting good probabilities with supervised learning",
       ICML (2005).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.reliability_curve([0.1, 0.3, 0.8, 1.0], [0, 1, 1, 1], n_bins=2)
    ReliabilityCurve(mean=array([0.2, 0.9]), frequency=array([0.5, 1. ]), mass=array([0.5, 0.5]))
    """
    p, came_true = confidence_and_truth(chances, y)
    weight = weights_or_ones(sample_weight, len(p))
    p, came_true, weight = p[weight > 0], came_true[weight > 0], weight[weight > 0]
    place = _bins(p, n_bins, strategy)
    mass = np.bincount(place, weight, n_bins)
    used = mass > 0
    mean = np.bincount(place, weight * p, n_bins)[used] / mass[used]
    frequency = np.bincount(place, weight * came_true, n_bins)[used] / mass[used]
    return ReliabilityCurve(mean, frequency, mass[used] / mass.sum())


def calibration_error(
    chances: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    kind: Literal["expected", "root", "maximum", "classwise"] = "expected",
) -> float:
    r"""Expected calibration error: the mean gap between probability and frequency.

    .. math:: ECE = \sum_b m_b |\bar p_b - \bar y_b|

    with the shares :math:`m_b` of the bins of `reliability_curve` [1]_.

    Parameters
    ----------
    chances : array-like of shape (samples,) or (samples, classes)
        Probabilities of an event; or of all classes, of which the largest is used.
    y : array-like of shape (samples,)
        Whether the event occurred; or the class, as a column of `chances`.
    sample_weight : array-like of shape (samples,), optional
        Weights.
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or of equally many samples.
    kind : {"expected", "root", "maximum", "classwise"}, default="expected"
        Mean gap, root of the mean squared gap, or the largest gap; "classwise" is the mean over
        the classes of the expected error of each class against the rest [2]_.

    Returns
    -------
    float

    References
    ----------
    .. [1] Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", ICML (2017).
    .. [2] Kull, Perello-Nieto, Kängsepp, Silva Filho, Song & Flach, "Beyond temperature scaling",
       NeurIPS (2019).

    Examples
    --------
    >>> from coterie import fusion
    >>> round(fusion.calibration_error([0.1, 0.3, 0.8, 1.0], [0, 1, 1, 1], n_bins=2), 6)
    0.2
    """
    if kind not in ("expected", "root", "maximum", "classwise"):
        raise ValueError(
            f"kind={kind!r} is not allowed; use 'expected', 'root', 'maximum' or 'classwise'."
        )
    settings: dict[str, Any] = {"sample_weight": sample_weight, "n_bins": n_bins}
    settings["strategy"] = strategy
    if kind == "classwise":
        p = numbers_of(chances, "chances", (2,))
        truth = np.asarray(y)
        errors = [calibration_error(p[:, k], truth == k, **settings) for k in range(p.shape[1])]
        return float(np.mean(errors))
    curve = reliability_curve(chances, y, **settings)
    gap = np.abs(curve.mean - curve.frequency)
    if kind == "maximum":
        return float(gap.max())
    return float(curve.mass @ gap) if kind == "expected" else float(np.sqrt(curve.mass @ gap**2))


def confidence_and_truth(chances: Any, y: Any) -> tuple[Array, Array]:
    """Probability of the event, and whether it came true, for each sample."""
    p = numbers_of(chances, "chances", (1, 2))
    truth = np.asarray(y)
    if truth.shape != p.shape[:1]:
        raise DataError(f"There are {len(p)} samples, but y has shape {truth.shape}.")
    if p.min() < 0 or p.max() > 1 + 1e-9:
        raise DataError(
            f"Probabilities must lie between 0 and 1, but range from {p.min()} to {p.max()}."
        )
    if p.ndim == 2:
        if truth.dtype.kind not in "iu" or truth.min() < 0 or truth.max() >= p.shape[1]:
            raise DataError(f"y must contain indices of the {p.shape[1]} classes.")
        return p.max(axis=1), (p.argmax(axis=1) == truth).astype(np.float64)
    if not np.isin(truth, (0, 1)).all():
        raise DataError("y must contain the outcomes of the event, as bool or as 0 and 1.")
    return p, truth.astype(np.float64)


def _bins(p: Array, n_bins: int, strategy: Strategy) -> NDArray[np.intp]:
    if n_bins < 1:
        raise ValueError(f"n_bins={n_bins} is not allowed; use an integer >= 1.")
    if strategy == "uniform":
        return np.minimum((p * n_bins).astype(np.intp), n_bins - 1)
    if strategy != "quantile":
        raise ValueError(f"strategy={strategy!r} is not allowed; use 'uniform' or 'quantile'.")
    # Equal probabilities stay in one bin.
    edges = np.quantile(p, np.linspace(0, 1, n_bins + 1)[1:-1])
    return np.searchsorted(edges, p, side="right")

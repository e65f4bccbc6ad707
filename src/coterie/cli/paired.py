"""Whether one model is better than another on the same rows, or only luckier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["PairedTest", "holm", "paired_test"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PairedTest:
    """The mean difference of two models' losses.

    Attributes
    ----------
    difference : float
        Mean loss of the second minus that of the first; above zero, the first is better.
    low, high : float
        A 95 % interval of it.
    p_value : float
        How often models that are equally good would differ as much.
    """

    difference: float
    low: float
    high: float
    p_value: float


def paired_test(first: Array, second: Array) -> PairedTest:
    r"""Student's paired test on the losses of two models for the same rows.

    With differences :math:`d_i` of the losses on n rows, their mean :math:`\bar d` and standard
    deviation s, :math:`t = \bar d \sqrt n / s` follows Student's distribution with n − 1 degrees of
    freedom if the models are equally good [1]_. The rows must not be part of either fit.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Losses for each row.

    References
    ----------
    .. [1] Dietterich, "Approximate statistical tests for comparing supervised classification
       learning algorithms", Neural Computation 10 (1998).

    Examples
    --------
    >>> import numpy as np
    >>> test = paired_test(np.array([0.1, 0.2, 0.1, 0.3]), np.array([0.2, 0.4, 0.2, 0.4]))
    >>> round(test.difference, 3), round(test.p_value, 3)
    (0.125, 0.015)
    """
    gap = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    mean, n = float(gap.mean()), len(gap)
    error = float(gap.std(ddof=1)) / np.sqrt(n) if n > 1 else np.inf
    if error == 0.0:
        return PairedTest(mean, mean, mean, 1.0 if mean == 0.0 else 0.0)
    reach = float(stats.t.ppf(0.975, max(n - 1, 1))) * error if n > 1 else np.inf
    p_value = 2 * float(stats.t.sf(abs(mean) / error, n - 1)) if n > 1 else 1.0
    return PairedTest(mean, mean - reach, mean + reach, p_value)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for several tests: p values that stay honest together.

    The smallest of m is multiplied by m, the next by m − 1, and so on; none is below one before
    it [1]_.

    Parameters
    ----------
    p_values : sequence of float
        Of single tests.

    References
    ----------
    .. [1] Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
       Statistics 6 (1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    grown = np.maximum.accumulate(np.asarray(p_values)[order] * factors).clip(max=1.0)
    corrected = np.empty(len(p_values))
    corrected[order] = grown
    return [round(float(p), 12) for p in corrected]

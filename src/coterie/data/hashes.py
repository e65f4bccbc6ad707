"""Numbers that depend on what cells hold, and look like chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["ODD", "cell_bits", "mix"]

#: An odd factor whose bits are spread evenly: the golden ratio of 64 bits.
ODD = np.uint64(0x9E3779B97F4A7C15)


def cell_bits(cells: NDArray[np.floating]) -> NDArray[np.uint64]:
    """The bits of numbers, the same for those that are equal: one zero, and one NaN.

    Examples
    --------
    >>> bits = cell_bits(np.array([0.0, -0.0, np.nan, -np.nan]))
    >>> bits[0] == bits[1], bits[2] == bits[3]
    (np.True_, np.True_)
    """
    plain = np.ascontiguousarray(cells, dtype=np.float64) + 0.0  # turns -0.0 into 0.0
    plain[np.isnan(plain)] = np.nan
    return plain.view(np.uint64)


def mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: every bit depends on all of them.

    References
    ----------
    .. [1] Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA (2014).

    Examples
    --------
    >>> mix(np.array([0, 1], dtype=np.uint64))
    array([                  0, 6238072747940578789], dtype=uint64)
    """
    with np.errstate(over="ignore"):
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(state ^ (state >> np.uint64(31)))

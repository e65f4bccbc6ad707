"""Tables whose bits are the same everywhere: whole numbers from a generator of our own.

No sine, logarithm or matrix product is used, as those of two processors may differ in the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

N_ROWS, N_NEW = 240, 40


def _draws(seed: int) -> Iterator[int]:
    """Whole numbers below 2^20, from Knuth's linear congruential generator."""
    state = 2 * seed + 1
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield state >> 44


@dataclass(frozen=True)
class Rows:
    """Rows to fit, rows to ask about, and weights and queries of the former."""

    X: Any
    y: NDArray[Any]
    new: Any
    weight: NDArray[np.float64]
    query: NDArray[np.int64]


@cache
def _base() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Six columns, multiples of 1/4096 in [-2, 2), a signal of them, and noise below 256."""
    draws = _draws(7)
    n = N_ROWS + N_NEW
    whole = np.array([[next(draws) % 16384 - 8192 for _ in range(6)] for _ in range(n)])
    noise = np.array([next(draws) % 256 for _ in range(n)])
    X = whole / 4096.0
    signal = X[:, 0] + X[:, 1] * X[:, 1] + X[:, 2] * X[:, 3] + noise / 256.0
    return X, signal, noise


def _columns(kind: str) -> Any:
    X, _, noise = _base()
    if kind == "missing":
        X = X.copy()
        X[noise % 5 == 0, 0] = np.nan
        X[noise % 7 == 0, 3] = np.nan
    elif kind == "categories":
        X = X.copy()
        X[:, 2] = np.floor(X[:, 2] * 2.0) + 4.0
        X[:, 4] = noise % 40
    elif kind == "sparse":
        return sparse.csr_matrix(np.where(np.abs(X) < 1.0, 0.0, X))
    return X


def _target(kind: str) -> NDArray[Any]:
    _, signal, noise = _base()
    if kind == "two":
        return (signal > 1.5).astype(int)
    if kind in ("three", "grades"):
        return np.digitize(signal, [0.75, 2.25])
    if kind == "some":  # two of three labels are unknown
        return np.where(noise % 3 == 0, np.digitize(signal, [0.75, 2.25]), -1)
    if kind == "rare":
        return (signal > 3.5).astype(int)
    if kind == "counts":
        return np.floor(np.maximum(signal, 0.0)) + noise % 2
    if kind == "positive":
        return np.maximum(signal, 0.0) + 0.125
    if kind == "pair":
        return np.column_stack([signal, noise / 64.0])
    return signal


@cache
def rows(target: str, columns: str = "plain") -> Rows:
    """The table of one kind of target and one kind of columns."""
    X, y, noise = _columns(columns), _target(target), _base()[2]
    weight = (noise[:N_ROWS] % 7 + 1) / 4.0
    return Rows(X[:N_ROWS], y[:N_ROWS], X[N_ROWS:], weight, np.arange(N_ROWS) % 20)

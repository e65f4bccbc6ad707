"""Small sets of points that the textbooks draw: classes in the plane, numbers over a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.datasets import load_table

Array = NDArray[np.float64]
Points = tuple[Array, NDArray[np.intp]]


def toy(name: str, *, n: int = 200, noise: float = 0.0, spread: float = 0.2, seed: int = 0) -> Any:
    """Points of one of the sets, and their classes 0 and 1, or their numbers.

    Parameters
    ----------
    name : str
        One of `TOYS` or `CURVES`.
    n : int
        How many; the textbook examples have their own number.
    noise : float
        Share of the labels that are swapped; of the numbers, share that are replaced by others.
    spread : float
        How far points stray from their shape.
    seed : int
        The same seed gives the same points.

    Returns
    -------
    X, y : ndarrays

    Examples
    --------
    >>> X, y = toy("ten points")
    >>> X.shape, int(y.sum())
    ((10, 2), 5)
    """
    known = TOYS | CURVES
    if name not in known:
        raise ValueError(f"There is no data set {name!r}; choose from {', '.join(known)}.")
    rng = np.random.default_rng(seed)
    X, y = known[name](n, spread, rng)
    hit = rng.permutation(len(y))[: round(noise * len(y))]
    y = y.copy()
    y[hit] = rng.permutation(y)[hit] if name in CURVES else 1 - y[hit]
    return X, y


def _curve(shape: Callable[[Array], Array]) -> Callable[[int, float, Generator], Any]:
    def draw(n: int, spread: float, rng: Generator) -> Any:
        x = rng.uniform(0, 10, n)
        return x[:, None], shape(x) + rng.normal(0, spread, n)

    return draw


def _bumps(x: Array) -> Array:
    """A slow wave, and a sharp peak that a few small trees miss."""
    return np.asarray(np.sin(x / 1.6) + 1.5 * np.exp(-4 * (x - 6.5) ** 2))


def _steps(x: Array) -> Array:
    return np.asarray(np.floor(x / 2.5) % 3 - 1.0)


def _moons(n: int, spread: float, rng: Generator) -> Points:
    angle, y = rng.uniform(0, np.pi, n), np.arange(n) % 2
    x = np.where(y == 0, np.cos(angle), 1 - np.cos(angle))
    up = np.where(y == 0, np.sin(angle), 0.5 - np.sin(angle))
    return np.stack([x, up], axis=1) + rng.normal(0, spread, (n, 2)), y


def _rings(n: int, spread: float, rng: Generator) -> Points:
    angle, y = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    reach = np.where(y == 0, 1.0, 2.0) + rng.normal(0, spread, n)
    return np.stack([reach * np.cos(angle), reach * np.sin(angle)], axis=1), y


def _xor(n: int, spread: float, rng: Generator) -> Points:
    corner = np.arange(n) % 4
    X = np.stack([corner % 2, corner // 2], axis=1) * 2.0 - 1.0
    y = (corner % 2 != corner // 2).astype(np.intp)
    return X + rng.normal(0, 1.5 * spread, (n, 2)), y


def _spirals(n: int, spread: float, rng: Generator) -> Points:
    y, turn = np.arange(n) % 2, np.sqrt(rng.uniform(0.03, 1, n)) * 3 * np.pi
    x = np.where(y == 0, 1, -1) * turn * np.cos(turn) / 3
    up = np.where(y == 0, 1, -1) * turn * np.sin(turn) / 3
    return np.stack([x, up], axis=1) + rng.normal(0, spread / 2, (n, 2)), y


def _long_servedio(n: int, spread: float, rng: Generator) -> Points:
    """One far row, two penalisers and a puller of each class, mirrored: convex losses fail here.

    Long & Servedio, "Random classification noise defeats all convex potential boosters" (2010).
    """
    gap = 0.1
    shapes = np.array([[1.0, 0.0], [gap, -gap], [gap, -gap], [gap, 5 * gap]])
    y, kind = np.arange(n) % 2, (np.arange(n) // 2) % 4
    X = shapes[kind] * np.where(y == 1, 1.0, -1.0)[:, None]
    return X + rng.normal(0, spread * 0.05, (n, 2)), y


def _ten(n: int, spread: float, rng: Generator) -> Points:
    positive = [[2, 1], [1, 3], [5, 8], [8, 7], [7, 10]]
    negative = [[3, 6], [6, 5], [4, 2], [10, 9], [9, 4]]
    return np.array(positive + negative, dtype=np.float64), np.repeat([1, 0], 5)


def _seven(n: int, spread: float, rng: Generator) -> Points:
    X = np.array([[1, 4], [4, 7], [3, 1], [5, 1], [3, 4], [4, 5], [5, 4]], dtype=np.float64)
    return X, np.array([1, 1, 1, 1, 0, 0, 0])


def _watermelon(n: int, spread: float, rng: Generator) -> Points:
    X, y = load_table("watermelon", return_X_y=True)
    return np.asarray(X, dtype=np.float64), np.unique(np.asarray(y), return_inverse=True)[1]


#: The sets by name.
TOYS: dict[str, Callable[[int, float, Generator], Points]] = {
    "moons": _moons,
    "rings": _rings,
    "XOR": _xor,
    "spirals": _spirals,
    "Long–Servedio": _long_servedio,
    "ten points": _ten,
    "seven points": _seven,
    "watermelon": _watermelon,
}

#: Numbers over one column.
CURVES: dict[str, Callable[[int, float, Generator], Any]] = {
    "wave": _curve(np.sin),
    "wave with a peak": _curve(_bumps),
    "steps": _curve(_steps),
}

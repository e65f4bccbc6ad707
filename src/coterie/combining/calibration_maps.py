"""Maps of all classes at once: what members or an ensemble say, made to mean what it says."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from coterie import fusion
from coterie.fusion.calibration import inner, log_odds
from coterie.tags import tagged

Array = NDArray[np.float64]

METHODS = ("platt", "isotonic", "beta", "temperature")
_CLOSEST, _WIDEST = 1e-6, 0.05
_LEARNERS: dict[str, Callable[..., Any]] = {
    "platt": fusion.platt,
    "isotonic": fusion.isotonic,
    "beta": fusion.beta,
}


@tagged
@dataclass(frozen=True)
class ClassMaps:
    """Calibrated probabilities of all classes.

    Parameters
    ----------
    method : {"platt", "isotonic", "beta", "temperature", "identity"}
        Kind of map.
    maps : tuple of callables
        One per class; one for the second of two classes, and for "temperature".
    n_classes : int
        Number of classes.
    scores : bool
        Whether what is mapped are scores; otherwise probabilities.
    bounds : tuple of two floats
        What is beyond them is moved to them first: probabilities of 0 and 1 have no logarithms.
    """

    method: str
    maps: tuple[Callable[[Any], Array], ...]
    n_classes: int
    scores: bool
    bounds: tuple[float, float]

    @classmethod
    def learn(
        cls,
        said: Array,
        codes: NDArray[Any],
        weight: Array,
        method: str,
        n_classes: int,
        *,
        scores: bool,
    ) -> ClassMaps:
        """Learn from rows that are new to whoever spoke.

        Parameters
        ----------
        said : ndarray of shape (rows, outputs)
            Probabilities, or scores; of two classes one score for the second will do.
        codes : ndarray of int of shape (rows,)
            True classes.
        weight : ndarray of shape (rows,)
            How many rows each row stands for.
        method : {"platt", "isotonic", "beta", "temperature"}
            Kind of map.
        n_classes : int
            Number of classes.
        scores : bool
            Whether `said` are scores.
        """
        blank = cls(method, (), n_classes, scores, _bounds(said, scores=scores))
        if len(np.unique(codes)) < 2:
            if n_classes > 1:
                warnings.warn(
                    "All calibration rows belong to one class: probabilities are not changed.",
                    UserWarning,
                    stacklevel=2,
                )
            return cls("identity", (), n_classes, scores, blank.bounds)
        if method == "temperature":
            maps = [fusion.temperature(blank._logits(said), codes, weight)]
            return cls(method, tuple(maps), n_classes, scores, blank.bounds)
        learn = _LEARNERS[method]
        columns = blank._columns(said)
        classes = (1,) if n_classes == 2 else range(n_classes)
        pairs = zip(classes, columns, strict=True)
        found = tuple(learn(column, codes == k, weight) for k, column in pairs)
        return cls(method, found, n_classes, scores, blank.bounds)

    def __call__(self, said: Array) -> Array:
        """Calibrated probabilities, shape (rows, classes)."""
        if self.method == "identity":
            return self._plain(said)
        if self.method == "temperature":
            return self.maps[0](self._logits(said))
        pairs = zip(self.maps, self._columns(said), strict=True)
        mapped = np.column_stack([map_(column) for map_, column in pairs])
        if self.n_classes == 2:
            return np.hstack([1.0 - mapped, mapped])
        total = mapped.sum(axis=1, keepdims=True)
        even = np.full(mapped.shape, 1.0 / self.n_classes)
        return np.divide(mapped, total, out=even, where=total > 0)

    def _inside(self, said: Array) -> Array:
        return np.clip(said, *self.bounds)

    def _columns(self, said: Array) -> list[Array]:
        """What each map is given."""
        given = self._inside(said)
        columns = [given[:, -1]] if self.n_classes == 2 else list(given.T)
        if self.method == "beta" and self.scores:
            return [expit(column) for column in columns]
        if self.method == "platt" and not self.scores:
            return [log_odds(column) for column in columns]
        return columns

    def _logits(self, said: Array) -> Array:
        given = self._inside(said)
        if self.scores and given.shape[1] == 1:
            return np.hstack([np.zeros_like(given), given])
        return given if self.scores else np.log(inner(given))

    def _plain(self, said: Array) -> Array:
        """Probabilities as they are, scores squashed."""
        if not self.scores:
            return said
        odds = expit(self._inside(said))
        odds = np.hstack([1.0 - odds, odds]) if odds.shape[1] == 1 else odds
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _bounds(said: Array, *, scores: bool) -> tuple[float, float]:
    """Between which lies what can be told apart."""
    if scores:
        # A class that was never seen has the lowest of all numbers.
        known = said[np.abs(said) < np.finfo(np.float64).max]
        return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    edge = np.minimum(said, 1.0 - said)
    between = edge[edge > 1e-9]
    # Half of what is closest to 0 or 1: there a vote of all members would be, were there more.
    smallest = between.min() / 2 if between.size else _WIDEST
    width = float(np.clip(smallest, _CLOSEST, _WIDEST))
    return width, 1.0 - width

"""The nearest points of many queries."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine

Array = NDArray[np.float64]

_STRIP: int = _engine.NEAR_STRIP
_MOST: float = _engine.NEAR_MOST
_FINE = 96  # steps in the distance of two points that is large


@dataclass(frozen=True)
class NearPoints:
    """Points among which the nearest are found, and their places in whole steps.

    Rounded places give rough distances, which can be compared with many points at once; those that
    may be the nearest are compared exactly.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_coordinates)
        Where they are.

    Examples
    --------
    >>> NearPoints(np.array([[0.0], [3.0], [1.0]])).nearest(np.array([[0.9]]), 2)
    array([[0, 2]])
    """

    points: Array
    centre: Array = field(init=False, repr=False)
    step: float = field(init=False, repr=False)
    slack: float = field(init=False, repr=False)
    codes: NDArray[np.uint16] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Put the points into steps."""
        points = np.ascontiguousarray(self.points, dtype=np.float64)
        centre = points.mean(axis=0)
        off = points - centre
        squares = (off**2).sum(axis=1)
        # Distances that wrap around look small. With steps of this size few do.
        large = float(np.quantile(squares, 0.95)) or float(squares.max())
        step = np.sqrt(2.0 * large) / _FINE or 1.0
        steps = np.clip(off / step, -_MOST, _MOST)
        whole = np.rint(steps)
        slack = float(np.sqrt(((steps - whole) ** 2).sum(axis=1).max())) * step
        n_points, width = points.shape
        laid = np.zeros((-(-n_points // _STRIP) * _STRIP, width + 1), dtype=np.uint16)
        codes = whole.astype(np.int64)
        laid[:n_points, 0] = (codes**2).sum(axis=1)  # modulo 65,536, as the coordinates
        laid[:n_points, 1:] = codes
        strips = laid.reshape(-1, _STRIP, width + 1).transpose(0, 2, 1)
        known = {"points": points, "centre": centre, "step": float(step), "slack": slack}
        known["codes"] = np.ascontiguousarray(strips).reshape(len(strips), -1)
        vars(self).update(known)

    def nearest(self, queries: Array, number: int, *, n_threads: int = 1) -> NDArray[np.int64]:
        """Positions of the nearest points, ascending, shape (n_queries, number).

        Of points that are as far away, the first are taken.
        """
        found = np.empty((len(queries), number), dtype=np.int64)
        _engine.nearest_points(
            self.points,
            self.codes,
            self.centre,
            self.step,
            self.slack,
            np.ascontiguousarray(queries, dtype=np.float64),
            found,
            n_threads,
        )
        return found

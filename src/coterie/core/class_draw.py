"""Bags drawn within classes: how many rows of each, and with or without replacement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core.axis import RowAxis
from coterie.core.params import ParameterError
from coterie.core.shake import View, weighted
from coterie.tags import tagged

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Strategy = float | str | Mapping[Any, int]
Method = Literal["under", "balanced", "rough", "over"]


def class_sizes(strategy: Strategy, counts: Counts, classes: NDArray[Any]) -> Counts:
    """How many rows of each class to draw.

    Parameters
    ----------
    strategy : "auto", float or dict of label to int
        "auto" draws as many of every class as the smallest one has. A float is the size of the
        smallest class divided by that of the others. A dict gives numbers of rows; a class that
        is not in it is drawn whole.
    counts : ndarray of shape (n_classes,)
        How many rows there are.
    classes : ndarray of shape (n_classes,)
        Labels.

    Examples
    --------
    >>> class_sizes(0.5, np.array([10, 15, 90]), np.array(["a", "b", "c"]))
    array([10, 15, 20])
    """
    if isinstance(strategy, Mapping):
        labels = classes.tolist()
        unknown = [label for label in strategy if label not in labels]
        sizes = [strategy.get(label, count) for label, count in zip(labels, counts, strict=True)]
        if unknown or not all(isinstance(s, int | np.integer) and s >= 1 for s in sizes):
            raise ParameterError(
                f"sampling_strategy={strategy!r} is not allowed; use numbers of rows >= 1 by "
                f"label, of {labels}."
            )
        return np.array(sizes, dtype=np.int64)
    ratio = 1.0 if isinstance(strategy, str) else float(strategy)
    # Half a row is rounded up, whatever the number.
    return np.asarray(np.minimum(counts, np.floor(counts.min() / ratio + 0.5).astype(np.int64)))


def bag_sizes(method: Method, strategy: Strategy, counts: Counts, classes: NDArray[Any]) -> Counts:
    """How many rows of each class a bag holds; a class without rows has none.

    Parameters
    ----------
    method : {"under", "balanced", "rough", "over"}
        Whether large classes are thinned out ("over": small ones blown up).
    strategy : "auto", float or dict of label to int
        "auto" makes all classes as large as the smallest ("over": the largest). A float is the
        size of the smallest class divided by that of the others, or of the largest. A dict gives
        numbers of rows; a class that is not in it keeps its size.
    counts, classes : ndarray of shape (n_classes,)
        Rows and labels of the classes.

    Examples
    --------
    >>> counts, classes = np.array([10, 15, 90]), np.array(["a", "b", "c"])
    >>> bag_sizes("under", "auto", counts, classes), bag_sizes("over", 0.5, counts, classes)
    (array([10, 10, 10]), array([45, 45, 90]))
    """
    there = counts > 0
    sizes = np.zeros_like(counts)
    if method != "over" or isinstance(strategy, Mapping):
        sizes[there] = class_sizes(strategy, counts[there], classes[there])
        return sizes
    ratio = 1.0 if isinstance(strategy, str) else float(strategy)
    wanted = np.floor(ratio * counts.max() + 0.5).astype(np.int64)
    sizes[there] = np.maximum(counts[there], wanted)
    return sizes


@tagged
@dataclass(frozen=True)
class ClassDraw:
    r"""Draw rows of every class by itself.

    Parameters
    ----------
    axis : RowAxis
        What is drawn from.
    codes : ndarray of shape (axis.length,)
        Class of every unit of the axis.
    sizes : tuple of int
        Units to draw of each class.
    method : {"under", "balanced", "rough", "over"}
        "under" draws without replacement, and a class whole that has no more than asked for;
        "balanced" and "over" draw with replacement. "rough" does so too, and draws of every class
        but the smallest a random number of units: negative binomial, with the mean of the exact
        one and twice that as variance.
    """

    axis: RowAxis
    codes: NDArray[np.integer]
    sizes: tuple[int, ...]
    method: Method = "balanced"

    @classmethod
    def lay(
        cls, axis: RowAxis, codes: NDArray[np.integer], method: Method, strategy: Any, classes: Any
    ) -> ClassDraw:
        """Draws from the rows of an axis, whose classes are `codes`."""
        kind = np.min_scalar_type(max(len(classes) - 1, 1))
        units = codes[axis.rows].astype(kind)
        counts = np.bincount(units, minlength=len(classes))
        sizes = bag_sizes(method, strategy, counts, classes)
        return cls(axis, units, tuple(sizes.tolist()), method)

    @property
    def spares(self) -> bool:
        """Whether bags leave rows out."""
        counts = np.bincount(self.codes, minlength=len(self.sizes))
        return self.method != "under" or bool(np.any(np.array(self.sizes) < counts))

    @property
    def shares(self) -> Array:
        """Share of each class in a bag, on average."""
        return np.array(self.sizes) / sum(self.sizes)

    def counts(self, rng: Generator) -> NDArray[np.int64]:
        """How often each row is in the bag."""
        sizes = np.array(self.sizes)
        if self.method == "rough":
            there = np.bincount(self.codes, minlength=len(sizes))
            smallest = np.argmin(np.where(there > 0, there, len(self.codes) + 1))
            # NumPy counts failures before n successes, of mean n for even chances.
            drawn = rng.negative_binomial(np.maximum(sizes, 1), 0.5)
            others = (np.arange(len(sizes)) != smallest) & (sizes > 0)
            sizes = np.where(others, drawn, sizes)
        points = [self._points(code, int(size), rng) for code, size in enumerate(sizes)]
        return self.axis.count(np.concatenate(points))

    def _points(self, code: int, size: int, rng: Generator) -> NDArray[np.int64]:
        """Points of the axis where units of a class were drawn."""
        own = np.flatnonzero(self.codes == code)
        if not len(own) or not size:
            return own[:0]
        if self.method != "under":
            return own[rng.integers(0, len(own), size=size)]
        if size < len(own):
            return rng.choice(own, size, replace=False, shuffle=False)
        if size > len(own):  # asked for by a dict
            return own[rng.integers(0, len(own), size=size)]
        return own

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by how often each is in the bag."""
        return weighted(view, self.counts(rng))


def correct_prior(probabilities: Array, sampled: Array, given: Array) -> Array:
    r"""Probabilities under the class shares of the training rows, not those of the bags.

    .. math:: p'_k \propto p_k \, \pi_k / \pi'_k

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        What members of balanced bags say.
    sampled, given : ndarray of shape (n_classes,)
        Shares of the classes in the bags, and in the training rows.

    References
    ----------
    .. [1] Elkan, "The foundations of cost-sensitive learning", IJCAI (2001).

    Examples
    --------
    >>> correct_prior(np.array([[0.5, 0.5]]), np.array([0.5, 0.5]), np.array([0.9, 0.1]))
    array([[0.9, 0.1]])
    """
    if np.any((sampled <= 0) & (given > 0)):
        raise ParameterError("prior_correction needs every class in the bags.")
    factor = np.divide(given, sampled, out=np.zeros(len(given)), where=sampled > 0)
    scaled = probabilities * factor
    total = scaled.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(scaled, total, out=np.array(probabilities), where=total > 0))

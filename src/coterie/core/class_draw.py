"""Bags drawn within classes: how many rows of each, and with or without replacement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
Strategy = float | str | Mapping[Any, int] | Callable[[NDArray[Any]], Mapping[Any, int]]
Method = Literal["under", "balanced", "rough", "over"]


#: Words for the classes that are drawn to the size of the smallest; the others stay as they are.
WORDS = ("auto", "majority", "not minority", "not majority", "all")


def named_classes(word: str, counts: Counts) -> NDArray[np.bool_]:
    """Which classes a word stands for; "auto" are all but the smallest.

    Examples
    --------
    >>> named_classes("not majority", np.array([10, 15, 90]))
    array([ True,  True, False])
    """
    every = np.arange(len(counts))
    smallest, largest = every == counts.argmin(), every == counts.argmax()
    others = {"all": every >= 0, "majority": largest, "not majority": ~largest}
    return np.asarray(others.get(word, ~smallest))


def class_sizes(strategy: Strategy, counts: Counts, classes: NDArray[Any]) -> Counts:
    """How many rows of each class to draw.

    Parameters
    ----------
    strategy : str, float, dict of label to int or callable
        A word tells which classes are drawn to the size of the smallest: "all", "majority", "not
        majority", or "not minority", which is "auto". A float is the size of the smallest class
        divided by that of the others. A dict gives numbers of rows, and a callable such a dict for
        the labels; a class that is not in it is drawn whole.
    counts : ndarray of shape (n_classes,)
        How many rows there are.
    classes : ndarray of shape (n_classes,)
        Labels.

    Examples
    --------
    >>> class_sizes(0.5, np.array([10, 15, 90]), np.array(["a", "b", "c"]))
    array([10, 15, 20])
    """
    return resize_classes(strategy, counts, classes)[0]


def resize_classes(
    strategy: Strategy, counts: Counts, classes: NDArray[Any]
) -> tuple[Counts, NDArray[np.bool_]]:
    """How many rows of each class to draw, see `class_sizes`, and which classes are drawn at all.

    The others are taken as they are, also by those who draw with replacement.
    """
    if callable(strategy):
        strategy = strategy(np.repeat(classes, counts))
    if isinstance(strategy, Mapping):
        labels = classes.tolist()
        unknown = [label for label in strategy if label not in labels]
        sizes = [strategy.get(label, count) for label, count in zip(labels, counts, strict=True)]
        if unknown or not all(isinstance(s, int | np.integer) and s >= 1 for s in sizes):
            raise ParameterError(
                f"sampling_strategy={strategy!r} is not allowed; use a dict from label to number "
                f"of rows >= 1, with the labels {labels}."
            )
        return np.array(sizes, dtype=np.int64), np.array([label in strategy for label in labels])
    if isinstance(strategy, str):
        chosen = named_classes(strategy, counts)
        return np.where(chosen, counts.min(), counts), chosen
    # Half a row is rounded up, whatever the number.
    wanted = np.floor(counts.min() / float(strategy) + 0.5).astype(np.int64)
    return np.minimum(counts, wanted), named_classes("auto", counts)


def bag_sizes(method: Method, strategy: Strategy, counts: Counts, classes: NDArray[Any]) -> Counts:
    """How many rows of each class a bag holds; a class without rows has none.

    Parameters
    ----------
    method : {"under", "balanced", "rough", "over"}
        Whether large classes are thinned out ("over": small ones blown up).
    strategy : str, float, dict of label to int or callable
        As in `class_sizes`. For "over", "auto" makes all classes as large as the largest, and a
        float is their size divided by that of the largest.
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
    if method != "over" or isinstance(strategy, Mapping) or callable(strategy):
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
        The units to draw from.
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


@tagged
@dataclass(frozen=True)
class RebalancedDraw:
    """Draw a bag, then rows of every class from that bag, then a bootstrap of those, if asked.

    Parameters
    ----------
    sampler : BagSampler
        What says how; the draws of two fits are the same if their samplers are.
    axis : RowAxis
        The units to draw from.
    codes : ndarray of shape (n_rows,)
        Class of every row.
    classes : ndarray of shape (n_classes,)
        Labels.
    draw : Draw or None
        Draws the bag; None when it holds all rows.
    n_draws : int or None
        Size of the bootstrap of the rows that were drawn; None for these rows themselves.
    """

    sampler: Any
    axis: RowAxis
    codes: NDArray[np.integer]
    classes: NDArray[Any]
    draw: Any = None
    n_draws: int | None = None

    @property
    def spares(self) -> bool:
        """Whether bags leave rows out."""
        counts = np.bincount(self.codes[self.axis.rows], minlength=len(self.classes))
        sizes, drawn = self._sizes(counts)
        fewer = bool(np.any(sizes < counts)) or (self.sampler.replacement and bool(drawn.any()))
        return fewer or self.n_draws is not None or (self.draw is not None and self.draw.spares)

    @property
    def shares(self) -> Array:
        """Share of each class in a bag, as far as the classes of the rows tell."""
        counts = np.bincount(self.codes[self.axis.rows], minlength=len(self.classes))
        sizes, _ = self._sizes(counts)
        return np.asarray(sizes / sizes.sum())

    def _sizes(self, counts: Counts) -> tuple[Counts, NDArray[np.bool_]]:
        """How many rows to draw of each class, and whether it is drawn at all."""
        there = counts > 0
        sizes, drawn = np.zeros_like(counts), np.zeros(len(counts), dtype=bool)
        strategy = self.sampler.sampling_strategy
        if isinstance(strategy, Mapping):  # a bag need not hold all classes
            labels = set(self.classes[~there].tolist())
            strategy = {k: size for k, size in strategy.items() if k not in labels}
        found = resize_classes(strategy, counts[there], self.classes[there])
        sizes[there], drawn[there] = found
        return sizes, drawn

    def counts(self, rng: Generator) -> NDArray[np.int64]:
        """How often each row is in the bag."""
        rows = self.axis.rows
        if self.draw is not None:
            order = self.axis.order
            times = self.draw.counts(rng)[order]
            if times.dtype.kind == "f":
                raise ValueError(
                    "Random row weights cannot be balanced, because balancing resamples the rows "
                    "of a bag. Set wagging=None, or choose a draw that repeats rows."
                )
            rows = np.repeat(order, times)
        codes = self.codes[rows]
        sizes, drawn = self._sizes(np.bincount(codes, minlength=len(self.classes)))
        parts = []
        for code in np.flatnonzero(sizes):
            own = rows[codes == code]
            again = (self.sampler.replacement and drawn[code]) or sizes[code] > len(own)
            if again or sizes[code] < len(own):
                own = rng.choice(own, int(sizes[code]), replace=again, shuffle=False)
            parts.append(own)
        bag = np.concatenate(parts)
        if self.n_draws is not None:
            bag = rng.choice(bag, self.n_draws)
        return np.bincount(bag, minlength=len(self.codes))

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

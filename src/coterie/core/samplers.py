"""Samplers: how the bags of an ensemble are drawn, whatever they are drawn from.

A sampler is to bagging and forests what a rule is to boosting: a small object that says which rows
a member sees, how often, and which columns. A fit shows it an urn (`Urn`), and it answers with a
`Draw`, which draws the bag of a member from the member's own stream, and can do so again: only
seeds are kept.

A sampler of your own is a `BagSampler` with a method `counts`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core.axis import RowAxis, content_order, split_weight
from coterie.core.class_draw import ClassDraw, Method, RebalancedDraw, Strategy
from coterie.core.params import Allowed, ParameterError, instance_of, one_of
from coterie.core.shake import Bootstrap, Columns, Draw, Grouped, Subsample, View, Wag, weighted
from coterie.data import Target
from coterie.tags import tagged, tagged_family

#: Draws per row at most: beyond it a bag takes longer to draw than to learn from.
MAX_DRAWS = 100


@tagged
@dataclass(frozen=True)
class Urn:
    """What bags are drawn from: units, each a row once, or a group of rows.

    A row of integer weight k is k units, side by side. Units are in an order that depends on what
    rows hold and not on where they stand, so that shuffled rows lead to the same bags.

    Attributes
    ----------
    axis : RowAxis
        The units.
    target : Target or None
        Labels or numbers of the rows; None if units are groups, or nobody asks.
    mass : float or None
        What the rows weigh, if they are drawn by their weights.
    """

    axis: RowAxis
    target: Target | None = None
    mass: float | None = None

    @property
    def size(self) -> int:
        """Number of units."""
        return self.axis.length

    @property
    def rows(self) -> NDArray[np.integer]:
        """The row of every unit, or its group."""
        return self.axis.rows

    @property
    def codes(self) -> NDArray[np.int32]:
        """The class of every unit, for samplers that look at classes."""
        return np.asarray(self.labels.codes[self.rows, 0])

    @property
    def labels(self) -> Target:
        """The target of rows that have one class each."""
        if self.target is None or self.target.kind != "labels" or self.target.n_outputs != 1:
            raise ValueError(
                "Bags can be drawn by class only if y contains one class per row. Set draw=None, "
                "or choose a draw that does not depend on classes."
            )
        return self.target


@tagged
@dataclass(frozen=True)
class SampledDraw:
    """Bags as a sampler counts them.

    Parameters
    ----------
    sampler : BagSampler
        How bags are drawn.
    urn : Urn
        What they are drawn from.
    """

    sampler: BagSampler
    urn: Urn

    @property
    def axis(self) -> RowAxis:
        """The units to draw from."""
        return self.urn.axis

    @property
    def spares(self) -> bool:
        """Whether bags leave rows out."""
        return self.sampler.spares

    def counts(self, rng: Generator) -> NDArray[Any]:
        """How often each row is in the bag."""
        units = np.asarray(self.sampler.counts(self.urn, rng))
        if units.shape != (self.urn.size,) or not np.all(units >= 0) or not units.any():
            raise ValueError(
                f"{type(self.sampler).__name__}.counts must return a number >= 0 for each of the "
                f"{self.urn.size} units, some of them above 0; it returned an array of shape "
                f"{units.shape}."
            )
        totals = self.axis.total(units.astype(np.float64))
        return totals if units.dtype.kind == "f" else totals.astype(np.int64)

    def __call__(self, view: View, rng: Generator) -> View:
        """The same rows, weighted by how often each is in the bag."""
        return weighted(view, self.counts(rng))


@tagged_family
class BagSampler:
    """Base class for ways to draw bags; subclasses implement `counts`, or `lay`."""

    #: Whether bags leave rows out, which may then judge the member.
    spares: ClassVar[bool] = True
    #: Whether counts are weights, which members must take.
    weighs: ClassVar[bool] = False
    #: Whether the classes of the units matter.
    by_class: ClassVar[bool] = False

    @property
    def by_weight(self) -> bool:
        """Whether rows are drawn by their weights, as in scikit-learn, and then count equally.

        Otherwise integer weights are equivalent to repeated rows, and other weights multiply the
        counts of a bag.
        """
        return False

    def counts(self, urn: Urn, rng: Generator) -> NDArray[Any]:
        """How often each unit is in a bag, shape (urn.size,); fractions are weights.

        Parameters
        ----------
        urn : Urn
            The units to draw from.
        rng : Generator
            The member's own random generator.
        """
        raise NotImplementedError

    def choose(self, n_columns: int) -> Columns | None:
        """The sampler of a member's columns; None if it uses all of them."""
        return None

    def lay(self, urn: Urn) -> Draw | None:
        """The function that draws bags from an urn; None if every member sees every row."""
        return SampledDraw(self, urn if self.by_class else replace(urn, target=None))


@dataclass(frozen=True)
class BootstrapSampler(BagSampler):
    """Rows drawn with replacement.

    Parameters
    ----------
    max_samples : int, float or None, default=None
        Rows per bag: a number, a share of the rows or of their total weight, or as many as the
        table has.
    repeats : bool, default=False
        Whether integer weights are equivalent to repeated rows: a row with weight 3 counts as three
        rows, bags have as many rows as there are then, and other weights multiply the counts. By
        default rows are drawn by their weights.

    References
    ----------
    .. [1] Breiman, "Bagging predictors", Machine Learning 24 (1996).
    """

    max_samples: float | None = None
    repeats: bool = False

    @property
    def by_weight(self) -> bool:
        """Whether rows are drawn by their weights."""
        return not self.repeats

    def lay(self, urn: Urn) -> Draw | None:
        """The function that draws bags from an urn."""
        return Bootstrap(urn.axis, resolve_max_samples(self.max_samples, urn.size, urn.mass))


@dataclass(frozen=True)
class SubsetSampler(BagSampler):
    """Rows drawn without replacement.

    Parameters
    ----------
    max_samples : int, float or None, default=0.5
        Rows per bag: a number, a share of the rows or of their total weight, or all of them.
    repeats : bool, default=False
        Whether integer weights are equivalent to repeated rows; see `BootstrapSampler`.

    References
    ----------
    .. [1] Friedman & Hall, "On bagging and nonlinear estimation", Journal of Statistical Planning
       and Inference 137 (2007).
    """

    max_samples: float | None = 0.5
    repeats: bool = False

    @property
    def by_weight(self) -> bool:
        """Whether rows are drawn by their weights."""
        return not self.repeats

    def size(self, n_units: int, mass: float | None = None) -> int:
        """Number of units per bag."""
        return resolve_max_samples(self.max_samples, n_units, mass)

    def lay(self, urn: Urn) -> Draw | None:
        """The function that draws bags from an urn; None if they would contain all of it."""
        n_draws = self.size(urn.size, urn.mass)
        if n_draws > urn.size:
            raise ValueError(
                f"max_samples={n_draws} must be <= n_samples={urn.size} to be able to sample "
                "without replacement."
            )
        return None if n_draws == urn.size else Subsample(urn.axis, n_draws)


@dataclass(frozen=True)
class WeightSampler(BagSampler):
    """All rows with random weights; see `coterie.core.shake.Wag`.

    Parameters
    ----------
    kind : {"exponential", "poisson", "gaussian"}, default="exponential"
        Distribution of the weights.
    """

    kind: Literal["exponential", "poisson", "gaussian"] = "exponential"

    weighs: ClassVar[bool] = True

    def lay(self, urn: Urn) -> Draw | None:
        """The function that weights the units of an urn."""
        return Wag(urn.axis, self.kind)


@dataclass(frozen=True)
class BalancedSampler(BagSampler):
    """Bags with equal numbers of rows per class, each class drawn separately; see `ClassDraw`.

    Parameters
    ----------
    method : {"under", "balanced", "rough", "over"}, default="balanced"
        Undersampling without replacement, sampling with replacement, random sizes of the larger
        classes, or oversampling to the size of the largest class.
    sampling_strategy : str, float, dict of label to int or callable, default="auto"
        How many rows of each class a bag contains; see `BalancedBaggingClassifier`.
    """

    method: Method = "balanced"
    sampling_strategy: Strategy = "auto"

    by_class: ClassVar[bool] = True

    def lay(self, urn: Urn) -> Draw | None:
        """The function that draws bags from an urn."""
        codes, classes = urn.labels.codes[:, 0], urn.labels.classes[0]
        return ClassDraw.lay(urn.axis, codes, self.method, self.sampling_strategy, classes)


@dataclass(frozen=True)
class RebalancedSampler(BagSampler):
    """Bags whose classes are balanced after drawing, as in imbalanced-learn.

    Parameters
    ----------
    sampling_strategy : str, float, dict of label to int or callable, default="auto"
        How many rows of each class stay in a bag, see `BalancedBaggingClassifier`.
    replacement : bool, default=False
        Whether rows of a class are drawn with replacement.
    bag : BagSampler or None, default=None
        How bags are drawn before; None begins with all rows.
    again : BagSampler or None, default=None
        A bootstrap of the rows that were drawn.
    """

    sampling_strategy: Strategy = "auto"
    replacement: bool = False
    bag: BagSampler | None = None
    again: BootstrapSampler | None = None

    by_class: ClassVar[bool] = True

    def lay(self, urn: Urn) -> Draw | None:
        """The function that draws bags from an urn."""
        classes, codes = urn.labels.classes[0], urn.labels.codes[:, 0]
        draw = None if self.bag is None else self.bag.lay(urn)
        every = RebalancedDraw(self, urn.axis, codes, classes, draw)
        if self.again is None:
            return every
        sizes, _ = every._sizes(np.bincount(urn.codes, minlength=len(classes)))
        return replace(every, n_draws=resolve_max_samples(self.again.max_samples, int(sizes.sum())))


@dataclass(frozen=True)
class BlockSampler(BagSampler):
    """Blocks of consecutive rows drawn with replacement, for rows in time order.

    Consecutive rows are similar, so if single rows were drawn, the bag would contain a near copy of
    every out-of-bag row. Blocks start anywhere and wrap around at the end, and the last one is
    truncated, so that a bag has as many rows as the table.

    Parameters
    ----------
    length : int or None, default=None
        Number of rows per block; by default the cube root of the number of rows.

    References
    ----------
    .. [1] Politis & Romano, "A circular block-resampling procedure for stationary data", in
       Exploring the Limits of Bootstrap (1992).

    Examples
    --------
    >>> urn = Urn(RowAxis(np.arange(6)))
    >>> BlockSampler(3).counts(urn, np.random.default_rng(0))
    array([1, 1, 0, 1, 1, 2])
    """

    length: int | None = None

    def counts(self, urn: Urn, rng: Generator) -> NDArray[np.int64]:
        """How often each unit is in a bag."""
        size = urn.size
        length = max(1, round(size ** (1 / 3))) if self.length is None else min(self.length, size)
        starts = rng.integers(0, size, size=-(-size // length))
        places = (starts[:, None] + np.arange(length)).ravel()[:size] % size
        counts = np.zeros(size, dtype=np.int64)
        # Units stand in an order of their own; blocks are of rows as they were given.
        np.add.at(counts, np.argsort(urn.rows, kind="stable")[places], 1)
        return counts


#: Samplers by name.
SAMPLERS: dict[str, BagSampler] = {
    "bootstrap": BootstrapSampler(),
    "repeats": BootstrapSampler(repeats=True),
    "half": SubsetSampler(),
    "exponential": WeightSampler("exponential"),
    "poisson": WeightSampler("poisson"),
    "gaussian": WeightSampler("gaussian"),
    "under": BalancedSampler("under"),
    "balanced": BalancedSampler("balanced"),
    "rough": BalancedSampler("rough"),
    "over": BalancedSampler("over"),
    "blocks": BlockSampler(),
}
#: What the parameter `draw` may be.
a_sampler: Allowed = one_of(None, *SAMPLERS) | instance_of(BagSampler)


def as_sampler(draw: str | BagSampler) -> BagSampler:
    """A sampler by its name, or itself."""
    return SAMPLERS[draw] if isinstance(draw, str) else draw


def lay_bags(
    view: View,
    groups: NDArray[np.int32] | None,
    sampler: BagSampler | None,
    present: NDArray[np.bool_] | None = None,
) -> tuple[View, Draw | None]:
    """What members are fitted on before it is shaken, and how their bags are drawn.

    Parameters
    ----------
    view : View
        Binned table, target and weights.
    groups : ndarray of int or None
        Group of each row; a row of weight 3 is three rows of one group, and weights stay weights.
    sampler : BagSampler or None
        How to draw; None when every member sees every row.
    present : ndarray of bool, optional
        Rows that may be drawn; all by default.
    """
    if sampler is None:
        return view, None
    if groups is not None:
        if sampler.by_class:
            raise ValueError(
                f"{type(sampler).__name__} draws rows within classes and cannot keep groups "
                "together. Omit `groups`, or use BaggingClassifier with class weights."
            )
        every = RowAxis.lay(np.arange(groups.max() + 1), None)
        inner = sampler.lay(Urn(every))
        return view, None if inner is None else Grouped(inner, groups)
    if sampler.by_weight and view.weight is not None:
        return _by_weight(view, sampler, present)
    repeats, importance = split_weight(view.weight)
    if present is not None:
        repeats = (1 if repeats is None else repeats) * present
    axis = RowAxis.lay(content_order(view.table, view.target, importance), repeats)
    draw = sampler.lay(Urn(axis, view.target))
    # Repetitions are drawn, so the counts stand for them already.
    return (view, None) if draw is None else (replace(view, weight=importance), draw)


def _by_weight(
    view: View, sampler: BagSampler, present: NDArray[np.bool_] | None
) -> tuple[View, Draw | None]:
    """Bags that heavy rows are more often in; what is in them counts alike."""
    weight = np.asarray(view.weight)
    axis = RowAxis.lay(content_order(view.table, view.target, weight), weight)
    if present is not None:
        axis = RowAxis.lay(axis.order, weight * present)
    elif np.all(weight == weight[0]):  # as good as none, and drawn so
        axis = replace(axis, ends=None)
    draw = sampler.lay(Urn(axis, view.target, float(weight.sum())))
    return (view, None) if draw is None else (replace(view, weight=None), draw)


def resolve_max_samples(value: float | None, n_rows: int, mass: float | None = None) -> int:
    """Rows drawn for a bag out of `n_rows`, repeated rows counted as often as they are repeated.

    A fraction is one of their total weight, if they have one.

    Examples
    --------
    >>> resolve_max_samples(None, 150), resolve_max_samples(0.5, 150), resolve_max_samples(9, 150)
    (150, 75, 9)
    """
    if value is None:
        return n_rows
    whole = n_rows if mass is None else mass
    number = int(value) if isinstance(value, Integral) else max(1, int(value * whole))
    if number > MAX_DRAWS * max(n_rows, 1000):
        raise ParameterError(
            f"max_samples={value} would draw {number} rows out of {n_rows} for every tree; at "
            f"most {MAX_DRAWS} times the number of rows is supported."
        )
    if not isinstance(value, Integral) and number < max(10, n_rows ** (1 / 3)):
        what = f"number of samples is {n_rows}"
        if mass is not None:
            what = f"total sum of sample weights is {mass}"
        warnings.warn(
            f"Using the fractional value max_samples={value} when the {what} results in a low "
            f"number ({number}) of bootstrap samples. We recommend passing `max_samples` as an "
            "integer instead.",
            UserWarning,
            stacklevel=2,
        )
    return number

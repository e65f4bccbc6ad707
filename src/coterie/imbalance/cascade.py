"""BalanceCascade: boosters on balanced bags, one after the other, easy rows set aside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from coterie.base import Admitted
from coterie.core import (
    Allowed,
    Pool,
    View,
    at_least,
    draw_entropy,
    growing_stream,
    member_seeds,
    one_of,
)
from coterie.core.rule import Array
from coterie.data import Table, Target
from coterie.imbalance.bagged_boosters import BAGS, Bag, BaggedBoosters, BagLearner
from coterie.imbalance.undersample import Counts, Units


def schedule(counts: Counts, n_stages: int) -> Counts:
    r"""How many units of each class are left before every stage, shape (n_stages + 1, n_classes).

    Every stage keeps the share :math:`f_k = (m / m_k)^{1/(T-1)}` of a class of :math:`m_k` units,
    where the smallest has m: the last of T stages begins with classes of equal size.

    Examples
    --------
    >>> schedule(np.array([10, 80]), 4)
    array([[10, 80],
           [10, 40],
           [10, 20],
           [10, 10],
           [10,  5]])
    """
    share = (counts.min() / counts) ** (1 / max(n_stages - 1, 1))
    left = counts * share ** np.arange(n_stages + 1)[:, None]
    return np.maximum(np.rint(left).astype(np.int64), 1)


def own_margin(raw: Array, codes: Counts) -> Array:
    """By how much the score of the right class leads the best of the others, shape (n_rows,)."""
    if raw.shape[1] == 1:
        return np.where(codes == 1, raw[:, 0], -raw[:, 0])
    rows, others = np.arange(len(raw)), raw.copy()
    others[rows, codes] = -np.inf
    return np.asarray(raw[rows, codes] - others.max(axis=1))


def hardest(units: Units, margin: Array, sizes: Counts) -> tuple[Units, Array]:
    """The units of each class with the smallest margins, and the largest margin among them.

    Parameters
    ----------
    units : Units
        What is left so far.
    margin : ndarray of shape (n_rows,)
        Margins of the rows.
    sizes : ndarray of shape (n_classes,)
        How many units of each class to keep.

    Returns
    -------
    Units, ndarray of shape (n_classes,)
        A class that is kept whole has the threshold 0.
    """
    kept = np.ones(len(units.rows), dtype=bool)
    thresholds = np.zeros(units.n_classes)
    of_unit = margin[units.rows]
    for code, size in enumerate(sizes):
        own = np.flatnonzero(units.codes == code)
        if size < len(own):
            order = own[np.argsort(of_unit[own], kind="stable")]
            kept[order[size:]] = False
            thresholds[code] = of_unit[order[size - 1]]
    return units.keep(kept), thresholds


@dataclass(eq=False, repr=False)
class BalanceCascadeClassifier(BaggedBoosters):
    r"""BalanceCascade: boosters on balanced bags, discarding easy rows of large classes.

    Every stage draws as many rows of each class as the smallest class has and fits a booster on
    them. From each larger class, the rows with the most confident predictions are then discarded,
    so many that the last stage begins with classes of equal size. The scores of all stages are
    added.

    Parameters
    ----------
    estimator : booster, default=None
        One of coterie's boosters, fitted in every stage; by default
        ``AdaBoostClassifier(n_estimators=10)``. Its `random_state`, `warm_start`, `max_bins` and
        `categorical_features` are not used.
    n_stages : int, default=4
        Number of stages. How fast rows are discarded depends on it, so a fit with fewer stages is
        not the start of one with more.
    subtract_thresholds : bool, default=False
        Whether a stage's score for a class is lowered by the margin beyond which rows of the class
        were discarded, as in [1]_. Each stage then lets through as many rows of a large class as it
        keeps, so small classes are predicted far too often unless they are very rare: on ten data
        sets, with 1.5 to 27 times as many rows of one class as of the other, the mean of both
        classes' accuracies was 0.03 to 0.29 lower.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    n_jobs : int, default=None
        Threads of prediction.
    max_bins : int, default=255
        Maximum number of bins per column for native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical.

    Attributes
    ----------
    estimators_ : list of boosters
        The fitted boosters, one per stage.
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the columns in the decrease of impurity, where members are native trees.
    thresholds_ : ndarray of shape (n_stages, n_classes)
        Margin beyond which rows of each class were discarded.
    n_left_ : ndarray of shape (n_stages + 1, n_classes)
        Rows of each class before every stage, and after the last.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Liu, Wu & Zhou, "Exploratory undersampling for class-imbalance learning", IEEE Trans.
       Syst. Man Cybern. B 39 (2009).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(2000, weights=[0.97], random_state=0)
    >>> model = BalanceCascadeClassifier(random_state=0).fit(X, y)
    >>> left = model.n_left_
    >>> bool(left[3, 0] == left[3, 1] == (y == 1).sum())
    True
    """

    estimator: Any = None
    _: KW_ONLY
    n_stages: int = 4
    subtract_thresholds: bool = False

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BAGS,
        "n_stages": at_least(1),
        "subtract_thresholds": one_of(True, False),
    }

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        booster = self._booster()
        table, target = self._bin(admitted), admitted.target
        units = Units.lay(table, target, admitted.weight)
        plan = schedule(units.counts, self.n_stages)
        bags, thresholds = [], []
        for stage, seed in enumerate(
            member_seeds(draw_entropy(self.random_state), 0, self.n_stages), start=1
        ):
            rng = growing_stream(int(seed))
            drawn = units.draw(np.full_like(plan[0], plan[0].min()), rng)
            part = units.bag(View(table, target), drawn)
            bag = BagLearner(booster).fit(part.table, part.target, part.weight, rng)
            margin = self._margin(bag, table, target, units)
            units, threshold = hardest(units, margin, plan[stage])
            if self.subtract_thresholds:
                bag = replace(bag, shift=_shift(threshold, len(bag.estimator.start_)))
            bags.append(bag)
            thresholds.append(threshold)
        draft.n_left_, draft.thresholds_ = plan, np.array(thresholds)
        self._publish(draft, booster._rule(), Pool.of(bags))

    def _margin(self, bag: Bag, table: Table, target: Target, units: Units) -> Array:
        """Margins of the rows that are left; the others have none."""
        rows = np.flatnonzero(units.repeats)
        margin = np.zeros(table.n_rows)
        margin[rows] = own_margin(bag.predict(table.take(rows)), target.codes[rows, 0])
        return margin


def _shift(threshold: Array, n_scores: int) -> Array:
    """What the scores are lowered by: the one score of two classes speaks for the second."""
    return threshold if n_scores > 1 else np.diff(threshold, prepend=0.0)[-1:]

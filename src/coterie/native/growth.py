"""Growing one tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import _engine
from coterie.native.forest import Forest
from coterie.native.interrupts import in_main_thread, stop_flag

if TYPE_CHECKING:
    from coterie.native.bins import Bins, Codes
    from coterie.native.sparse_codes import SparseCodes

NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Labels:
    """Class codes to fit: ``codes`` of shape (n, outputs), output o having ``n_classes[o]``."""

    codes: NDArray[np.int32]
    n_classes: tuple[int, ...]


@dataclass(frozen=True)
class Values:
    """Numbers to fit: float64 of shape (n, outputs)."""

    values: NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """Settings of one tree, as plain numbers.

    Parameters
    ----------
    criterion : str, default="squared_error"
        For labels ``"gini"``, ``"entropy"``, ``"misclassification"``; for values
        ``"squared_error"``, ``"friedman_mse"`` (which chooses the same splits), ``"poisson"``,
        or ``"log_rank_score"`` and ``"log_rank"`` for times, negative if the row was censored, and
        in a second column when rows came under observation: then the squared error of each node's
        own martingale residuals, which is the log-rank score test, or the log-rank test itself.
    max_depth, max_leaf_nodes : int, optional
        Limits; with ``max_leaf_nodes`` the tree grows best-first.
    min_samples_split, min_samples_leaf : int
        Fewest rows in a node to be split, and in a leaf.
    min_weight_leaf : float, default=0.0
        Least weight in a leaf.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity by a split, as scikit-learn defines it.
    max_features : int, optional
        Columns drawn per node among those that vary there. None looks at all, and ties
        go to the lowest column.
    random_thresholds : bool, default=False
        Draw one threshold per column instead of searching (extremely randomised trees).
    l2 : float, default=0.0
        Added to the weight of a leaf: λ of regularised boosting.
    min_gain : float, default=0.0
        Least gain of a split in units of the score: γ of regularised boosting.
    monotone : int8 array of shape (d,), optional
        Direction in which each column may move the prediction: -1, 0 or 1.
    interactions : bool array of shape (groups, d), optional
        Columns on one path from the root must share a group.
    columns : int32 array, optional
        The columns this tree may use.
    recheck : int, optional
        With ``"log_rank"``: as many cuts of a node, the best by the score, are tested; None tests
        all of them.
    min_events_leaf : int, default=0
        With either of both, fewest events in a leaf.
    """

    criterion: str = "squared_error"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_features: int | None = None
    random_thresholds: bool = False
    l2: float = 0.0
    min_gain: float = 0.0
    monotone: NDArray[np.int8] | None = None
    interactions: NDArray[np.bool_] | None = None
    columns: NDArray[np.int32] | None = None
    recheck: int | None = None
    min_events_leaf: int = 0

    def settings(self) -> _engine.Settings:
        """Return the plain numbers as the engine takes them."""
        settings = _engine.Settings()
        settings.criterion = "squared_error" if self.criterion == "friedman_mse" else self.criterion
        settings.max_depth = NO_LIMIT if self.max_depth is None else self.max_depth
        settings.max_leaf_nodes = NO_LIMIT if self.max_leaf_nodes is None else self.max_leaf_nodes
        settings.min_samples_split = self.min_samples_split
        settings.min_samples_leaf = self.min_samples_leaf
        settings.min_weight_leaf = self.min_weight_leaf
        settings.min_impurity_decrease = self.min_impurity_decrease
        settings.min_gain = self.min_gain
        settings.max_features = self.max_features or 0
        settings.random_thresholds = self.random_thresholds
        settings.l2 = self.l2
        settings.recheck = NO_LIMIT if self.recheck is None else self.recheck
        settings.min_events_leaf = self.min_events_leaf
        return settings


@dataclass(frozen=True)
class Effort:
    """How hard to work, and who may end it; a tree does not depend on either.

    Parameters
    ----------
    n_threads : int, default=1
        Threads to use.
    stop : uint8 array of one element, optional
        Another thread may set it to end the growth with KeyboardInterrupt; threads that obey a
        flag of their own (:func:`~coterie.native.obey`) follow that one.
    """

    n_threads: int = 1
    stop: NDArray[np.uint8] | None = None


def _optional(array: NDArray[Any] | None, dtype: Any) -> NDArray[Any] | None:
    return None if array is None else np.ascontiguousarray(array, dtype=dtype)


def _n_outputs(target: Labels | Values, growth: Growth) -> int:
    if isinstance(target, Labels):
        return sum(target.n_classes)
    # Times may stand beside entries.
    return 1 if growth.criterion.startswith("log_rank") else target.values.shape[1]


def grow(
    codes: Codes | SparseCodes,
    bins: Bins,
    target: Labels | Values,
    growth: Growth,
    *,
    weight: NDArray[np.float64] | None = None,
    seed: int = 0,
    leaves: NDArray[np.int32] | None = None,
    effort: Effort | None = None,
) -> Forest:
    """Grow one tree and return it as a forest of one.

    Parameters
    ----------
    codes : uint8 or uint16 array of shape (n, d), or SparseCodes
        Bin numbers, from :func:`encode` or :func:`encode_sparse`.
    bins : Bins
        How the columns were cut.
    target : Labels or Values
        What to fit.
    growth : Growth
        How to grow.
    weight : float64 array of shape (n,), optional
        Row weights; rows of weight zero are not visited at all.
    seed : int, default=0
        0 to 2**63 - 1. The tree depends on it, and not on the number of threads or the
        order of the rows.
    leaves : int32 array of shape (n,), optional
        Receives the leaf of every visited row: its row in the tree's ``values``.
    effort : Effort, optional
        Threads, and a flag that ends the growth.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.native import Growth, Values, encode, find_bins, grow
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> bins = find_bins(X)
    >>> tree = grow(encode(X, bins), bins, Values(np.array([[1.0], [1.0], [5.0], [5.0]])), Growth())
    >>> tree.predict(np.array([[1.4], [1.6]])).ravel()
    array([1., 5.])
    """
    effort = effort or Effort()
    n, d = codes.shape
    labels = target.codes if isinstance(target, Labels) else None
    values = target.values if isinstance(target, Values) else None
    columns = np.arange(d, dtype=np.int32) if growth.columns is None else growth.columns
    arrays = _engine.GrowArrays(
        labels,
        list(target.n_classes) if isinstance(target, Labels) else [],
        values,
        np.ones(n) if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
        _optional(growth.monotone, np.int8),
        _optional(growth.interactions, np.uint8),
        np.ascontiguousarray(columns, dtype=np.int32),
    )
    grown = _engine.grow(
        codes if isinstance(codes, np.ndarray) else codes.checked(bins),
        *bins.arrays(),
        arrays,
        growth.settings(),
        seed,
        effort.n_threads,
        leaves,
        stop_flag(effort.stop),
        in_main_thread(),
    )
    return Forest.of_tree(grown, n_features=d, n_outputs=_n_outputs(target, growth))

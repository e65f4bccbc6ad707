"""What dynamic selection shares, whatever is predicted: a pool, and rows to judge it by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from coterie.base import Admitted, thread_count
from coterie.core import (
    Allowed,
    Pool,
    at_least,
    draw_entropy,
    fraction,
    has,
    member_seeds,
    one_of,
)
from coterie.selection.adapted import AdaptedPool, adapt_pool, members_of
from coterie.selection.neighbours import SEARCHES
from coterie.selection.pooled import POOLED, Pooled
from coterie.selection.reference_set import ReferenceSet, divide

Array = NDArray[np.float64]

_BLOCK = 1 << 22  # members times queries times neighbours at a time

DYNAMIC: dict[str, Allowed] = {
    **POOLED,
    "n_neighbors": at_least(1),
    "neighbors": one_of(*SEARCHES) | has("fit", "kneighbors"),
    "dsel_size": fraction("neither"),
}


@dataclass(eq=False, repr=False)
class DynamicSelection(Pooled):
    """A pool of members, of which those answer that did well near the query.

    Parameters
    ----------
    n_neighbors : int, default=7
        Number of reference rows that form the region of competence of a query.
    neighbors : "exact", "approximate" or object, default="exact"
        How they are found: exactly, or faster with a few misses; or by an object with ``fit`` and
        ``kneighbors``, such as scikit-learn's `NearestNeighbors`. Columns are standardised first,
        categories are indicators.
    dsel_size : float, default=0.5
        Share of the held-out rows from the pool and used to evaluate it.
    prefit : bool, default=False
        Whether the pool is already fitted. Then all rows are used to evaluate it, and must be new
        to it.
    max_bins : int, default=255
        Maximum number of bins per column in the default pool, and of levels of a category used in
        distances.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical, besides those of text or a categorical type.
    """

    _: KW_ONLY
    n_neighbors: int = 7
    neighbors: Any = "exact"
    dsel_size: float = 0.5

    # Known after a fit.
    panel_: AdaptedPool = field(init=False)
    ground_: ReferenceSet = field(init=False)
    entropy_: int = field(init=False)
    errors_: Array = field(init=False)

    allowed: ClassVar[Mapping[str, Allowed]] = DYNAMIC

    def _judge(self, draft: Self, votes: Array) -> None:
        """Note what members say of the judged rows, shape (members, rows, outputs)."""
        raise NotImplementedError

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        entropy = draw_entropy(self.random_state)
        if self.prefit:
            admitted = self._check_prefit(draft, admitted)
            model, judging = self.estimator, admitted
        else:
            split, seed = member_seeds(entropy, 0, 2).tolist()
            learn, judge = divide(admitted, self.dsel_size, split)
            model = self._fit_pool(admitted.take(learn), seed)
            judging = admitted.take(judge)
        classes = admitted.target.classes[0] if self.task == "classification" else None
        draft.ensemble_, draft.panel_ = model, adapt_pool(model, classes)
        draft.entropy_ = entropy
        draft.ground_, first = ReferenceSet.lay(judging, self.max_bins, self.neighbors)
        votes = draft.panel_.votes(judging.table.take(first), thread_count(self.n_jobs))
        self._judge(draft, votes)

    def _near_blocks(self, width: int, n_queries: int) -> Iterator[slice]:
        """Blocks of queries of which members, neighbours and `width` numbers fit into memory."""
        step = max(1, _BLOCK // (self.panel_.n_members * width))
        for start in range(0, n_queries, step):
            yield slice(start, min(start + step, n_queries))

    @property
    def pool_(self) -> Pool:  # type: ignore[override]  # the panel has it
        """The members."""
        check_is_fitted(self, "panel_")
        return self.panel_.pool

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        return list(members_of(self._settled().ensemble_)[0])

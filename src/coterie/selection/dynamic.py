"""What dynamic selection shares, whatever is predicted: a pool, and rows to judge it by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from coterie.base import Admitted, Committee, JoblibExecutor, thread_count
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    a_list,
    at_least,
    draw_entropy,
    fraction,
    has,
    member_seeds,
    one_of,
)
from coterie.data import Target
from coterie.selection.judged import Ground, divide, part
from coterie.selection.neighbours import SEARCHES
from coterie.selection.panel import Panel, fit_model, known_classes, members_of, seat
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

_BLOCK = 1 << 22  # members times queries times neighbours at a time

DYNAMIC: dict[str, Allowed] = {
    "estimator": has("fit", "predict", "get_params") | a_list | one_of(None),
    "n_neighbors": at_least(1),
    "neighbors": one_of(*SEARCHES) | has("fit", "kneighbors"),
    "dsel_size": fraction("neither"),
    "prefit": one_of(True, False),
    "verbose": at_least(0) | one_of(True, False),
    **{name: SHAPE[name] for name in ("random_state", "n_jobs", "max_bins")},
    "categorical_features": SHAPE["categorical_features"],
}


class Judged(Committee):
    """What is known after a fit; no fields of a dataclass, which would be parameters."""

    panel_: Panel
    ground_: Ground
    ensemble_: Any
    entropy_: int
    verdicts_: Any
    chooser_: Any
    errors_: Array


@dataclass(eq=False, repr=False)
class DynamicSelection(Judged):
    """A pool of members, of which those answer that did well near the query.

    Parameters
    ----------
    estimator : ensemble or list of models, default=None
        The pool: an ensemble of this library or of scikit-learn whose members predict by
        themselves, or a list of models, or of pairs of a name and a model. Members may see some
        of the columns only. By default a random forest.
    n_neighbors : int, default=7
        Judged rows that make the region of competence of a query.
    neighbors : "exact", "approximate" or object, default="exact"
        How they are found: exactly, or faster with a few misses; or by an object with ``fit`` and
        ``kneighbors``, such as scikit-learn's `NearestNeighbors`. Columns are standardised first,
        categories are indicators.
    dsel_size : float, default=0.5
        Share of the rows that the pool does not see and is judged by.
    prefit : bool, default=False
        Whether the pool is fitted already. Then all rows judge, and must be new to it.
    random_state : int, RandomState, Generator or None, default=None
        Decides which rows judge, and seeds the pool where it has no seed of its own.
    n_jobs : int, default=None
        Members, or blocks of queries, at work at a time.
    verbose : int or bool, default=0
        Report progress.
    max_bins : int, default=255
        Groups a column is cut into by the default pool, and levels of a category that distances
        look at.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories, besides those of text or a categorical type.
    """

    estimator: Any = None
    _: KW_ONLY
    n_neighbors: int = 7
    neighbors: Any = "exact"
    dsel_size: float = 0.5
    prefit: bool = False
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: int = 0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = DYNAMIC

    def _default_pool(self) -> Any:
        raise NotImplementedError

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
            model = self._fit_pool(part(admitted, learn), seed)
            judging = part(admitted, judge)
        classes = admitted.target.classes[0] if self.task == "classification" else None
        draft.ensemble_, draft.panel_ = model, seat(model, classes)
        draft.entropy_ = entropy
        draft.ground_, first = Ground.lay(judging, self.max_bins, self.neighbors)
        votes = draft.panel_.votes(judging.table.take(first), thread_count(self.n_jobs))
        self._judge(draft, votes)

    def _fit_pool(self, rows: Admitted, seed: int) -> Any:
        """The fitted ensemble, or a list of fitted models."""
        if not isinstance(self.estimator, list | tuple):
            model = self._default_pool() if self.estimator is None else self.estimator
            return fit_model(model, rows, seed)
        models = members_of(self.estimator)[0]
        if not models:
            raise ValueError("estimator=[] holds no model; give at least one.")
        for model in models:
            if not has("fit", "predict", "get_params").admits(model):
                raise TypeError(f"{model!r}, in the list `estimator`, cannot be fitted.")
        jobs = list(zip(models, member_seeds(seed, 0, len(models)).tolist(), strict=True))
        executor = JoblibExecutor(self.n_jobs, int(self.verbose))
        return executor.map(lambda job: fit_model(job[0], rows, job[1]), jobs)

    def _check_prefit(self, draft: Self, admitted: Admitted) -> Admitted:
        """The rows under all classes that the fitted pool knows."""
        if self.estimator is None:
            raise ValueError("prefit=True needs a fitted pool; give it as `estimator`.")
        models = self.estimator if isinstance(self.estimator, list | tuple) else [self.estimator]
        for model in members_of(list(models))[0]:
            check_is_fitted(model)
        if self.task == "regression":
            return admitted
        target = admitted.target
        classes = np.unique(np.concatenate([target.classes[0], *known_classes(self.estimator)]))
        codes = np.searchsorted(classes, target.classes[0])[target.codes]
        wider: Target = replace(target, encoded=codes.astype(np.int32), classes=(classes,))
        admitted = admitted._replace(target=wider)
        self._describe_target(draft, admitted)
        return admitted

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
    def estimator_(self) -> Any:
        """The pool that is fitted."""
        return self._default_pool() if self.estimator is None else self.estimator

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        return list(members_of(self._settled().ensemble_)[0])

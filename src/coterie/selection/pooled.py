"""What estimators share that are made of a pool: it is given fitted, or fitted by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.base import Admitted, Committee, JoblibExecutor
from coterie.core import Allowed, RandomLike, a_list, at_least, has, member_seeds, one_of
from coterie.selection.adapted import fit_model, known_classes, members_of
from coterie.trees.growth import SHAPE

POOLED: dict[str, Allowed] = {
    "estimator": has("fit", "predict", "get_params") | a_list | one_of(None),
    "prefit": one_of(True, False),
    "verbose": at_least(0) | one_of(True, False),
    **{name: SHAPE[name] for name in ("random_state", "n_jobs", "max_bins")},
    "categorical_features": SHAPE["categorical_features"],
}


@dataclass(eq=False, repr=False)
class Pooled(Committee):
    """A pool of members, fitted here or before.

    Parameters
    ----------
    estimator : ensemble or list of models, default=None
        The pool: an ensemble of coterie or scikit-learn whose members predict on their own, a list
        of models, or a list of (name, model) pairs. Members may use subsets of the columns. By
        default a random forest.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness for the choice of held-out rows, and seed of the pool if it has none.
    n_jobs : int, default=None
        Number of members, or blocks of queries, processed in parallel.
    verbose : int or bool, default=0
        Report progress.
    """

    estimator: Any = None
    _: KW_ONLY
    prefit: bool = False
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: int = 0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = POOLED

    def _default_pool(self) -> Any:
        raise NotImplementedError

    def _fit_pool(self, rows: Admitted, seed: int) -> Any:
        """The fitted ensemble, or a list of fitted models."""
        if not isinstance(self.estimator, list | tuple):
            model = self._default_pool() if self.estimator is None else self.estimator
            return fit_model(model, rows, seed, "estimator")
        models = members_of(self.estimator)[0]
        if not models:
            raise ValueError("estimator=[] contains no model; pass at least one.")
        for model in models:
            if not has("fit", "predict", "get_params").admits(model):
                raise TypeError(
                    f"{model!r} in the list `estimator` has no `fit`, `predict` and `get_params`. "
                    "Pass estimators."
                )
        seeds = member_seeds(seed, 0, len(models)).tolist()
        names = [
            given[0] if isinstance(given, list | tuple) else number
            for number, given in enumerate(self.estimator)
        ]
        executor = JoblibExecutor(self.n_jobs, int(self.verbose))
        jobs = list(zip(models, seeds, names, strict=True))
        return executor.map(lambda job: fit_model(job[0], rows, *job[1:]), jobs)

    def _check_prefit(self, draft: Self, admitted: Admitted) -> Admitted:
        """The rows under all classes that the fitted pool knows."""
        if self.estimator is None:
            raise ValueError("prefit=True needs a fitted pool; pass it as `estimator`.")
        models = self.estimator if isinstance(self.estimator, list | tuple) else [self.estimator]
        for model in members_of(list(models))[0]:
            check_is_fitted(model)
        if self.task == "regression":
            return admitted
        known = np.concatenate([admitted.target.classes[0], *known_classes(self.estimator)])
        admitted = admitted._replace(target=admitted.target.among(known))
        self._describe_target(draft, admitted)
        return admitted

    @property
    def estimator_(self) -> Any:
        """The pool that is fitted."""
        return self._default_pool() if self.estimator is None else self.estimator

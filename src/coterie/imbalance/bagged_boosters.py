"""Ensembles of boosters: each is fitted on a balanced bag of rows, and their scores are added."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.random import Generator

from coterie.base import Admitted, ClassifierTask, Committee, publish_columns, thread_count
from coterie.boosting.adaboost import AdaBoostClassifier
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.predictions import StagedClasses
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    check_params,
    instance_of,
    one_of,
)
from coterie.core.rule import Array, Rule
from coterie.data import Table, Target
from coterie.tags import tagged

BAGS: dict[str, Allowed] = {
    **{name: BOOSTER[name] for name in ("random_state", "n_jobs", "max_bins")},
    "categorical_features": BOOSTER["categorical_features"],
    "estimator": instance_of(BoostedClassifier) | one_of(None),
}


@tagged
@dataclass(frozen=True)
class Bag:
    """A fitted booster as one member, which votes with its score.

    Parameters
    ----------
    estimator : BoostedClassifier
        The booster.
    shift : ndarray of shape (n_scores,) or float
        What is taken from its score.
    """

    estimator: BoostedClassifier
    shift: Array | float = 0.0

    def predict(self, table: Table) -> Array:
        """The score of every row, shape (n_rows, n_scores)."""
        start, pool = self.estimator.start_ - self.shift, self.estimator.pool_
        if not len(pool):
            return np.repeat(start[None, :], table.n_rows, axis=0)
        return start + pool.raw(table)

    def shap(self, table: Table, *, background: Table | None = None, n_threads: int = 1) -> Array:
        """Shapley values of `predict`, see `coterie.core.Pool.shap`."""
        start, pool = self.estimator.start_ - self.shift, self.estimator.pool_
        values = np.zeros((table.n_rows, table.n_columns + 1, len(start)))
        if len(pool):
            values += pool.shap(table, background=background, n_threads=n_threads)
        values[:, -1] += start
        return values


@dataclass(frozen=True)
class BagLearner:
    """Fits a bag: a booster on balanced rows.

    Parameters
    ----------
    booster : BoostedClassifier
        What to fit; it is left alone itself.
    """

    booster: BoostedClassifier

    def fit(self, table: Table, target: Target, weight: Array | None, rng: Generator) -> Bag:
        """A boosted bag."""
        booster = self.booster._copy(without_results=True)
        booster.random_state = int(rng.integers(2**63))
        fitted = booster._copy()
        bag = Admitted(table, target, weight, None)
        publish_columns(fitted, table.schema)
        booster._describe_target(fitted, bag)
        booster._train(fitted, bag, table.n_rows)
        for facts in fitted.trace_:
            facts["seconds"] = 0.0  # the same seed shall make the same bag, bit by bit
        return Bag(fitted)


@dataclass(eq=False, repr=False)
class BaggedBoosters(StagedClasses, ClassifierTask, Committee):
    """What ensembles of boosters share: scores are sums over bags."""

    _: KW_ONLY
    random_state: RandomLike = None
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False
    #: Rounds of the default booster.
    default_rounds: ClassVar[int] = 10

    def _booster(self) -> BoostedClassifier:
        """The booster of every bag."""
        booster = getattr(self, "estimator", None)
        if booster is None:
            return AdaBoostClassifier(n_estimators=self.default_rounds)
        check_params(type(booster).__name__, booster.get_params(deep=False), booster.allowed)
        return cast(BoostedClassifier, booster)

    def _bin(self, admitted: Admitted) -> Table:
        threads = thread_count(self.n_jobs)
        return admitted.table.bin(weight=admitted.weight, max_bins=self.max_bins, n_threads=threads)

    def _publish(self, draft: Self, rule: Rule, pool: Pool) -> None:
        draft.rule_ = rule
        n_classes = draft.n_classes_
        draft.start_ = np.zeros(1 if n_classes <= 2 else n_classes)
        draft.pool_ = pool

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        pool = self._settled().pool_
        return [cast(Bag, pool.member(t)).estimator for t in range(len(pool))]

    @property
    def feature_importances_(self) -> Array:
        """Shares of the columns in the decrease of impurity, by the weights of all members."""
        members = self.estimators_
        if not all(isinstance(member, BoostedClassifier) for member in members):
            raise AttributeError(
                "feature_importances_ is available for boosters only. For other members, use "
                "sklearn.inspection.permutation_importance."
            )
        boosters = [booster for booster in members if len(booster.pool_)]
        each = np.array([booster.feature_importances_ for booster in boosters])
        if not boosters:
            return np.zeros(self.n_features_in_)
        totals = [np.abs(b.pool_.weights).sum() for b in boosters]
        return np.asarray(np.average(each, axis=0, weights=totals))

    def _link(self, raw: Array, size: int) -> Array:
        """Probabilities by the mean score of the bags."""
        return np.asarray(super()._link(raw / size, size))

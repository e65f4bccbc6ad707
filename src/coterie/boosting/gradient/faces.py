"""Scikit-learn's two faces of gradient boosting, over one engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor

from coterie.base import Admitted
from coterie.base.scoring import Validation, hold_out
from coterie.boosting.gradient.base import GradientBooster
from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.classic import BagLoss, NoneLower, Report
from coterie.boosting.gradient.eval_sets import read_eval_sets
from coterie.boosting.gradient.fit import ALONE, Given
from coterie.boosting.gradient.gradient_members import GradientTrees
from coterie.boosting.gradient.loop import GradientRun, Plan, RoundFacts
from coterie.boosting.gradient.parameters import (
    ClassicParameters,
    FurtherParameters,
    HistParameters,
    same_seed,
)
from coterie.boosting.gradient.rates import read_rates
from coterie.boosting.gradient.watch import Judge
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.core.watch import RoundWatch
from coterie.data import Schema, Target
from coterie.native import Forest
from coterie.trees.growth import resolve_count, resolve_max_features

_EXACT = 65_535  # bins; the engine cannot tell more apart
_DEFAULT_BINS = 255


@dataclass(eq=False, repr=False)
class HistBooster(GradientBooster, FurtherParameters, HistParameters):
    """The face of scikit-learn's ``HistGradientBoosting*``."""

    infinities: ClassVar[bool] = True

    def _train(
        self, draft: Self, admitted: Admitted, n_samples: int, *, given: Given = ALONE
    ) -> None:
        if self.high_cardinality == "split":
            check_cardinality(admitted.table.schema, self.max_bins)
        super()._train(draft, admitted, n_samples, given=given)


@dataclass(eq=False, repr=False)
class ClassicBooster(GradientBooster, FurtherParameters, ClassicParameters):
    """The face of scikit-learn's ``GradientBoosting*``.

    Parameters
    ----------
    min_child_weight : float, default=0.0
        Minimum weight of the rows in a leaf.
    """

    rounds_by: ClassVar[tuple[str, str]] = ("n_estimators", "n_estimators_")
    own_words: ClassVar[Mapping[str, str]] = {
        "max_iter": "n_estimators",
        "quantile": "alpha",
        "early_stopping": "n_iter_no_change",
    }

    _: KW_ONLY
    min_child_weight: float = 0.0

    def _translated(self, n_rows: int, n_columns: int) -> dict[str, Any]:
        return {
            "splits": "gradient",
            "held_out_by": same_seed,
            "strict": True,
            "ends_by": NoneLower.of,
            "max_iter": self.n_estimators,
            "min_samples_split": resolve_count(self.min_samples_split, n_rows),
            "min_samples_leaf": resolve_count(self.min_samples_leaf, n_rows),
            "early_stopping": self.n_iter_no_change is not None,
            "max_features": resolve_max_features(self.max_features, n_columns),
            "max_bins": _EXACT if self.max_bins is None else self.max_bins,
            "verbose": 0,  # it prints a table of its own
        }

    def fit(  # type: ignore[override]  # a monitor in place of init_score_val
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        monitor: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        init_score: Any = None,
        eval_set: Any = None,
        eval_names: Any = None,
        eval_sample_weight: Any = None,
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.
        monitor : callable, optional
            Called as ``monitor(i, self, facts)`` after every round, with the model so far and a
            dict of `raw_predictions`, `y`, `sample_weight` and `sample_mask`; True ends the fit.
        X_val, y_val, sample_weight_val : array-like, optional
            Rows for early stopping, instead of some of the training rows.
        init_score : array-like of shape (n_samples,) or (n_samples, n_scores), optional
            Scores of the rows before any tree, if no `X_val` is given. They are not part of the
            model: add those of new rows to ``decision_function``.
        eval_set : list of pairs (X, y), optional
            Further rows that are scored after every round: the results are in ``evals_result_`` and
            ``trace_``. Without `X_val`, the last of them is used for early stopping.
        eval_names : list of str, optional
            Their names; by default "validation" if there is one, otherwise "validation_0" and so
            on.
        eval_sample_weight : list of array-like, optional
            Weights of their rows.

        Returns
        -------
        self
        """
        if X_val is not None and self.n_iter_no_change is None:
            raise ValueError(
                "X_val and y_val were passed to fit, but n_iter_no_change is None, so there is "
                "no early stopping. Set n_iter_no_change to a number of rounds, or omit X_val "
                "and y_val."
            )
        if X_val is not None and init_score is not None:
            raise ValueError(
                "init_score cannot be combined with X_val here, because its rows would also need "
                "scores. Omit X_val, or use HistGradientBoosting*, which accepts init_score_val."
            )
        if self.criterion != "deprecated":
            warnings.warn(
                "The parameter criterion is deprecated, because it has no effect. Do not set it.",
                FutureWarning,
                stacklevel=2,
            )
        validation = Validation.of(X_val, y_val, sample_weight_val)
        sets = read_eval_sets(eval_set, eval_names, eval_sample_weight)
        given = Given(0, validation, sets, init_score, monitor=monitor)
        return self._fit(X, y, sample_weight, given=given)

    def _train(
        self, draft: Self, admitted: Admitted, n_samples: int, *, given: Given = ALONE
    ) -> None:
        draft.max_features_ = resolve_max_features(self.max_features, admitted.table.n_columns)
        super()._train(draft, admitted, n_samples, given=given)
        before = getattr(self, "depth_limits_", []) if self.warm_start else []
        more = draft.n_iter_ - len(before)
        draft.depth_limits_ = [*before[: draft.n_iter_], *[self.max_depth] * more]

    def _hold_out(
        self, target: Target, share: float, seed: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return hold_out(target, share, seed, strict=True)

    def _judges(self, board: Board, plan: Plan) -> list[RoundFacts]:
        if not plan.loss.knows_value:
            return []
        return [BagLoss(board, self.subsample < 1.0 or self.boosting == "goss")]

    def _watches(self, run: GradientRun) -> list[RoundWatch]:
        if not self.verbose:
            return []
        return [Report(self.n_estimators, int(self.verbose), self.subsample < 1.0)]

    def _publish_scores(self, trace: Trace, judge: Judge | None) -> None:
        facts = {
            name: np.array([r.get(fact, 0.0) for r in trace.rounds]) for name, fact in _OOB.items()
        }
        self.train_score_ = facts.pop("train_score_")
        if any(_OOB["oob_scores_"] in round_ for round_ in trace.rounds):
            for name, values in facts.items():
                setattr(self, name, values)
            self.oob_score_ = float(facts["oob_scores_"][-1])

    @property
    def n_estimators_(self) -> int:
        """Rounds that were kept."""
        return self.n_iter_

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` uses only the binned values."""
        return super().learns_from_bins and self.max_bins is not None

    @property
    def _init_model(self) -> Any:
        return self.start_model_

    @_init_model.setter
    def _init_model(self, model: Any) -> None:
        self.start_model_ = model

    @property
    def init_(self) -> Any:
        """The model that boosting starts from: fitted, or "zero"."""
        model = self._init_model
        if model is not None:
            return model
        if isinstance(self.init, str):
            return self.init
        row, said = np.zeros((1, self.n_features_in_)), self._link(self.start_[None])
        if hasattr(self, "classes_"):
            rows = np.repeat(row, len(self.classes_), axis=0)
            return DummyClassifier().fit(rows, self.classes_, sample_weight=said[0])
        return DummyRegressor(strategy="constant", constant=said[0]).fit(row, said)

    @property  # type: ignore[override]  # scikit-learn's two classes differ here
    def estimators_(self) -> NDArray[np.object_]:
        """The trees of every round, created on access; an array of shape (n_rounds, K)."""
        trees = GradientTrees(self._settled())
        table = np.empty((len(trees), self.pool_.width), dtype=object)
        for row, made in zip(table, trees, strict=True):
            row[:] = made
        for row, limit in zip(table, getattr(self, "depth_limits_", []), strict=False):
            for tree in row:
                tree.max_depth = limit
        return table

    @estimators_.setter
    def estimators_(self, trees: Iterable[Iterable[Any]]) -> None:
        forests = [tree.pool_.forest for round_ in trees for tree in round_]
        n_rounds = len(forests) // self.pool_.width
        known = self.pool_.weights[:n_rounds]
        rates = read_rates(self.learning_rate, n_rounds)
        weights = np.array([rates(t) for t in range(n_rounds)])
        weights[: len(known)] = known
        self.pool_ = Pool(Forest.concatenate(forests), weights, self.pool_.width)
        self.n_iter_ = n_rounds


def check_cardinality(schema: Schema, max_bins: int) -> None:
    """Refuse more categories than the bins that a user set a limit to.

    The default is a limit for numbers: categories are not cut into bins.
    """
    for j, labels in schema.labels.items() if max_bins < _DEFAULT_BINS else ():
        if len(labels) > max_bins:
            name = f"at index {j}" if schema.names is None else repr(schema.names[j])
            raise ValueError(
                f"Categorical feature {name} is expected to have a cardinality <= {max_bins} but "
                f"actually has a cardinality of {len(labels)}. Set max_bins={_DEFAULT_BINS} to "
                "allow any number of categories."
            )


_OOB = {"train_score_": "bag_loss", "oob_scores_": "oob_loss", "oob_improvement_": "oob_gain"}

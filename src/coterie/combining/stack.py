"""What stacked classifiers and regressors share: the first level, and what the second is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin, clone, is_classifier
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from coterie.base.elsewhere import where_rows_are
from coterie.base.routing import routing_is_on
from coterie.combining.combiner import COMBINER, Combiner
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.meta import (
    ConvexStack,
    FeatureWeightedStack,
    LinearStack,
    risks,
)
from coterie.combining.named_members import Named, pick_method
from coterie.core import Allowed, a_function, a_list, has, one_of
from coterie.data import DataError, Table, Target
from coterie.learners import ForeignMember, Method, fit_member, show, takes_weight

Array = NDArray[np.float64]

# What the second level is called in errors, and by its draws.
_FINAL = "final_estimator"

#: Second levels by name: functions of profile, truth, weights and meta-features.
FINALS: dict[str, Callable[..., Any]] = {
    "mlr": lambda p, t, w, m: LinearStack.learn(p, t, w),
    "stackingc": lambda p, t, w, m: LinearStack.learn(p, t, w, inputs="class"),
    "ting_witten": lambda p, t, w, m: LinearStack.learn(
        p, t, w, inputs="class", nonneg=True, fit_intercept=False
    ),
    "fwls": lambda p, t, w, m: FeatureWeightedStack.learn(p, t, w, m),
    "super_learner": lambda p, t, w, m: ConvexStack.learn(p, t, w),
    "discrete_super_learner": lambda p, t, w, m: ConvexStack.learn(p, t, w, discrete=True),
}

STACK: dict[str, Allowed] = {
    **COMBINER,
    "final_estimator": one_of(None, *FINALS) | has("fit"),
    "stack_method": one_of("auto", "predict_proba", "decision_function", "predict"),
    "passthrough": one_of(True, False),
    "meta_features": one_of(None) | a_list | a_function,
}


class Stack(TransformerMixin, Combiner):
    """Members below, an estimator above that learns from what they say.

    Parameters
    ----------
    final_estimator : estimator, str or None, default=None
        The second-level model. By default as in scikit-learn: a logistic regression, or a ridge
        regression. Another stack gives several levels, each with folds of its own. Or a name: "mlr"
        is multi-response linear regression on the support of all classes, "stackingc" on that of
        one class for each class, "ting_witten" the same with coefficients >= 0; "fwls" is
        feature-weighted linear stacking, see `meta_features`; "super_learner" finds weights >= 0
        that sum to one and minimise the log-loss or the squared error on unseen rows, and
        "discrete_super_learner" the one best member.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        The method of the members to call; by default the first that they have.
    passthrough : bool, default=False
        Whether the final estimator also receives the columns of ``X``.
    meta_features : list of columns, callable or None, default=None
        For "fwls": what the member weights may depend on, besides a constant: numeric columns by
        position or name, standardised, or a function of ``X`` that returns an array of shape
        (n_samples, n_meta_features).
    """

    final_estimator: Any
    stack_method: str
    passthrough: bool
    meta_features: Any = None

    draws_by_weight = False

    def _default_final(self) -> Any:
        raise NotImplementedError

    def _methods(self, members: Sequence[Named]) -> list[Method]:
        wanted = self.stack_method
        if isinstance(self.final_estimator, str) and self.task == "classification":
            return [_support_method(member, self.final_estimator) for member in members]
        return [pick_method(member, wanted) for member in members]

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        assert unseen is not None, "a stack learns from unseen rows"
        draft.stack_method_ = [_method(seat) for seat in draft._seats]
        seen = np.flatnonzero(unseen.covered)
        target = rows.target.take(seen)
        weight = None if rows.weight is None else rows.weight[seen]
        table = rows.table if len(seen) == rows.table.n_rows else rows.table.take(seen)
        if isinstance(self.final_estimator, str):
            self._learn_profile(draft, unseen.profile, table, target, weight)
            return
        values = [value[seen] for value in unseen.values]
        features = draft._features(values, table)
        draft.n_each_ = [part.shape[1] for part in draft._columns(values)]
        final = draft._default_final() if self.final_estimator is None else self.final_estimator
        final = clone(final)
        if not takes_weight(final):
            drawn, weight = show(target, weight, rows.stream(_FINAL), weighs=False)
            if drawn is not None:
                features, target = features[drawn], target.take(drawn)
        draft.final_estimator_ = fit_member(final, features, target, weight, name=_FINAL)

    def _learn_profile(
        self, draft: Self, profile: Array, table: Table, target: Target, weight: Array | None
    ) -> None:
        """A second level that knows what its inputs are."""
        truth = truth_of(target)
        meta = None
        if self.final_estimator == "fwls":
            draft.meta_scale_ = self._learn_meta(table)
            meta = draft._meta(table)
        draft.final_estimator_ = self._second_level(profile, truth, weight, meta)
        draft.n_each_ = [profile.shape[2]] * len(profile)
        together = draft.final_estimator_(profile, meta)[None]
        losses = risks(np.concatenate([profile, together]), truth, weight)
        names = [n for n, e in draft.named_estimators_.items() if not isinstance(e, str)]
        draft.cv_risk_ = Bunch(**dict(zip([*names, "stack"], losses.tolist(), strict=True)))

    def _second_level(
        self, profile: Array, truth: Array, weight: Array | None, meta: Array | None
    ) -> Any:
        return FINALS[self.final_estimator](profile, truth, weight, meta)

    def _learn_meta(self, table: Table) -> tuple[Any, Array, Array] | None:
        """Which columns are meta-features, and how they are standardised."""
        if self.meta_features is None or callable(self.meta_features):
            return None
        columns = table[:, self.meta_features]
        if columns.values is None or columns.schema.labels or np.isnan(columns.values).any():
            raise DataError("meta_features must be numeric columns without missing values.")
        spread = columns.values.std(axis=0)
        return list(self.meta_features), columns.values.mean(axis=0), np.where(spread, spread, 1.0)

    def _meta(self, table: Table) -> Array:
        ones = np.ones((table.n_rows, 1))
        if callable(self.meta_features):
            own = np.asarray(self.meta_features(table.given()), dtype=np.float64)
            return np.hstack([ones, own.reshape(table.n_rows, -1)])
        if self.meta_scale_ is None:
            return ones
        columns, middle, spread = self.meta_scale_
        return np.hstack([ones, (table[:, columns].values - middle) / spread])

    def _columns(self, values: Sequence[Array]) -> list[Array]:
        """What each member adds to the features, as scikit-learn has it."""
        parts = []
        for value, method in zip(values, self.stack_method_, strict=True):
            if self.n_outputs_ > 1:  # a column for each label
                parts.append(value)
            elif method == "predict" and value.shape[1] > 1:  # labels, as their positions
                parts.append(value.argmax(axis=1)[:, None].astype(np.float64))
            elif method == "predict_proba" and value.shape[1] == 2:
                parts.append(value[:, 1:])  # the first says nothing more
            else:
                parts.append(value)
        return parts

    def _features(self, values: Sequence[Array], table: Table) -> Any:
        """What the final estimator sees."""
        parts = self._columns(values)
        if not self.passthrough:
            return np.hstack(parts)
        X = table.given()
        if sparse.issparse(X):
            return sparse.hstack([*map(sparse.csr_array, parts), X], format="csr")
        return np.hstack([*parts, np.asarray(X)])

    def _shown(self, X: Any) -> Any:
        table = self._admit(X)
        return self._features([seat.predict(table) for seat in self._seats], table)

    def _by_profile(self, X: Any) -> Array:
        """Support of the classes, or numbers, by a second level that knows its inputs."""
        table = self._admit(X)
        meta = self._meta(table) if self.final_estimator == "fwls" else None
        return np.asarray(self.final_estimator_(self.pool_.votes(table), meta))

    @property
    def _knows_inputs(self) -> bool:
        return isinstance(self.final_estimator, str)

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata are routed to `fit` of the members and `predict` of the final estimator.

        Returns
        -------
        MetadataRouter
        """
        router = super().get_metadata_routing()
        final = getattr(self, "final_estimator_", self.final_estimator)
        if not self._knows_inputs:
            mapping = MethodMapping().add(callee="predict", caller="predict")
            final = self._default_final() if final is None else final
            router.add(final_estimator_=final, method_mapping=mapping)
        return router

    def _final_predict(self, X: Any, params: Mapping[str, Any]) -> Any:
        """What the final estimator predicts, with the metadata it requested if routing is on."""
        if routing_is_on() and params:
            params = process_routing(self, "predict", **params).final_estimator_.predict
        return self.final_estimator_.predict(self._shown(X), **params)

    @where_rows_are
    def transform(self, X: Any) -> Any:
        """The input of the final estimator: the members' predictions, and ``X`` with `passthrough`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray or sparse array of shape (n_samples, n_features_out)
        """
        this = self._settled()
        if this._knows_inputs:
            return np.hstack(list(this._profile(X)))
        return this._shown(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of ``X``, if they are passed through and were not named in `fit`.

        Returns
        -------
        ndarray of str
        """
        this = self._settled()
        prefix = type(self).__name__.lower()
        names = [n for n, e in this.named_estimators_.items() if not isinstance(e, str)]
        out: list[str] = []
        for name, width in zip(names, this.n_each_, strict=True):
            one = f"{prefix}_{name}"
            out += [one] if width == 1 else [f"{one}{k}" for k in range(width)]
        if this.passthrough and not this._knows_inputs:
            numbered = [f"x{j}" for j in range(this.n_features_in_)]
            given = numbered if input_features is None else list(input_features)
            out += list(getattr(this, "feature_names_in_", given))
        return np.array(out, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def _support_method(member: Named, final: str) -> Method:
    """Probabilities; members without them say zero or one."""
    if not is_classifier(member.estimator):
        raise ValueError(
            f"final_estimator={final!r} combines classifiers, but {member.name!r} is a "
            "regressor. Pass an estimator as final_estimator, or remove the member."
        )
    return "predict_proba" if hasattr(member.estimator, "predict_proba") else "predict"


def truth_of(target: Target) -> Array:
    """Ones and zeros of shape (rows, classes), or numbers of shape (rows, 1)."""
    if target.kind == "values":
        return target.values
    return np.eye(target.n_classes[0])[target.codes[:, 0]]


def _method(seat: Any) -> str:
    first: ForeignMember = getattr(seat, "seats", (seat,))[0]
    return first.method

"""Boosting when some mistakes cost more than others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator

from coterie.base import Admitted
from coterie.base.scoring import Measures
from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.calibrated_costs import CalibratedCosts, learn_maps
from coterie.boosting.chosen import Rows
from coterie.boosting.line_search import Line
from coterie.boosting.running import RunningState
from coterie.core import Allowed, ParameterError, balance, instance_of, one_of
from coterie.core.boost import Boosted
from coterie.core.rule import Array, Rule, State, Step, normalised, rounding, smallest_error
from coterie.data import Target
from coterie.native import elementary

Cost = Mapping[Any, float] | Literal["balanced"] | None


def row_costs(cost: Cost, target: Target, weight: Array | None) -> Array:
    """What a mistake on each row costs.

    Parameters
    ----------
    cost : dict of label to number, "balanced" or None
        Costs of the classes, 1 where none is given; "balanced" gives every class the same total
        cost, None every row.
    target : Target
        Labels.
    weight : ndarray of shape (n_rows,) or None
        The rows' weights, which "balanced" counts.
    """
    if cost is None:
        return np.ones(target.n_rows)
    if isinstance(cost, str):
        return balance(target, weight)
    classes = target.classes[0].tolist()
    unknown = [label for label in cost if label not in classes]
    values = np.array([cost.get(label, 1.0) for label in classes], dtype=np.float64)
    if unknown or not np.all(np.isfinite(values) & (values > 0)):
        raise ParameterError(
            f"cost={cost!r} is not allowed; use a dict from label to positive number, with the "
            f"labels {classes}."
        )
    return np.asarray(values[target.codes[:, 0]])


@dataclass(slots=True)
class CostState(RunningState):
    """A running product of weights, and what a mistake on each row costs.

    Attributes
    ----------
    cost : ndarray of shape (n_rows,)
        As the rule has scaled it.
    """

    cost: Array


@dataclass(frozen=True)
class CostBoost(AdaBoost):
    r"""What the cost-sensitive rules share.

    With :math:`b_i = +1` where the member is right and :math:`-1` where it is wrong, each rule says
    what factor :math:`a_i` a row's weight gets before the member is weighed, and how much
    :math:`g_i` of :math:`b_i` counts. The edge is :math:`r = \sum_i D_i a_i g_i / \sum_i D_i a_i`,
    the member weighs :math:`\alpha = \frac12 \ln\frac{1+r}{1-r}`, and :math:`D_i` becomes
    :math:`D_i a_i e^{-\alpha g_i}`, normalised. With K classes, :math:`\ln(K-1)` is added as in
    SAMME.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    cost : dict of label to number, "balanced" or None
        See `row_costs`.
    """

    cost: Cost = "balanced"
    #: Whether weights begin in proportion to the costs.
    costs_at_start: ClassVar[bool] = False
    spare_levels: ClassVar[int | None] = 1

    def begin(self, target: Target, weight: Array) -> State:
        """AdaBoost's, with costs."""
        plain = super().begin(target, weight)
        cost = self.scaled(row_costs(self.cost, target, weight))
        exponent = np.zeros(len(weight))
        state = CostState(target, weight, weight, plain.raw, exponent, cost)
        if self.costs_at_start:
            state.multiply(elementary.log(cost))
        return state

    def scaled(self, cost: Array) -> Array:
        """The costs in the range the rule needs; by default the largest is 1."""
        return np.asarray(cost / cost.max())

    def terms(self, cost: Array, right: Array) -> tuple[Array, Array]:
        """The factors :math:`a` and the amounts :math:`g`, as in AdaBoost 1 and :math:`b`."""
        return np.ones(len(cost)), right

    def after(self, cost: Array, right: Array) -> Array:
        """One more factor of the weights, which the member is not weighed by."""
        return np.ones(len(cost))

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by its edge and move weight to its costly mistakes."""
        assert isinstance(state, CostState), "the state was made by another rule"
        n_classes = max(state.raw.shape[1], 2)
        wrong = self.decide(vote) != state.codes
        right = np.where(wrong, -1.0, 1.0)
        factor, amount = self.terms(state.cost, right)
        share = state.weight * factor
        edge = float(np.sum(share * amount) / share.sum())
        error = float(state.weight[wrong].sum())
        lost = (1 - edge) / 2
        if lost >= 1 - 1 / n_classes - rounding(state):
            return Step(0.0, {"error": error, "edge": edge}, keep=False, stop="too_weak")
        counted = lost if lost > rounding(state) else smallest_error(state)
        own = float(elementary.log((1 - counted) / counted * (n_classes - 1))) / 2
        half = self.learning_rate * self.length(state, vote, own)
        alpha = half if n_classes == 2 else 2 * half
        state.raw = state.raw + alpha * vote
        state.multiply(elementary.log(factor * self.after(state.cost, right)) - half * amount)
        facts = {"error": error, "edge": edge, "alpha": alpha, **self._standing(state)}
        return Step(alpha, facts, stop="perfect" if error <= rounding(state) else "")

    def line(self, state: State, vote: Array) -> Line:
        """There is none: costs change the loss in every round."""
        raise ValueError(
            f"{type(self).__name__} does not minimise a single loss, so no other step can be used. "
            "Use step='own'."
        )

    def fallback(self, state: State) -> Array:
        """AdaBoost's, of classes weighed by their costs."""
        assert isinstance(state, CostState), "the state was made by another rule"
        return super().fallback(replace(state, initial=normalised(state.initial * state.cost)))

    def _standing(self, state: CostState) -> dict[str, float]:
        """Error of all members so far on the training rows, and the share of the cost lost."""
        wrong = self.decide(state.raw) != state.codes
        costly = state.initial * state.cost
        return {
            "train_error": float(state.initial[wrong].sum()),
            "train_cost": float(costly[wrong].sum() / costly.sum()),
        }


@dataclass(frozen=True)
class AdaC1(CostBoost):
    """Costs within the exponent: weights shrink or grow in proportion to the cost."""

    def terms(self, cost: Array, right: Array) -> tuple[Array, Array]:
        """:math:`a = 1` and :math:`g = C b`."""
        return np.ones(len(cost)), cost * right


@dataclass(frozen=True)
class AdaC2(CostBoost):
    r"""Costs before the exponential: every round multiplies the weights by the costs.

    Its :math:`\alpha` minimises :math:`\sum_i C_i D_i e^{-\alpha b_i}`; after a round the mistakes
    carry half of the weight.
    """

    def terms(self, cost: Array, right: Array) -> tuple[Array, Array]:
        """:math:`a = C` and :math:`g = b`."""
        return cost, right


@dataclass(frozen=True)
class AdaC3(CostBoost):
    """Costs before the exponential and within."""

    def terms(self, cost: Array, right: Array) -> tuple[Array, Array]:
        """:math:`a = C` and :math:`g = C b`."""
        return cost, cost * right


@dataclass(frozen=True)
class CSB2(CostBoost):
    """Weighs members as AdaBoost does, and multiplies the weights of mistakes by their costs."""

    costs_at_start: ClassVar[bool] = True

    def scaled(self, cost: Array) -> Array:
        """The smallest is 1: a mistake never makes a row lighter."""
        return np.asarray(cost / cost.min())

    def after(self, cost: Array, right: Array) -> Array:
        """The cost of a mistake, and 1 otherwise."""
        return np.where(right < 0, cost, 1.0)


@dataclass(frozen=True)
class AdaCost(CostBoost):
    r"""Costly rows gain more when wrong and lose less when right.

    :math:`g = b\,\beta` with :math:`\beta = \frac12 - \frac12 C` for right and
    :math:`\frac12 + \frac12 C` for wrong rows. With :math:`C = 1` no member has a positive edge, so
    costs are scaled into :math:`(0, \frac12]`.
    """

    costs_at_start: ClassVar[bool] = True

    def scaled(self, cost: Array) -> Array:
        """The largest is 1/2."""
        if isinstance(self.cost, Mapping) and cost.max() > 0.5:
            warnings.warn(
                "AdaCost does not work with costs near 1; they were scaled so that the largest "
                "is 1/2. Use costs of at most 1/2, or method='adac2'.",
                stacklevel=2,
            )
        return np.asarray(0.5 * cost / cost.max())

    def terms(self, cost: Array, right: Array) -> tuple[Array, Array]:
        r""":math:`a = 1` and :math:`g = b\,\beta`."""
        return np.ones(len(cost)), right * (1 - right * cost) / 2


def class_costs(cost: Cost, target: Target, weight: Array | None) -> Array:
    """What a mistake on a row of each class costs, see `row_costs`; 1 where there are no rows."""
    costs = np.ones(target.n_classes[0])
    costs[target.codes[:, 0]] = row_costs(cost, target, weight)
    return costs


RULES: dict[str, type[CostBoost]] = {
    "adac1": AdaC1,
    "adac2": AdaC2,
    "adac3": AdaC3,
    "csb2": CSB2,
    "adacost": AdaCost,
}


@dataclass(eq=False, repr=False, kw_only=True)
class CostSensitiveBoostClassifier(BoostedClassifier):
    r"""AdaBoost for classes with different misclassification costs.

    By default costs multiply the initial weights of AdaBoost (CGAda), its scores are calibrated on
    held-out rows, and the prediction is the class with the lowest expected cost [1]_,

    .. math:: \arg\max_k c_k\, p_k(x),

    with the cost :math:`c_k` of a mistake on a row of class k and the calibrated probability
    :math:`p_k`, which `predict_proba` returns. `decision_function` is positive where the second of
    two classes is predicted. With `method` "adamec", members are those of plain AdaBoost, and costs
    enter only in the prediction.

    The other methods put costs into the row weights of every round. With many rounds, the ratio of
    costs should be close to one: with a cost of 5, almost every row is assigned to the costly
    class, or no member has an edge. With equal costs, "adac1", "adac2", "adac3" and "csb2" are
    AdaBoost. Their probabilities are shifted towards costly classes, so do not multiply them by
    costs again. Many classes are boosted as in SAMME.

    Parameters
    ----------
    method : {"cgada", "adamec", "adac1", "adac2", "adac3", "csb2", "adacost"}, default="cgada"
        Where costs enter: in the initial weights and in the prediction ("cgada"), only in the
        prediction ("adamec"), inside the exponent (`AdaC1`), outside it (`AdaC2`), both (`AdaC3`),
        for mistakes only (`CSB2`), or as a factor of the exponent that is larger for mistakes
        (`AdaCost`).
    cost : dict of label to number, "balanced" or None, default="balanced"
        Cost of a mistake on a row of each class, 1 if not given; "balanced" gives every class the
        same total cost.

    Attributes
    ----------
    estimators_, estimator_weights_, stop_reason_, classes_ : see AdaBoostClassifier
        As documented there.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        Error, edge, alpha, training error and the share of the cost lost by round, both before
        calibration.

    References
    ----------
    .. [1] Nikolaou, Edakunni, Kull, Flach & Brown, "Cost-sensitive boosting algorithms: do we
       really need them?", Mach. Learn. 104 (2016).
    .. [2] Sun, Kamel, Wong & Wang, "Cost-sensitive boosting for classification of imbalanced
       data", Pattern Recognition 40 (2007).
    .. [3] Ting, "A comparative study of cost-sensitive boosting algorithms", ICML (2000).
    .. [4] Fan, Stolfo, Zhang & Chan, "AdaCost: misclassification cost-sensitive boosting", ICML
       (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CostSensitiveBoostClassifier(cost={0: 5.0}, random_state=0).fit(X, y)
    >>> sure = model.predict_proba(X)[:, 1] > 5 / 6
    >>> bool((model.predict(X) == sure).all())
    True
    """

    method: Literal["cgada", "adamec", "adac1", "adac2", "adac3", "csb2", "adacost"] = "cgada"
    cost: Any = "balanced"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "method": one_of("cgada", "adamec", *RULES),
        "cost": one_of("balanced", None) | instance_of(dict),
    }

    def _rule(self) -> AdaBoost:
        if self.method not in RULES:
            at_start = self.method == "cgada"
            return CalibratedCosts(learning_rate=float(self.learning_rate), at_start=at_start)
        return RULES[self.method](learning_rate=float(self.learning_rate), cost=self.cost)

    def _settle(self, rule: Rule, rows: Rows, entropy: int, earlier: Boosted | None) -> Rule:
        if not isinstance(rule, CalibratedCosts):
            return rule
        rule = self._with_costs(rule, rows.target, rows.weight)
        twin = self._copy()
        twin.early_stopping, twin.verbose, twin.trace = False, 0, None

        def fit(learn: Rows) -> Boosted:
            member = twin._member(rule.gives, learn.target)
            return twin._boost(rule, member, learn, None, entropy, None)

        return replace(rule, maps=learn_maps(rule, fit, rows, self.n_estimators))

    def _with_costs(
        self, rule: CalibratedCosts, target: Target, weight: Array | None
    ) -> CalibratedCosts:
        costs = class_costs(self.cost, target, weight)
        return replace(rule, log_costs=tuple(elementary.log(costs).tolist()))

    def _raw(self, X: Any) -> Array:
        return self._shown(super()._raw(X), len(self.pool_))

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        for size, raw in enumerate(super()._staged_raw(X), start=1):
            yield self._shown(raw, size)

    def _shown(self, raw: Array, size: int) -> Array:
        """Scores as they are shown, from those of as many members."""
        rule = self.rule_
        if not isinstance(rule, CalibratedCosts):
            return raw
        return rule.shown(raw if size else rule.settle(raw), size)

    def _measures(self, rule: Rule, learn: Admitted, watch: Admitted | None) -> Measures | None:
        measures = super()._measures(rule, learn, watch)
        if measures is None:
            return None
        target, weight = measures.rows.target, measures.rows.weight
        cost = row_costs(self.cost, target, weight)
        costly = cost if weight is None else cost * weight
        error = partial(measures.answers.error, measures.y, costly)
        return replace(measures, own={"error": error})

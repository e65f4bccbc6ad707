"""Boosting with any rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.anyboost import AnyBoost
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.brown import BrownBoost
from coterie.boosting.gentle import GentleBoost
from coterie.boosting.logit import LogitBoost
from coterie.boosting.m1 import AdaBoostM1
from coterie.boosting.m2 import AdaBoostM2
from coterie.boosting.mada import MadaBoost
from coterie.boosting.mh import AdaBoostMH
from coterie.boosting.real import RealAdaBoost
from coterie.boosting.robust import RobustBoost
from coterie.boosting.steps import STEPS, OwnStep, Steered, StepRule, step_rule
from coterie.boosting.timed import Timed, least_error_stump
from coterie.core import Allowed, between, instance_of, one_of
from coterie.core.rule import Rule
from coterie.data import Target
from coterie.losses import MARGIN_LOSSES, MarginLoss

#: Rules by name; each takes the learning rate.
RULES: dict[str, Callable[[float], Rule]] = {
    "adaboost": AdaBoost,
    "m1": AdaBoostM1,
    "m2": AdaBoostM2,
    "mh": AdaBoostMH,
    "real": RealAdaBoost,
    "gentle": GentleBoost,
    "logit": LogitBoost,
    "mada": MadaBoost,
    "brown": BrownBoost,
    "robust": RobustBoost,
}


@dataclass(eq=False, repr=False, kw_only=True)
class BoostingClassifier(BoostedClassifier):
    r"""Boosting with configurable loss, base learner, steps and weighting.

    A booster consists of a loss or a rule that weights rows, a base learner, a step-size rule,
    reweighting or resampling, and shrinkage. Here each of these is a parameter: `rule`,
    `estimator`, `step`, `weighting` and `learning_rate`. The named boosters are special cases of
    this one. A custom rule is a subclass of `coterie.core.rule.Rule`: it defines what the next
    member fits and how it is weighted, and everything else, from missing values to early stopping,
    works with it.

    Parameters
    ----------
    estimator : estimator, default=None
        The base learner; by default that of the booster named after the rule: a tree with one
        split (deeper for "m2", "mada" and "real" with three or more classes), a regressor for rules
        whose members predict numbers; for "brown" and "robust", the split with the smallest error.
    rule : str, MarginLoss or Rule, default="adaboost"
        How rows and members are weighted: "adaboost", "m1", "m2", "mh", "real", "gentle", "logit",
        "mada", "brown" or "robust", the last two with the goals that `BrownBoostClassifier` and
        `RobustBoostClassifier` have by default and a learning rate of at most 1; a loss of the
        margin, by its name ("exponential", "logistic", "logistic1", "madaboost", "squared_hinge",
        "squared", "sigmoid", "savage", "tangent") or an object of `coterie.losses`, minimised as in
        `AnyBoostClassifier`; or a rule object, which has its own learning rate.
    step : {"own", "line_search", "backtracking"}, float or StepRule, default="own"
        Step size along a member, before shrinkage: by the rule's formula; to the first minimum of
        its loss; by the formula, halved until the loss decreases; or a constant number.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Factors of the members' votes.
    rule_ : Rule
        The rule of the last fit.
    trace_ : Trace
        Quantities recorded by the rule in each round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoostingClassifier(rule="gentle", n_estimators=20, weighting="resample")
    >>> model.fit(X, y).score(X, y) > 0.95
    True
    >>> steady = BoostingClassifier(rule="logit", step="line_search", n_estimators=20)
    >>> losses = steady.fit(X, y).trace_["loss"]
    >>> bool((losses[1:] <= losses[:-1]).all())
    True
    """

    rule: Any = "adaboost"
    step: Any = "own"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "rule": one_of(*RULES, *MARGIN_LOSSES) | instance_of(Rule, MarginLoss),
        "step": one_of(*STEPS) | between(0.0, np.inf, closed="neither") | instance_of(StepRule),
    }

    def _rule(self) -> Rule:
        rule, step = self._weigher(), step_rule(self.step)
        if isinstance(step, OwnStep):
            return rule
        if not isinstance(rule, Steered):
            raise ValueError(
                f"step={self.step!r} needs a rule that can compute its loss along a member, but "
                f"{type(rule).__name__} cannot. Use step='own', or make it a "
                "coterie.boosting.steps.Steered."
            )
        return replace(rule, step=step)

    def _member(self, gives: str, target: Target) -> Any:
        if self.estimator is None and isinstance(self._weigher(), Timed):
            return least_error_stump()
        return super()._member(gives, target)

    def _weigher(self) -> Rule:
        """The rule with its own steps."""
        if isinstance(self.rule, Rule):
            return self.rule
        rate = float(self.learning_rate)
        if isinstance(self.rule, MarginLoss):
            return AnyBoost(rate, self.rule)
        if self.rule in MARGIN_LOSSES:
            return AnyBoost(rate, MARGIN_LOSSES[self.rule])
        rule = RULES[self.rule](rate)
        if isinstance(rule, Timed) and rate > 1:
            raise ValueError(
                f"learning_rate={self.learning_rate!r} is too large for rule={self.rule!r}. Use "
                "at most 1."
            )
        return rule

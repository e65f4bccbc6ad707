"""Boosting with any rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.gentle import GentleBoost
from coterie.boosting.logit import LogitBoost
from coterie.boosting.mada import MadaBoost
from coterie.boosting.real import RealAdaBoost
from coterie.core import Allowed, instance_of, one_of
from coterie.core.rule import Rule

#: Rules by name; each takes the learning rate.
RULES: dict[str, Callable[[float], Rule]] = {
    "adaboost": AdaBoost,
    "real": RealAdaBoost,
    "gentle": GentleBoost,
    "logit": LogitBoost,
    "mada": MadaBoost,
}


@dataclass(eq=False, repr=False, kw_only=True)
class BoostingClassifier(BoostedClassifier):
    """Boosting with the parts of your choice: rule, base learner, weighting and shrinkage.

    The named boosters are settings of this one. A rule of your own is a subclass of
    `coterie.core.rule.Rule`: it says what the next member should fit and what it weighs, and
    everything else, from missing values to early stopping, works with it.

    Parameters
    ----------
    estimator : estimator, default=None
        What to boost; by default a tree of one split: a classifier, or a regressor for rules
        whose members give numbers.
    rule : {"adaboost", "real", "gentle", "logit", "mada"} or Rule, default="adaboost"
        How rows and members are weighed.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        What each member's vote is multiplied by.
    rule_ : Rule
        The rule of the last fit.
    trace_ : Trace
        What the rule notes by round.
    stop_reason_ : str
        Why boosting ended.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoostingClassifier(rule="gentle", n_estimators=20, weighting="resample")
    >>> model.fit(X, y).score(X, y) > 0.95
    True
    """

    rule: str | Rule = "adaboost"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "rule": one_of(*RULES) | instance_of(Rule),
    }

    def _rule(self) -> Rule:
        if isinstance(self.rule, Rule):
            return self.rule
        return RULES[self.rule](float(self.learning_rate))

"""Boosting: members fitted one after the other, each where the ones before fell short.

A new algorithm is one file: a `coterie.core.rule.Rule` that says what the next member fits and
what it weighs, and a thin estimator; see `coterie.core.boost` for who calls what.
"""

from coterie.boosting.adaboost import AdaBoost, AdaBoostClassifier

__all__ = ["AdaBoost", "AdaBoostClassifier"]

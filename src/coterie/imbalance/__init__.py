"""Ensembles for imbalanced classes.

Large classes are undersampled anew for every member or every bag (`undersample`), so that each one
sees balanced classes while all of them together see nearly all rows.
"""

from coterie.imbalance.balanced import BalancedBaggingClassifier, BalancedRandomForestClassifier
from coterie.imbalance.cascade import BalanceCascadeClassifier
from coterie.imbalance.easy import EasyEnsembleClassifier
from coterie.imbalance.rusboost import RUSBoost, RUSBoostClassifier

__all__ = [
    "BalanceCascadeClassifier",
    "BalancedBaggingClassifier",
    "BalancedRandomForestClassifier",
    "EasyEnsembleClassifier",
    "RUSBoost",
    "RUSBoostClassifier",
]

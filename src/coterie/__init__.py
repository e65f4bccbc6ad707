"""Ensemble learning on one fast native tree engine, behind scikit-learn's interface.

Names are loaded when they are first used, so that ``import coterie`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.boosting import (
        AdaBoostClassifier,
        AdaBoostM2Classifier,
        AdaBoostMHClassifier,
        AdaBoostRegressor,
        AdaBoostRTRegressor,
        AnyBoostClassifier,
        BoostByFilteringClassifier,
        BoostingClassifier,
        CostSensitiveBoostClassifier,
        GentleBoostClassifier,
        LogitBoostClassifier,
        MadaBoostClassifier,
        MultiBoostClassifier,
        RealAdaBoostClassifier,
    )
    from coterie.forests import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from coterie.imbalance import (
        BalanceCascadeClassifier,
        EasyEnsembleClassifier,
        RUSBoostClassifier,
    )
    from coterie.trees import (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreeClassifier,
        ExtraTreeRegressor,
        export_text,
    )

try:
    __version__ = version("coterie")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

_HOMES = {
    "AdaBoostClassifier": "coterie.boosting",
    "AdaBoostM2Classifier": "coterie.boosting",
    "AdaBoostMHClassifier": "coterie.boosting",
    "AdaBoostRTRegressor": "coterie.boosting",
    "AdaBoostRegressor": "coterie.boosting",
    "AnyBoostClassifier": "coterie.boosting",
    "BalanceCascadeClassifier": "coterie.imbalance",
    "BoostByFilteringClassifier": "coterie.boosting",
    "BoostingClassifier": "coterie.boosting",
    "CostSensitiveBoostClassifier": "coterie.boosting",
    "DecisionTreeClassifier": "coterie.trees",
    "DecisionTreeRegressor": "coterie.trees",
    "EasyEnsembleClassifier": "coterie.imbalance",
    "ExtraTreeClassifier": "coterie.trees",
    "ExtraTreeRegressor": "coterie.trees",
    "ExtraTreesClassifier": "coterie.forests",
    "ExtraTreesRegressor": "coterie.forests",
    "GentleBoostClassifier": "coterie.boosting",
    "LogitBoostClassifier": "coterie.boosting",
    "MadaBoostClassifier": "coterie.boosting",
    "MultiBoostClassifier": "coterie.boosting",
    "RUSBoostClassifier": "coterie.imbalance",
    "RandomForestClassifier": "coterie.forests",
    "RandomForestRegressor": "coterie.forests",
    "RealAdaBoostClassifier": "coterie.boosting",
    "export_text": "coterie.trees",
}

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostRTRegressor",
    "AdaBoostRegressor",
    "AnyBoostClassifier",
    "BalanceCascadeClassifier",
    "BoostByFilteringClassifier",
    "BoostingClassifier",
    "CostSensitiveBoostClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "EasyEnsembleClassifier",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GentleBoostClassifier",
    "LogitBoostClassifier",
    "MadaBoostClassifier",
    "MultiBoostClassifier",
    "RUSBoostClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RealAdaBoostClassifier",
    "__version__",
    "export_text",
]


def __getattr__(name: str) -> Any:
    """Load an exported name from the package it lives in."""
    if name not in _HOMES:
        raise AttributeError(f"module 'coterie' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

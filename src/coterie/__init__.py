"""Ensemble learning on one fast native tree engine, behind scikit-learn's interface.

Names are loaded when they are first used, so that ``import coterie`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.bagging import (
        BaggingClassifier,
        BaggingRegressor,
        ECOCClassifier,
        IteratedBaggingRegressor,
        JackknifePlusIntervals,
        KNNEnsembleClassifier,
        NegativeCorrelationClassifier,
        NegativeCorrelationRegressor,
        OutputFlippingClassifier,
        OutputSmearingClassifier,
        OutputSmearingRegressor,
        QuantilePredictor,
        RandomParametersClassifier,
        RandomParametersRegressor,
        RandomPatchesClassifier,
        RandomPatchesRegressor,
        RandomSubspaceClassifier,
        RandomSubspaceRegressor,
        RotationForestClassifier,
        RotationForestRegressor,
        infinitesimal_jackknife,
    )
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
        FunctionalGradientBoostingClassifier,
        FunctionalGradientBoostingRegressor,
        GentleBoostClassifier,
        GradientBoostingClassifier,
        GradientBoostingRegressor,
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        LogitBoostClassifier,
        MadaBoostClassifier,
        MultiBoostClassifier,
        NormalBoostingRegressor,
        QuantileBoostingRegressor,
        RealAdaBoostClassifier,
    )
    from coterie.combining import (
        RowFolds,
        StackingCClassifier,
        StackingClassifier,
        StackingRegressor,
        VotingClassifier,
        VotingRegressor,
        WeightedAverageRegressor,
    )
    from coterie.forests import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from coterie.imbalance import (
        BalanceCascadeClassifier,
        BalancedBaggingClassifier,
        BalancedRandomForestClassifier,
        EasyEnsembleClassifier,
        RUSBoostClassifier,
    )
    from coterie.interpretation import shap_values
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
    "BaggingClassifier": "coterie.bagging",
    "BaggingRegressor": "coterie.bagging",
    "BalanceCascadeClassifier": "coterie.imbalance",
    "BalancedBaggingClassifier": "coterie.imbalance",
    "BalancedRandomForestClassifier": "coterie.imbalance",
    "BoostByFilteringClassifier": "coterie.boosting",
    "BoostingClassifier": "coterie.boosting",
    "CostSensitiveBoostClassifier": "coterie.boosting",
    "DecisionTreeClassifier": "coterie.trees",
    "DecisionTreeRegressor": "coterie.trees",
    "ECOCClassifier": "coterie.bagging",
    "EasyEnsembleClassifier": "coterie.imbalance",
    "ExtraTreeClassifier": "coterie.trees",
    "ExtraTreeRegressor": "coterie.trees",
    "ExtraTreesClassifier": "coterie.forests",
    "ExtraTreesRegressor": "coterie.forests",
    "FunctionalGradientBoostingClassifier": "coterie.boosting",
    "FunctionalGradientBoostingRegressor": "coterie.boosting",
    "GentleBoostClassifier": "coterie.boosting",
    "GradientBoostingClassifier": "coterie.boosting",
    "GradientBoostingRegressor": "coterie.boosting",
    "HistGradientBoostingClassifier": "coterie.boosting",
    "HistGradientBoostingRegressor": "coterie.boosting",
    "IteratedBaggingRegressor": "coterie.bagging",
    "JackknifePlusIntervals": "coterie.bagging",
    "KNNEnsembleClassifier": "coterie.bagging",
    "LogitBoostClassifier": "coterie.boosting",
    "MadaBoostClassifier": "coterie.boosting",
    "MultiBoostClassifier": "coterie.boosting",
    "NegativeCorrelationClassifier": "coterie.bagging",
    "NegativeCorrelationRegressor": "coterie.bagging",
    "NormalBoostingRegressor": "coterie.boosting",
    "OutputFlippingClassifier": "coterie.bagging",
    "OutputSmearingClassifier": "coterie.bagging",
    "OutputSmearingRegressor": "coterie.bagging",
    "QuantileBoostingRegressor": "coterie.boosting",
    "QuantilePredictor": "coterie.bagging",
    "RUSBoostClassifier": "coterie.imbalance",
    "RandomForestClassifier": "coterie.forests",
    "RandomForestRegressor": "coterie.forests",
    "RandomParametersClassifier": "coterie.bagging",
    "RandomParametersRegressor": "coterie.bagging",
    "RandomPatchesClassifier": "coterie.bagging",
    "RandomPatchesRegressor": "coterie.bagging",
    "RandomSubspaceClassifier": "coterie.bagging",
    "RandomSubspaceRegressor": "coterie.bagging",
    "RealAdaBoostClassifier": "coterie.boosting",
    "RotationForestClassifier": "coterie.bagging",
    "RotationForestRegressor": "coterie.bagging",
    "RowFolds": "coterie.combining",
    "StackingCClassifier": "coterie.combining",
    "StackingClassifier": "coterie.combining",
    "StackingRegressor": "coterie.combining",
    "VotingClassifier": "coterie.combining",
    "VotingRegressor": "coterie.combining",
    "WeightedAverageRegressor": "coterie.combining",
    "export_text": "coterie.trees",
    "shap_values": "coterie.interpretation",
    "infinitesimal_jackknife": "coterie.bagging",
}

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostRTRegressor",
    "AdaBoostRegressor",
    "AnyBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "BalanceCascadeClassifier",
    "BalancedBaggingClassifier",
    "BalancedRandomForestClassifier",
    "BoostByFilteringClassifier",
    "BoostingClassifier",
    "CostSensitiveBoostClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ECOCClassifier",
    "EasyEnsembleClassifier",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "FunctionalGradientBoostingClassifier",
    "FunctionalGradientBoostingRegressor",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "IteratedBaggingRegressor",
    "JackknifePlusIntervals",
    "KNNEnsembleClassifier",
    "LogitBoostClassifier",
    "MadaBoostClassifier",
    "MultiBoostClassifier",
    "NegativeCorrelationClassifier",
    "NegativeCorrelationRegressor",
    "NormalBoostingRegressor",
    "OutputFlippingClassifier",
    "OutputSmearingClassifier",
    "OutputSmearingRegressor",
    "QuantileBoostingRegressor",
    "QuantilePredictor",
    "RUSBoostClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomParametersClassifier",
    "RandomParametersRegressor",
    "RandomPatchesClassifier",
    "RandomPatchesRegressor",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
    "RealAdaBoostClassifier",
    "RotationForestClassifier",
    "RotationForestRegressor",
    "RowFolds",
    "StackingCClassifier",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "WeightedAverageRegressor",
    "__version__",
    "datasets",
    "diversity",
    "export_text",
    "fusion",
    "infinitesimal_jackknife",
    "plotting",
    "shap_values",
    "theory",
]


# Packages of functions, which are used by their names: `coterie.diversity.kappa`.
_PACKAGES = frozenset({"datasets", "diversity", "fusion", "plotting", "theory"})


def __getattr__(name: str) -> Any:
    """Load an exported name from the package it lives in."""
    if name in _PACKAGES:
        return import_module(f"coterie.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'coterie' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

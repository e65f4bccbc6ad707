"""Ensemble learning on one fast native tree engine, behind scikit-learn's interface.

Names are loaded when they are first used, so that ``import coterie`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.automl import TableClassifier, TableRegressor, fit_table
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
        AdaBoostVClassifier,
        AnyBoostClassifier,
        BoostByFilteringClassifier,
        BoostingClassifier,
        BrownBoostClassifier,
        CostSensitiveBoostClassifier,
        ERLPBoostClassifier,
        FunctionalGradientBoostingClassifier,
        FunctionalGradientBoostingRegressor,
        GentleBoostClassifier,
        GradientBoostingClassifier,
        GradientBoostingRegressor,
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        LogitBoostClassifier,
        LPBoostClassifier,
        MadaBoostClassifier,
        MultiBoostClassifier,
        NormalBoostingRegressor,
        QuantileBoostingRegressor,
        RealAdaBoostClassifier,
        RobustBoostClassifier,
        SoftBoostClassifier,
        TotalBoostClassifier,
    )
    from coterie.combining import (
        BayesianModelAveragingClassifier,
        BayesianModelAveragingRegressor,
        CalibratedEnsembleClassifier,
        DecisionTemplatesClassifier,
        DempsterShaferClassifier,
        EnsembleSelectionClassifier,
        EnsembleSelectionRegressor,
        MixtureOfExpertsClassifier,
        MixtureOfExpertsRegressor,
        RejectOptionClassifier,
        RiskCoverage,
        RowFolds,
        StackingCClassifier,
        StackingClassifier,
        StackingRegressor,
        VotingClassifier,
        VotingRegressor,
        WeightedAverageRegressor,
        risk_coverage,
    )
    from coterie.diagnosis import Diagnosis, diagnose
    from coterie.export import load, save, to_onnx
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
    from coterie.interpretation import (
        DistilledClassifier,
        DistilledRegressor,
        RuleFitClassifier,
        RuleFitRegressor,
        SirusClassifier,
        SirusRegressor,
        TwiceLearningClassifier,
        TwiceLearningRegressor,
        extract_rules,
        fidelity,
        oob_importances,
        permutation_importances,
        proximity_embedding,
        proximity_outliers,
        proximity_prototypes,
        shap_values,
    )
    from coterie.report import write_report
    from coterie.selection import (
        DynamicSelectionClassifier,
        DynamicSelectionRegressor,
        PrunedEnsembleClassifier,
        PrunedEnsembleRegressor,
    )
    from coterie.trees import (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreeClassifier,
        ExtraTreeRegressor,
        export_text,
    )

    __version__: str

# Where exported names live, package by package.
_NAMES = {
    "automl": "TableClassifier TableRegressor fit_table",
    "bagging": """
        BaggingClassifier BaggingRegressor ECOCClassifier IteratedBaggingRegressor
        JackknifePlusIntervals KNNEnsembleClassifier NegativeCorrelationClassifier
        NegativeCorrelationRegressor OutputFlippingClassifier OutputSmearingClassifier
        OutputSmearingRegressor QuantilePredictor RandomParametersClassifier
        RandomParametersRegressor RandomPatchesClassifier RandomPatchesRegressor
        RandomSubspaceClassifier RandomSubspaceRegressor RotationForestClassifier
        RotationForestRegressor infinitesimal_jackknife
    """,
    "boosting": """
        AdaBoostClassifier AdaBoostM2Classifier AdaBoostMHClassifier AdaBoostRTRegressor
        AdaBoostRegressor AdaBoostVClassifier AnyBoostClassifier BoostByFilteringClassifier
        BoostingClassifier BrownBoostClassifier CostSensitiveBoostClassifier ERLPBoostClassifier
        FunctionalGradientBoostingClassifier FunctionalGradientBoostingRegressor
        GentleBoostClassifier GradientBoostingClassifier GradientBoostingRegressor
        HistGradientBoostingClassifier HistGradientBoostingRegressor LPBoostClassifier
        LogitBoostClassifier MadaBoostClassifier MultiBoostClassifier NormalBoostingRegressor
        QuantileBoostingRegressor RealAdaBoostClassifier RobustBoostClassifier
        SoftBoostClassifier TotalBoostClassifier
    """,
    "combining": """
        BayesianModelAveragingClassifier BayesianModelAveragingRegressor
        CalibratedEnsembleClassifier DecisionTemplatesClassifier DempsterShaferClassifier
        EnsembleSelectionClassifier EnsembleSelectionRegressor MixtureOfExpertsClassifier
        MixtureOfExpertsRegressor RejectOptionClassifier RiskCoverage RowFolds
        StackingCClassifier StackingClassifier StackingRegressor VotingClassifier
        VotingRegressor WeightedAverageRegressor risk_coverage
    """,
    "diagnosis": "Diagnosis diagnose",
    "export": "load save to_onnx",
    "forests": """
        ExtraTreesClassifier ExtraTreesRegressor RandomForestClassifier RandomForestRegressor
    """,
    "imbalance": """
        BalanceCascadeClassifier BalancedBaggingClassifier BalancedRandomForestClassifier
        EasyEnsembleClassifier RUSBoostClassifier
    """,
    "interpretation": """
        DistilledClassifier DistilledRegressor RuleFitClassifier RuleFitRegressor
        SirusClassifier SirusRegressor TwiceLearningClassifier TwiceLearningRegressor
        extract_rules fidelity oob_importances permutation_importances proximity_embedding
        proximity_outliers proximity_prototypes shap_values
    """,
    "report": "write_report",
    "selection": """
        DynamicSelectionClassifier DynamicSelectionRegressor PrunedEnsembleClassifier
        PrunedEnsembleRegressor
    """,
    "trees": """
        DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor
        export_text
    """,
}
_HOMES = {name: f"coterie.{home}" for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostRTRegressor",
    "AdaBoostRegressor",
    "AdaBoostVClassifier",
    "AnyBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "BalanceCascadeClassifier",
    "BalancedBaggingClassifier",
    "BalancedRandomForestClassifier",
    "BayesianModelAveragingClassifier",
    "BayesianModelAveragingRegressor",
    "BoostByFilteringClassifier",
    "BoostingClassifier",
    "BrownBoostClassifier",
    "CalibratedEnsembleClassifier",
    "CostSensitiveBoostClassifier",
    "DecisionTemplatesClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DempsterShaferClassifier",
    "Diagnosis",
    "DistilledClassifier",
    "DistilledRegressor",
    "DynamicSelectionClassifier",
    "DynamicSelectionRegressor",
    "ECOCClassifier",
    "ERLPBoostClassifier",
    "EasyEnsembleClassifier",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
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
    "LPBoostClassifier",
    "LogitBoostClassifier",
    "MadaBoostClassifier",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "MultiBoostClassifier",
    "NegativeCorrelationClassifier",
    "NegativeCorrelationRegressor",
    "NormalBoostingRegressor",
    "OutputFlippingClassifier",
    "OutputSmearingClassifier",
    "OutputSmearingRegressor",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
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
    "RejectOptionClassifier",
    "RiskCoverage",
    "RobustBoostClassifier",
    "RotationForestClassifier",
    "RotationForestRegressor",
    "RowFolds",
    "RuleFitClassifier",
    "RuleFitRegressor",
    "SirusClassifier",
    "SirusRegressor",
    "SoftBoostClassifier",
    "StackingCClassifier",
    "StackingClassifier",
    "StackingRegressor",
    "TableClassifier",
    "TableRegressor",
    "TotalBoostClassifier",
    "TwiceLearningClassifier",
    "TwiceLearningRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "WeightedAverageRegressor",
    "__version__",
    "datasets",
    "diagnose",
    "diversity",
    "export_text",
    "extract_rules",
    "fidelity",
    "fit_table",
    "fusion",
    "infinitesimal_jackknife",
    "load",
    "oob_importances",
    "permutation_importances",
    "plotting",
    "proximity_embedding",
    "proximity_outliers",
    "proximity_prototypes",
    "report",
    "risk_coverage",
    "save",
    "selection",
    "shap_values",
    "theory",
    "to_onnx",
    "write_report",
]


# Packages of functions, which are used by their names: `coterie.diversity.kappa`.
_PACKAGES = frozenset(
    {"datasets", "diversity", "export", "fusion", "plotting", "report", "selection", "theory"}
)


def __getattr__(name: str) -> Any:
    """Load an exported name from the package it lives in."""
    if name in _PACKAGES:
        return import_module(f"coterie.{name}")
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module 'coterie' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def _version() -> str:
    # Reading it takes longer than all the rest of this file.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("coterie")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)

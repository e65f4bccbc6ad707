"""Ensemble learning on one fast native tree engine, behind scikit-learn's interface.

Names are loaded when they are first used, so that ``import coterie`` is quick. Each is listed once,
below, with its package; type checkers read ``__all__`` and know the rest by the imports.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.automl import *
    from coterie.bagging import *
    from coterie.boosting import *
    from coterie.clustering import *
    from coterie.combining import *
    from coterie.conformal import *
    from coterie.diagnosis import *  # type: ignore[assignment]  # Finding, which is not exported
    from coterie.export import *
    from coterie.forests import *
    from coterie.imbalance import *
    from coterie.interpretation import *
    from coterie.outliers import *
    from coterie.ranking import *
    from coterie.report import *
    from coterie.selection import *
    from coterie.semisupervised import *
    from coterie.studio import *
    from coterie.survival import *
    from coterie.trees import *

    __version__: str

# Packages of functions, which are used by their names: `coterie.diversity.kappa`.
__all__ = [
    "__version__",
    "clustering",
    "conformal",
    "datasets",
    "diversity",
    "fusion",
    "outliers",
    "plotting",
    "ranking",
    "report",
    "selection",
    "semisupervised",
    "survival",
    "theory",
]
# The package of each name, empty for packages; one of these is not in the list of names.
_HOMES = {"export": ""}


def _live_in(package: str) -> None:
    """Note where the names are at home that joined ``__all__`` last."""
    for name in __all__:
        _HOMES.setdefault(name, package)


_live_in("")
__all__ += ["TableClassifier", "TableRegressor", "fit_table"]
_live_in("automl")
__all__ += [
    "BaggingClassifier",
    "BaggingRegressor",
    "ECOCClassifier",
    "IteratedBaggingRegressor",
    "JackknifePlusIntervals",
    "KNNEnsembleClassifier",
    "NegativeCorrelationClassifier",
    "NegativeCorrelationRegressor",
    "OutputFlippingClassifier",
    "OutputSmearingClassifier",
    "OutputSmearingRegressor",
    "QuantilePredictor",
    "RandomParametersClassifier",
    "RandomParametersRegressor",
    "RandomPatchesClassifier",
    "RandomPatchesRegressor",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
    "RotationForestClassifier",
    "RotationForestRegressor",
    "infinitesimal_jackknife",
]
_live_in("bagging")
__all__ += [
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostRTRegressor",
    "AdaBoostRegressor",
    "AdaBoostVClassifier",
    "AnyBoostClassifier",
    "BoostByFilteringClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "BoostingClassifier",
    "BrownBoostClassifier",
    "CostSensitiveBoostClassifier",
    "ERLPBoostClassifier",
    "FunctionalGradientBoostingClassifier",
    "FunctionalGradientBoostingRegressor",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "LPBoostClassifier",
    "LogitBoostClassifier",
    "MadaBoostClassifier",
    "MultiBoostClassifier",
    "NormalBoostingRegressor",
    "QuantileBoostingRegressor",
    "RealAdaBoostClassifier",
    "RobustBoostClassifier",
    "SoftBoostClassifier",
    "TotalBoostClassifier",
]
_live_in("boosting")
__all__ += ["ClusterEnsemble"]
_live_in("clustering")
__all__ += [
    "BayesianModelAveragingClassifier",
    "BayesianModelAveragingRegressor",
    "CalibratedEnsembleClassifier",
    "DecisionTemplatesClassifier",
    "DeepForestClassifier",
    "DeepForestRegressor",
    "DempsterShaferClassifier",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "RejectOptionClassifier",
    "RiskCoverage",
    "RowFolds",
    "StackingCClassifier",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "WeightedAverageRegressor",
    "risk_coverage",
]
_live_in("combining")
__all__ += ["ConformalClassifier", "ConformalRegressor"]
_live_in("conformal")
__all__ += ["Diagnosis", "diagnose"]
_live_in("diagnosis")
__all__ += ["load", "save", "to_c", "to_onnx"]
_live_in("export")
__all__ += [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
]
_live_in("forests")
__all__ += [
    "BalanceCascadeClassifier",
    "BalancedBaggingClassifier",
    "BalancedRandomForestClassifier",
    "EasyEnsembleClassifier",
    "RUSBoostClassifier",
]
_live_in("imbalance")
__all__ += [
    "DistilledClassifier",
    "DistilledRegressor",
    "RuleFitClassifier",
    "RuleFitRegressor",
    "SirusClassifier",
    "SirusRegressor",
    "TwiceLearningClassifier",
    "TwiceLearningRegressor",
    "extract_rules",
    "fidelity",
    "oob_importances",
    "permutation_importances",
    "proximity_embedding",
    "proximity_outliers",
    "proximity_prototypes",
    "shap_trees",
    "shap_values",
]
_live_in("interpretation")
__all__ += [
    "ExtendedIsolationForest",
    "FeatureBaggingDetector",
    "IsolationForest",
    "LODADetector",
    "NoveltyTestDetector",
    "OutlierEnsemble",
]
_live_in("outliers")
__all__ += ["LambdaMARTRanker"]
_live_in("ranking")
__all__ += ["write_report"]
_live_in("report")
__all__ += [
    "DynamicSelectionClassifier",
    "DynamicSelectionRegressor",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
]
_live_in("selection")
__all__ += [
    "AssembleClassifier",
    "CoForestClassifier",
    "CoTrainingByCommitteeClassifier",
    "CoTrainingClassifier",
    "DemocraticCoLearningClassifier",
    "SelfTrainingClassifier",
    "SemiBoostClassifier",
    "TriTrainingClassifier",
    "UDEEDClassifier",
]
_live_in("semisupervised")
__all__ += ["Explorer", "explore"]
_live_in("studio")
__all__ += ["GradientBoostingSurvival", "RandomSurvivalForest"]
_live_in("survival")
__all__ += [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "export_graphviz",
    "export_text",
    "plot_tree",
]
_live_in("trees")


def __getattr__(name: str) -> Any:
    """Load an exported name from the package it lives in."""
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module 'coterie' has no attribute {name!r}")
    home = _HOMES[name]
    if not home:
        return import_module(f"coterie.{name}")
    return getattr(import_module(f"coterie.{home}"), name)


def _version() -> str:
    # Reading it takes longer than all the rest of this file.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("coterie")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)

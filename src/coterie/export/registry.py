"""The classes and functions that a model file may name: these and no others.

A file names a class by a tag, which stays the same when the class moves to another module: the name
by which `coterie` exports it or, for what is inside of models, a name in the list below. Nothing
that a file says is ever imported.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from coterie.export.errors import ModelFileError

__all__ = ["COTERIE", "METHODS", "class_of", "function_of", "function_tag", "tag_of"]

#: The package that exports all names; import statements would draw in layers above this one.
COTERIE: Any = import_module("coterie")
# Module by module, the parts of models whose tags are their names.
_CLASSES = {
    "coterie.automl.combine": "Blend",
    "coterie.automl.dates": "DateColumns",
    "coterie.automl.records": "Column Entry Finding TableMember",
    "coterie.automl.seats": "TableSeat",
    "coterie.bagging.bag": "OneVote ClassWeighted",
    "coterie.bagging.coordinates": "Coordinates",
    "coterie.bagging.correlation": "NetworkMember",
    "coterie.bagging.correlation_networks": "Networks",
    "coterie.bagging.epochs": "EarlyStopping",
    "coterie.bagging.flipping": "Flip",
    "coterie.bagging.neighbours": "Neighbourhood Neighbours",
    "coterie.bagging.refine": "Pruning Posteriors RefinedTree",
    "coterie.bagging.rotation": "Turned RotatedEstimator",
    "coterie.bagging.smearing": "Smear",
    "coterie.bagging.turning": "Scale Rotation Turner",
    "coterie.base.calibrate": "Sigmoid CalibratedVotes",
    "coterie.base.oob": "OobCurve",
    "coterie.boosting.adaboost": "AdaBoost",
    "coterie.boosting.additive": "Additive",
    "coterie.boosting.anyboost": "AnyBoost AnyBoostGradient",
    "coterie.boosting.brown": "BrownBoost",
    "coterie.boosting.costs": "CostBoost AdaC1 AdaC2 AdaC3 _CostAtStart CSB2 AdaCost",
    "coterie.boosting.descender": "Origin",
    "coterie.boosting.descent": "Descent",
    "coterie.boosting.gentle": "GentleBoost",
    "coterie.boosting.gradient.dart": "Dart",
    "coterie.boosting.gradient.statistics": "OrderedTargetEncoder Categories OrderedColumns",
    "coterie.boosting.hierarchy": "Part",
    "coterie.boosting.logit": "LogitBoost",
    "coterie.boosting.m1": "AdaBoostM1",
    "coterie.boosting.m2": "AdaBoostM2",
    "coterie.boosting.mada": "MadaBoost",
    "coterie.boosting.margin.adaboostv": "AdaBoostV",
    "coterie.boosting.margin.corrective": "Corrective",
    "coterie.boosting.margin.erlp": "ERLPBoost",
    "coterie.boosting.margin.lp": "LPBoost",
    "coterie.boosting.margin.soft": "SoftBoost",
    "coterie.boosting.margin.total": "TotalBoost",
    "coterie.boosting.margin.votes": "MarginVotes",
    "coterie.boosting.median": "MedianLoss",
    "coterie.boosting.mh": "AdaBoostMH",
    "coterie.boosting.real": "RealAdaBoost",
    "coterie.boosting.regression": "BoostNumbers AdaBoostR2",
    "coterie.boosting.robust": "RobustBoost",
    "coterie.boosting.robust_line": "RobustPotential",
    "coterie.boosting.rt": "AdaBoostRT",
    "coterie.boosting.steps": "OwnStep FixedStep LineSearch Backtracking Steered",
    "coterie.boosting.timed": "Timed",
    "coterie.combining.calibration_maps": "ClassMaps",
    "coterie.combining.gate": "GateInputs",
    "coterie.combining.members": "FoldSeat",
    "coterie.combining.meta": "LinearStack FeatureWeightedStack ConvexStack",
    "coterie.core.axis": "RowAxis",
    "coterie.core.bags": "Bags",
    "coterie.core.pool": "Pool",
    "coterie.core.rows": "Resample Fraction",
    "coterie.core.rule": "Rule",
    "coterie.core.shake": "Bootstrap Subsample Wag Grouped Reserve Columns Patch Balanced",
    "coterie.core.stages": "StagedPool",
    "coterie.core.trace": "Trace",
    "coterie.data.ordered": "TargetStatistics",
    "coterie.data.schema": "Schema",
    "coterie.data.target": "Target",
    "coterie.fusion.behaviour": "BehaviourKnowledge NaiveBayesVotes",
    "coterie.fusion.calibration": "PlattMap IsotonicMap BetaMap TemperatureMap",
    "coterie.fusion.greedy": "GreedySelection",
    "coterie.fusion.templates": "DecisionTemplates",
    "coterie.imbalance.bags": "Bag",
    "coterie.imbalance.balanced_draw": "ClassDraw",
    "coterie.imbalance.rusboost": "RUSBoost",
    "coterie.interpretation.teaching": "Instructed Taught",
    "coterie.interpretation.virtual": "Prototypes",
    "coterie.interpretation.rules": "Rules",
    "coterie.interpretation.sirus": "RuleMean",
    "coterie.interpretation.students": "RuleList",
    "coterie.interpretation.terms": "Linear RuleModel Term",
    "coterie.learners.foreign": "ForeignMember ConstantMember",
    "coterie.losses.classification": "LogLoss ExponentialLoss MultinomialLoss",
    "coterie.losses.counts": "PoissonLoss GammaLoss TweedieLoss",
    "coterie.losses.distribution": "QuantilesLoss NormalLoss",
    "coterie.losses.margin": "Exponential Logistic Mada SquaredHinge Squared Savage Tangent",
    "coterie.losses.ranks": "Ranked",
    "coterie.losses.regression": "SquaredError QuantileLoss AbsoluteError HuberLoss ExpectileLoss",
    "coterie.native.bins": "Bins",
    "coterie.native.forest": "Forest",
    "coterie.selection.classifier": "Verdicts",
    "coterie.selection.judged": "Ground",
    "coterie.selection.meta_des": "MetaDES",
    "coterie.selection.methods": "LocalClassAccuracy Probable KNOP RandomisedReference",
    "coterie.selection.neighbours": "ExactSearch ApproximateSearch",
    "coterie.selection.pruning.curve": "PruningCurve",
    "sklearn.pipeline": "Pipeline",
}
# Classes whose names are taken by another one, or were others once.
_RENAMED = {
    "MarginSigmoid": "coterie.losses.margin:Sigmoid",
    "Panel": "coterie.selection.adapted:AdaptedPool",
}
# What former versions had for classes of today; `former` makes these of it.
_FORMER = dict.fromkeys(("Guest", "Seat", "Voter"), "coterie.learners.foreign:ForeignMember")
_FUNCTIONS = {
    "coterie.bagging.ecoc": "side_score",
    "coterie.selection.methods": "by_ola by_rank by_mcb by_knora_e by_knora_u by_knora_w by_des_p "
    "by_des_knn by_des_mi",
}
#: The methods that a model may keep bound: a rule's vote, which a pool casts.
METHODS = frozenset({"vote"})


def _by_tag(modules: dict[str, str]) -> dict[str, str]:
    """Where each tag lives: ``{"Pool": "coterie.core.pool:Pool"}``."""
    return {name: f"{module}:{name}" for module, names in modules.items() for name in names.split()}


_TODAY = _by_tag(_CLASSES) | _RENAMED
_HOMES = _TODAY | _FORMER
_TAGS = {home: tag for tag, home in _TODAY.items()}
_FUNCTION_HOMES = _by_tag(_FUNCTIONS)
_FUNCTION_TAGS = {home: tag for tag, home in _FUNCTION_HOMES.items()}


def _home(named: Any) -> str:
    return f"{named.__module__}:{named.__qualname__}"


def tag_of(cls: type) -> str | None:
    """The tag of a class, or None if models do not hold it.

    Parameters
    ----------
    cls : type
        The class itself; a class derived from it has no tag.

    Examples
    --------
    >>> from coterie import RandomForestClassifier
    >>> tag_of(RandomForestClassifier)
    'RandomForestClassifier'
    """
    return cls.__name__ if _public(cls.__name__) is cls else _TAGS.get(_home(cls))


def function_tag(function: Callable[..., Any]) -> str | None:
    """The tag of a function, or None if models do not hold it."""
    return _FUNCTION_TAGS.get(_home(function))


def _public(tag: object) -> type | None:
    """The class that `coterie` exports under a name, if it does."""
    found = getattr(COTERIE, tag) if isinstance(tag, str) and tag in COTERIE.__all__ else None
    return found if isinstance(found, type) else None


@cache
def _resolve(home: str) -> Any:
    module, name = home.split(":")
    return getattr(import_module(module), name)


def _known(homes: dict[str, str], tag: object, what: str) -> Any:
    if not isinstance(tag, str) or tag not in homes:
        raise ModelFileError(
            f"the file names a {what} {tag!r} that this version of coterie does not know"
        )
    return _resolve(homes[tag])


def class_of(tag: object) -> type:
    """The class of a tag.

    Parameters
    ----------
    tag : str
        As the file has it.
    """
    cls: type = _public(tag) or _known(_HOMES, tag, "class")
    return cls


def function_of(tag: object) -> Callable[..., Any]:
    """The function of a tag."""
    function: Callable[..., Any] = _known(_FUNCTION_HOMES, tag, "function")
    return function

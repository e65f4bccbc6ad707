"""Small models of every family, and which of them are promised to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import coterie
from coterie import fusion
from coterie.boosting import RULES
from coterie.boosting.costs import RULES as COST_RULES
from coterie.losses import MARGIN_LOSSES, REGRESSION_LOSSES
from coterie.selection import METHODS, NUMBER_ORDERS, ORDERS

#: Models whose digits alone are promised, by how their names begin, and whose bits they take over.
NOT_PROMISED = {
    "RotationForest": "LAPACK: principal axes",
    "NegativeCorrelation": "BLAS: networks",
    "ECOC": "BLAS and NumPy's exp: decoding",
    "AnyBoostClassifier two loss=tangent": "NumPy's arctan",
    "BoostingClassifier two rule=brown": "SciPy's erf",
    "BoostingClassifier two rule=robust": "SciPy's erf",
    "BrownBoost": "SciPy's erf",
    "RobustBoost": "SciPy's erf",
    "LPBoost": "a solver of linear programs",
    "TotalBoost": "BLAS, and a solver",
    "SoftBoost": "BLAS, and a solver",
    "ERLPBoost": "BLAS, and a solver",
    "VotingClassifier three product": "NumPy's exp and log",
    "VotingClassifier three geometric": "NumPy's exp and log",
    "Stacking": "LAPACK: least squares",
    "DecisionTemplates": "BLAS: templates",
    "DempsterShafer": "BLAS: templates",
    "EnsembleSelectionClassifier": "NumPy's log: the loss",
    "CalibratedEnsemble": "BLAS and exp: the maps",
    "MixtureOfExperts": "BLAS: the gate",
    "BayesianModelAveraging": "BLAS and exp: posteriors",
    "WeightedAverage": "BLAS: covariances",
    "PrunedEnsemble": "BLAS: what members have in common",
    "DynamicSelection": "BLAS: neighbours",
    "KNNEnsemble": "BLAS: neighbours",
    "Distilled": "BLAS: the lasso",
    "RuleFit": "BLAS: the lasso",
    "Sirus": "BLAS: the ridge",
    "Democratic": "BLAS: neighbours",
    "Assemble": "SciPy: nearest rows",
    "SemiBoost": "NumPy's exp: similarities",
    "UDEED": "BLAS: linear members",
    "GradientBoostingSurvival": "SciPy's digamma and error function",
}


#: Gradient boosting that learns something from few rows.
_GRADIENT = {"max_iter": 5, "max_leaf_nodes": 6, "min_samples_leaf": 5, "random_state": 0}


@dataclass(frozen=True)
class Case:
    """A model and the table it learns from."""

    name: str
    kind: str
    params: dict[str, Any] = field(default_factory=dict)
    target: str = "two"
    columns: str = "plain"
    weighted: bool = False
    rtol: float = 1e-6

    def model(self) -> Any:
        """The model, not fitted."""
        return getattr(coterie, self.kind)(**self.params)


def _case(kind: str, target: str = "two", columns: str = "plain", **params: Any) -> Case:
    """A case named after its kind, its table and its settings."""
    weighted = params.pop("weighted", False)
    label = params.pop("label", None)
    hidden = {*_GRADIENT, "n_estimators", "estimators", "estimator", "n_members", "n_candidates"}
    said = [f"{key}={value}" for key, value in params.items() if key not in hidden]
    words = [kind, target, *([columns] if columns != "plain" else []), *(["w"] if weighted else [])]
    name = " ".join([*words, *([label] if label else said)])
    return Case(name, kind, params, target, columns, weighted)


def _tree(classes: bool = True, depth: int = 2, **params: Any) -> Any:
    kind = coterie.DecisionTreeClassifier if classes else coterie.DecisionTreeRegressor
    return kind(max_depth=depth, random_state=0, **params)


def _trees() -> Iterator[Case]:
    seed = {"random_state": 0}
    for criterion in ("gini", "entropy", "misclassification"):
        for kind in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
            for target in ("two", "three"):
                yield _case(kind, target, criterion=criterion, **seed)
    for criterion in ("squared_error", "absolute_error", "poisson"):
        for kind in ("DecisionTreeRegressor", "ExtraTreeRegressor"):
            yield _case(kind, "counts", criterion=criterion, min_samples_leaf=3, **seed)
    for columns in ("missing", "sparse"):
        yield _case("DecisionTreeClassifier", "three", columns, **seed)
        yield _case("ExtraTreeRegressor", "numbers", columns, **seed)
    for criterion in ("gini", "entropy"):
        yield _case("DecisionTreeClassifier", "two", "categories", criterion=criterion, max_depth=6,
                    categorical_features=[2, 4], **seed)  # fmt: skip
    yield _case("DecisionTreeRegressor", "pair", max_leaf_nodes=12, **seed)
    yield _case("DecisionTreeRegressor", "numbers", ccp_alpha=0.02, weighted=True, **seed)
    yield _case("DecisionTreeClassifier", "three", ccp_alpha=0.01, class_weight="balanced", **seed)
    yield _case("DecisionTreeRegressor", "numbers", monotonic_cst=[1, 0, 0, 0, 0, -1], **seed)


def _forests() -> Iterator[Case]:
    few = {"n_estimators": 5, "random_state": 0}
    for kind in ("RandomForest", "ExtraTrees"):
        yield _case(f"{kind}Classifier", "two", **few)
        yield _case(f"{kind}Classifier", "three", criterion="entropy", max_depth=5, **few)
        yield _case(f"{kind}Classifier", "three", "missing", weighted=True, **few)
        yield _case(f"{kind}Regressor", "numbers", max_features=0.5, **few)
        yield _case(f"{kind}Regressor", "pair", "sparse", **few)
        yield _case(f"{kind}Regressor", "counts", criterion="poisson", min_samples_leaf=4, **few)
    yield _case("RandomForestClassifier", "rare", class_weight="balanced_subsample", **few)
    yield _case("RandomForestRegressor", "numbers", criterion="absolute_error", max_depth=3, **few)
    yield _case("RandomForestClassifier", "two", oob_score=True, max_samples=0.5, **few)
    yield _case("RandomSurvivalForest", "positive", min_samples_leaf=5, **few)
    yield _case("RandomSurvivalForest", "positive", "missing", weighted=True, **few)
    for strategy in ("auto", 0.5):
        yield _case("BalancedRandomForestClassifier", "rare", sampling_strategy=strategy, **few)


def _bags() -> Iterator[Case]:
    few = {"n_estimators": 5, "random_state": 0}
    for task, target in (("Classifier", "three"), ("Regressor", "numbers")):
        for family in ("Bagging", "RandomPatches", "RandomSubspace", "OutputSmearing",
                       "RandomParameters", "RotationForest"):  # fmt: skip
            yield _case(f"{family}{task}", target, **few)
        yield _case(f"NegativeCorrelation{task}", target, n_members=3, max_iter=5, random_state=0)
    for wagging in ("exponential", "poisson", "gaussian"):
        yield _case("BaggingClassifier", "two", wagging=wagging, **few)
    for use in ("prune", "posterior"):
        yield _case("BaggingClassifier", "three", oob_use=use, **few)
    yield _case("BaggingRegressor", "numbers", weighted=True, max_samples=0.6, **few)
    yield _case("OutputFlippingClassifier", "three", **few)
    yield _case("OutputFlippingClassifier", "two", method="uniform", flip_rate=0.2, **few)
    yield _case("IteratedBaggingRegressor", "numbers", n_members=5, n_stages=3, random_state=0)
    for code in ("dense", "sparse", "exhaustive", "one-vs-one", "one-vs-rest"):
        yield _case("ECOCClassifier", "three", code=code, random_state=0, n_candidates=50,
                    estimator=coterie.AdaBoostClassifier(n_estimators=3))  # fmt: skip
    yield _case("KNNEnsembleClassifier", "three", **few)


def _adaboost() -> Iterator[Case]:
    few = {"n_estimators": 6, "random_state": 0}
    for kind in ("AdaBoost", "AdaBoostM2", "AdaBoostMH", "AnyBoost", "GentleBoost", "LogitBoost",
                 "MadaBoost", "MultiBoost", "RealAdaBoost"):  # fmt: skip
        for target in ("two", "three"):
            member = _tree(kind not in ("GentleBoost", "LogitBoost"))
            yield _case(f"{kind}Classifier", target, estimator=member, **few)
    yield _case("AdaBoostClassifier", "two", weighting="resample", weighted=True, **few)
    yield _case("AdaBoostClassifier", "three", "missing", learning_rate=0.5, **few)
    for loss in ("linear", "square", "exponential"):
        yield _case("AdaBoostRegressor", "numbers", loss=loss, **few)
    yield _case("AdaBoostRTRegressor", "positive", **few)
    for loss in MARGIN_LOSSES:
        yield _case("AnyBoostClassifier", "two", loss=loss, direction="gradient", **few)
    for rule in RULES:
        step = "own" if rule in ("brown", "robust") else "line_search"
        yield _case("BoostingClassifier", "two", rule=rule, step=step, **few)
    for method in COST_RULES:
        yield _case("CostSensitiveBoostClassifier", "rare", method=method, **few)
    for kind in ("BrownBoost", "RobustBoost", "RUSBoost"):
        yield _case(f"{kind}Classifier", "rare", **few)
    yield _case("BoostByFilteringClassifier", "two", levels=2, random_state=0)
    yield _case("EasyEnsembleClassifier", "rare", n_estimators=2, random_state=0)
    yield _case("BalanceCascadeClassifier", "rare", n_stages=2, random_state=0)
    for method in ("under", "balanced", "rough", "over"):
        yield _case("BalancedBaggingClassifier", "rare", method=method, **few)


def _margins() -> Iterator[Case]:
    few = {"n_estimators": 6, "random_state": 0, "estimator": _tree()}
    for kind in ("AdaBoostV", "LPBoost", "TotalBoost", "SoftBoost", "ERLPBoost"):
        yield _case(f"{kind}Classifier", "two", **few)
        yield _case(f"{kind}Classifier", "two", voting="soft", **few)


def _booster(task: str) -> Any:
    return getattr(coterie, f"HistGradientBoosting{task}")(**_GRADIENT)


def _classic() -> Iterator[Case]:
    """Gradient boosting as Friedman described it."""
    few = {"n_estimators": 5, "random_state": 0}
    for loss in ("squared_error", "absolute_error", "huber", "quantile"):
        yield _case("GradientBoostingRegressor", "numbers", loss=loss, **few)
    for target, loss in (("two", "log_loss"), ("three", "log_loss"), ("two", "exponential")):
        yield _case("GradientBoostingClassifier", target, loss=loss, **few)
    options: list[dict[str, Any]] = [
        {"subsample": 0.5, "max_features": 0.5},
        {"min_samples_split": 30, "min_samples_leaf": 0.05, "weighted": True},
        {"min_weight_fraction_leaf": 0.1, "max_leaf_nodes": 5, "max_depth": None},
        {"min_impurity_decrease": 0.002, "ccp_alpha": 0.001},
        {"n_iter_no_change": 2, "max_bins": None},
        {"columns": "missing", "l2_regularization": 1.0},
    ]
    for option in options:
        yield _case("GradientBoostingRegressor", "numbers", **option, **few)
        yield _case("GradientBoostingClassifier", "two", **option, **few)


def _losses() -> Iterator[Case]:
    """Every loss with every way to grow a tree."""
    targets = {"poisson": "counts", "gamma": "positive", "tweedie": "counts"}
    for growth in ("leaf", "level", "symmetric"):
        small = _GRADIENT | {"growth": growth, "max_depth": 3}
        for loss in REGRESSION_LOSSES:
            level = {"quantile": 0.7} if loss in ("quantile", "expectile") else {}
            yield _case("HistGradientBoostingRegressor", targets.get(loss, "numbers"), loss=loss,
                        **level, **small)  # fmt: skip
        for loss in ("cox", "aft"):
            yield _case("GradientBoostingSurvival", "positive", loss=loss, **small)
        for loss in ("ndcg", "map", "pairwise"):
            yield _case("LambdaMARTRanker", "grades", loss=loss, **small)
        for target, loss in (("two", "log_loss"), ("three", "log_loss"), ("two", "exponential")):
            yield _case("HistGradientBoostingClassifier", target, loss=loss, **small)


def _options() -> Iterator[Case]:
    """Every option of gradient boosting, on numbers and on classes."""
    options: list[dict[str, Any]] = [
        {"boosting": "goss", "learning_rate": 0.5},
        {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0},
        {"boosting": "dart", "normalise": "forest", "drop_rate": 0.5, "skip_drop": 0.0},
        {"monotonic_cst": [1, 0, 0, 0, 0, -1]},
        {"interaction_cst": "no_interactions"},
        {"columns": "missing"},
        {"columns": "sparse"},
        {"columns": "categories", "categorical_features": [2, 4]},
        {"columns": "categories", "categorical_features": [2, 4], "growth": "symmetric"},
        {"columns": "categories", "categorical_features": [4], "high_cardinality": "ordered",
         "max_bins": 20},
        {"weighted": True, "l2_regularization": 1.0},
        {"l1_regularization": 0.5, "max_delta_step": 0.3, "min_split_gain": 0.01},
        {"subsample": 0.5, "colsample_bytree": 0.5, "colsample_bylevel": 0.7, "max_features": 0.9},
        {"early_stopping": True, "n_iter_no_change": 2},
        {"max_bins": 8, "growth": "level"},
    ]  # fmt: skip
    for option in options:
        yield _case("HistGradientBoostingRegressor", "numbers", **option, **_GRADIENT)
        yield _case("HistGradientBoostingClassifier", "two", **option, **_GRADIENT)
    for option in (options[0], options[1], options[5], options[9], options[13]):
        yield _case("HistGradientBoostingClassifier", "three", **option, **_GRADIENT)
    yield _case("HistGradientBoostingClassifier", "three", multiclass="vector", **_GRADIENT)
    # A temperature is found by a solver.
    few = {"n_folds": 3, "max_iter": 6, "calibrate": False, "random_state": 0}
    yield _case("BoostedTreesRegressor", "numbers", **few)
    yield _case("BoostedTreesClassifier", "three", **few)


def _functional() -> Iterator[Case]:
    few = {"n_estimators": 4, "random_state": 0}
    for loss in ("squared_error", "huber", "poisson"):
        yield _case("FunctionalGradientBoostingRegressor", "counts", loss=loss, **few)
    for target in ("two", "three"):
        yield _case("FunctionalGradientBoostingClassifier", target, **few)
    yield _case("NormalBoostingRegressor", "numbers", **few)
    yield _case("QuantileBoostingRegressor", "numbers", **few)


def _combiners() -> Iterator[Case]:
    labels = [("tree", _tree(depth=3)), ("stump", _tree(depth=1)), ("entropy",
              _tree(depth=4, criterion="entropy"))]  # fmt: skip
    numbers = [(f"tree {depth}", _tree(False, depth)) for depth in (1, 2, 4)]
    folds = {"cv": coterie.RowFolds(3)}
    seats = {"estimators": labels, "label": "trees"} | folds
    for rule in ("hard", "soft", *fusion.RULES):
        yield _case("VotingClassifier", "three", **seats | {"voting": rule, "label": rule})
    for kind in ("StackingC", "DecisionTemplates", "DempsterShafer", "EnsembleSelection"):
        yield _case(f"{kind}Classifier", "three", **seats)
    for final in ("mlr", "stackingc"):
        yield _case("StackingClassifier", "three", **seats | {"final_estimator": final})
    yield _case("StackingClassifier", "two", **seats | {"label": "of a tree"},
                final_estimator=_tree(depth=2))  # fmt: skip
    for method in ("platt", "isotonic", "beta", "temperature"):
        yield _case("CalibratedEnsembleClassifier", "three", **seats
                    | {"method": method, "label": method})  # fmt: skip
    for task, members, target in (("Classifier", labels, "two"), ("Regressor", numbers, "numbers")):
        yield _case(f"BayesianModelAveraging{task}", target, estimators=members, label="trees",
                    n_draws=20, random_state=0, **folds)  # fmt: skip
        yield _case(f"MixtureOfExperts{task}", target, n_experts=2, max_iter=3, random_state=0)
    for rule in ("mean", "median", "trimmed"):
        yield _case("VotingRegressor", "numbers", estimators=numbers, rule=rule)
    for weights in ("inverse_error", "covariance", "nnls", "simplex"):
        yield _case("WeightedAverageRegressor", "numbers", estimators=numbers, weights=weights,
                    label=weights, **folds)  # fmt: skip
    yield _case("StackingRegressor", "numbers", estimators=numbers, label="mlr",
                final_estimator="mlr", **folds)  # fmt: skip
    yield _case("EnsembleSelectionRegressor", "numbers", estimators=numbers, label="trees", **folds)
    yield _case("RejectOptionClassifier", "two", estimator=_tree(depth=3), coverage=0.8, label="",
                **folds)  # fmt: skip


def _selections() -> Iterator[Case]:
    forest = coterie.RandomForestClassifier(8, max_depth=3, random_state=0)
    values = coterie.RandomForestRegressor(8, max_depth=3, random_state=0)
    for order in ORDERS:
        yield _case("PrunedEnsembleClassifier", "two", order=order, estimator=forest,
                    random_state=0)  # fmt: skip
    for order in NUMBER_ORDERS:
        yield _case("PrunedEnsembleRegressor", "numbers", order=order, estimator=values,
                    random_state=0)  # fmt: skip
    for method in METHODS:
        yield _case("DynamicSelectionClassifier", "two", method=method, estimator=forest,
                    random_state=0)  # fmt: skip
    for method in ("select", "weight", "weight_select"):
        yield _case("DynamicSelectionRegressor", "numbers", method=method, estimator=values,
                    random_state=0)  # fmt: skip


def _explanations() -> Iterator[Case]:
    for task, target in (("Classifier", "two"), ("Regressor", "numbers")):
        forest = getattr(coterie, f"RandomForest{task}")(5, max_depth=4, random_state=0)
        for student in ("tree", "rules", "linear"):
            yield _case(f"Distilled{task}", target, estimator=forest, student=student,
                        random_state=0)  # fmt: skip
        yield _case(f"TwiceLearning{task}", target, estimator=forest, random_state=0)
        yield _case(f"RuleFit{task}", target, max_rules=30, random_state=0,
                    estimator=_booster(task))  # fmt: skip
        yield _case(f"Sirus{task}", target, n_trees=50, random_state=0)


def _unlabelled() -> Iterator[Case]:
    quiet = {"n_folds": None, "random_state": 0}
    forest = {"estimator": coterie.RandomForestClassifier(5)}
    for columns in ("plain", "missing"):
        yield _case("TriTrainingClassifier", "some", columns, **quiet)
        yield _case("CoForestClassifier", "some", columns, n_estimators=6, **quiet)
    yield _case("TriTrainingClassifier", "some", error="oob", disagreement=True, **quiet)
    yield _case("CoForestClassifier", "some", refit="all", n_estimators=6, weighted=True, **quiet)
    yield _case("CoTrainingClassifier", "some", max_iter=5, **forest, **quiet)
    yield _case("CoTrainingByCommitteeClassifier", "some", max_iter=5, **forest, **quiet)
    yield _case("SelfTrainingClassifier", "some", precision=0.6, **forest, **quiet)
    yield _case("DemocraticCoLearningClassifier", "some", max_iter=3, **quiet)
    yield _case("AssembleClassifier", "some", n_estimators=6, **quiet)
    yield _case("SemiBoostClassifier", "some", n_estimators=6, **quiet)
    yield _case("UDEEDClassifier", "some", n_estimators=3, **quiet)


def _cascades() -> Iterator[Case]:
    small = {"n_trees": 5, "max_layers": 2, "random_state": 0}
    for vectors in ("oob", "kfold"):
        yield _case("DeepForestClassifier", "three", vectors=vectors, **small)
        yield _case("DeepForestRegressor", "numbers", vectors=vectors, **small)
    yield _case("DeepForestClassifier", "two", "missing", screening=True, weighted=True, **small)


_FAMILIES = (_trees, _forests, _bags, _adaboost, _margins, _classic, _losses, _options,
             _functional, _combiners, _selections, _explanations, _unlabelled,
             _cascades)  # fmt: skip
EVERY = {case.name: case for family in _FAMILIES for case in family()}
CLOSE = {name: case for name, case in EVERY.items() if name.startswith(tuple(NOT_PROMISED))}
#: The rest.
EXACT = {name: case for name, case in EVERY.items() if name not in CLOSE}

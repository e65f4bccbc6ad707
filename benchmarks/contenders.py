"""Who is measured, and with which settings.

`parameters` is the one place where "the same model" is spelled for each library; the
report prints what it returns, and `UNEQUAL` says what could not be made equal.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import ceil
from typing import Any, Literal

from benchmarks import gradient_models
from benchmarks.tables import Task

Family = Literal["tree", "forest", "extra", "stumps", "depth3", "bagging", "subspace", "gradient"]
Parameters = dict[str, Any]
DEPTH = 8  # of the single tree
BOOSTED: dict[Family, int] = {"stumps": 1, "depth3": 3}  # AdaBoost, with members so deep
# Bagging of full trees, and random subspaces as scikit-learn spells them.
BAGGED: dict[Family, dict[str, Any]] = {
    "bagging": {},
    "subspace": {"bootstrap": False, "max_features": 0.5},
}

UNEQUAL = (
    "scikit-learn searches every distinct value exactly; coterie cuts each column into at most "
    "65,535 bins, LightGBM and XGBoost into 255 (their time includes the binning).",
    "Bootstrap samples: coterie and scikit-learn draw n rows with replacement. LightGBM and "
    "XGBoost cannot; they draw 63.2 % of the rows without, the share of distinct rows in a "
    "bootstrap sample.",
    "LightGBM has a limit of 131,072 leaves per tree (a full-depth tree on a million noisy rows "
    "has more), and keeps a histogram per leaf: the limit set is the number of sampled rows "
    "where that is smaller. XGBoost keeps histograms too. Both caches are kept small (64 MB; 1,024 "
    "nodes): with their defaults deep trees need gigabytes and take several times longer.",
    "With more than two classes LightGBM and XGBoost grow one tree per class and round, so their "
    "forest of T trees has T x classes trees (XGBoost's vector leaves were slower and less "
    "accurate). A round is counted as one tree.",
    "Where all columns drawn for a node are constant in it, LightGBM and XGBoost make a leaf; "
    "scikit-learn draws on. On tables with many rare indicator columns (covertype) their trees "
    "are therefore smaller and less accurate.",
    "LightGBM's random forest insists on some sampling of rows, so its extra trees see 99.9 % "
    "of them. XGBoost has no extra trees and is left out there.",
    "LightGBM and XGBoost trees take one Newton step on the log loss instead of averaging class "
    "frequencies, so their log loss is not comparable, their accuracy is.",
    "Threads of LightGBM and XGBoost (OpenMP) spin while they wait, which counts as CPU time: on "
    "a busy machine their CPU seconds on several cores are inflated. Compare CPU on one core.",
    "scikit-learn's single tree has no n_jobs: it runs on one core however many are allowed. The "
    "same is true of its AdaBoostClassifier.",
    "scikit-learn's AdaBoostClassifier divides the score by the sum of the members' weights before "
    "it makes probabilities of it, so its log loss is not comparable, its accuracy is.",
)


@dataclass(frozen=True)
class Model:
    """What is to be fitted, in words common to all contenders."""

    family: Family
    task: Task
    trees: int
    rows: int
    columns: int
    classes: int  # 0 for regression

    @property
    def share(self) -> float:
        """Columns tried per node, as scikit-learn's defaults have it: sqrt, or all.

        Rounded up in the fourth place, so that share x columns does not fall short of a
        whole number, which XGBoost would round down.
        """
        if self.family == "tree" or self.task == "regression":
            return 1.0
        return ceil(1e4 * max(1, int(self.columns**0.5)) / self.columns) / 1e4


def _exact_leaves(model: Model, threads: int, seed: int) -> tuple[str, Parameters]:
    """Settings of scikit-learn's classes, and of ours, which take the same ones."""
    if model.family in BAGGED:
        kind = "Classifier" if model.task == "classification" else "Regressor"
        common: Parameters = {"n_estimators": model.trees, "n_jobs": threads, "random_state": seed}
        return f"Bagging{kind}", {**BAGGED[model.family], **common}
    if model.family in BOOSTED:
        settings: Parameters = {"n_estimators": model.trees, "random_state": seed}
        return "AdaBoostClassifier", {"estimator__max_depth": BOOSTED[model.family], **settings}
    stem = {"tree": "DecisionTree", "forest": "RandomForest", "extra": "ExtraTrees"}[model.family]
    kind = "Classifier" if model.task == "classification" else "Regressor"
    if model.family == "tree":
        return stem + kind, {"max_depth": DEPTH, "random_state": seed}
    return stem + kind, {
        "n_estimators": model.trees,
        "max_features": "sqrt" if model.task == "classification" else 1.0,
        "n_jobs": threads,
        "random_state": seed,
    }


def _lightgbm(model: Model, threads: int, seed: int) -> tuple[str, Parameters]:
    kind = "LGBMClassifier" if model.task == "classification" else "LGBMRegressor"
    common: Parameters = {
        "min_child_samples": 1,
        "min_child_weight": 0.0,
        "max_bin": 255,
        "n_jobs": threads,
        "random_state": seed,
        "verbosity": -1,
    }
    if model.family == "tree":
        one = {"n_estimators": 1, "learning_rate": 1.0, "max_depth": DEPTH}
        return kind, {**one, "num_leaves": 2**DEPTH, **common}
    sampled = 0.999 if model.family == "extra" else 0.632
    return kind, {
        "boosting_type": "rf",
        "n_estimators": model.trees,
        "num_leaves": max(2, min(131_072, int(model.rows * sampled))),
        "histogram_pool_size": 64,
        "feature_fraction_bynode": model.share,
        "subsample": sampled,
        "subsample_freq": 1,
        "extra_trees": model.family == "extra",
        **common,
    }


def _xgboost(model: Model, threads: int, seed: int) -> tuple[str, Parameters]:
    kind = "Classifier" if model.task == "classification" else "Regressor"
    common: Parameters = {
        "learning_rate": 1.0,
        "tree_method": "hist",
        "max_bin": 255,
        "min_child_weight": 0.0,
        "reg_lambda": 0.0,
        "n_jobs": threads,
        "random_state": seed,
    }
    if model.task == "classification":
        common["base_score"] = 0.5  # equal weights of all rows: the gain is Gini's
    if model.family == "tree":
        return f"XGB{kind}", {"n_estimators": 1, "max_depth": DEPTH, **common}
    return f"XGBRF{kind}", {
        "n_estimators": model.trees,
        "max_depth": 0,
        "colsample_bynode": model.share,
        "subsample": 0.632,
        "max_cached_hist_node": 1024,
        **common,
    }


Spell = Callable[[Model, int, int], tuple[str, Parameters]]


@dataclass(frozen=True)
class Contender:
    """A library, where its classes live, and how it spells a `Model`."""

    name: str
    distribution: tuple[str, ...]  # names it may be installed under
    modules: tuple[str, ...]
    spell: Spell
    families: tuple[Family, ...] = ("tree", "forest", "extra")

    def version(self) -> str | None:
        """The installed version, or None."""
        for distribution in self.distribution:
            try:
                return version(distribution)
            except PackageNotFoundError:
                continue
        return None

    def find(self, class_name: str) -> Any:
        """Import the library and return its class."""
        for module in self.modules:
            found = getattr(import_module(module), class_name, None)
            if found is not None:
                return found
        raise ImportError(f"{self.name} has no {class_name}")

    def spelling(self, model: Model, threads: int, seed: int) -> tuple[str, Parameters]:
        """The class and its settings for a model."""
        if model.family != "gradient":
            return self.spell(model, threads, seed)
        return gradient_models.equal(
            self.name, model.task, model.trees, model.classes, threads=threads, seed=seed
        )

    def build(self, model: Model, threads: int, seed: int) -> Any:
        """The unfitted estimator, with ``n_jobs`` if it has such a parameter."""
        class_name, parameters = self.spelling(model, threads, seed)
        estimator = self.find(class_name)
        if "estimator__max_depth" in parameters:
            depth = parameters.pop("estimator__max_depth")
            parameters["estimator"] = self.find("DecisionTreeClassifier")(max_depth=depth)
        if "n_jobs" in inspect.signature(estimator).parameters:
            parameters["n_jobs"] = threads
        return estimator(**parameters)


def _none(model: Model, threads: int, seed: int) -> tuple[str, Parameters]:
    raise ValueError(f"no {model.family} is compared with this contender")


ALL: tuple[Family, ...] = ("tree", "forest", "extra", *BOOSTED, *BAGGED, "gradient")
SKLEARN = ("sklearn.ensemble", "sklearn.tree")
TREES: tuple[Family, ...] = ("tree", "forest", "extra", "gradient")
CONTENDERS: dict[str, Contender] = {
    c.name: c
    for c in (
        Contender("coterie", ("coterie",), ("coterie", "coterie.boosting"), _exact_leaves, ALL),
        Contender("scikit-learn", ("scikit-learn",), SKLEARN, _exact_leaves, ALL),
        Contender("LightGBM", ("lightgbm",), ("lightgbm",), _lightgbm, TREES),
        Contender("LightGBM quantised", ("lightgbm",), ("lightgbm",), _none, ("gradient",)),
        Contender(
            "XGBoost",
            ("xgboost", "xgboost-cpu"),
            ("xgboost",),
            _xgboost,
            ("tree", "forest", "gradient"),
        ),
        Contender("CatBoost", ("catboost",), ("catboost",), _none, ("gradient",)),
    )
}
BASE = "scikit-learn"  # ratios are against this one
OURS = "coterie"

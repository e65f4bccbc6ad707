"""Everything exported that is an estimator, and problems to try it on."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.datasets import make_classification, make_regression

import coterie
from coterie.bagging.correlation import CorrelatedNetworks
from coterie.base import TargetlessTask
from coterie.boosting.gradient.base import GradientBooster
from coterie.combining.combiner import Combiner
from coterie.combining.experts import Experts
from coterie.interpretation.rulefit import RuleFit
from coterie.interpretation.teaching import Taught
from coterie.selection.pooled import Pooled

#: Rankers need queries besides X and y: tests/ranking holds them to the same promises.
RANKERS = (coterie.LambdaMARTRanker,)
#: Those whose targets are times.
SURVIVAL = (coterie.GradientBoostingSurvival, coterie.RandomSurvivalForest)
EVERY = [
    exported
    # An alias is the class it stands for.
    for exported in dict.fromkeys(getattr(coterie, name) for name in coterie.__all__)
    if inspect.isclass(exported) and issubclass(exported, BaseEstimator) and exported not in RANKERS
]
#: Those that learn from ``X`` alone.
TARGETLESS = [cls for cls in EVERY if issubclass(cls, TargetlessTask)]
#: Those that wrap a model, whose members are its own.
WRAPPERS = [coterie.ConformalClassifier, coterie.ConformalRegressor]
#: Committees that learn a target.
ESTIMATORS = [cls for cls in EVERY if cls not in [*TARGETLESS, *WRAPPERS]]
#: Those that make numbers of dates, which others refuse.
READ_DATES = (coterie.TableClassifier, coterie.TableRegressor)
#: What some choose by fitting themselves a dozen times: tests of these families try that.
CHOSEN = {"nu": 0.3, "error_goal": 0.2}
ENSEMBLES = [cls for cls in ESTIMATORS if "n_estimators" in inspect.signature(cls).parameters]


def make(cls: type, **params: Any) -> Any:
    """A small instance with a fixed seed."""
    names = inspect.signature(cls).parameters
    # Limits in rows are set to one: a weight of three is not three rows to them.
    small = {"n_estimators": 7, "n_members": 7, "max_iter": 7, "min_samples_leaf": 1}
    small |= {"random_state": 0, "n_trees": 7, "max_layers": 2, "n_forests": 2}
    small |= {"max_rules": 20, "n_projections": 15, "n_experts": 2}
    if "vectors" in names:
        small["vectors"] = (
            "kfold"  # a row of weight three is outside a bag less often than one of three
        )
    # Folds that do not depend on the order of rows, nor on whether they are repeated or weighted.
    small["cv"] = coterie.RowFolds(3)
    small["effort"] = "single"  # nothing is drawn
    if cls in READ_DATES:
        small["members"] = "fast"  # searches try two small ensembles
    small |= small_members(cls)
    small["final_estimator"] = "mlr"  # of a penalised one the scale of weights would matter
    return cls(**{n: v for n, v in (small | CHOSEN).items() if n in names} | params)


def default(cls: type) -> Any:
    """An instance as it comes, but for searches, which would take a minute each."""
    return cls(members="fast") if cls in READ_DATES else cls()


def few_members(cls: type) -> dict[str, Any]:
    """Parameters that leave an instance few members, rounds and trees to draw on."""
    few: dict[str, Any] = {"n_estimators": 4, "n_members": 7, "n_experts": 2, "n_projections": 10}
    few |= {"n_forests": 2, "n_trees": 10, "max_layers": 2, "effort": "fast"} | few_choices(cls)
    if issubclass(cls, (GradientBooster, Experts, CorrelatedNetworks)):
        few["max_iter"] = 10
    if issubclass(cls, (Pooled, RuleFit, Taught)):
        kind = "Classifier" if is_classifier(cls()) else "Regressor"
        forest = getattr(coterie, f"RandomForest{kind}")
        few["estimator"] = forest(6, max_leaf_nodes=8, draw="repeats")
    few |= small_members(cls)
    if cls is coterie.EasyEnsembleClassifier:
        few["estimator"] = coterie.AdaBoostClassifier(n_estimators=3)
    return {name: value for name, value in (few | CHOSEN).items() if has_parameter(cls, name)}


def small_members(cls: type) -> dict[str, Any]:
    """Two trees for what combines forests and boosters by default."""
    if not issubclass(cls, Combiner):
        return {}
    kind = "Classifier" if is_classifier(cls()) else "Regressor"
    trees = [(n, getattr(coterie, f"{n}Tree{kind}")()) for n in ("Decision", "Extra")]
    return {"estimators": trees, "estimator": trees[0][1]}


def with_own_members(cls: type) -> Any:
    """A small instance that chooses its members itself, to which it hands its parameters."""
    names = inspect.signature(cls).parameters
    return make(cls, **{name: None for name in small_members(cls) if name in names})


def few_choices(cls: type) -> dict[str, Any]:
    """Values for what an instance would choose by fitting itself many times."""
    return {"alpha": 0.05} if issubclass(cls, RuleFit) else {}


def has_parameter(cls: type, *names: str) -> bool:
    """Whether the constructor takes all of `names`."""
    return set(names) <= set(inspect.signature(cls).parameters)


def shallow(cls: type, depth: int = 2) -> dict[str, Any]:
    """Parameters that keep the members small, where the estimator has them."""
    if has_parameter(cls, "max_depth"):
        return {"max_depth": depth}
    if has_parameter(cls, "members"):
        kind = "Classifier" if is_classifier(cls()) else "Regressor"
        return {"members": [("tree", getattr(coterie, f"DecisionTree{kind}")(max_depth=depth))]}
    if has_parameter(cls, "estimators"):
        kinds = "Classifier" if is_classifier(cls()) else "Regressor"
        trees = [getattr(coterie, f"{kind}Tree{kinds}") for kind in ("Decision", "Extra")]
        pairs = [(tree.__name__, tree(max_depth=depth)) for tree in trees]
        more = [("more", trees[0](max_depth=1))] * (getattr(cls, "min_members", 2) - 2)
        return {"estimators": pairs + more}
    member = getattr(cls(), "estimator_", None)  # what is cloned, if it is known before a fit
    if member is None or not has_parameter(type(member), "max_depth"):
        return {}
    return {"estimator": type(member)(max_depth=depth)}


def problem(cls: type, n_rows: int = 120, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """A small table with a target of the estimator's kind."""
    if is_classifier(cls()):
        return make_classification(
            n_rows, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=seed
        )
    X, y = make_regression(n_rows, 6, n_informative=4, noise=1.0, random_state=seed)
    return X, y - y.min() + 1.0 if cls in SURVIVAL else y  # times of events


@cache
def fitted(cls: type, n_rows: int = 120) -> Any:
    """A small instance, fitted to its problem: shared by tests, which leave it as it is."""
    return make(cls).fit(*problem(cls, n_rows))


def outputs(fitted: Any, X: Any) -> list[NDArray[Any]]:
    """All that an estimator predicts."""
    methods = ("predict", "predict_proba", "decision_function")
    return [np.asarray(getattr(fitted, name)(X)) for name in methods if hasattr(fitted, name)]


def same_bits(first: list[NDArray[Any]], second: list[NDArray[Any]]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))

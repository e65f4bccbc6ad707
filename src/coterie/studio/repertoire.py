"""The methods that the studio offers, with what can be set about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import coterie
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor

_BOOSTERS = {
    "AdaBoost": "AdaBoostClassifier",
    "Real AdaBoost": "RealAdaBoostClassifier",
    "GentleBoost": "GentleBoostClassifier",
    "LogitBoost": "LogitBoostClassifier",
    "MadaBoost": "MadaBoostClassifier",
    "AdaBoost*ν": "AdaBoostVClassifier",
    "LPBoost": "LPBoostClassifier",
    "TotalBoost": "TotalBoostClassifier",
    "SoftBoost": "SoftBoostClassifier",
    "ERLPBoost": "ERLPBoostClassifier",
    "BrownBoost": "BrownBoostClassifier",
    "RobustBoost": "RobustBoostClassifier",
}
#: Members of these fit numbers.
_SCORES = {"GentleBoostClassifier", "LogitBoostClassifier"}


def _booster(name: str) -> Callable[[int, int], Any]:
    def make(rounds: int, depth: int) -> Any:
        tree = DecisionTreeRegressor if name in _SCORES else DecisionTreeClassifier
        member = tree(max_depth=depth, random_state=0)
        return getattr(coterie, name)(member, n_estimators=rounds, random_state=0)

    return make


def _gradient(rounds: int, depth: int) -> Any:
    return coterie.GradientBoostingClassifier(n_estimators=rounds, max_depth=depth, random_state=0)


def _bag(name: str) -> Callable[[int, int], Any]:
    def make(rounds: int, depth: int) -> Any:
        return getattr(coterie, name)(n_estimators=rounds, random_state=0)

    return make


def _shallow_bag(rounds: int, depth: int) -> Any:
    tree = DecisionTreeClassifier(max_depth=depth)
    return coterie.BaggingClassifier(tree, n_estimators=rounds, random_state=0)


def _tree(rounds: int, depth: int) -> Any:
    """One tree, as a bag of one that holds every row."""
    return coterie.BaggingClassifier(
        DecisionTreeClassifier(random_state=0), n_estimators=1, bootstrap=False, random_state=0
    )


#: From a name to a function of the number of rounds and the depth of members.
METHODS: dict[str, Callable[[int, int], Any]] = {
    **{shown: _booster(name) for shown, name in _BOOSTERS.items()},
    "gradient boosting": _gradient,
    "bagging": _bag("BaggingClassifier"),
    "bagging of small trees": _shallow_bag,
    "random forest": _bag("RandomForestClassifier"),
    "extra trees": _bag("ExtraTreesClassifier"),
    "one tree": _tree,
}


def _numbers(name: str) -> Callable[[int, int], Any]:
    def make(rounds: int, depth: int) -> Any:
        tree = DecisionTreeRegressor(max_depth=depth, random_state=0)
        return getattr(coterie, name)(tree, n_estimators=rounds, random_state=0)

    return make


def _gradient_numbers(rounds: int, depth: int) -> Any:
    return coterie.GradientBoostingRegressor(n_estimators=rounds, max_depth=depth, random_state=0)


def _number_tree(rounds: int, depth: int) -> Any:
    return coterie.BaggingRegressor(
        DecisionTreeRegressor(random_state=0), n_estimators=1, bootstrap=False, random_state=0
    )


#: The same for numbers.
REGRESSORS: dict[str, Callable[[int, int], Any]] = {
    "gradient boosting": _gradient_numbers,
    "AdaBoost.R2": _numbers("AdaBoostRegressor"),
    "bagging": _bag("BaggingRegressor"),
    "bagging of small trees": _numbers("BaggingRegressor"),
    "random forest": _bag("RandomForestRegressor"),
    "extra trees": _bag("ExtraTreesRegressor"),
    "one tree": _number_tree,
}


def method(name: str, rounds: int, depth: int, *, numbers: bool = False) -> Any:
    """An unfitted estimator by its name in the studio, for classes or for numbers.

    Examples
    --------
    >>> method("AdaBoost", 10, 1).n_estimators
    10
    """
    known = REGRESSORS if numbers else METHODS
    if name not in known:
        raise ValueError(f"There is no method {name!r}; choose from {', '.join(known)}.")
    return known[name](rounds, depth)

"""The members that combiners have unless the user names others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coterie.boosting.gradient import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.combining.named_members import Named
from coterie.data import Target
from coterie.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

_TREES = 50


def usual_members(task: str, target: Target, settings: Mapping[str, Any]) -> list[Named]:
    """A random forest, extremely randomised trees and gradient boosting, which err differently.

    Gradient boosting is left out where there are several outputs.

    Parameters
    ----------
    task : str
        "classification" or "regression".
    target : Target
        What is to be learnt.
    settings : dict
        Parameters of all members.
    """
    labels = task == "classification"
    forest = RandomForestClassifier if labels else RandomForestRegressor
    extra = ExtraTreesClassifier if labels else ExtraTreesRegressor
    members = [
        # Drawn by repetitions, a row of weight two is as good as two rows.
        Named("forest", forest(_TREES, draw="repeats", **settings)),
        Named("extra", extra(_TREES, **settings)),
    ]
    if target.n_outputs == 1:
        boosting = HistGradientBoostingClassifier if labels else HistGradientBoostingRegressor
        # Limits in rows would make a row of weight two other than two rows, too.
        small: dict[str, Any] = {"max_iter": 2 * _TREES, "max_leaf_nodes": 8, "min_samples_leaf": 1}
        members.append(Named("boosting", boosting(**small, **settings)))
    return members

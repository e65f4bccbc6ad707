"""Attributes of objects in files of former versions, as the classes of today have them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from coterie.automl.preparation import Preparation
from coterie.export.errors import ModelFileError
from coterie.export.nesting import LARGEST
from coterie.learners import ForeignMember, adapt

__all__ = ["as_today"]

State = dict[str, Any]


def as_today(tag: str, state: State) -> State:
    """The attributes of an object; those of former versions in the terms of this one.

    Parameters
    ----------
    tag : str
        What the file calls the class.
    state : dict
        Attributes as the file has them.

    Examples
    --------
    >>> as_today("Trace", {"reason": "time"})
    {'reason': 'time'}
    """
    if tag not in _FORMER:
        return state
    try:
        return vars(_FORMER[tag](dict(state)))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"The file is damaged: a {tag} is invalid.") from error


def _foreign_member(state: State) -> ForeignMember:
    """A member of any kind, which once said in other words what it is asked for."""
    if "gives" not in state:
        return ForeignMember(**state)
    gives, classes = state.pop("gives"), state.pop("classes")
    method: Any = "predict_proba" if gives == "proba" and classes is not None else "predict"
    return ForeignMember(classes=() if classes is None else (classes,), method=method, **state)


def _guest(state: State) -> ForeignMember:
    """A member of a bag, which was asked for what it could give."""
    return adapt(state["estimator"], state["classes"], None, state["columns"])


def _seat(state: State) -> ForeignMember:
    """A member of a combiner, whose regressors said numbers of classes too."""
    fitted, classes = state["estimator"], state["classes"]
    labels = classes is not None and is_classifier(fitted)
    return ForeignMember(fitted, (classes,) if labels else (), state["method"])


def _voter(state: State) -> ForeignMember:
    """A member of a pool, which knew the places of its classes instead of the classes."""
    fitted, places, n_classes = state["estimator"], state["places"], state["n_classes"]
    if places is not None and not (type(n_classes) is int and 0 < n_classes <= LARGEST):
        raise ValueError(n_classes)
    classes = () if places is None else (np.arange(n_classes),)
    able = bool(classes) and hasattr(fitted, "predict_proba")
    return ForeignMember(
        fitted,
        classes,
        "predict_proba" if able else "predict",
        state["columns"],
        known=places,
        bare=not hasattr(fitted, "feature_names_in_"),
    )


def _table_model(state: State) -> SimpleNamespace:
    """A model of a table, which once knew of dates alone."""
    if "dates_" in state:
        state["preparation_"] = Preparation(state.pop("dates_"))
    return SimpleNamespace(**state)


_FORMER: dict[str, Callable[[State], Any]] = {
    **dict.fromkeys(("TableClassifier", "TableRegressor"), _table_model),
    "ForeignMember": _foreign_member,
    "Guest": _guest,
    "Seat": _seat,
    "Voter": _voter,
}

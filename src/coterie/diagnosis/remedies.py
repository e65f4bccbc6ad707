"""Whether regularising an ensemble would help: copies are refitted with it, and measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sklearn.base import clone, is_classifier
from sklearn.tree import BaseDecisionTree

from coterie.diagnosis.case import Case, Estimate
from coterie.diagnosis.ensemble_predictions import outcome_of
from coterie.forests import RandomForestClassifier, RandomForestRegressor
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor

#: How the libraries call the least number of rows in a leaf.
_LEAF = ("min_samples_leaf", "min_child_samples", "min_child_weight")
_TREES = (BaseDecisionTree, DecisionTreeClassifier, DecisionTreeRegressor)
_MOST = 0.1  # share of the rows that a leaf may be asked to hold


class Remedy(NamedTuple):
    """What was changed in a copy of a model, and what came of it.

    Attributes
    ----------
    change : str
        As one would write it.
    error : Estimate
        Mean loss of the copy.
    gain : Estimate
        Mean loss of the model minus that of the copy, row by row.
    """

    change: str
    error: Estimate
    gain: Estimate


def remedies(model: Any, case: Case, X: Any, X_train: Any, y_train: Any) -> list[Remedy]:
    """Refit copies of a model with more regularisation and measure them, the best one first.

    Parameters
    ----------
    model : fitted model
        Models without parameters, such as bare boosters, have no copies.
    case : Case
        What the model says of the rows it is judged by.
    X : array-like or data frame
        These rows.
    X_train, y_train : array-like or data frame, array-like
        The rows to fit copies to.
    """
    tried = []
    own = case.loss(case.answers.vote)
    for change, copy in _copies(model, len(y_train)):
        try:
            copy.fit(X_train, y_train)
        except (TypeError, ValueError):  # it needs more than rows: held-out ones to stop by, say
            continue
        loss = case.loss(outcome_of(copy, X).vote)
        tried.append(Remedy(change, case.mean(loss), case.mean(own - loss)))
    return sorted(tried, key=lambda remedy: remedy.error.value)


def _copies(model: Any, n_rows: int) -> Iterator[tuple[str, Any]]:
    """Unfitted copies with one change each."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    if not hasattr(model, "get_params"):
        return
    params = model.get_params()
    leaf = _outermost(params, _LEAF)
    if leaf is not None:
        least = _larger(params[leaf], n_rows)
        if least is not None:
            yield f"{leaf}={least}", clone(model).set_params(**{leaf: least})
    depth = _outermost(params, ("max_depth",))
    if depth is not None:
        now = params[depth]
        most = max(2, now // 2) if isinstance(now, int) and now > 0 else 5
        if most != now:
            yield f"{depth}={most}", clone(model).set_params(**{depth: most})
    if isinstance(model, _TREES):
        forest = RandomForestClassifier if is_classifier(model) else RandomForestRegressor
        yield f"a {forest.__name__}", forest(random_state=0)


def _outermost(params: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """The parameter of one of these names, the first one, that is the least deep inside."""
    found = [name for last in names for name in params if name.split("__")[-1] == last]
    return min(found, key=lambda name: name.count("__"), default=None)


def _larger(now: Any, n_rows: int) -> int | None:
    """A larger number of rows for a leaf; None if there are too few rows for that."""
    rows = now * n_rows if isinstance(now, float) and now < 1 else now or 1
    larger = max(10, 5 * int(rows))
    return larger if larger <= _MOST * n_rows else None

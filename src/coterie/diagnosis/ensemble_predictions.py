"""Predictions of any fitted ensemble: as a whole, by member, and by size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from coterie.automl.estimators import TableModel
from coterie.boosting.descender import Descender
from coterie.data import DataError, Table
from coterie.diagnosis import boosters
from coterie.plotting.ballots import Ballot, ballot_of, called, pushes, soft_vote
from coterie.report.plain import thinned
from coterie.selection.adapted import members_of

Array = NDArray[np.float64]

_SIZES = 100  # at most so many sizes are looked at
_SAME = 0.99  # share of rows about which all members together must say what the ensemble says


class Stages(NamedTuple):
    """What ensembles of growing size say.

    Attributes
    ----------
    sizes : ndarray of int of shape (sizes,)
        Members or rounds of each.
    said : ndarray of shape (sizes, rows)
        Labels, or numbers.
    chances : ndarray of shape (sizes, rows, classes) or None
        Probabilities, if they give any.
    """

    sizes: NDArray[np.intp]
    said: NDArray[Any]
    chances: Array | None = None


@dataclass(frozen=True)
class Answers:
    """What an ensemble and its parts say of the same rows.

    Parameters
    ----------
    name : str
        What the ensemble is called.
    vote : ndarray of shape (rows,)
        What it says: labels, or numbers.
    classes : ndarray of shape (classes,) or None
        Class labels; None for numbers.
    chances : ndarray of shape (rows, classes) or None
        Probabilities, if it gives any.
    unit : {"member", "round", ""}
        What it is made of: members that answer by themselves, or rounds that mend what those
        before them left; empty if it has no parts.
    n_parts : int
        How many of these.
    ballot : Ballot or None
        What each member says by itself.
    stages : Stages or None
        What the first parts say together.
    why : str
        Why there is no ballot, or there are no stages.
    """

    name: str
    vote: NDArray[Any]
    classes: NDArray[Any] | None
    chances: Array | None
    unit: str = ""
    n_parts: int = 1
    ballot: Ballot | None = None
    stages: Stages | None = None
    why: str = "It has no members that predict on their own."


def answers_of(model: Any, X: Any) -> Answers:
    """Ask any fitted ensemble, its members one by one, and its first parts together.

    Parameters
    ----------
    model : fitted model, or list of fitted models
        See `diagnose`.
    X : array-like or data frame
        Rows.
    """
    whole = outcome_of(model, X)
    model, X = opened(model, X)
    whole = replace(whole, name=called(model))
    if boosters.is_booster(model):
        return _of_booster(model, X, whole)
    if _has_rounds(model):
        rounds = _rounds(model.staged_predict(X))
        if whole.chances is not None and hasattr(model, "staged_predict_proba"):
            rounds = rounds._replace(chances=_staged_chances(model, X, rounds.sizes))
        return _checked(replace(whole, unit="round", n_parts=int(rounds.sizes[-1]), stages=rounds))
    try:
        ballot, stages = (
            _table_votes(model, X) if isinstance(model, TableModel) else _votes(model, X)
        )
    except TypeError as problem:  # members that do not answer by themselves say so
        return replace(whole, why=str(problem))
    if len(ballot.said) < 2:
        alone = isinstance(model, TableModel | list | tuple)
        return replace(whole, why="It has only one member.") if alone else whole
    found = replace(
        whole, unit="member", n_parts=len(ballot.said), ballot=ballot, stages=stages, why=""
    )
    return _checked(found)


def outcome_of(model: Any, X: Any) -> Answers:
    """What a model as a whole says; `vote`, `classes` and `chances` of the answers."""
    _check_columns(model, X)
    if boosters.is_raw(model):
        return Answers(called(model), *boosters.outcome(model, X))
    if isinstance(model, list | tuple):
        ballot = ballot_of(model, X)
        sure = all(hasattr(member, "predict_proba") for member in members_of(model)[0])
        chances = soft_vote(model, X)[0] if ballot.classes is not None and sure else None
        return Answers(ballot.name, ballot.vote, ballot.classes, chances)
    if not hasattr(model, "predict"):
        raise TypeError(
            f"{type(model).__name__} cannot predict. Pass a fitted model, or a list of them."
        )
    check_is_fitted(model)
    vote = np.asarray(model.predict(X))
    if vote.ndim == 2 and vote.shape[1] == 1:
        vote = vote[:, 0]
    if vote.ndim != 1:
        raise DataError(
            "The model has several targets. Only models with one target can be diagnosed."
        )
    if not is_classifier(model):
        return Answers(called(model), vote.astype(np.float64), None, None)
    chances = soft_vote(model, X)[0] if hasattr(model, "predict_proba") else None
    return Answers(called(model), vote, np.asarray(model.classes_), chances)


def opened(model: Any, X: Any) -> tuple[Any, Any]:
    """The ensemble at the end of a pipeline or of a search, and the rows as it sees them."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline):
            X = model[:-1].transform(X) if X is not None and len(model) > 1 else X
            model = model[-1]
        else:
            return model, X


def _has_rounds(model: Any) -> bool:
    """Whether parts of a model are rounds that say nothing by themselves."""
    if not hasattr(model, "staged_predict"):
        return False
    if isinstance(model, Descender):
        return True
    if is_classifier(model):
        return pushes(model) or not hasattr(model, "estimators_")
    return not hasattr(model, "estimator_weights_")


def _rounds(stages: Iterable[Any]) -> Stages:
    said = [np.asarray(stage).reshape(-1) for stage in stages]
    kept = thinned(len(said), _SIZES)
    return Stages(np.array(kept, dtype=np.intp) + 1, np.stack([said[t] for t in kept]))


def _staged_chances(model: Any, X: Any, sizes: NDArray[np.intp]) -> Array:
    kept = set(sizes.tolist())
    stages = enumerate(model.staged_predict_proba(X), start=1)
    return np.stack([np.asarray(said) for size, said in stages if size in kept])


def _votes(model: Any, X: Any) -> tuple[Ballot, Stages | None]:
    """Members that answer by themselves, and what the first of them say."""
    ballot = ballot_of(model, X)
    if hasattr(model, "final_estimator_"):
        return ballot, None
    staged = model.staged_predict(X) if hasattr(model, "staged_predict") else ballot.staged()
    return ballot, _rounds(staged)


def _table_votes(model: TableModel, X: Any) -> tuple[Ballot, Stages]:
    """Members of a table's ensemble, those of most weight first."""
    given: Any = model
    table = Table.under(given.schema_, model.preparation_.apply(X))
    order = np.argsort(-np.abs(model.blend_.weights), kind="stable")
    order = order[model.blend_.weights[order] != 0]
    profile = model.pool_.votes(table)
    classes = getattr(model, "classes_", None)
    said = []
    for size in range(1, len(order) + 1):
        weights = np.zeros(len(profile))
        weights[order[:size]] = model.blend_.weights[order[:size]]
        part = replace(
            model.blend_, weights=weights * (model.blend_.weights.sum() / (weights.sum() or 1.0))
        )
        output = part(profile)
        said.append(output[:, 0] if classes is None else classes[output.argmax(axis=1)])
    ballot = Ballot(
        profile[order], said[-1], classes, model.blend_.weights[order], type(model).__name__
    )
    return ballot, Stages(np.arange(1, len(order) + 1), np.stack(said))


def _of_booster(model: Any, X: Any, whole: Answers) -> Answers:
    """Rounds of a foreign booster, by the raw scores that each block of them adds."""
    n_rounds = boosters.n_rounds(model)
    sizes = np.array(thinned(n_rounds, _SIZES), dtype=np.intp) + 1
    raw = boosters.staged_raw(model, X, sizes)
    said = boosters.decided(raw, whole.vote, whole.classes)
    chances = boosters.staged_chances(raw, whole.chances)
    stages = None if said is None else Stages(sizes, said, chances)
    return _checked(replace(whole, unit="round", n_parts=n_rounds, stages=stages))


def _checked(found: Answers) -> Answers:
    """Stages only if the last of them is the ensemble: some combine in a way of their own."""
    if found.stages is not None:
        last = found.stages.said[-1]
        if found.classes is not None:
            same = bool(np.mean(last == found.vote) >= _SAME)
        else:
            scale = float(np.abs(found.vote).max()) or 1.0
            same = bool(np.abs(last - found.vote).max() <= 1e-5 * scale)
        if same:
            return found
    why = f"Its {found.unit}s cannot be used in part, so its size cannot be varied."
    return replace(found, stages=None, why=why)


def _check_columns(model: Any, X: Any) -> None:
    """A clear word on the number of columns, where models would give an unclear one."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    first = members_of(model)[0][0] if isinstance(model, list | tuple) and len(model) else model
    wanted = getattr(first, "n_features_in_", None)
    if boosters.is_raw(first):
        wanted = boosters.n_columns(first)
        shape = shape if shape else (None, wanted)
    if len(shape) != 2:
        raise DataError(f"X must have rows and columns, but its shape is {tuple(shape)}.")
    if wanted is not None and shape[1] != wanted:
        raise DataError(
            f"X has {shape[1]} columns, but the model was fitted on {wanted}. Pass the same "
            "columns in the same order."
        )

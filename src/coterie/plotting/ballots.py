"""Predictions of the members of any ensemble, and of the ensemble itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from coterie.data import Table
from coterie.plotting.story import votes_of
from coterie.selection.adapted import adapt_pool, known_classes, members_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ballot:
    """Answers of members and of their ensemble to the same rows.

    Parameters
    ----------
    said : ndarray of shape (members, rows, classes or 1)
        Votes: probabilities of the classes or ones and zeros; of regressors, numbers.
    vote : ndarray of shape (rows,)
        What the ensemble says: labels, or numbers.
    classes : ndarray of shape (classes,) or None
        Class labels; None for regressors.
    weights : ndarray of shape (members,) or None
        Weights of the members, if the ensemble has some.
    name : str
        What the ensemble is called.
    hard : bool, default=False
        Whether the ensemble counts only the label that each member gives.
    """

    said: Array
    vote: NDArray[Any]
    classes: NDArray[Any] | None
    weights: Array | None
    name: str
    hard: bool = False

    @property
    def labels(self) -> NDArray[Any]:
        """The label each member gives each row; of regressors the number."""
        if self.classes is None:
            return self.said[:, :, 0]
        return np.asarray(self.classes[self.said.argmax(axis=2)])

    def counted(self) -> Array:
        """Votes as the ensemble counts them: ones and zeros if it is `hard`."""
        if not self.hard or self.classes is None:
            return self.said
        return np.stack([_hot(votes) for votes in self.said])

    def staged(self) -> Iterator[NDArray[Any]]:
        """What the first, the first two, ... members say together: their mean, or plurality."""
        weights = np.ones(len(self.said)) if self.weights is None else self.weights
        total, mass = np.zeros(self.said.shape[1:]), 0.0
        for votes, weight in zip(self.counted(), weights, strict=True):
            total += weight * votes
            mass += weight
            if self.classes is None:
                yield total[:, 0] / (mass or 1.0)
            else:
                # Sums of equal votes differ by rounding; the first class wins ties.
                yield self.classes[np.round(total, 9).argmax(axis=1)]


def ballot_of(model: Any, X: Any) -> Ballot:
    """Ask any fitted ensemble, and its members one by one.

    Parameters
    ----------
    model : fitted ensemble, or list of fitted models
        One of coterie's, any of scikit-learn's with ``estimators_``, or a list of models, of which
        the plurality (or the mean) is taken as their vote. A member of a gradient booster of
        classes votes for the class that it moves a row to.
    X : array-like or data frame
        Rows.
    """
    if isinstance(model, list | tuple):
        return _list_ballot(model, X)
    check_is_fitted(model)
    if not _has_estimators(model):
        return _pool_ballot(model, X)
    name, vote = called(model), np.asarray(model.predict(X))
    if not is_classifier(model):
        said = adapt_pool(model, None).votes(Table.read(X))
        return Ballot(said, vote, None, _weights(model, len(said)), name)
    classes = np.asarray(model.classes_)
    if pushes(model):
        steps = [_hot(_two_columns(step)) for _, step in votes_of(model, X)]
        return Ballot(np.stack(steps), vote, classes, None, name, hard=True)
    said = adapt_pool(model, classes).votes(Table.read(X))
    hard = getattr(model, "voting", None) == "hard" or hasattr(model, "estimator_errors_")
    return Ballot(said, vote, classes, _weights(model, len(said)), name, hard)


def pushes(model: Any) -> bool:
    """Whether the members of a classifier do not classify, but move its scores."""
    if not hasattr(model, "staged_decision_function"):
        return False
    models = members_of(model)[0]
    # Members of boosters carry their booster's classes, also those that predict numbers.
    return models[0] is model or not all(
        hasattr(m, "classes_") and is_classifier(m) for m in models
    )


def soft_vote(model: Any, X: Any) -> tuple[Array, NDArray[Any]]:
    """Probabilities and classes of a classifier, or of the mean of a list of classifiers."""
    if isinstance(model, list | tuple):
        ballot = _list_ballot(model, X)
        if ballot.classes is None:
            raise TypeError("These models have no probabilities. Pass classifiers.")
        return ballot.said.mean(axis=0), ballot.classes
    check_is_fitted(model)
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"{type(model).__name__} has no probabilities. Calibrate it first, for example with "
            "CalibratedEnsembleClassifier."
        )
    return np.asarray(model.predict_proba(X), dtype=np.float64), np.asarray(model.classes_)


def called(model: Any) -> str:
    """The name of an ensemble in plots.

    >>> called([1, 2])
    '2 models'
    """
    several = isinstance(model, list | tuple)
    return f"{len(model)} models" if several else type(model).__name__


def _has_estimators(model: Any) -> bool:
    """Whether members can be asked as estimators, rather than as a pool only."""
    members = members_of(model)[0]
    return not hasattr(model, "pool_") or all(hasattr(member, "get_params") for member in members)


def _pool_ballot(model: Any, X: Any) -> Ballot:
    """Members of coterie that are no estimators, for example networks that were fitted jointly."""
    said = model.pool_.votes(Table.under(model.schema_, X))
    classes = getattr(model, "classes_", None)
    return Ballot(said, np.asarray(model.predict(X)), classes, None, called(model))


def _list_ballot(models: Any, X: Any) -> Ballot:
    members = members_of(models)[0]
    if not members:
        raise ValueError("There are no members: the list is empty.")
    for member in members:
        check_is_fitted(member)
    name = called(models)
    if not is_classifier(members[0]):
        said = adapt_pool(models, None).votes(Table.read(X))
        return Ballot(said, said.mean(axis=0)[:, 0], None, None, name)
    classes = np.unique(np.concatenate(known_classes(models)))
    said = adapt_pool(models, classes).votes(Table.read(X))
    counts = sum((_hot(votes) for votes in said), np.zeros(said.shape[1:]))
    return Ballot(said, classes[counts.argmax(axis=1)], classes, None, name, hard=True)


def _weights(model: Any, n_members: int) -> Array | None:
    """Weights that an ensemble learnt or was given for its members, if any."""
    for name in ("estimator_weights_", "weights_", "weights"):
        found = getattr(model, name, None)
        if found is None or isinstance(found, str) or np.ndim(found) != 1:
            continue
        # Boosters that ended early may have places for members that never came.
        if len(found) >= n_members:
            return np.asarray(found, dtype=np.float64)[:n_members]
    return None


def _two_columns(score: Array) -> Array:
    """Scores of all classes; of two classes only that of the second is given."""
    flat = score.reshape(len(score), -1)
    return np.hstack([np.zeros_like(flat), flat]) if flat.shape[1] == 1 else flat


def _hot(votes: Array) -> Array:
    """Ones at the largest vote of each row."""
    # Classes with equal votes must stay equal: differences are exact up to rounding only.
    rounded = np.round(votes / (np.abs(votes).max() or 1.0), 9)
    return np.asarray(np.eye(votes.shape[1])[rounded.argmax(axis=1)])

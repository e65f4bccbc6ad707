"""Any pool of fitted models as voters: lists, ensembles of scikit-learn, and our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier

from coterie.bagging import KNNEnsembleClassifier
from coterie.bagging.guest import rows_given
from coterie.base import Admitted
from coterie.base.bagged import Bagged
from coterie.core import Pool, growing_stream, repetitions
from coterie.data import DataError, Schema, Table
from coterie.learners import fit_member, takes_weight
from coterie.tags import tagged

Array = NDArray[np.float64]
Classes = NDArray[Any] | None


@tagged
@dataclass(frozen=True)
class Voter:
    """A fitted model as a member: its answers in the classes of the committee.

    Parameters
    ----------
    estimator : estimator
        Fitted on labels, or on numbers.
    n_classes : int
        Number of classes of the committee; 0 for numbers.
    known : ndarray of labels
        What the estimator calls the classes it knows.
    places : ndarray of int
        Where these are among the classes of the committee.
    columns : ndarray or None
        The columns it was shown, or None for all.
    """

    estimator: Any
    n_classes: int
    known: NDArray[Any] | None = None
    places: NDArray[np.intp] | None = None
    columns: NDArray[np.intp] | None = None

    def predict(self, table: Table) -> Array:
        """Probabilities of all classes (ones and zeros where it gives labels), or numbers."""
        X = self._shown(table)
        if self.known is None:
            return np.asarray(self.estimator.predict(X), dtype=np.float64).reshape(table.n_rows, -1)
        votes = np.zeros((table.n_rows, self.n_classes))
        if hasattr(self.estimator, "predict_proba"):
            votes[:, self.places] = self.estimator.predict_proba(X)
        else:
            said = np.searchsorted(self.known, self.estimator.predict(X))
            votes[np.arange(table.n_rows), self.places[said]] = 1.0  # type: ignore[index]
        return votes

    def _shown(self, table: Table) -> Any:
        """The rows as the estimator was shown them: with names only if it knows names."""
        if hasattr(self.estimator, "feature_names_in_"):
            return rows_given(table, None, self.columns)
        given = table.given()
        if nw.dependencies.is_into_dataframe(given):
            given = nw.from_native(given, eager_only=True).to_numpy()
        if self.columns is None:
            return given
        return (
            given[:, self.columns]
            if hasattr(given, "shape")
            else np.asarray(given)[:, self.columns]
        )


@tagged
@dataclass(frozen=True)
class Panel:
    """Members that speak about the same rows.

    Parameters
    ----------
    pool : Pool
        The members.
    schema : Schema or None
        The columns as the pool knows them; None if members read the rows as they were given.
    places : ndarray of int or None
        Where the classes of the pool are among those of the committee; None if they are the same.
    n_outputs : int
        Number of classes, or 1 for numbers.
    """

    pool: Pool
    schema: Schema | None
    places: NDArray[np.intp] | None
    n_outputs: int

    @property
    def n_members(self) -> int:
        """Number of members."""
        return len(self.pool)

    def votes(self, table: Table, n_threads: int = 1) -> Array:
        """What every member says, shape (members, rows, classes or 1)."""
        if self.schema is not None:
            table = Table.under(self.schema, table.given())
        return self._spread(self.pool.votes(table, n_threads=n_threads))

    def mean(self, table: Table, n_threads: int = 1) -> Array:
        """What members say on average, by their weights, shape (rows, classes or 1)."""
        if self.schema is not None:
            table = Table.under(self.schema, table.given())
        raw = self.pool.raw(table, n_threads=n_threads)
        return self._spread(raw / self.pool.weights.sum())

    def _spread(self, said: Array) -> Array:
        """Answers of the pool, by the classes of the committee."""
        if self.places is None:
            return said
        spread = np.zeros((*said.shape[:-1], self.n_outputs))
        spread[..., self.places] = said
        return spread


def seat(model: Any, classes: Classes) -> Panel:
    """The members of a fitted ensemble, or of a list of fitted models.

    Parameters
    ----------
    model : fitted ensemble, or list of fitted models
        Ensembles have ``estimators_``, and ``estimators_features_`` if members see some of the
        columns only.
    classes : ndarray or None
        Classes of the committee, sorted; None for numbers.
    """
    if isinstance(model, Bagged | KNNEnsembleClassifier):
        places = None if classes is None else places_of(model.classes_, classes)
        if places is not None and len(places) == len(classes):  # type: ignore[arg-type]
            places = None
        width = 1 if classes is None else len(classes)
        return Panel(model.pool_, model.schema_, places, width)
    models, own, columns = members_of(model)
    for member in models:
        _check_member(member, classes)
    if classes is None:
        pairs = zip(models, columns, strict=True)
        voters = [Voter(member, 0, columns=shown) for member, shown in pairs]
        return Panel(Pool.of(voters), None, None, 1)
    coded = own is not None and _say_codes(models, own)
    voters = []
    for member, shown in zip(models, columns, strict=True):
        known = np.asarray(member.classes_)
        labels = own[known.astype(np.intp)] if coded else known  # type: ignore[index]
        voters.append(Voter(member, len(classes), known, places_of(labels, classes), shown))
    return Panel(Pool.of(voters), None, None, len(classes))


def fit_model(model: Any, rows: Admitted, seed: int) -> Any:
    """A fitted clone; parameters named ``random_state`` that are None are seeded.

    Weights are passed on if `fit` takes them, otherwise rows are repeated or drawn by them. Of rows
    of one class a constant is learnt, which some estimators refuse.
    """
    table, target, weight, _ = rows
    rng = growing_stream(seed)
    twin = clone(model)
    names = [
        name
        for name, value in sorted(twin.get_params().items())
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    if names:
        twin.set_params(**{name: int(rng.integers(2**31)) for name in names})
    weighs = takes_weight(twin)
    shown = None
    if weight is not None and not weighs:
        repeats = repetitions(weight)
        if repeats is None:
            drawn = rng.choice(table.n_rows, table.n_rows, p=weight / weight.sum())
            shown = np.sort(drawn)
        else:
            shown = np.repeat(np.arange(table.n_rows), repeats)
    part = target if shown is None else target.take(shown)
    if target.kind == "labels" and len(np.unique(part.codes)) == 1:
        twin = DummyClassifier(strategy="prior")
    X, y = rows_given(table, shown, None), part.decode(part.encoded)
    if weight is not None and weighs:
        return fit_member(twin, X, y, sample_weight=weight)
    return fit_member(twin, X, y)


def members_of(model: Any) -> tuple[list[Any], Classes, list[Any]]:
    """The fitted models, the classes of their ensemble, and the columns that each was shown."""
    if isinstance(model, list | tuple):
        models = [pair[1] if isinstance(pair, tuple | list) else pair for pair in model]
        return models, None, [None] * len(models)
    found = getattr(model, "estimators_", None)
    if found is None:  # a model by itself is a pool of one
        return [model], None, [None]
    models = list(found)
    columns = getattr(model, "estimators_features_", None)
    own = getattr(model, "classes_", None)
    return models, own, [None] * len(models) if columns is None else list(columns)


def known_classes(model: Any) -> list[NDArray[Any]]:
    """Labels that fitted models know."""
    if hasattr(model, "classes_"):
        return [np.asarray(model.classes_)]
    models = members_of(model)[0]
    return [np.asarray(member.classes_) for member in models if hasattr(member, "classes_")]


def places_of(labels: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Positions of labels among the sorted classes.

    Examples
    --------
    >>> places_of(["c", "a"], np.array(["a", "b", "c"]))
    array([2, 0])
    """
    given = np.asarray(labels)
    places = np.clip(np.searchsorted(classes, given), 0, len(classes) - 1)
    strange = classes[places] != given
    if strange.any():
        raise DataError(
            f"A member has the class {given[strange].tolist()[0]!r}, which is not one of "
            f"{classes.tolist()}. Fit the members to the same labels."
        )
    return places


def _say_codes(models: Sequence[Any], own: NDArray[Any]) -> bool:
    """Whether members call classes by their positions, as those of scikit-learn's bags do."""
    said = np.unique(np.concatenate([np.asarray(member.classes_) for member in models]))
    if said.dtype.kind not in "iufb":
        return False
    return own.dtype.kind not in "iufb" or not np.isin(said, own).all()


def _check_member(member: Any, classes: Classes) -> None:
    if isinstance(member, list | np.ndarray):
        raise TypeError(
            "The ensemble fits several members per round, none of which predicts on its own. Pass "
            "an ensemble whose members classify, or a list of models."
        )
    if not hasattr(member, "predict"):
        raise TypeError(f"{member!r} has no predict and cannot be a member.")
    if classes is not None and not (is_classifier(member) or hasattr(member, "classes_")):
        raise TypeError(
            f"{type(member).__name__} is not a classifier and cannot be a member. Pass an ensemble "
            "whose members classify, or a list of classifiers."
        )

"""Any pool of fitted models as voters: lists, ensembles of scikit-learn, and our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from coterie.bagging import KNNEnsembleClassifier
from coterie.base import Admitted
from coterie.base.bagged import Bagged
from coterie.core import Pool, growing_stream
from coterie.data import Schema, Table
from coterie.learners import ForeignLearner, adapt, class_places
from coterie.tags import tagged

Array = NDArray[np.float64]
Classes = NDArray[Any] | None


@tagged
@dataclass(frozen=True)
class AdaptedPool:
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

    file_tag: ClassVar[str] = "Panel"

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


def adapt_pool(model: Any, classes: Classes) -> AdaptedPool:
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
        places = None if classes is None else class_places(classes, model.classes_)
        if places is not None and len(places) == len(classes):  # type: ignore[arg-type]
            places = None
        width = 1 if classes is None else len(classes)
        return AdaptedPool(model.pool_, model.schema_, places, width)
    models, own, columns = members_of(model)
    for member in models:
        _check_member(member, classes)
    coded = classes is not None and own is not None and _say_codes(models, own)
    voters = []
    for number, (member, shown) in enumerate(zip(models, columns, strict=True)):
        one = adapt(member, () if classes is None else (classes,), None, shown, number)
        known = own[np.asarray(member.classes_, dtype=np.intp)] if coded else None  # type: ignore[index]
        if classes is not None:  # refused now rather than when it is asked
            class_places(classes, member.classes_ if known is None else known)
        bare = _is_bare(member, alone=isinstance(model, list | tuple) or member is model)
        voters.append(replace(one, known=known, bare=bare))
    return AdaptedPool(Pool.of(voters), None, None, 1 if classes is None else len(classes))


def fit_model(model: Any, rows: Admitted, seed: int, name: str | int | None = None) -> Any:
    """A fitted clone; parameters named ``random_state`` that are None are seeded."""
    learner = ForeignLearner(model, keeps_seeds=True, name=name)
    return learner.fit(rows.table, rows.target, rows.weight, growing_stream(seed)).estimator


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


def _say_codes(models: Sequence[Any], own: NDArray[Any]) -> bool:
    """Whether members call classes by their positions, as those of scikit-learn's bags do."""
    said = np.unique(np.concatenate([np.asarray(member.classes_) for member in models]))
    if said.dtype.kind not in "iufb":
        return False
    return own.dtype.kind not in "iufb" or not np.isin(said, own).all()


def _is_bare(member: Any, *, alone: bool) -> bool:
    """Whether a model was shown rows without names, as ensembles show them to their members."""
    if hasattr(member, "feature_names_in_"):
        return False
    return hasattr(member, "n_features_in_") or not alone


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

"""Any estimator as a member: fitted to rows as the user gave them, its answers made votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import has_fit_parameter

from coterie.core import Cast
from coterie.data import Table, Target
from coterie.learners.member_votes import (
    class_places,
    votes_of_labels,
    votes_of_probabilities,
    votes_of_scores,
)
from coterie.learners.naming import naming
from coterie.learners.shown import cut_params, one_class, rows_given, show
from coterie.tags import tagged

Array = NDArray[np.float64]
Method = Literal["predict_proba", "decision_function", "predict"]


@tagged
@dataclass(frozen=True)
class ForeignMember:
    """A fitted estimator whose answers are put in the classes of its committee.

    Parameters
    ----------
    estimator : estimator
        Fitted on labels, or on numbers.
    classes : tuple of ndarray
        Classes of the committee, sorted, one array per output; empty for numbers.
    method : {"predict_proba", "decision_function", "predict"}
        What it is asked for.
    columns : ndarray or None
        The columns it was shown, or None for all.
    known : ndarray or None
        The labels that its ``classes_`` stand for, if it has other names for them.
    bare : bool
        Whether it was shown arrays where the user gave a frame.
    name : str, int or None
        What the user calls it, or its position; named in errors.
    """

    estimator: Any
    classes: tuple[NDArray[Any], ...] = ()
    method: Method = "predict"
    columns: NDArray[np.intp] | None = None
    known: NDArray[Any] | None = None
    bare: bool = False
    name: str | int | None = None

    def predict(self, table: Table) -> Array:
        """Its votes on the rows of a table, shape (n_rows, n_outputs)."""
        return self.ask(rows_given(table, None, self.columns, bare=self.bare))

    def ask(self, X: Any) -> Array:
        """Probabilities, scores, or votes of one and zero for labels; or numbers.

        Parameters
        ----------
        X : array, frame or sparse array
            Rows as it was shown them.
        """
        with naming(self.estimator, self.name, X):
            said = getattr(self.estimator, self.method)(X)
        if not self.classes:
            return self._numbers(said)
        if self.method == "predict":
            return self._labels(np.asarray(said))
        parts = said if isinstance(said, list) else [said]
        known = self.estimator.classes_ if self.known is None else self.known
        known = known if isinstance(known, list) else [known]
        votes = votes_of_probabilities if self.method == "predict_proba" else votes_of_scores
        return _side_by_side(
            [votes(*each) for each in zip(parts, known, self.classes, strict=True)]
        )

    @property
    def places(self) -> NDArray[np.intp] | None:
        """Where the classes it knows are among those of the committee; None for numbers."""
        known = getattr(self.estimator, "classes_", None) if self.known is None else self.known
        return class_places(self.classes[0], known) if self.classes else None

    def _labels(self, said: NDArray[Any]) -> Array:
        if self.known is not None:
            said = self.known[class_places(np.asarray(self.estimator.classes_), said)]
        columns = said.reshape(len(said), -1).T
        return _side_by_side(
            [votes_of_labels(*each) for each in zip(columns, self.classes, strict=True)]
        )

    def _numbers(self, said: Any) -> Array:
        if isinstance(said, list):  # of several labels the chance of each, if it was ever seen
            pairs = zip(said, self.estimator.classes_, strict=True)
            said = np.column_stack([part[:, -1] * (known[-1] == 1) for part, known in pairs])
        numbers = np.asarray(said, dtype=np.float64)
        return numbers.reshape(len(numbers), -1)


def _side_by_side(votes: list[Array]) -> Array:
    return votes[0] if len(votes) == 1 else np.concatenate(votes, axis=1)


@tagged
@dataclass(frozen=True)
class ConstantMember:
    """Says the same of every row: in files of former versions, a booster's member of one class."""

    output: Array

    def predict(self, table: Table) -> Array:
        """The same row again and again, shape (n_rows, n_outputs)."""
        return np.repeat(self.output[None, :], table.n_rows, axis=0)


@dataclass(frozen=True)
class ForeignLearner:
    """Fits clones of an estimator on the rows as the user gave them.

    Weights are passed on if `fit` takes them; otherwise rows are repeated, or drawn by their
    weights. Of rows of one class a constant is learnt by those that refuse them.

    Parameters
    ----------
    estimator : estimator
        What to clone.
    method : {"predict_proba", "decision_function", "predict"} or None
        What members are asked for; None for probabilities, or labels if they have none.
    columns : ndarray or None
        The columns to show, or None for all.
    weighs : bool or None
        Whether weights are passed on; None asks the signature of `fit`.
    params : mapping
        What `fit` is handed besides; arrays of one value per row are cut with the rows.
    keeps_seeds : bool
        Whether parameters named ``random_state`` that are set stay as they are.
    name : str, int or None
        What the user calls the member, or its position; named in errors.
    """

    estimator: Any
    method: Method | None = None
    columns: NDArray[np.intp] | None = None
    weighs: bool | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    keeps_seeds: bool = False
    name: str | int | None = None

    def among(self, columns: NDArray[np.intp]) -> ForeignLearner:
        """The same learner on some of the columns."""
        return replace(self, columns=columns)

    def numbered(self, number: int) -> ForeignLearner:
        """The same learner for the member at a position."""
        return self if self.name is not None else replace(self, name=number)

    def fit(
        self, table: Table, target: Target, weight: Array | None, rng: Generator
    ) -> ForeignMember:
        """A fitted clone."""
        twin = seeded(self.estimator, rng, keep=self.keeps_seeds)
        weighs = takes_weight(twin) if self.weighs is None else self.weighs
        rows, weight = show(target, weight, rng, weighs=weighs)
        fitted = fit_member(
            twin,
            rows_given(table, rows, self.columns),
            target if rows is None else target.take(rows),
            weight,
            cut_params(self.params, rows, table.n_rows),
            name=self.name,
            constant=False,
        )
        return adapt(fitted, target.classes, self.method, self.columns, self.name)

    def train(
        self, table: Table, target: Target, weight: Array, rng: Generator, cast: Cast
    ) -> tuple[ForeignMember, Array]:
        """A fitted clone, and its vote on every row of the table."""
        member = self.fit(table, target, weight, rng)
        return member, cast(member.predict(table))


def adapt(
    fitted: Any,
    classes: tuple[NDArray[Any], ...],
    method: Method | None = None,
    columns: NDArray[np.intp] | None = None,
    name: str | int | None = None,
) -> ForeignMember:
    """A fitted estimator as a member.

    Parameters
    ----------
    fitted : estimator
        What answers.
    classes : tuple of ndarray
        Classes of the committee, one array per output; empty for numbers.
    method : {"predict_proba", "decision_function", "predict"} or None
        What it is asked for. Probabilities if it has no such method, as a constant has no scores,
        or for None; labels or numbers if it has none of these either.
    columns : ndarray or None
        The columns it was shown, or None for all.
    name : str, int or None
        Named in errors.
    """
    if method is None or not hasattr(fitted, method):
        able = bool(classes) and hasattr(fitted, "predict_proba")
        method = "predict_proba" if able else "predict"
    return ForeignMember(fitted, classes, method, columns, name=name)


def fit_member(
    estimator: Any,
    X: Any,
    target: Target,
    weight: Array | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    name: str | int | None = None,
    constant: bool = True,
) -> Any:
    """The estimator fitted to rows of a target; errors name it, and one class is a constant.

    Parameters
    ----------
    estimator : estimator
        A clone that may be changed.
    X : array, frame or sparse array
        The rows.
    target : Target
        Their labels or numbers.
    weight : ndarray or None
        Their weights, if `fit` takes them.
    params : mapping, optional
        What `fit` is handed besides.
    name : str, int or None
        What the user calls it, or its position.
    constant : bool
        Whether a constant takes its place for rows of one class even if it would take them.
    """
    y = target.decode(target.encoded)
    more = dict(params or {}) if weight is None else {**(params or {}), "sample_weight": weight}
    if not one_class(target):
        with naming(estimator, name, X):
            estimator.fit(X, y, **more)
        return estimator  # whatever its `fit` returns
    if not constant:
        try:
            with np.errstate(all="ignore"):
                estimator.fit(X, y, **more)
            return estimator
        except ValueError:
            pass
    return DummyClassifier(strategy="prior").fit(X, y)


def seeded(estimator: Any, source: Generator | SeedSequence, *, keep: bool = False) -> Any:
    """A clone whose parameters named ``random_state``, nested ones too, are seeds of its own.

    Parameters
    ----------
    estimator : estimator
        What to clone.
    source : Generator or SeedSequence
        Where seeds come from.
    keep : bool
        Whether only those that are None are seeded.
    """
    twin = clone(estimator)
    names = [
        name
        for name, value in sorted(twin.get_params().items())
        if (name == "random_state" or name.endswith("__random_state"))
        and not (keep and value is not None)
    ]
    if not names:
        return twin
    if isinstance(source, SeedSequence):
        states = (source.generate_state(len(names)) >> 1).tolist()
    else:
        states = [int(source.integers(2**31)) for _ in names]
    return twin.set_params(**dict(zip(names, states, strict=True)))


def takes_weight(estimator: Any) -> bool:
    """Whether `fit` takes sample weights; that of a pipeline does not."""
    return bool(has_fit_parameter(estimator, "sample_weight"))

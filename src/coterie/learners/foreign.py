"""Any scikit-learn estimator as a learner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from coterie.core import Cast
from coterie.data import Table, Target
from coterie.learners.votes import votes_of_labels, votes_of_probabilities
from coterie.tags import tagged

Array = NDArray[np.float64]
Gives = Literal["label", "proba", "score"]


@tagged
@dataclass(frozen=True)
class ForeignMember:
    """A fitted estimator whose answers are put in the classes of its committee.

    Parameters
    ----------
    estimator : estimator
        Fitted on labels, or on numbers.
    classes : ndarray or None
        Classes of the committee, sorted; None for numbers.
    gives : {"label", "proba", "score"}
        What it is asked for.
    """

    estimator: Any
    classes: NDArray[Any] | None
    gives: Gives

    def predict(self, table: Table) -> Array:
        """Probabilities of all classes (ones and zeros for labels), or numbers."""
        X = table.given()
        if self.classes is None:
            return np.asarray(self.estimator.predict(X), dtype=np.float64).reshape(table.n_rows, -1)
        if self.gives == "proba":
            given = self.estimator.predict_proba(X)
            return votes_of_probabilities(given, self.estimator.classes_, self.classes)
        return votes_of_labels(self.estimator.predict(X), self.classes)


@tagged
@dataclass(frozen=True)
class ConstantMember:
    """Says the same of every row: what was fitted on rows of one class."""

    output: Array

    def predict(self, table: Table) -> Array:
        """The same row again and again, shape (n_rows, n_outputs)."""
        return np.repeat(self.output[None, :], table.n_rows, axis=0)


@dataclass(frozen=True)
class ForeignLearner:
    """Fits clones of an estimator on the rows as the user gave them.

    Weights are passed on if `fit` takes them; otherwise rows are drawn by their weights.

    Parameters
    ----------
    estimator : estimator
        What to clone.
    gives : {"label", "proba", "score"}
        What members are asked for.
    """

    estimator: Any
    gives: Gives = "label"

    def fit(
        self, table: Table, target: Target, weight: Array | None, rng: Generator
    ) -> ForeignMember | ConstantMember:
        """A fitted clone."""
        codes = target.encoded[:, 0]
        weight = np.ones(len(codes)) if weight is None else weight
        classes = target.classes[0] if target.kind == "labels" else None
        seen = np.unique(codes[weight > 0])
        if classes is not None and len(seen) == 1:
            return ConstantMember(np.eye(len(classes))[seen[0]])
        y = codes if classes is None else classes[codes]
        estimator = seeded(self.estimator, rng)
        if takes_weight(estimator):
            rows = np.flatnonzero(weight > 0)
            part = table if len(rows) == table.n_rows else table.take(rows)
            fit_member(estimator, part.given(), y[rows], sample_weight=weight[rows])
        else:
            rows = draw_rows(codes, weight, rng, labels=classes is not None)
            fit_member(estimator, table.take(rows).given(), y[rows])
        return ForeignMember(estimator, classes, self.gives)

    def train(
        self, table: Table, target: Target, weight: Array, rng: Generator, cast: Cast
    ) -> tuple[ForeignMember | ConstantMember, Array]:
        """A fitted clone, and its vote on every row of the table."""
        member = self.fit(table, target, weight, rng)
        return member, cast(member.predict(table))


def seeded(estimator: Any, rng: Generator) -> Any:
    """A clone whose parameters named ``random_state``, nested ones too, are seeds of its own."""
    twin = clone(estimator)
    names = [
        name
        for name in sorted(twin.get_params())
        if name == "random_state" or name.endswith("__random_state")
    ]
    return twin.set_params(**{name: int(rng.integers(2**31)) for name in names}) if names else twin


@contextmanager
def naming(estimator: Any, name: str = "") -> Iterator[None]:
    """Errors of a member say which one it was.

    They keep their type if that can be made of a text, and have the original as their cause.

    Parameters
    ----------
    estimator : estimator
        The member.
    name : str
        What the user calls it.
    """
    try:
        yield
    except Exception as error:
        kind = type(estimator).__name__
        who = f"{name!r} ({kind})" if name else kind
        raise _of_type(type(error), f"The member {who} failed: {error}") from error


def fit_member(estimator: Any, X: Any, y: Any, **params: Any) -> Any:
    """``estimator.fit``, whose errors name the estimator."""
    with naming(estimator):
        return estimator.fit(X, y, **params)


def _of_type(kind: type[Exception], told: str) -> Exception:
    try:
        made = kind(told)
    except Exception:  # it is made of more than a text
        made = RuntimeError(told)
    return made if told in str(made) else RuntimeError(told)


def takes_weight(estimator: Any) -> bool:
    """Whether `fit` takes sample weights; that of a pipeline does not."""
    return bool(has_fit_parameter(estimator, "sample_weight"))


def draw_rows(y: Array, weight: Array, rng: Generator, *, labels: bool) -> NDArray[np.intp]:
    """Rows drawn with replacement by their weights; of labels, at least two classes."""
    n, share = len(y), weight / weight.sum()
    if np.all(weight % 1 == 0) and weight.sum() <= n:
        return np.repeat(np.arange(n), weight.astype(np.intp))  # counts of a draw already made
    for _ in range(10):
        rows = np.sort(rng.choice(n, size=n, p=share))
        if not labels or len(np.unique(y[rows])) > 1:
            break
    return rows

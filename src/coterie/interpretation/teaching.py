"""A teacher that labels rows, and a student that learns from its labels.

Steps of a fit:

1. The teacher is fitted on the training rows (a `ForeignMember` puts its answers in our classes).
2. Virtual rows are made from the training rows (`virtual`).
3. The teacher labels all of them: training rows by members that have not seen them where it can,
   as what it says of rows it knows by heart is what they were labelled anyway.
4. The student learns from these labels (`_learn`); fidelity is judged on rows new to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from coterie.base import Admitted, Committee
from coterie.base.oob_estimates import OutOfBag
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    at_least,
    between,
    draw_entropy,
    growing_stream,
    has,
    member_seeds,
    one_of,
    repetitions,
)
from coterie.data import Table, Target
from coterie.forests import RandomForestClassifier, RandomForestRegressor
from coterie.interpretation.virtual import GENERATORS, Prototypes, dense_cells, virtual_table
from coterie.learners import ForeignLearner, ForeignMember, adapt
from coterie.native import Forest
from coterie.tags import tagged
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

TAUGHT: dict[str, Allowed] = {
    "estimator": has("fit", "predict", "get_params") | one_of(None),
    "mu": at_least(0.0) | at_least(0),
    "mix": between(0.0, 1.0),
    "generator": one_of(*GENERATORS),
    "unseen": one_of(True, False),
    "prefit": one_of(True, False),
    **{name: SHAPE[name] for name in ("random_state", "n_jobs", "max_bins")},
    "categorical_features": SHAPE["categorical_features"],
}


class TransferSet(NamedTuple):
    """What a student learns from: rows, what the teacher says of them, and what they count.

    Attributes
    ----------
    table : Table
        Training rows, then virtual ones.
    said : ndarray of shape (n_rows, n_outputs)
        Probabilities, or numbers.
    weight : ndarray of shape (n_rows,) or None
        Weights; a virtual row counts as much as a training row on average.
    target : Target
        The training rows' own labels.
    """

    table: Table
    said: Array
    weight: Array | None
    target: Target


@tagged
@dataclass(eq=False, repr=False)
class Taught(Committee):
    """A student that learns from what a teacher says.

    Parameters
    ----------
    estimator : ensemble, default=None
        The teacher; by default a random forest of 100 trees.
    mu : float, default=3.0
        Number of synthetic rows per training row; 0 for none.
    generator : {"swap", "munge", "marginal", "uniform"}, default="swap"
        How they are generated: a quarter of a training row's cells replaced by those of other rows;
        a row moved towards a neighbour; every cell from a different row; or uniform values between
        the minimum and maximum of each column. The first two stay near the data, which matters if
        there are many columns. They are dense, even if the rows are sparse.
    mix : float, default=0.5
        Weight of the teacher's prediction for a training row; the remaining weight goes to its own
        label.
    unseen : bool, default=True
        Whether training rows are labelled by the members of a bagged teacher that have not seen
        them. For rows they have seen, members mostly reproduce the training labels.
    prefit : bool, default=False
        Whether the teacher is already fitted; `y` then only provides the classes.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the teacher, the synthetic rows and the student.
    n_jobs : int, default=None
        Number of workers of the default teacher.
    max_bins : int, default=255
        Maximum number of bins per column for default teachers and students.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical.
    """

    estimator: Any = None
    _: KW_ONLY
    mu: float = 3.0
    generator: str = "swap"
    mix: float = 0.5
    unseen: bool = True
    prefit: bool = False
    random_state: RandomLike = None
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    # Known after a fit.
    fidelity_: float = field(init=False)
    n_virtual_: int = field(init=False)

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = TAUGHT

    def _learn(self, draft: Self, transfer: TransferSet, seed: int) -> Any:
        """The student as a member, fitted on the transfer set; set further results on the draft."""
        raise NotImplementedError

    def _default_teacher(self) -> Any:
        kind = RandomForestClassifier if self.task == "classification" else RandomForestRegressor
        return kind(
            draw="repeats",
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
        )

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        teach, draw, learn, judge = member_seeds(draw_entropy(self.random_state), 0, 4).tolist()
        teacher, admitted = self._teacher(draft, admitted, teach)
        table, target, weight, _ = admitted
        said = teacher.predict(table)
        rows = None if self.mu == 0 and not self.unseen else Prototypes.of(table, weight)
        if self.unseen and not self.prefit and rows is not None:
            said = unseen_votes(teacher.estimator, table, said, rows.row)
        own = np.eye(said.shape[1])[target.codes[:, 0]] if target.classes else target.values
        transfer = TransferSet(table, self.mix * said + (1.0 - self.mix) * own, weight, target)
        repeats = repetitions(weight)
        n_units = table.n_rows if repeats is None else int(repeats.sum())
        draft.n_virtual_ = math.ceil(self.mu * n_units)
        fresh = table
        if draft.n_virtual_ and rows is not None:
            make = GENERATORS[self.generator]
            cells = make(rows, draft.n_virtual_, growing_stream(draw))
            transfer = with_virtual(transfer, teacher, cells)
            n_fresh = min(draft.n_virtual_, 1000)
            fresh = virtual_table(table, make(rows, n_fresh, growing_stream(judge)))
        member = self._learn(draft, transfer, learn)
        draft.student_ = getattr(member, "estimator", member)
        draft.pool_ = Pool.of([member])
        draft.fidelity_ = agreement(member.predict(fresh), teacher.predict(fresh), self.task)

    def _teacher(
        self, draft: Self, admitted: Admitted, seed: int
    ) -> tuple[ForeignMember, Admitted]:
        """The fitted teacher, and the rows under all classes that it knows."""
        model = self._default_teacher() if self.estimator is None else self.estimator
        table, target, weight, _ = admitted
        if is_classifier(model) != (self.task == "classification"):
            raise TypeError(
                f"{type(self).__name__}: estimator={model!r} is not a "
                f"{'classifier' if self.task == 'classification' else 'regressor'}."
            )
        if not self.prefit:
            learner = ForeignLearner(model, name="estimator")
            return learner.fit(table, target, weight, growing_stream(seed)), admitted
        if self.estimator is None:
            raise ValueError("prefit=True needs a fitted teacher; pass it as `estimator`.")
        check_is_fitted(model)
        if self.task == "regression":
            return adapt(model, ()), admitted
        admitted = admitted._replace(target=target.among(model.classes_))
        self._describe_target(draft, admitted)
        return adapt(model, admitted.target.classes), admitted


def with_virtual(transfer: TransferSet, teacher: ForeignMember, cells: Array) -> TransferSet:
    """The transfer set with virtual rows, labelled by the teacher."""
    table, said, weight, target = transfer
    whole = virtual_table(table, np.concatenate([dense_cells(table), cells]))
    n_rows = table.n_rows
    told = teacher.predict(whole.take(slice(n_rows, None)))
    if weight is not None:
        # As much as a row has on average, repetitions being rows.
        repeats = repetitions(weight)
        mean = weight.mean() if repeats is None else 1.0
        weight = np.concatenate([weight, np.full(len(cells), mean)])
    return TransferSet(whole, np.concatenate([said, told]), weight, target)


def unseen_votes(teacher: Any, table: Table, said: Array, content: NDArray[np.intp]) -> Array:
    """Mean votes of the members of a bagged teacher that have not seen a row nor its equals.

    Parameters
    ----------
    teacher : fitted estimator
        Fitted on the rows of the table.
    table : Table
        Those rows.
    said : ndarray of shape (n_rows, n_outputs)
        What it says of them, which stays if it has no bags, or where all members saw a row.
    content : ndarray of shape (n_rows,)
        Rows of equal content have the same number.
    """
    if not isinstance(teacher, OutOfBag) or not teacher.bags_.spares:
        return said
    pool, bags = teacher.pool_, teacher.bags_
    known = Table.under(teacher.schema_, table.given())  # type: ignore[attr-defined]
    if isinstance(pool.members, Forest):
        known = replace(known, source=None)  # rows need not be cut out of what was given
    if not _is_mean(pool, known, said):
        return said
    total, mass = np.zeros_like(said), np.zeros((len(said), 1))
    for number in range(len(pool)):
        seen: Any = np.bincount(content, weights=~bags.unseen(number))
        rows = np.flatnonzero(seen[content] == 0)
        if len(rows):
            total[rows] += pool[number : number + 1].raw(known.take(rows))
            mass[rows] += pool.weights[number]
    return np.where(mass > 0, total / np.where(mass > 0, mass, 1.0), said)


def _is_mean(pool: Pool, table: Table, said: Array) -> bool:
    """Whether the teacher says the mean vote: some make something else of votes."""
    raw = pool.raw(table) / pool.weights.sum()
    return raw.shape == said.shape and np.allclose(raw, said)


def agreement(student: Array, teacher: Array, task: str) -> float:
    """Share of equal labels, or the share of variance of the teacher that the student explains."""
    if task == "classification":
        return float(np.mean(student.argmax(axis=1) == teacher.argmax(axis=1)))
    if len(teacher) < 2:
        return float(np.allclose(student, teacher))
    return float(r2_score(teacher, student))

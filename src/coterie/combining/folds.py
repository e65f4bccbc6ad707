"""One pass that fits all members and asks them about rows they have not seen.

Every combiner that learns from members does so from this pass:

1. Members are fitted on all rows, unless only the models of folds are wanted.
2. Each is fitted anew on the training rows of every split and asked about its test rows. Bagged
   members may answer for their out-of-bag rows instead.
3. Rows that are tested several times have the mean of the answers; rows that are never tested,
   as the first ones of a time series, are not covered.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal
from zlib import crc32

import numpy as np
from joblib import Memory
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.base import JoblibExecutor, thread_count
from coterie.combining.named_members import Classes, FoldMember, Named, adapt_member
from coterie.combining.shared_bins import share_bins
from coterie.combining.splits import Rows, Split
from coterie.core import Allowed, instance_of, one_of
from coterie.data import BinnedRows, Opaque, Table, Target, TextSource
from coterie.learners import (
    ForeignMember,
    Method,
    cut_params,
    fit_member,
    naming,
    one_class,
    rows_given,
    show,
    takes_weight,
)
from coterie.learners.member_votes import votes_of_probabilities

Array = NDArray[np.float64]

a_memory: Allowed = one_of(None) | instance_of(str, Memory)


@dataclass(frozen=True)
class Rowset:
    """All that members are fitted on.

    Parameters
    ----------
    table, target, weight : Table, Target, ndarray or None
        Rows of positive weight.
    params : mapping of str to dict
        What the `fit` of each member, by name, takes besides; arrays of one value per row are
        cut with the rows.
    routed : bool
        Whether weights are among `params`, for members that requested them.
    binned : mapping of str to BinnedRows
        The rows of members, by name, that take bins.
    entropy : int
        Seeds the draws of rows for members that do not take weights.
    """

    table: Table
    target: Target
    weight: Array | None = None
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    routed: bool = False
    binned: Mapping[str, BinnedRows] = field(default_factory=dict)
    entropy: int = 0

    @property
    def classes(self) -> Classes:
        """Classes of the labels, none for numbers and for several labels."""
        return self.target.classes if self.target.n_outputs == 1 else ()

    def cut(
        self, member: Named, rows: Rows | None
    ) -> tuple[Any, Target, Array | None, dict[str, Any]]:
        """Some rows for a member; drawn by their weights if it does not take these."""
        weight = None if self.routed else self.weight
        if weight is not None:
            every = np.arange(self.table.n_rows) if rows is None else rows
            weighs, rng = takes_weight(member.estimator), self.stream(member.name)
            shown, weight = show(self.target.take(every), weight[every], rng, weighs=weighs)
            rows = rows if shown is None else every[shown]
        target = self.target if rows is None else self.target.take(rows)
        own = cut_params(self.params.get(member.name, {}), rows, self.table.n_rows)
        # Of one class a constant is made, which knows the names of columns from the rows alone.
        plain = one_class(target)
        X = rows_given(self.table, rows) if plain else self.show(member.name, rows)
        return X, target, weight, own

    def stream(self, name: str) -> np.random.Generator:
        """What draws rows for the member of that name."""
        return np.random.default_rng([self.entropy, crc32(name.encode())])

    def show(self, name: str, rows: Rows | None) -> Any:
        """Some rows as the member of that name takes them: as they were given, or as bins."""
        if name not in self.binned:
            return rows_given(self.table, rows)
        return self.binned[name] if rows is None else self.binned[name][rows]

    def sharing(self, chores: Sequence[Chore], executor: JoblibExecutor, fewest: int) -> Rowset:
        """The same rows, with bins for members of which none is given anything but rows."""
        if self.weight is not None or isinstance(self.table.source, TextSource | Opaque):
            return self
        fits = [chore.member for chore in chores if not self.params.get(chore.member.name)]
        threads = thread_count(executor.n_jobs)
        return replace(self, binned=share_bins(self.table, fits, fewest=fewest, n_threads=threads))


@dataclass(frozen=True)
class Chore:
    """Fit one member on some rows and ask it about others.

    Parameters
    ----------
    member : Named
        What to fit.
    method : str
        What to ask for.
    split : (train, test) or None
        None to fit on all rows and ask nothing.
    keep : bool
        Whether the fitted member is needed afterwards.
    note : (who, what) or None
        What is printed when it is done.
    """

    member: Named
    method: Method
    split: Split | None = None
    keep: bool = True
    note: tuple[str, str] | None = None


@dataclass(frozen=True)
class Unseen:
    """What members say of rows they have not seen.

    Parameters
    ----------
    values : tuple of ndarray of shape (n_rows, n_outputs)
        One array for each member; NaN in rows that are not covered.
    covered : ndarray of bool of shape (n_rows,)
        Rows of which every member has spoken.
    """

    values: tuple[Array, ...]
    covered: NDArray[np.bool_]

    @property
    def profile(self) -> Array:
        """Covered rows of all members, shape (members, rows, outputs)."""
        return np.stack([value[self.covered] for value in self.values])


@dataclass(frozen=True)
class Pass:
    """How the pass is made.

    Parameters
    ----------
    refit : {"full", "folds"}, default="full"
        Whether members are fitted on all rows, or the models of the folds are kept.
    oob : bool, default=False
        Whether bagged members answer for their out-of-bag rows; they are fitted once.
    memory : Memory, str or None, default=None
        Where fits are kept on disk, to be used again by other combiners.
    executor : JoblibExecutor
        Where the work is done.
    told : str or None
        Who tells, on standard output, which member is fitted to all rows, and how long it took.
    """

    executor: JoblibExecutor
    refit: Literal["full", "folds"] = "full"
    oob: bool = False
    memory: Any = None
    told: str | None = None

    def run(
        self,
        rows: Rowset,
        members: Sequence[Named],
        methods: Sequence[Method],
        splits: Sequence[Split] | None,
    ) -> tuple[list[ForeignMember | FoldMember], Unseen | None]:
        """Fitted members, and what they say of unseen rows; None without `splits`."""
        bagged = [self.oob and takes_oob(member.estimator) for member in members]
        members = [oob_member(m) if b else m for m, b in zip(members, bagged, strict=True)]
        if rows.classes:  # out-of-bag answers are probabilities
            pairs = zip(methods, bagged, strict=True)
            methods = ["predict_proba" if b else method for method, b in pairs]
        whole = self.refit == "full" or not splits
        chores = []
        for member, method, out_of_bag in zip(members, methods, bagged, strict=True):
            if whole or out_of_bag:
                note = None
                if self.told is not None:
                    which = f"({members.index(member) + 1} of {len(members)})"
                    note = self.told, f"{which} Processing {member.name}"
                chores.append(Chore(member, method, note=note))
            if splits and not out_of_bag:
                chores += [Chore(member, method, split, keep=not whole) for split in splits]
        work = _carry_out if self.memory is None else _memory(self.memory).cache(_carry_out)
        # What is kept on disk should be the same however many fits there are.
        rows = rows.sharing(chores, self.executor, 2 if self.memory is None else 1)
        done = iter(self.executor.map(partial(_do, work, rows), chores))
        seats: list[ForeignMember | FoldMember] = []
        values = []
        for out_of_bag in bagged:
            seat = next(done)[0] if whole or out_of_bag else None
            folds = [next(done) for _ in splits or ()] if not out_of_bag else []
            if splits is not None:
                parts = [part for _, part in folds]
                values.append(_answers(rows, seat, splits, parts))
            seats.append(FoldMember(tuple(s for s, _ in folds)) if seat is None else seat)
        return seats, None if splits is None else _unseen(values)


def takes_oob(estimator: Any) -> bool:
    """Whether an estimator can say what its members think of rows outside their bags."""
    params = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    return "oob_score" in params and params.get("bootstrap", True) is not False


def oob_member(member: Named) -> Named:
    """The member, told to keep its out-of-bag predictions."""
    return Named(member.name, clone(member.estimator).set_params(oob_score=True))


def _memory(given: Any) -> Memory:
    return given if isinstance(given, Memory) else Memory(given, verbose=0)


def _do(work: Any, rows: Rowset, chore: Chore) -> tuple[Any, Any]:
    name = chore.member.name
    train, test = (None, None) if chore.split is None else chore.split
    cut = rows.cut(chore.member, train)
    asked = None if test is None else rows.show(name, test)
    began = time.perf_counter()
    with naming(chore.member.estimator, name, cut[0]):
        seat, said = work(chore.member.estimator, chore.method, cut, asked, rows.classes)
    if chore.note is not None:
        who, what = chore.note
        line = f"{what}, total={time.perf_counter() - began:6.1f}s"
        print(f"[{who}] {line:.>{68 - len(who)}}")
    return (replace(seat, name=name) if chore.keep else None), said


def _carry_out(
    estimator: Any, method: Method, cut: Any, asked: Any, classes: Classes
) -> tuple[ForeignMember, Array | None]:
    """Fit and ask; a plain function of data, so that it can be kept on disk."""
    seat = adapt_member(fit_member(clone(estimator), *cut), classes, method)
    return seat, None if asked is None else seat.ask(asked)


def _answers(
    rows: Rowset, seat: ForeignMember | None, splits: Sequence[Split], parts: Sequence[Array]
) -> Array:
    """What one member says of all rows, NaN where it does not."""
    if not parts:
        assert seat is not None, "without splits members are fitted on all rows"
        return _out_of_bag(seat) if _has_oob(seat.estimator) else _resubstitution(rows, seat)
    return mean_answers(rows.table.n_rows, [test for _, test in splits], parts)


def mean_answers(n_rows: int, tests: Sequence[Rows], parts: Sequence[Array]) -> Array:
    """The mean of what was said of every row, NaN where nothing was.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    tests, parts : sequence of ndarray
        The rows of each split that were asked about, and the answers.

    Examples
    --------
    >>> answers = [np.array([[1.0], [2.0]]), np.array([[4.0]])]
    >>> mean_answers(3, [np.array([0, 1]), np.array([1])], answers).ravel()
    array([ 1.,  3., nan])
    """
    times = np.zeros(n_rows)
    for test in tests:
        np.add.at(times, test, 1.0)
    width = max(part.shape[1] for part in parts)
    total = np.where(times > 0, 0.0, np.nan)[:, None] * np.ones(width)
    for test, part in zip(tests, parts, strict=True):
        if part.shape[1] < width:  # a score for the second of two classes among several
            part = np.hstack([-part, part])
        np.add.at(total, test, part / times[test][:, None])
    return total


def _has_oob(estimator: Any) -> bool:
    return hasattr(estimator, "oob_decision_function_") or hasattr(estimator, "oob_prediction_")


def _out_of_bag(seat: ForeignMember) -> Array:
    estimator = seat.estimator
    if not seat.classes:
        return np.asarray(estimator.oob_prediction_, dtype=np.float64).reshape(-1, 1)
    given = estimator.oob_decision_function_
    return votes_of_probabilities(given, estimator.classes_, seat.classes[0])


def _resubstitution(rows: Rowset, seat: ForeignMember) -> Array:
    warnings.warn(
        "No row can be held out, so members predict their own training rows, and whatever is "
        "learnt from these predictions is over-optimistic. Use more rows, or another cv.",
        UserWarning,
        stacklevel=2,
    )
    return seat.predict(rows.table)


def _unseen(values: list[Array]) -> Unseen:
    covered = np.logical_and.reduce([np.isfinite(value).all(axis=1) for value in values])
    if not covered.any():
        raise ValueError(
            "No row was held out for every member, so nothing can be learnt from them. Use "
            "another cv, or more estimators in bagged members."
        )
    return Unseen(tuple(values), covered)

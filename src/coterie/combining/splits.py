"""Which rows a member is fitted on and which it is then asked about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneOut, check_cv

from coterie.core import Allowed, a_list, at_least, one_of
from coterie.core.axis import cell_keys
from coterie.data import DataError, Table, Target

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]

a_splitter = Allowed(
    lambda v: not isinstance(v, str | bytes | type) and callable(getattr(v, "split", None)),
    "an object with .split()",
)
a_cv: Allowed = one_of(None, "loo", "oob", "prefit") | at_least(2) | a_splitter | a_list


@dataclass(frozen=True)
class RowFolds:
    """Folds that depend on the content of the rows, not on their order.

    Equal rows are always in the same fold, so that no row is predicted by a member that has seen
    its copy; shuffled rows, or a row of weight three instead of three equal rows, give the same
    folds. Folds are stratified by class.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds. There are fewer if there are fewer distinct rows.

    References
    ----------
    .. [1] Kohavi, "A study of cross-validation and bootstrap for accuracy estimation and model
       selection", IJCAI (1995).

    Examples
    --------
    >>> folds = RowFolds(2)
    >>> [test.tolist() for _, test in folds.split([[1.0], [2.0], [1.0], [3.0]])]
    [[0, 2, 3], [1]]
    """

    n_splits: int = 5

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Folds at most."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Training and test rows of each fold.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,), optional
            Labels to stratify by; numbers with fractions are not used.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are put in the same fold; their content is then ignored.
        """
        if at_least(2).admits(self.n_splits) is False:
            raise ValueError(f"n_splits={self.n_splits!r} must be an integer >= 2.")
        table = Table.read(X)
        keys = cell_keys(table) if groups is None else _numbers(groups)
        labels = np.zeros(table.n_rows, dtype=np.intp)
        if y is not None and groups is None:
            labels = _strata(np.asarray(y))
        fold = deal(keys, labels, self.n_splits)
        for number in range(self.n_splits):
            inside = fold == number
            if inside.any() and not inside.all():
                yield np.flatnonzero(~inside), np.flatnonzero(inside)


def deal(keys: NDArray[np.uint64], strata: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    """Fold of every row: different keys of a stratum go to the folds in turn.

    Examples
    --------
    >>> deal(np.array([7, 5, 7, 9], dtype=np.uint64), np.array([0, 0, 0, 1]), 2)
    array([1, 0, 1, 0])
    """
    both = np.stack([strata.astype(np.uint64), keys])
    place = np.unique(both, axis=1, return_inverse=True)[1]
    return np.asarray(place.ravel() % n_folds)


def make_splits(
    cv: Any,
    table: Table,
    target: Target,
    groups: Any = None,
    kept: Rows | None = None,
) -> list[Split]:
    """The splits that `cv` stands for.

    Parameters
    ----------
    cv : None, int, "loo", splitter or list of splits
        None stands for five folds, stratified for labels. A list holds pairs of training and test
        rows, counted as they were given.
    table, target : Table, Target
        The rows of positive weight.
    groups : ndarray of shape (n_rows,), optional
        Handed to the splitter.
    kept : ndarray or None
        Positions of the rows of the table among those that were given.

    Returns
    -------
    list of (train, test)
        Positions in the table. Empty if no row can be held out.
    """
    if isinstance(cv, RowFolds):
        return list(cv.split(table.given(), _plain(target), groups))
    if isinstance(cv, str):
        cv = LeaveOneOut() if cv == "loo" else None
    y = target.decode(target.encoded)
    splitter = check_cv(cv, y, classifier=target.kind == "labels")
    splits = [_as_rows(pair) for pair in splitter.split(table.given(), y, groups)]
    if hasattr(cv, "split") or not hasattr(cv, "__len__") or kept is None:
        limit = target.n_rows
    else:
        limit = int(kept[-1]) + 1
        place = np.full(max(limit, _largest(splits) + 1), -1)
        place[kept] = np.arange(len(kept))
        splits = [(_there(place[a]), _there(place[b])) for a, b in splits]
        limit = target.n_rows
    if _largest(splits) >= limit:
        raise DataError(f"cv contains row {_largest(splits)}, but X has only {limit} rows.")
    return [(train, test) for train, test in splits if len(train) and len(test)]


def _there(places: NDArray[Any]) -> Rows:
    return places[places >= 0].astype(np.intp)


def _plain(target: Target) -> NDArray[Any] | None:
    return target.encoded[:, 0] if target.kind == "labels" else None


def _strata(y: NDArray[Any]) -> NDArray[np.intp]:
    if y.ndim != 1 or (y.dtype.kind == "f" and (y % 1 != 0).any()):
        return np.zeros(len(y), dtype=np.intp)
    return np.unique(y, return_inverse=True)[1].astype(np.intp)


def _numbers(groups: Any) -> NDArray[np.uint64]:
    return np.unique(np.asarray(groups), return_inverse=True)[1].ravel().astype(np.uint64)


def _as_rows(pair: Any) -> Split:
    train, test = pair
    rows = [np.asarray(part) for part in (train, test)]
    positions = [np.flatnonzero(r) if r.dtype == bool else r.astype(np.intp) for r in rows]
    if any(len(p) and p.min() < 0 for p in positions):
        raise DataError("cv contains negative row positions. Count rows from zero.")
    return positions[0], positions[1]


def _largest(splits: list[Any]) -> int:
    return max((int(part.max()) for pair in splits for part in pair if len(part)), default=-1)

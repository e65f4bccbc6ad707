"""Which documents belong to one query, and what is known of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base.check import Admitted
from coterie.base.groups import read_groups
from coterie.data import DataError, Target
from coterie.losses.lambda_rank import LARGEST_GRADE, QueryRows


def read_queries(groups: Any, qid: Any, group: Any, n_rows: int) -> NDArray[np.int32]:
    """The number of every row's query, from one of the ways in which users say it.

    Parameters
    ----------
    groups, qid : array-like of shape (n_rows,) or None
        A label per row.
    group : array-like of int or None
        How many rows each query has; rows of one query stand together then.
    n_rows : int
        Rows there are.

    Examples
    --------
    >>> read_queries(None, ["b", "a", "b"], None, 3)
    array([1, 0, 1], dtype=int32)
    >>> read_queries(None, None, [1, 2], 3)
    array([0, 1, 1], dtype=int32)
    """
    ways = {"groups": groups, "qid": qid, "group": group}
    given = [name for name, way in ways.items() if way is not None]
    if not given:
        raise DataError(
            "A ranker needs groups, the query of each row. Call fit(X, y, groups=query_id)."
        )
    if len(given) > 1:
        raise DataError(f"{' and '.join(given)} both define the queries. Pass only one of them.")
    if group is None:
        numbers = read_groups(groups if qid is None else qid, n_rows, None)
        assert numbers is not None
        return numbers
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise DataError(
            "group must contain the sizes of the queries as integers, in the order of the rows."
        )
    if sizes.sum() != n_rows:
        raise DataError(
            f"The sizes in group add up to {sizes.sum()}, but there are {n_rows} rows. To pass "
            "one query label per row, use groups."
        )
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def grade_rows(y: Any, queries: NDArray[np.int32]) -> NDArray[np.float64]:
    """Grades beside the numbers of queries, of shape (n_rows, 2)."""
    grades = np.asarray(y)
    if grades.ndim == 2 and grades.shape[1] == 1:
        grades = grades[:, 0]
    if grades.shape != queries.shape:
        raise DataError(
            f"y should be a 1d array with one grade for each of the {len(queries)} rows; it has "
            f"shape {grades.shape}."
        )
    if grades.dtype.kind == "c":
        raise DataError("Complex data not supported: y contains complex numbers instead of grades.")
    return np.column_stack([grades.astype(np.float64), queries])


def check_grades(target: Target, largest: int | None) -> None:
    """Refuse grades that cannot be ranked.

    Parameters
    ----------
    target : Target
        Grades and queries.
    largest : int or None
        The highest grade for which there is a gain; None is that of powers of two.
    """
    grades = target.values[:, 0]
    odd = grades[(grades < 0) | (grades != np.floor(grades))]
    if len(odd):
        raise DataError(f"y contains the grade {odd[0]:g}; grades must be integers >= 0.")
    most = grades.max()
    if largest is None and most > LARGEST_GRADE:
        raise DataError(
            f"Grade {most:g} would have a gain of 2**{most:g}; map the grades to 0..4, or set gain."
        )
    if largest is not None and most > largest:
        raise DataError(
            f"y contains the grade {most:g}, but gain ends at {largest}. Add gains "
            "for higher grades."
        )


def silent_queries(target: Target) -> tuple[int, int]:
    """How many queries have no two documents of different grade, and how many there are."""
    rows = QueryRows.of(target.values[:, 1])
    grades = rows.sort(target.values[:, 0])
    low = np.minimum.reduceat(grades, rows.offsets[:-1])
    high = np.maximum.reduceat(grades, rows.offsets[:-1])
    return int((low == high).sum()), len(low)


def by_query(admitted: Admitted) -> Admitted:
    """The same rows query by query, in which order no round needs to sort them again."""
    order = QueryRows.of(admitted.target.values[:, 1]).order
    if order is None:
        return admitted
    kept = order if admitted.kept is None else admitted.kept[order]
    return admitted.take(order)._replace(kept=kept)


def hold_out_queries(
    target: Target, share: float, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows to hold out, whole queries of both, ascending.

    Parameters
    ----------
    target : Target
        Grades and queries of all rows.
    share : float
        The share of the queries to hold out, or about how many rows.
    seed : int
        Seed of the draw.
    """
    queries = target.values[:, 1]
    numbers, place = np.unique(queries, return_inverse=True)
    if len(numbers) < 2:
        raise DataError(
            "Early stopping holds out whole queries, but there is only one. Set "
            "early_stopping=False, or pass eval_set."
        )
    wanted = share if share < 1 else share / len(queries)
    size = min(len(numbers) - 1, max(1, round(wanted * len(numbers))))
    drawn = np.zeros(len(numbers), dtype=bool)
    drawn[np.random.default_rng(seed).permutation(len(numbers))[:size]] = True
    held = drawn[place]
    return np.flatnonzero(~held), np.flatnonzero(held)

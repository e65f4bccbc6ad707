"""What a member is shown: rows and columns as the user gave them, weights or draws, metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.core import repetitions
from coterie.data import Table, Target

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# A draw that leaves one class only is made again so many times.
_DRAWS = 10


class Shown(NamedTuple):
    """Rows for a member.

    Attributes
    ----------
    rows : ndarray of int or None
        Which, some of them several times; None for all as they are.
    weight : ndarray or None
        Their weights, if the member is told.
    """

    rows: Rows | None
    weight: Array | None


def show(target: Target, weight: Array | None, rng: Generator, *, weighs: bool) -> Shown:
    """The rows of positive weight, with their weights if the member takes them.

    Otherwise rows are repeated as often as their weights say; weights that are no counts draw as
    many rows as there are in proportion, of labels at least two classes if that is possible.

    Parameters
    ----------
    target : Target
        What is to be learnt.
    weight : ndarray or None
        Weights of the rows.
    rng : Generator
        Draws rows.
    weighs : bool
        Whether the member takes weights.
    """
    if weight is None:
        return Shown(None, None)
    inside = np.flatnonzero(weight)
    if weighs:
        every = len(inside) == len(weight)
        return Shown(None, weight) if every else Shown(inside, weight[inside])
    repeats = repetitions(weight)
    if repeats is not None:
        return Shown(np.repeat(np.arange(len(weight)), repeats), None)
    share = weight[inside] / weight.sum()
    for _ in range(_DRAWS):
        rows = np.sort(rng.choice(inside, size=len(weight), p=share))
        if not one_class(target.take(rows)):
            break
    return Shown(rows, None)


def one_class(target: Target) -> bool:
    """Whether there is but one label to be learnt."""
    if target.kind != "labels" or target.n_outputs > 1:
        return False
    codes = target.codes[:, 0]
    return bool(np.all(codes == codes[0]))


def rows_given(
    table: Table, rows: Rows | None = None, columns: Rows | None = None, *, bare: bool = False
) -> Any:
    """Some rows and columns as the user gave them; all of them without a copy.

    A named column that was drawn twice is there once, as frames know columns by name.

    Parameters
    ----------
    table : Table
        What to look at.
    rows, columns : ndarray of int or None
        Which; None for all.
    bare : bool
        Whether a frame is turned into an array without names.
    """
    source = table.source
    given = table.given() if source is None or rows is None else source.take(rows).native()
    if source is None and rows is not None:
        given = given[rows]
    frame = None
    if source is not None and hasattr(source, "frame"):
        frame = nw.from_native(given, eager_only=True)
        given = frame.to_numpy() if bare else given
    if columns is None:
        return given
    if frame is None or bare:
        return given[:, columns]
    return frame[:, np.unique(columns).tolist()].to_native()


def cut_params(params: Mapping[str, Any], rows: NDArray[Any] | None, n_rows: int) -> dict[str, Any]:
    """Metadata of some rows: what has a value per row is cut, the rest is left as it is.

    Examples
    --------
    >>> cut_params({"age": [3, 1, 2], "mode": "fast"}, np.array([2, 0]), 3)
    {'age': array([2, 3]), 'mode': 'fast'}
    """
    if rows is None:
        return dict(params)
    return {
        name: np.asarray(value)[rows]
        if not isinstance(value, str) and hasattr(value, "__len__") and len(value) == n_rows
        else value
        for name, value in params.items()
    }

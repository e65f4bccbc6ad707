"""What a fit learnt about its columns: names, and the labels of categorical ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.cells import NUMBERS, Cells, Numbers, Texts, changed_kind
from coterie.data.errors import DataError, KindError, at_start, column_label
from coterie.data.numbers import (
    as_float,
    bounded,
    check_finite,
    first_infinite,
    infinite_error,
    warn_if_rounded,
)
from coterie.data.sources import ArraySource, Opaque, Source, SparseSource
from coterie.data.sparse import Sparse, infinite_cell
from coterie.tags import tagged

__all__ = ["Schema", "learn_schema"]

Array = NDArray[Any]
Cast = Callable[[int, Cells], Array]

MAX_LEVELS = 65_535  # codes are 16 bits wide, and one of them means missing


@tagged
@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a fitted table, without its rows.

    Attributes
    ----------
    n_columns : int
        Number of columns.
    names : tuple of str or None
        Their names, if they have any.
    labels : dict of int to ndarray
        For each categorical column its labels in order: label ``k`` has code ``k``.
    moments : dict of int to str
        For each column of dates or durations what it holds, see `kind_of`; its cells are days.
    """

    n_columns: int
    names: tuple[str, ...] | None = None
    labels: Mapping[int, Array] = field(default_factory=dict)
    moments: Mapping[int, str] = field(default_factory=dict)

    @property
    def categorical(self) -> NDArray[np.bool_] | None:
        """Mask of the columns that hold category codes, or None if there are none.

        A text column without a single value has no codes; it counts as an empty column of numbers.
        """
        mask = np.zeros(self.n_columns, dtype=bool)
        for j, labels in self.labels.items():
            mask[j] = len(labels) > 0
        return mask if mask.any() else None

    def column(self, j: int) -> str:
        """How messages call column `j`."""
        return column_label(j, self.names)

    def select(self, columns: Array) -> Schema:
        """Some of the columns, in the order given (their positions)."""
        names = None if self.names is None else tuple(self.names[j] for j in columns)
        labels = {k: self.labels[j] for k, j in enumerate(columns.tolist()) if j in self.labels}
        moments = {k: self.moments[j] for k, j in enumerate(columns.tolist()) if j in self.moments}
        return Schema(len(columns), names, labels, moments)

    def read(
        self, source: Source, *, owner: str = "Table", infinite: bool = False
    ) -> Array | Sparse:
        """The cells of new rows, categories as codes; unknown categories are missing.

        Parameters
        ----------
        source : Source
            The new rows; their columns must be those of the schema, in the same order.
        owner : str
            Who asks; named in messages, which are scikit-learn's.
        infinite : bool, default=False
            Whether infinity may be among the numbers.
        """
        if self.names is not None or source.names is not None:
            _check_names(self.names, source.names, owner)
        if source.shape[1] != self.n_columns:
            raise DataError(
                f"X has {source.shape[1]} features, but {owner} is expecting {self.n_columns} "
                "features as input."
            )
        if isinstance(source, Opaque):
            return row_numbers(source)
        values = _read_cells(source, self._match, {*self.labels, *self.moments})
        if not infinite:
            self._check_finite(values)
        return values

    def _match(self, j: int, cells: Cells) -> Array:
        """Column `j` of new rows as floats."""
        then = self.moments.get(j, NUMBERS)
        if isinstance(cells, Numbers) and cells.kind != then and not cells.all_missing:
            # Days since 1970 are nothing like the numbers of a user.
            raise changed_kind(cells.where, "text" if self._has_texts(j) else then, cells.kind)
        if j in self.labels:
            return _float_codes(cells.match(self.labels[j]))
        if isinstance(cells, Numbers):
            return as_float(cells.values, cells.where)
        labels, _ = cells.learn()
        if len(labels):
            now = "text" if labels.dtype.kind in "OUT" else "categories"
            raise changed_kind(cells.where, then, now)
        return np.full(len(cells), np.nan, dtype=np.float32)

    def _has_texts(self, j: int) -> bool:
        return j in self.labels and self.labels[j].dtype.kind not in "biuf"

    def _check_finite(self, values: Array | Sparse) -> None:
        if isinstance(values, np.ndarray):
            check_finite(values, self.column)
            return
        found = infinite_cell(values)
        if found is not None:
            raise infinite_error(self.column(found[1]), found[0], values.dtype)


def row_numbers(source: Any) -> Array:
    """What a table of rows that only members read has in place of cells."""
    return np.arange(source.n_rows, dtype=np.float64)[:, None]


def learn_schema(
    source: Source, categorical: Any = None, *, infinite: bool = False
) -> tuple[Schema, Array | Sparse]:
    """The schema of a table to be fitted, and its cells with categories as codes.

    Parameters
    ----------
    source : Source
        The rows to learn from.
    categorical : None, "from_dtype", mask, indices or names
        Numeric columns to treat as categorical, besides text and categorical columns.
    infinite : bool, default=False
        Whether infinity is the largest of numbers, which is replaced; otherwise it is refused.
    """
    n_columns = source.shape[1]
    if isinstance(source, Opaque):
        return Schema(n_columns, source.names), row_numbers(source)
    declared = _declared(categorical, n_columns, source.names)
    labels: dict[int, Array] = {}
    moments: dict[int, str] = {}
    learn = partial(_learn, (labels, moments), declared, isinstance(source, ArraySource))
    values = _read_cells(source, learn, declared)
    schema = Schema(n_columns, source.names, labels, moments)
    if not infinite:
        schema._check_finite(values)
    elif not isinstance(values, np.ndarray):
        values = type(values)((bounded(values.data), values.indices, values.indptr), values.shape)
    elif first_infinite(values) is not None:
        values = bounded(values)
    return schema, values


def _learn(
    notes: tuple[dict[int, Array], dict[int, str]],
    declared: Collection[int],
    untyped: bool,
    j: int,
    cells: Cells,
) -> Array:
    """Column `j` as floats; `notes` gets the labels of categories, and what dates are."""
    labels, moments = notes
    if isinstance(cells, Numbers) and cells.kind != NUMBERS:
        moments[j] = cells.kind
    if isinstance(cells, Numbers) and j not in declared:
        warn_if_rounded(cells.values, cells.where)
        return as_float(cells.values, cells.where)
    found, codes = cells.learn()
    if untyped and isinstance(cells, Texts) and j not in declared and _all_numeric(found):
        raise KindError(
            f"{at_start(cells.where)} contains numbers stored as text, such as {found[0]!r}. "
            "Convert X with astype(float), or declare the column categorical."
        )
    if len(found) > MAX_LEVELS:
        raise DataError(
            f"{at_start(cells.where)} has {len(found)} categories; at most {MAX_LEVELS} are "
            "supported. Drop the column if it identifies rows, or group its rare values."
        )
    labels[j] = found
    return _float_codes(codes)


def _read_cells(source: Source, cast: Cast, special: Collection[int]) -> Array | Sparse:
    """All cells as one float matrix; `special` columns are never taken as they are."""
    if isinstance(source, SparseSource):
        if special:
            raise KindError(
                "Sparse X cannot have categorical columns. Pass a dense array or a data frame, "
                "or one indicator column per category."
            )
        return source.values
    matrix = source.matrix() if not special else None
    if matrix is not None:
        return matrix
    columns = [cast(j, cells) for j, cells in enumerate(source.cells())]
    dtype = np.float64 if any(c.dtype == np.float64 for c in columns) else np.float32
    values = np.empty(source.shape, dtype=dtype, order="F")
    for j, column in enumerate(columns):
        values[:, j] = column
    return values


def _float_codes(codes: NDArray[np.int32]) -> NDArray[np.float32]:
    """Codes as the engine takes them: NaN where missing. They are small enough for float32."""
    floats = codes.astype(np.float32)
    floats[codes < 0] = np.nan
    return floats


def _all_numeric(texts: Array) -> bool:
    try:
        texts.astype(np.float64)
    except ValueError:
        return False
    return len(texts) > 0


def _declared(categorical: Any, n_columns: int, names: tuple[str, ...] | None) -> frozenset[int]:
    """The columns that `categorical` points to."""
    if categorical is None or (isinstance(categorical, str) and categorical == "from_dtype"):
        return frozenset()
    chosen = np.atleast_1d(np.asarray(categorical))
    if not chosen.size:
        return frozenset()
    if chosen.dtype == bool:
        if chosen.shape != (n_columns,):
            raise DataError(
                "categorical_features set as a boolean mask must have shape (n_features,): X has "
                f"{n_columns} columns, the mask {chosen.shape}."
            )
        return frozenset(np.flatnonzero(chosen).tolist())
    kinds = {type(c) for c in chosen.tolist()} - {int, str}
    if kinds:
        plain = chosen.dtype.name if chosen.dtype != object else None
        found = plain or ", ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(
            f"categorical_features must be an array-like of bool, int or str, got: {found}."
        )
    return frozenset(_position(c, n_columns, names) for c in chosen.tolist())


def _position(column: int | str, n_columns: int, names: tuple[str, ...] | None) -> int:
    if isinstance(column, int):
        if not 0 <= column < n_columns:
            raise DataError(
                "categorical_features set as integer indices must be in [0, n_features - 1]; got "
                f"{column}, but X has {n_columns} columns."
            )
        return column
    if names is None:
        raise DataError(
            "categorical_features should be passed as an array of integers or as a boolean mask "
            f"when the model is fitted on data without feature names. It names {column!r}."
        )
    if column not in names:
        raise DataError(
            f"categorical_features has an item value {column!r} which is not a valid feature name "
            f"of the training data. Its columns are {list(names)}."
        )
    return names.index(column)


def _check_names(fitted: tuple[str, ...] | None, given: tuple[str, ...] | None, owner: str) -> None:
    """Compare names in scikit-learn's way: warn when one side has none, refuse any difference."""
    if fitted == given:
        return
    if fitted is None or given is None:
        what = (
            f"X has feature names, but {owner} was fitted without feature names"
            if fitted is None
            else f"X does not have valid feature names, but {owner} was fitted with feature names"
        )
        warnings.warn(what, UserWarning, stacklevel=2)
        return
    unseen, missing = sorted(set(given) - set(fitted)), sorted(set(fitted) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += "Feature names unseen at fit time:\n" + _bullets(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise DataError(message)


def _bullets(names: Iterable[str], most: int = 5) -> str:
    names = list(names)
    lines = [f"- {name}\n" for name in names[:most]]
    return "".join(lines) + ("- ...\n" if len(names) > most else "")

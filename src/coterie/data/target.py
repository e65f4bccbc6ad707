"""The target: encodes ``y``, decodes predictions, carries classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coterie import native
from coterie.data.cells import Cells, Levels, Numbers, cells_of_array, cells_of_series
from coterie.data.errors import DataError, KindError, refuse_twins
from coterie.data.numbers import as_float, unmask
from coterie.tags import tagged

__all__ = ["Target"]

Array = NDArray[Any]

# Squares of targets are summed with weights, and the standard error of a squared error takes
# squares of squares; all stay far from the ends of float64 this way.
_LARGEST = 1e70
_SMALLEST = 1e-70  # of the largest value: were its square zero, every target would look constant
# What targets are made of, in messages.
_KINDS = {"labels": "labels", "values": "numbers", "absent": "nothing"}
# What marks a row without a label, besides a missing one.
_UNKNOWN = -1


@tagged
@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What is to be predicted: class codes or numbers, one column per output.

    Make one with `Target.labels` or `Target.numbers`, or `Target.absent` if there is nothing to be
    predicted.

    Attributes
    ----------
    kind : {"labels", "values", "absent"}
        Whether ``y`` holds classes or numbers, or there is none.
    encoded : ndarray of shape (n_rows, n_outputs), C-contiguous
        Class codes (int32), -1 where the label is unknown, or numbers (float64).
    classes : tuple of ndarray
        The sorted labels of each output; empty for numbers.
    flat : bool
        Whether ``y`` was one-dimensional.

    Examples
    --------
    >>> target = Target.labels(["no", "yes", "no"])
    >>> target.codes.ravel()
    array([0, 1, 0], dtype=int32)
    >>> target.decode([1, 1])
    array(['yes', 'yes'], dtype='<U3')
    """

    kind: Literal["labels", "values", "absent"]
    encoded: Array
    classes: tuple[Array, ...] = ()
    flat: bool = True

    @classmethod
    def labels(
        cls,
        y: Any,
        *,
        rows: Array | None = None,
        n_rows: int | None = None,
        unlabelled: bool = False,
        mark: Any = _UNKNOWN,
    ) -> Target:
        """Encode class labels: text, integers, booleans, or floats that are integers.

        Parameters
        ----------
        y : array-like, series or frame of shape (n_rows,) or (n_rows, n_outputs)
            The labels. All those of one output must be of one kind.
        rows : ndarray of int, optional
            Positions of the rows to take; the others are not looked at.
        n_rows : int, optional
            How many rows ``X`` has, to be compared.
        unlabelled : bool, default=False
            Whether labels may be unknown: -1, as in `sklearn.semi_supervised`, or missing. Their
            code is -1, which is not one of the classes.
        mark : object, default=-1
            What marks an unknown label besides a missing one; nothing if it is None.

        Examples
        --------
        >>> target = Target.labels(["no", -1, None, "yes"], unlabelled=True)
        >>> target.codes.ravel(), target.labelled
        (array([ 0, -1, -1,  1], dtype=int32), array([ True, False, False,  True]))
        """
        if unlabelled:
            columns, flat = _read(_unmarked(y, mark), rows, n_rows)
            learnt = [_learn_some(cells, flat, mark) for cells in columns]
        else:
            columns, flat = _read(_as_texts(y), rows, n_rows)
            learnt = [_learn_labels(cells, flat) for cells in columns]
        codes = np.stack([codes for _, codes in learnt], axis=1)
        return cls("labels", np.ascontiguousarray(codes), tuple(c for c, _ in learnt), flat)

    @classmethod
    def numbers(cls, y: Any, *, rows: Array | None = None, n_rows: int | None = None) -> Target:
        """Read numbers to be predicted; the parameters are those of `labels`."""
        columns, flat = _read(y, rows, n_rows)
        values = np.stack([_read_numbers(cells) for cells in columns], axis=1)
        return cls("values", np.ascontiguousarray(values), (), flat)

    @classmethod
    def absent(cls, n_rows: int) -> Target:
        """No target: rows without outputs, for what learns from ``X`` alone."""
        return cls("absent", np.empty((n_rows, 0)))

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have labels in all outputs."""
        return np.asarray((self.codes >= 0).all(axis=1))

    @property
    def codes(self) -> NDArray[np.int32]:
        """Class codes, int32 of shape (n_rows, n_outputs)."""
        if self.kind != "labels":
            raise AttributeError(f"A target of {_KINDS[self.kind]} has no class codes.")
        return self.encoded

    @property
    def values(self) -> NDArray[np.float64]:
        """Numbers, float64 of shape (n_rows, n_outputs)."""
        if self.kind != "values":
            raise AttributeError(f"A target of {_KINDS[self.kind]} has no numbers.")
        return self.encoded

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.encoded)

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return int(self.encoded.shape[1])

    @property
    def n_classes(self) -> tuple[int, ...]:
        """Number of classes of each output; empty for numbers."""
        return tuple(len(classes) for classes in self.classes)

    def take(self, rows: Any) -> Target:
        """Some rows; the classes stay."""
        return replace(self, encoded=np.ascontiguousarray(self.encoded[rows]))

    def among(self, classes: Any) -> Target:
        """The same labels, whose classes are only some of those there are.

        Parameters
        ----------
        classes : array-like
            Labels that somebody knows, those of this target or others.

        Examples
        --------
        >>> target = Target.labels(["b", "d"]).among(["a", "d"])
        >>> target.classes[0], target.codes.ravel()
        (array(['a', 'b', 'd'], dtype='<U1'), array([1, 2], dtype=int32))
        """
        (own,) = self.classes
        every = np.unique(np.concatenate([own, np.asarray(classes)]))
        if len(every) == len(own):
            return self
        codes = np.searchsorted(every, own)[self.codes].astype(np.int32)
        return replace(self, encoded=codes, classes=(every,))

    def output(self, k: int) -> Target:
        """One output by itself."""
        return replace(
            self,
            encoded=np.ascontiguousarray(self.encoded[:, k : k + 1]),
            classes=self.classes[k : k + 1],
            flat=True,
        )

    def empty(self) -> Target:
        """The same classes and outputs without the rows: all that predicting needs."""
        return replace(self, encoded=np.empty((0, self.n_outputs), dtype=self.encoded.dtype))

    def native(self) -> native.Labels | native.Values:
        """The target as the engine takes it."""
        if self.kind == "labels":
            return native.Labels(self.encoded, self.n_classes)
        return native.Values(self.values)

    def decode(self, codes: Any) -> Array:
        """Labels of class codes, or numbers as they are.

        Parameters
        ----------
        codes : array-like of shape (n,) or (n, n_outputs)
            What was predicted.

        Returns
        -------
        ndarray of shape (n,) if there is one output, otherwise (n, n_outputs)
        """
        matrix = np.asarray(codes).reshape(len(codes), self.n_outputs)
        if self.kind == "labels":
            columns = [classes[matrix[:, k]] for k, classes in enumerate(self.classes)]
            kinds = {column.dtype.kind for column in columns}
            common = np.result_type(*columns) if len(kinds) == 1 else object
            matrix = np.stack([column.astype(common) for column in columns], axis=1)
        return matrix[:, 0] if self.n_outputs == 1 else matrix


def _read(y: Any, rows: Array | None, n_rows: int | None) -> tuple[list[Cells], bool]:
    """The columns of `y`, and whether it is one-dimensional."""
    if sparse.issparse(y):
        raise KindError(
            "sparse multilabel-indicator for y is not supported. Pass y.toarray() instead."
        )
    if nw.dependencies.is_into_series(y):
        series = nw.from_native(y, series_only=True)
        _check_length(len(series), n_rows)
        return [cells_of_series(series if rows is None else series[rows], "y")], True
    if nw.dependencies.is_into_dataframe(y):
        refuse_twins(y.column_names if hasattr(y, "column_names") else y.columns, "y")
        frame = nw.from_native(y, eager_only=True)
        _check_length(len(frame), n_rows)
        chosen = frame if rows is None else frame[rows]
        return [cells_of_series(c, f"y column {c.name!r}") for c in chosen.iter_columns()], False
    array = _as_array(y)
    _check_length(len(array), n_rows)
    chosen = array if rows is None else array[rows]
    if array.ndim == 1:
        return [cells_of_array(chosen, "y")], True
    return [cells_of_array(chosen[:, k], f"y column {k}") for k in range(array.shape[1])], False


def _as_array(y: Any) -> Array:
    try:
        array = unmask(y) if isinstance(y, np.ma.MaskedArray) else np.asarray(y)
    except ValueError as error:
        raise DataError(
            f"y cannot be converted to an array ({error}). Give every row the same number of "
            "values."
        ) from error
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise DataError(
            f"y should be a 1d array, got an array of shape {array.shape} instead. Pass one "
            "label or number per row, or one column per output."
        )
    if array.dtype.kind == "U" and not isinstance(y, np.ndarray):
        # NumPy writes the numbers of a mixed list as text, and drops zero bytes at the end.
        objects = np.asarray(y, dtype=object)
        return array if array.tolist() == objects.tolist() else objects
    return array


def _as_texts(y: Any) -> Any:
    """A list of texts and numbers as NumPy reads it, as text; anything else as it is."""
    mixed = isinstance(y, list | tuple) and {isinstance(label, str) for label in y} == {True, False}
    plain = mixed and all(isinstance(v, str) or (isinstance(v, Real) and v == v) for v in y)
    return np.asarray(y) if plain else y


def _check_length(length: int, n_rows: int | None) -> None:
    if n_rows is not None and length != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, length]}. X "
            "and y must have one row for each sample."
        )


def _unmarked(y: Any, mark: Any) -> Any:
    """Text and other objects in which the mark of unknown labels is a missing value."""
    if sparse.issparse(y) or nw.dependencies.is_into_dataframe(y):
        return y
    if nw.dependencies.is_into_series(y) and not isinstance(getattr(y, "dtype", None), np.dtype):
        return y  # of text alone, or numbers alone
    array = np.asarray(y) if hasattr(y, "dtype") else _as_array(y)
    if array.dtype.kind != "O":
        return y
    marked = array.copy()
    if mark is not None:
        marked[np.asarray(array == mark, dtype=bool)] = None
    return marked


def _learn_some(cells: Cells, flat: bool, mark: Any) -> tuple[Array, NDArray[np.int32]]:
    """Classes and codes, -1 for labels that are missing or marked."""
    if isinstance(cells, Numbers) and cells.values.dtype.kind in "fc":
        values = as_float(cells.values, cells.where)
        _check_whole(values[~np.isnan(values)], cells.where, flat)
    classes, codes = cells.learn()
    marked = [place for place, label in enumerate(classes.tolist()) if label == mark]
    if marked and mark is not None:
        (place,) = marked
        codes = np.where(codes == place, -1, codes - (codes > place)).astype(np.int32)
        classes = np.delete(classes, place)
    if not len(classes):
        raise DataError(
            f"{cells.where} has no label: all {len(codes)} entries are "
            f"{'' if mark is None else f'{mark!r} or '}missing (NaN). At least one labelled row "
            "of every class is needed."
        )
    return classes, codes


def _check_whole(values: Array, where: str, flat: bool) -> None:
    """Refuse numbers that cannot be labels."""
    _check_known(values, where)
    if (values != np.floor(values)).any():
        what = "continuous" if flat else "continuous-multioutput"
        raise DataError(
            f"Unknown label type: {what}. {where} contains continuous values, but a classifier "
            "needs classes. Use a regressor, or bin the values into classes first."
        )


def _learn_labels(cells: Cells, flat: bool) -> tuple[Array, NDArray[np.int32]]:
    if isinstance(cells, Numbers) and cells.values.dtype.kind in "fc":
        _check_whole(as_float(cells.values, cells.where), cells.where, flat)
    classes, codes = cells.learn()
    missing = int((codes < 0).sum())
    if missing:
        raise _missing_error(cells.where, missing, len(codes))
    return classes, codes


def _read_numbers(cells: Cells) -> NDArray[np.float64]:
    if not isinstance(cells, Numbers):
        classes, codes = cells.learn()
        if not len(classes):
            raise _missing_error(cells.where, len(codes), len(codes))
        raise KindError(
            f"{cells.where} contains {'categories' if isinstance(cells, Levels) else 'text'}, "
            "but a regressor needs numbers. Convert it to numbers, or use a classifier."
        )
    values = as_float(cells.values, cells.where).astype(np.float64, copy=False)
    _check_known(values, cells.where)
    large = int((np.abs(values) > _LARGEST).sum())
    if large:
        raise DataError(
            f"{cells.where}: {large} of {len(values)} values are larger than {_LARGEST:g} in "
            "magnitude, and their powers overflow. Rescale y, for example by dividing it by its "
            "largest magnitude."
        )
    largest = float(np.abs(values).max(initial=0.0))
    if 0.0 < largest < _SMALLEST:
        raise DataError(
            f"{cells.where}: no value is larger than {largest:g} in magnitude, and the powers of "
            "such small numbers underflow. Rescale y, for example by dividing it by its largest "
            "magnitude."
        )
    return values


def _check_known(values: Array, where: str) -> None:
    """Refuse NaN and infinity in a float array."""
    if np.isfinite(values).all():
        return
    missing, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    if missing:
        raise _missing_error(where, missing, len(values))
    raise DataError(
        f"Input {where} contains infinity or a value too large for {values.dtype!r} in {infinite} "
        f"of {len(values)} rows. Replace it with a finite number, or drop those rows."
    )


def _missing_error(where: str, missing: int, n: int) -> DataError:
    verb = "has" if missing == 1 else "have"
    return DataError(
        f"Input {where} contains NaN: {missing} of {n} rows {verb} no value. Drop those rows, or "
        "impute their values."
    )

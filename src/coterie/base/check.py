"""The scikit-learn edge: what an estimator admits at ``fit`` and at ``predict``.

Every check of values is made by `coterie.data`; this module adds what scikit-learn expects of an
estimator around it (``n_features_in_``, ``feature_names_in_``, its warnings and its wording).

1. `admit_fit` reads weights, ``X`` and ``y`` once, in that order, without touching the estimator.
2. The estimator fits on the `Table`, `Target` and weights it was handed.
3. `publish_columns` writes what was learnt about the columns, together with the other results, so
   that a fit which fails or is interrupted leaves the estimator as it was.
4. `admit_predict` reads new rows under the columns of the fit.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from coterie.data import DataError, OutputsError, Schema, Table, Target, open_source, read_weight

__all__ = ["Admitted", "Task", "admit_fit", "admit_predict", "publish_columns"]

#: What a committee predicts; "none" is for those that learn from ``X`` alone.
Task = Literal["classification", "regression", "ranking", "survival", "none"]


class Admitted(NamedTuple):
    """What a fit works on, rows of zero weight left out.

    Attributes
    ----------
    table : Table
        The columns of ``X``.
    target : Target
        ``y``, encoded; absent if the estimator has no use for it.
    weight : ndarray of shape (n_rows,) or None
        Positive weights; None stands for ones.
    kept : ndarray of int or None
        The rows of ``X`` that are in the table, or None when all are.
    """

    table: Table
    target: Target
    weight: NDArray[np.float64] | None
    kept: NDArray[np.intp] | None

    def take(self, rows: NDArray[np.intp]) -> Admitted:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Admitted(self.table.take(rows), self.target.take(rows), weight, None)


def admit_fit(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    task: Task,
    categorical: Any = None,
    min_classes: int = 1,
    multi_output: bool = True,
) -> Admitted:
    """Read everything a fit needs; the estimator itself is left alone.

    Parameters
    ----------
    estimator : estimator
        Named in messages. Labels may be unknown if its `unlabelled` is true, see `Target.labels`.
    X, y, sample_weight : array-like
        As passed to ``fit``. Rows of zero weight are dropped before anything else is looked at:
        what they hold does not matter, and a class found only in them does not exist, unless the
        estimator's `keeps_classes` is true.
    task : {"classification", "regression", "none"}
        Whether ``y`` holds labels or numbers, or is not looked at.
    categorical : None, mask, indices or names
        See `Table.read`.
    min_classes : int, default=1
        The fewest classes that a single output must show.
    multi_output : bool, default=True
        Whether ``y`` may have several columns.

    Returns
    -------
    Admitted
    """
    owner = type(estimator).__name__
    if y is None and task != "none":
        raise DataError(
            f"This {owner} estimator requires y to be passed, but the target y is None."
        )
    source = open_source(X, owner=owner)
    weight, kept = read_weight(sample_weight, source.n_rows)
    rows = kept, source.n_rows
    target = admit_target(
        estimator, y, *rows, task=task, min_classes=min_classes, multi_output=multi_output
    )
    table = Table.read(
        source if kept is None else source.take(kept),
        categorical=categorical,
        infinite=getattr(estimator, "infinities", False),
    )
    return Admitted(table, target, weight, kept)


def admit_target(
    estimator: Any,
    y: Any,
    kept: NDArray[np.intp] | None,
    n_rows: int,
    *,
    task: Task,
    min_classes: int = 1,
    multi_output: bool = True,
) -> Target:
    """Read the target of the rows that are kept of `n_rows`; see `admit_fit`."""
    if task == "none":
        return Target.absent(n_rows if kept is None else len(kept))
    if task == "regression":
        target = Target.numbers(y, rows=kept, n_rows=n_rows)
    else:
        target = _read_labels(estimator, y, kept, n_rows)
    _check_outputs(target, multi_output=multi_output)
    if target.n_outputs == 1:
        _check_classes(target, min_classes, type(estimator).__name__)
    return target


def _read_labels(estimator: Any, y: Any, kept: Any, n_rows: int) -> Target:
    """Labels of the rows that are kept; the others' classes are there if the estimator says so."""
    some = getattr(estimator, "unlabelled", False)
    if kept is not None and getattr(estimator, "keeps_classes", False):
        try:
            return Target.labels(y, n_rows=n_rows).take(kept)
        except DataError:  # what rows without weight hold does not matter
            pass
    mark = getattr(estimator, "unlabeled", -1)
    return Target.labels(y, rows=kept, n_rows=n_rows, unlabelled=some, mark=mark)


def admit_predict(estimator: Any, X: Any) -> Table:
    """New rows under the columns that `publish_columns` noted on the estimator.

    Raises
    ------
    DataError
        When the columns are not those of the fit, in scikit-learn's words.
    """
    infinite = getattr(estimator, "infinities", False)
    return Table.under(estimator.schema_, X, owner=type(estimator).__name__, infinite=infinite)


def publish_columns(estimator: Any, schema: Schema) -> None:
    """Set ``schema_``, ``n_features_in_`` and, for named columns, ``feature_names_in_``."""
    estimator.schema_ = schema
    estimator.n_features_in_ = schema.n_columns
    if schema.names is not None:
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        # A former fit saw named columns; scikit-learn takes the attribute for a promise.
        del estimator.feature_names_in_


def _check_outputs(target: Target, *, multi_output: bool) -> None:
    if target.flat:
        return
    if target.n_outputs == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the "
            "shape of y to (n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=5,
        )
    elif not multi_output:
        shape = (target.n_rows, target.n_outputs)
        raise OutputsError(
            f"y should be a 1d array, got an array of shape {shape} instead. Fit one estimator "
            "per column, for example with sklearn.multioutput."
        )


def _check_classes(target: Target, min_classes: int, owner: str) -> None:
    for classes in target.classes:
        if len(classes) < min_classes:
            found = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
            raise DataError(
                f"y contains {found} after sample_weight trimmed classes with zero weights, while "
                f"a minimum of {min_classes} classes are required. {owner} found "
                f"{classes.tolist()}: add rows of another class."
            )

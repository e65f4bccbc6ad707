"""What a model says about the rows of a file, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import counted
from coterie.files.errors import CommandError
from coterie.files.formats import ReadOptions
from coterie.files.kinds import Columns
from coterie.files.models import Fitted
from coterie.files.table import find_columns, open_blocks, open_file

__all__ = ["Answers", "chances_or_numbers", "gather_answers", "truth_codes", "without_target"]

Array = NDArray[np.float64]


@dataclass
class Answers:
    """What a model said about all rows of a file, beside the truth.

    Attributes
    ----------
    task : {"classification", "regression"}
        What was predicted.
    truth : ndarray of shape (n,)
        Codes of classes, or numbers.
    said : ndarray of shape (n, classes) or (n,)
        Probabilities, or numbers.
    notes : list of str
        What may surprise.
    """

    task: str
    truth: Any
    said: Array
    notes: list[str] = field(default_factory=list)


def chances_or_numbers(fitted: Fitted, table: Any) -> Array:
    """Probabilities of the classes, or the predicted numbers.

    A classifier that gives no probabilities gives one to the class it names.
    """
    rows = fitted.matrix(table)
    if fitted.classes is None:
        return np.asarray(fitted.model.predict(rows), dtype=np.float64).ravel()
    if hasattr(fitted.model, "predict_proba"):
        return np.asarray(fitted.model.predict_proba(rows), dtype=np.float64)
    said = np.asarray(fitted.model.predict(rows))
    return (said[:, None] == np.asarray(fitted.classes)[None, :]).astype(np.float64)


def gather_answers(fitted: Fitted, path: Path, target: str | None, options: ReadOptions) -> Answers:
    """Ask a model about all rows of a file, and read their truth.

    Parameters
    ----------
    fitted : Fitted
        The model.
    path : Path
        The file.
    target : str or None
        The column of the truth, if the model does not know it.
    options : ReadOptions
        What the user said about the file.
    """
    blocks, notes = truth_blocks(fitted, path, target, options)
    truth, said, lost = [], [], 0
    for table, cells in blocks:
        known = np.asarray(cells.is_valid())
        lost += int((~known).sum())
        if known.any():
            table, cells = table.filter(known), cells.filter(known)
            truth.append(truth_codes(fitted, cells, path))
            said.append(chances_or_numbers(fitted, table))
    if not truth:
        raise CommandError("no row has a target value.", file=path)
    if lost:
        notes.append(without_target(lost))
    task = "regression" if fitted.classes is None else "classification"
    return Answers(task, np.concatenate(truth), np.concatenate(said), notes)


def without_target(number: int) -> str:
    """What is said of rows whose target is missing."""
    verb = "is" if number == 1 else "are"
    return f"{counted(number, 'row')} without a target value {verb} ignored"


def truth_blocks(
    fitted: Fitted, path: Path, target: str | None, options: ReadOptions
) -> tuple[Iterator[tuple[Any, Any]], list[str]]:
    """Blocks of rows, each with its column of truth."""
    columns, options = fitted.columns(path, options)
    source = open_file(path, options)
    name = fitted.target_column(target, source)
    known = getattr(fitted.model, "file_columns_", {"kinds": {}})["kinds"]
    kind = known.get(name) or find_columns(source, options)[0].kinds[name]
    both = Columns({**columns.kinds, name: kind}, columns.missing)
    blocks, notes = open_blocks(path, both, options, spare=fitted.targets)
    return ((table.drop_columns([name]), table.column(name)) for table in blocks), notes


def truth_codes(fitted: Fitted, cells: Any, path: Path) -> Any:
    """The truth as codes of the model's classes, or as numbers."""
    values = np.asarray(cells.to_pylist())
    if fitted.classes is None:
        try:
            return values.astype(np.float64)
        except ValueError:
            raise CommandError(
                "the model predicts numbers, but the target contains text.", file=path
            ) from None
    classes = np.asarray(fitted.classes)
    if values.dtype.kind != classes.dtype.kind and "U" in (values.dtype.kind, classes.dtype.kind):
        values, classes = values.astype(str), classes.astype(str)
    order = np.argsort(classes)
    places = np.searchsorted(classes, values, sorter=order).clip(max=len(classes) - 1)
    codes = order[places]
    unknown = classes[codes] != values
    if unknown.any():
        listed = ", ".join(map(str, np.unique(values[unknown])[:5]))
        raise CommandError(
            f"{int(unknown.sum()):,} rows have classes that the model does not know: {listed}.",
            f"It knows {', '.join(map(str, classes[:12]))}. Remove those rows.",
            file=path,
        )
    return codes

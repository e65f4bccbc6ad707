"""What a model says about one row, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from coterie.files.attributions import sampled_shapley
from coterie.files.exact import Parts, exact_shapley
from coterie.files.file_predictions import chances_or_numbers
from coterie.files.formats import ReadOptions
from coterie.files.table import open_blocks
from coterie.serve.bodies import read_body, table_of
from coterie.serve.predictions import Wish, asked, columns_of
from coterie.serve.problems import Problem

_BACKGROUND = 500
_NEAREST = 5


def what_if(served: Any, path: Path, row: Any) -> dict[str, Any]:
    """The answer for a row, what its columns add, how members vote, and rows that are alike.

    Parameters
    ----------
    served : Served
        The model.
    path : Path
        The table it was fitted on.
    row : dict
        Values by column; None is missing.

    Returns
    -------
    dict
    """
    if not isinstance(row, dict):
        raise Problem("A row must be an object that maps columns to values.", "Send one.")
    fitted = served.fitted
    rows = read_body(fitted, "application/json", json.dumps([row]).encode(), 1)
    table = table_of(fitted, rows)
    said = asked(served, table)
    wish = Wish(probabilities=fitted.classes is not None)
    answer = {
        key: cells.tolist()[0] for key, cells in columns_of(served, table, said, wish).items()
    }
    columns, options = fitted.columns(path, ReadOptions())
    background = next(open_blocks(path, columns, options)[0]).slice(0, _BACKGROUND)
    background = background.select(table.column_names)
    return {
        "answer": answer,
        "adds": _adds(fitted, table, background),
        "members": _member_votes(fitted, table),
        "nearest": _nearest(fitted, table, background),
    }


def _adds(fitted: Any, row: Any, background: Any) -> dict[str, Any]:
    """Shapley values of the answer: exact where the engine can, otherwise sampled."""
    best = None if fitted.classes is None else int(chances_or_numbers(fitted, row)[0].argmax())

    def ask(table: Any) -> Any:
        said = chances_or_numbers(fitted, table)
        return said if best is None else said[:, best]

    parts = exact_shapley(fitted, row, background, best)
    if parts is None:
        parts = Parts(*sampled_shapley(ask, row, background), "sampled")
    values = dict(zip(row.column_names, np.asarray(parts.values).tolist(), strict=True))
    return {"base": float(parts.base), "method": parts.method, "values": values}


def _member_votes(fitted: Any, table: Any) -> list[dict[str, Any]]:
    """What each member of the ensemble says about the first row."""
    model = fitted.model
    cells, found = model._admit(fitted.matrix(table)), []
    for member, seat in zip(model.members_, model.pool_.members, strict=True):
        answer = np.atleast_1d(np.asarray(seat.ask(seat.cells(cells)))[0])
        says = [float(f"{value:.6g}") for value in answer]
        found.append({"name": member.name, "weight": float(member.weight), "says": says})
    return found


def _nearest(fitted: Any, row: Any, background: Any) -> list[dict[str, Any]]:
    """Training rows that fall into the same leaves most often: their share, and their values."""
    model = fitted.model
    one, many = (model._admit(fitted.matrix(table)) for table in (row, background))
    shares = []
    for member, seat in zip(model.members_, model.pool_.members, strict=True):
        for fold in member.models:
            if hasattr(fold, "apply"):
                here, there = (np.asarray(fold.apply(seat.cells(table))) for table in (one, many))
                shares.append((there == here).reshape(len(there), -1).mean(axis=1))
    if not shares:
        return []
    mean = np.mean(shares, axis=0)
    order = np.argsort(-mean, kind="stable")[:_NEAREST]
    values = background.take(order).to_pylist()
    return [
        {"share": float(mean[k]), "row": {name: str(cell) for name, cell in cells.items()}}
        for k, cells in zip(order, values, strict=True)
    ]

"""Models fitted for the explorer, and rows that they do not see."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from coterie.studio.plane import take_rows
from coterie.studio.scene import Rows

#: Fewer rows are too few to hold some out.
_ENOUGH = 60
_HELD = 0.25


def hold_out_rows(rows: Rows, *, stratified: bool, seed: int = 0) -> Rows:
    """A quarter of the rows to measure the error on, if there are enough of them."""
    if len(rows.y) < _ENOUGH:
        return rows
    groups = rows.y if stratified and np.unique(rows.y, return_counts=True)[1].min() > 1 else None
    learn, held = train_test_split(
        np.arange(len(rows.y)), test_size=_HELD, random_state=seed, stratify=groups
    )
    learn, held = np.sort(learn), np.sort(held)
    X, y = rows.X, rows.y
    return Rows(take_rows(X, learn), y[learn], take_rows(X, held), y[held])


def fit_with_weights(model: Any, X: Any, y: Any) -> Any:
    """A fitted copy that kept its row weights; random, but the same each time."""
    copy, known = clone(model), model.get_params(deep=False)
    if known.get("trace", "") is None:
        copy.set_params(trace="weights")
    if known.get("random_state", 0) is None:
        copy.set_params(random_state=0)
    return copy.fit(X, y)

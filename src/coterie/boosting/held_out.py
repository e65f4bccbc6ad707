"""Rows to watch: a part of the training rows, or rows that were given for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from coterie.base import Admitted
from coterie.data import DataError, Table, Target, open_source, read_weight


class Validation(NamedTuple):
    """Rows to watch, as they are passed to ``fit``."""

    X: Any
    y: Any
    sample_weight: Any = None


def watch_seed(entropy: int) -> int:
    """The seed by which rows to watch are drawn, from that of the whole fit."""
    return int(np.random.SeedSequence(entropy, spawn_key=(2**31,)).generate_state(1)[0])


def draw_watched(
    n_rows: int, share: float, seed: int, strata: NDArray[Any] | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows to watch, both ascending; each stratum by its share.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    share : float
        The share to watch, or their number.
    seed : int
        Seed of the draw.
    strata : ndarray of shape (n_rows,) or None
        What is to be the same in both parts, such as classes.
    """
    learn, watch = train_test_split(
        np.arange(n_rows), test_size=share, random_state=seed, stratify=strata
    )
    return np.sort(learn), np.sort(watch)


def split(admitted: Admitted, fraction: float, seed: int) -> tuple[Admitted, Admitted]:
    """Rows to learn from, and rows to watch: a random part, with its share of every class."""
    target = admitted.target
    strata = target.encoded[:, 0] if target.kind == "labels" and target.n_outputs == 1 else None
    learn, watch = draw_watched(target.n_rows, fraction, seed, strata)
    return _part(admitted, learn), _part(admitted, watch)


def _part(admitted: Admitted, rows: NDArray[np.intp]) -> Admitted:
    table, target, weight, _ = admitted
    part = None if weight is None else weight[rows]
    return Admitted(table.take(rows), target.take(rows), part, None)


def admit_validation(owner: str, learn: Admitted, given: Validation) -> Admitted:
    """Rows to watch, read under the columns and classes of the rows to learn from.

    Parameters
    ----------
    owner : str
        Named in messages.
    learn : Admitted
        The rows to learn from.
    given : Validation
        The rows to watch.
    """
    if given.X is None or given.y is None:
        raise ValueError("Give X_val and y_val together, or none of them.")
    source = open_source(given.X, owner=owner)
    weight, kept = read_weight(given.sample_weight, source.n_rows)
    labels = learn.target.kind == "labels"
    read = Target.labels if labels else Target.numbers
    target = read(given.y, rows=kept, n_rows=source.n_rows)
    if target.n_outputs != learn.target.n_outputs:
        raise DataError(
            f"y_val has {target.n_outputs} columns, but y has {learn.target.n_outputs}."
        )
    if labels:
        target = under_classes(learn.target, target)
    schema = learn.table.schema
    rows = given.X if kept is None else source.take(kept)
    return Admitted(Table.under(schema, rows, owner=owner), target, weight, kept)


def under_classes(known: Target, target: Target) -> Target:
    """The target of rows to watch with the classes of the rows to learn from."""
    columns = []
    for k, classes in enumerate(target.classes):
        place = {label: code for code, label in enumerate(known.classes[k].tolist())}
        unknown = [label for label in classes.tolist() if label not in place]
        if unknown:
            raise DataError(
                f"y_val holds {unknown[0]!r}, which is not one of the classes in y. Leave such "
                "rows out."
            )
        codes = np.array([place[label] for label in classes.tolist()], dtype=np.int32)
        columns.append(codes[target.codes[:, k]])
    return replace(known, encoded=np.stack(columns, axis=1))

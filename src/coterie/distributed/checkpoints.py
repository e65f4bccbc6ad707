"""Fits on a cluster that survive the loss of the driver."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.base.atomic import write_whole
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.native import Forest

_FOREST = (
    *("nodes", "n_samples", "weight", "impurity", "values"),
    *("node_offsets", "leaf_offsets", "category_offsets", "categories"),
)


class Rounds(NamedTuple):
    """The rounds of a run that were kept."""

    pool: Pool
    trace: Trace


@dataclass
class Store:
    """Where the runs of a fit keep their rounds.

    Parameters
    ----------
    path : Path
        The file of the first run; those of others have their numbers added.
    every : int
        Number of rounds between saves.
    """

    path: Path
    every: int
    begun: int = field(default=0)

    def next_file(self) -> StoredRun:
        """The file of the next run of the fit."""
        number, self.begun = self.begun, self.begun + 1
        name = self.path if not number else self.path.with_name(f"{self.path.name}.{number}")
        return StoredRun(name, self.every)

    def remove(self) -> None:
        """Remove what was kept."""
        start = f"{self.path.name}."
        # Only those with numbers: others may be the user's, such as the model beside them.
        for path in self.path.parent.iterdir():
            numbered = path.name.startswith(start) and path.name[len(start) :].isdecimal()
            if path == self.path or numbered:
                path.unlink(missing_ok=True)


#: The store of the fit that is under way in this thread.
CURRENT: ContextVar[Store | None] = ContextVar("checkpoint", default=None)


@contextmanager
def checkpointed(path: str | os.PathLike[str], *, every: int = 10) -> Iterator[None]:
    """Save the rounds of a fit on a Dask collection to a file, and resume from it.

    A fit within this context saves its state every `every` rounds. If the file already exists, the
    fit continues after the saved rounds; the model is the same as that of an uninterrupted fit. The
    file is removed when the fit is finished.

    Parameters
    ----------
    path : path
        The file.
    every : int, default=10
        Number of rounds between saves.

    Examples
    --------
    >>> from coterie.distributed import checkpointed
    >>> with checkpointed("late.checkpoint", every=20):
    ...     pass  # model.fit(trips, late)
    """
    if every < 1:
        raise ValueError(f"every={every!r} is not allowed; use a number of rounds >= 1.")
    store = Store(Path(path), every)
    token = CURRENT.set(store)
    try:
        yield
        store.remove()
    finally:
        CURRENT.reset(token)


@dataclass(frozen=True)
class StoredRun:
    """The file of one run.

    Parameters
    ----------
    path : Path
        Where it is.
    every : int
        Number of rounds between saves.
    """

    path: Path
    every: int

    def write(self, rounds: Rounds, facts: dict[str, Any]) -> None:
        """Keep the rounds of a run; `facts` tell it from others."""
        forest = rounds.pool.forest
        arrays = {name: getattr(forest, name) for name in _FOREST}
        known = {"facts": facts, "rounds": rounds.trace.rounds, "width": rounds.pool.width}
        known["n_features"] = forest.n_features
        buffer = io.BytesIO()
        np.savez(buffer, rates=rounds.pool.weights, known=_bytes(known), **arrays)
        write_whole(self.path, [buffer.getbuffer()])

    def read(self, facts: dict[str, Any]) -> Rounds | None:
        """The rounds that were kept, or None; those of another fit are refused."""
        if not self.path.exists():
            return None
        try:
            written, rounds = _read(self.path)
        except Exception as error:  # whatever is wrong with an archive, and with what it holds
            raise ValueError(
                f"{self.path} is damaged ({error}). Remove it, and start the fit again."
            ) from error
        if written != json.loads(json.dumps(facts)):
            others = [name for name in facts if written.get(name) != facts[name]]
            raise ValueError(
                f"{self.path} was written by another fit: {', '.join(others)} differ. Use the same "
                "data, parameters and random_state (a number), or remove the file."
            )
        return rounds


def _read(path: Path) -> tuple[dict[str, Any], Rounds]:
    """The facts and the rounds of a file."""
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as kept:
        known = json.loads(kept["known"].tobytes())
        forest = Forest(**{name: kept[name] for name in _FOREST}, n_features=known["n_features"])
        pool = Pool(forest, kept["rates"], known["width"])
    facts, rounds = known["facts"], known["rounds"]
    if not isinstance(facts, dict) or len(pool) != len(rounds):
        raise ValueError("its parts are inconsistent")
    return facts, Rounds(pool, Trace(rounds))


def _bytes(known: dict[str, Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(known).encode(), dtype=np.uint8)

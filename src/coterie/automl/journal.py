"""What a search has done so far, on disk, so that a killed one can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base.atomic import write_whole
from coterie.combining.members import Seat

Array = NDArray[np.float64]


@dataclass
class Journal:
    """Finished candidates in a folder, one file of facts and one of predictions each.

    A file appears whole or not at all: it is written under another name first. A search with the
    same data, settings and seed finds its own subfolder again and goes on where it was; others
    have subfolders of their own.

    Parameters
    ----------
    directory : str or Path
        Where to write; made if it is not there.
    save : callable, optional
        ``save(model, path)``: keeps fitted models too. Without it the models of the members that
        are chosen are fitted anew when a search is resumed.
    load : callable, optional
        ``load(path)``, which returns what was saved.

    Examples
    --------
    >>> import tempfile
    >>> page = Journal(tempfile.mkdtemp()).open("abc")
    >>> page.write("linear", {"elapsed": 1.0}, np.zeros((3, 1)))
    >>> page.read("linear")[0]["elapsed"]
    1.0
    """

    directory: str | Path
    save: Callable[[Any, Any], Any] | None = None
    load: Callable[[Any], Any] | None = None

    def open(self, fingerprint: str) -> Page:
        """The part of the journal that belongs to one search."""
        folder = Path(self.directory) / fingerprint[:16]
        folder.mkdir(parents=True, exist_ok=True)
        return Page(folder, self.save, self.load)


@dataclass(frozen=True)
class Page:
    """The journal of one search.

    Parameters
    ----------
    folder : Path
        Where its files are.
    save, load : callable or None
        See `Journal`.
    """

    folder: Path
    save: Callable[[Any, Any], Any] | None = None
    load: Callable[[Any], Any] | None = None

    def write(self, name: str, facts: dict[str, Any], unseen: Array | None = None) -> None:
        """Note a candidate; predictions first, since the facts say that all is there."""
        stem = _stem(name)
        if unseen is not None:
            held = BytesIO()
            np.save(held, unseen)
            write_whole(self.folder / f"{stem}.npy", [held.getbuffer()])
        text = json.dumps({"name": name, **facts}).encode()
        write_whole(self.folder / f"{stem}.json", [text])

    def read(self, name: str) -> tuple[dict[str, Any], Array | None] | None:
        """What was noted of a candidate, if anything."""
        facts = self.folder / f"{_stem(name)}.json"
        if not facts.is_file():
            return None
        values = facts.with_suffix(".npy")
        unseen = np.load(values, allow_pickle=False) if values.is_file() else None
        return json.loads(facts.read_bytes()), unseen

    def keep(self, name: str, models: list[Seat]) -> None:
        """Save the models of a candidate, if there is a way to."""
        if self.save is None or self.load is None:
            return
        for number, seat in enumerate(models):
            path = self._model(name, number)
            part = path.with_suffix(".part")
            self.save(seat.estimator, part)
            os.replace(part, path)

    def models(self, name: str, number: int) -> list[Any] | None:
        """The models of a candidate, None if they were not saved."""
        paths = [self._model(name, k) for k in range(number)]
        if self.load is None or not all(path.exists() for path in paths):
            return None
        return [self.load(path) for path in paths]

    def _model(self, name: str, number: int) -> Path:
        return self.folder / f"{_stem(name)}-{number}.model"

    @property
    def elapsed(self) -> float:
        """Seconds the search had used when it last noted something."""
        times = [json.loads(path.read_bytes())["elapsed"] for path in self.folder.glob("*.json")]
        return max(times, default=0.0)


def _stem(name: str) -> str:
    plain = "".join(c if c.isalnum() else "-" for c in name)
    return f"{plain}-{sum(map(ord, name)) % 9973}"

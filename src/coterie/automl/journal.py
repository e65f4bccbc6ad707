"""What a search has done so far, on disk, so that a killed one can go on."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.base.atomic import write_whole
from coterie.learners import ForeignMember

Array = NDArray[np.float64]

_FACTS, _PREDICTIONS = "sha256", "predictions_sha256"  # checksums among the facts


@dataclass
class Journal:
    """The finished candidates of a search, stored in a directory so that it can be resumed.

    Files are written atomically. A search with the same data, settings and seed finds its own
    subdirectory again and continues where it stopped; every other search has a separate
    subdirectory.

    Parameters
    ----------
    directory : str or Path
        Where to write; created if it does not exist.
    save : callable, optional
        ``save(model, path)``: stores fitted models as well. Without it, the models of the chosen
        members are refitted when a search is resumed.
    load : callable, optional
        ``load(path)``, which returns what was saved.
    planned : float, optional
        The time limit that determined the splits, if the search started with a different one. A
        search can continue with more time if the rows are split in the same way.

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
    planned: float | None = None

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
        told = {"name": name, **facts}
        if unseen is not None:
            held = BytesIO()
            np.save(held, unseen)
            told[_PREDICTIONS] = _digest(held.getbuffer())
            write_whole(self.folder / f"{stem}.npy", [held.getbuffer()])
        told[_FACTS] = _digest(json.dumps(told).encode())
        write_whole(self.folder / f"{stem}.json", [json.dumps(told).encode()])

    def read(self, name: str) -> tuple[dict[str, Any], Array | None] | None:
        """What was noted of a candidate, if anything; nothing, with a warning, if it is damaged."""
        path = self.folder / f"{_stem(name)}.json"
        if not path.is_file():
            return None
        facts = _facts(path)
        if facts is None:
            _warn_damaged(path, name)
            return None
        expected = facts.pop(_PREDICTIONS, None)
        if expected is None:
            return facts, None
        values = path.with_suffix(".npy")
        held = values.read_bytes() if values.is_file() else b""
        if _digest(held) != expected:
            _warn_damaged(values, name)
            return None
        return facts, np.load(BytesIO(held), allow_pickle=False)

    def keep(self, name: str, models: list[ForeignMember]) -> None:
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
        found = []
        for path in paths:
            try:
                found.append(self.load(path))
            except (ValueError, OSError):
                _warn_damaged(path, name)
                return None
        return found

    def _model(self, name: str, number: int) -> Path:
        return self.folder / f"{_stem(name)}-{number}.model"

    @property
    def elapsed(self) -> float:
        """Seconds the search had used when it last noted something."""
        found = [_facts(path) for path in self.folder.glob("*.json")]
        return max((facts["elapsed"] for facts in found if facts), default=0.0)


def _facts(path: Path) -> dict[str, Any] | None:
    """What a file of facts says; None if it is not as it was written."""
    try:
        facts = json.loads(path.read_bytes())
        expected = facts.pop(_FACTS)
    except (ValueError, AttributeError, KeyError, TypeError):
        return None
    return facts if _digest(json.dumps(facts).encode()) == expected else None


def _digest(data: Any) -> str:
    return hashlib.sha256(data).hexdigest()


def _warn_damaged(path: Path, name: str) -> None:
    warnings.warn(
        f"{path} is damaged or was modified, so {name!r} is fitted again.",
        UserWarning,
        stacklevel=3,
    )


def _stem(name: str) -> str:
    """Part of the names of files: another candidate has another one, whatever it is called."""
    plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in name[:40])
    return f"{plain}-{_digest(name.encode())[:12]}"

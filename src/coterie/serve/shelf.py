"""The models of a server: names, versions, and files that are replaced while it runs."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie.files.errors import CommandError, nearest
from coterie.files.models import MODEL_FILE, Fitted, load_model, model_file
from coterie.serve.problems import Problem

__all__ = ["Served", "Shelf"]

_log = logging.getLogger("coterie.serve")


@dataclass(frozen=True)
class Served:
    """A model in service.

    Attributes
    ----------
    name, version : str
        What clients call it.
    fitted : Fitted
        The model.
    stamp : tuple of int
        What its file looked like: device, number, size and time of change.
    loaded : float
        When it was loaded, in seconds since 1970.
    """

    name: str
    version: str
    fitted: Fitted
    stamp: tuple[int, ...]
    loaded: float = field(default_factory=time.time)

    def kinds(self) -> dict[str, str]:
        """What each column holds, as far as the model knows."""
        known = getattr(self.fitted.model, "file_columns_", {"kinds": {}})["kinds"]
        return {name: known.get(name, "any") for name in self.fitted.given_names}


@dataclass
class Shelf:
    """Models by name and version.

    A file is taken up again when it was replaced; if the new one cannot be loaded, the old model
    stays in service and the failure is logged and counted.

    Parameters
    ----------
    paths : tuple of str
        Paths, each with an optional ``name=`` before it.
    trusted : tuple of str
        Foreign types that may be loaded.
    """

    paths: tuple[str, ...]
    trusted: tuple[str, ...] = ()
    served: dict[str, dict[str, Served]] = field(default_factory=dict)
    failures: dict[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    n_reloads: int = 0
    n_failures: int = 0

    def open(self) -> Shelf:
        """Load every model; the first that cannot be loaded is an error."""
        for name, version, path in self._files():
            if version in self.served.get(name, {}):
                raise CommandError(
                    f'two models are called "{name}".', "Name them: coterie serve a=PATH b=PATH"
                )
            self._load(name, version, path)
        return self

    def look(self) -> None:
        """Take up files that were replaced or added, and drop versions that are gone."""
        try:
            files = list(self._files())
        except (CommandError, OSError) as error:  # a folder may be gone, or on its way
            _log.warning("models", extra={"facts": {"problem": str(error)}})
            return
        for name, version, path in files:
            stamp = _stamp(path)
            old = self.served.get(name, {}).get(version)
            if stamp is None or (old is not None and old.stamp == stamp):
                continue
            if self.failures.get((name, version)) != stamp:
                self._try(name, version, path, stamp)
        self._drop({(name, version) for name, version, _ in files})

    def _try(self, name: str, version: str, path: Path, stamp: tuple[int, ...]) -> None:
        facts = {"model": name, "version": version}
        try:
            self._load(name, version, path)
        except Exception as error:  # whatever is wrong with the file, the old model goes on
            self.failures[name, version] = stamp
            self.n_failures += 1
            _log.error("reload failed", extra={"facts": facts | {"problem": str(error)}})
        else:
            self.failures.pop((name, version), None)
            self.n_reloads += 1
            _log.info("reloaded", extra={"facts": facts})

    def _drop(self, present: set[tuple[str, str]]) -> None:
        """Forget versions whose directory is gone, except the last one of a model."""
        for name, versions in self.served.items():
            gone = [version for version in versions if (name, version) not in present]
            if len(gone) < len(versions):
                self.served[name] = {v: one for v, one in versions.items() if v not in gone}

    def _load(self, name: str, version: str, path: Path) -> None:
        stamp = _stamp(path)
        fitted = load_model(path, self.trusted)
        if not hasattr(fitted.model, "predict"):
            raise CommandError("contains a model that cannot predict.", file=path)
        one = Served(name, version, fitted, stamp or ())
        # A new dictionary in one step: requests may be looking at the old one.
        self.served = self.served | {name: self.served.get(name, {}) | {version: one}}

    def _files(self) -> list[tuple[str, str, Path]]:
        found = []
        for said in self.paths:
            name, mark, rest = said.partition("=")
            path = Path(rest if mark else said)
            name = name if mark else _name(path)
            numbered = (
                sorted(
                    (entry for entry in path.iterdir() if entry.name.isdecimal()),
                    key=lambda entry: int(entry.name),
                )
                if path.is_dir() and not (path / MODEL_FILE).exists()
                else []
            )
            found += [(name, entry.name, model_file(entry)) for entry in numbered]
            if not numbered:
                found.append((name, "1", model_file(path)))
        return found

    def find(self, name: str | None, version: str | None = None) -> Served:
        """A model by its name and version; the only one and the newest, if none is named."""
        if name is None:
            if len(self.served) > 1:
                raise Problem(
                    "There are several models.", f"Choose one: {', '.join(self.served)}.", 400
                )
            name = next(iter(self.served))
        versions = self.served.get(name)
        if versions is None:
            raise Problem(f'There is no model "{name}".', nearest(name, self.served), 404)
        version = version or max(versions, key=int)
        if version not in versions:
            raise Problem(
                f'Model "{name}" has no version {version!r}.',
                f"Available: {', '.join(versions)}.",
                404,
            )
        return versions[version]

    def all(self) -> list[Served]:
        """Every model in every version."""
        return [one for versions in self.served.values() for one in versions.values()]


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found: Any = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _name(path: Path) -> str:
    path = path.resolve()
    return (
        path.name if path.is_dir() else path.parent.name if path.name == MODEL_FILE else path.stem
    )

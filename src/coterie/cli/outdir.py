"""The directory of a fit: what is in it, and whether a fit may begin or go on there."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from coterie.files.errors import CommandError
from coterie.files.models import MODEL_FILE

__all__ = ["CONTENT", "PLANNED", "FitDirectory", "file_digest"]

CONTENT, PLANNED = "sha256", "planned_time"


@dataclass(frozen=True)
class FitDirectory:
    """Where a fit keeps its model, its report and its journal.

    Attributes
    ----------
    path : Path
        The directory.
    """

    path: Path

    @property
    def model(self) -> Path:
        """The model's file."""
        return self.path / MODEL_FILE

    @property
    def report(self) -> Path:
        """The page about the model."""
        return self.path / "report.html"

    @property
    def journal(self) -> Path:
        """What a fit has finished so far."""
        return self.path / "run"

    @property
    def settings(self) -> Path:
        """How the fit was asked for."""
        return self.journal / "settings.json"

    @property
    def _before_it(self) -> Path:
        """What an earlier fit left, until the model that replaces it is there."""
        return self.journal / "before"

    def check(self, settings: dict[str, Any], *, resume: bool, overwrite: bool) -> None:
        """Say why the fit cannot take place there, if so; nothing is written yet.

        Parameters
        ----------
        settings : dict
            All that decides about the result, as plain data.
        resume, overwrite : bool
            Whether to go on with an earlier fit, or to remove it.
        """
        if self.path.exists() and not self.path.is_dir():
            raise CommandError("is a file.", "Name a directory with --out.", file=self.path)
        if resume and self.settings.exists():
            free = {"time", PLANNED} if PLANNED in settings else set()
            self._compare(self._before(), {k: v for k, v in settings.items() if k not in free})
        elif not (resume or overwrite) and (self.model.exists() or self.settings.exists()):
            what = "a model" if self.model.exists() else "an unfinished fit"
            raise CommandError(
                f"already contains {what}.",
                "Continue with --resume, start over with --overwrite, or choose another --out.",
                file=self.path,
            )

    def earlier_time(self) -> tuple[float, float]:
        """The time limits of the fit that is there: when it began, and the last one."""
        if not self.settings.exists():
            raise CommandError(
                "contains no fit to resume.",
                "Run the command without --resume and without the + in --time.",
                file=self.path,
            )
        before = self._before()
        try:
            return float(before.get(PLANNED, before["time"])), float(before["time"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged() from error

    def _before(self) -> dict[str, Any]:
        """How the fit that is to be resumed was asked for."""
        try:
            found = json.loads(self.settings.read_text(encoding="utf-8"))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise self._damaged()
        return found

    def _damaged(self) -> CommandError:
        return CommandError(
            "is damaged, so the fit cannot be resumed.",
            "Start over with --overwrite.",
            file=self.settings,
        )

    def withdraw(self) -> None:
        """Remove the traces of a fit that failed: what it was to replace is there again.

        Of a fit that was to replace nothing, candidates that were finished stay, to be resumed.
        """
        if self.model.exists():
            return
        if self._put_back():
            shutil.rmtree(self.journal)
            return
        left = [path for path in self.journal.rglob("*") if path.is_file()]
        if left in ([self.settings], []):
            shutil.rmtree(self.journal, ignore_errors=True)

    def begin(self, settings: dict[str, Any], *, anew: bool) -> None:
        """Make the directory ready; `anew` puts aside what an earlier fit left there."""
        if anew:
            self._put_back()  # if the last attempt to replace it was killed
            shutil.rmtree(self.journal, ignore_errors=True)
        self.journal.mkdir(parents=True, exist_ok=True)
        if anew:
            self._put_aside()
        self._write("run/settings.json", json.dumps(settings, indent=2))

    def _put_aside(self) -> None:
        """Move what an earlier fit wrote, and nothing else, to where it waits for the new model."""
        for name in (MODEL_FILE, "report.html", "facts.json", "leaderboard.csv"):
            if (self.path / name).exists():
                self._before_it.mkdir(exist_ok=True)
                (self.path / name).replace(self._before_it / name)

    def _put_back(self) -> bool:
        """Undo that, if there is anything to put back and no newer model."""
        if self.model.exists() or not self._before_it.exists():
            return False
        for path in self._before_it.iterdir():
            path.replace(self.path / path.name)
        return True

    def _compare(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        changed = [name for name in now if before.get(name) != now[name]]
        if changed:
            listed = "; ".join(
                "the file has changed since"
                if name == CONTENT
                else f"{name} was {before.get(name)!r}, is {now[name]!r}"
                for name in changed
            )
            raise CommandError(
                f"the fit in this directory was started with different settings: {listed}.",
                "Resume with the same settings, or start over with --overwrite.",
                file=self.path,
            )

    def _write(self, name: str, text: str) -> None:
        from coterie.base.atomic import write_whole

        write_whole(self.path / name, [text.encode("utf-8")])

    def finish(self, model: Any) -> None:
        """Write the model first, then the page about it and the leaderboard."""
        self.keep(model)
        self.describe(model)

    def keep(self, model: Any) -> None:
        """Write the model, which takes the place of that of an earlier fit."""
        from coterie.export import save

        save(model, self.model)
        shutil.rmtree(self._before_it, ignore_errors=True)

    def inside(self, targets: Sequence[str]) -> dict[str, FitDirectory]:
        """A directory for the fit of each of several targets, with a name that any system allows.

        Examples
        --------
        >>> inside = FitDirectory(Path("m")).inside(["price", "price in €", "price in $"])
        >>> [one.path.name for one in inside.values()]
        ['target_price', 'target_price_in', 'target_price_in_2']
        """
        found: dict[str, FitDirectory] = {}
        for target in targets:
            name = "target_" + re.sub(r"[^A-Za-z0-9.-]+", "_", target).strip("_.")
            taken = {one.path.name.lower() for one in found.values()}
            names = (f"{name}_{k}" if k > 1 else name for k in count(1))
            path = self.path / next(n for n in names if n.lower() not in taken)
            found[target] = FitDirectory(path)
        return found

    def describe(self, model: Any) -> None:
        """Write the report, its facts and the leaderboard."""
        from coterie.report import facts, html

        found = facts(model)
        self._write("facts.json", json.dumps(found, indent=1))
        self._write("leaderboard.csv", _leaderboard_text(model.leaderboard_))
        self._write("report.html", html(found))


def file_digest(path: Path) -> str:
    """A number that another content of the file would not have."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, CONTENT).hexdigest()


def _leaderboard_text(entries: list[Any]) -> str:
    text = io.StringIO()
    rows = [asdict(entry) for entry in entries]
    lines = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue()

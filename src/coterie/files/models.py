"""Models from files, and what they need to know about the files they are to answer for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from coterie.data import ListSource
from coterie.files.errors import CommandError, nearest
from coterie.files.formats import ReadOptions, Source
from coterie.files.kinds import Columns
from coterie.files.table import find_columns, open_file

__all__ = ["MODEL_FILE", "Fitted", "load_model", "load_models", "model_file"]

MODEL_FILE = "model.coterie"


@dataclass
class Fitted:
    """A model that was loaded, and what it says about itself.

    Attributes
    ----------
    model : estimator
        The model.
    path : Path
        Its file.
    others : sequence of str
        Targets of the other models in the file.
    """

    model: Any
    path: Path
    others: Sequence[str] = ()

    @property
    def classes(self) -> Any | None:
        """The classes of a classifier; None for numbers."""
        return getattr(self.model, "classes_", None)

    @property
    def target(self) -> str | None:
        """The name of the target, if the model knows it."""
        return getattr(self.model, "target_name_", None)

    @property
    def targets(self) -> list[str]:
        """Columns that files may have and the model does not need."""
        return [*([] if self.target is None else [self.target]), *self.others]

    @cached_property
    def names(self) -> list[str] | None:
        """The columns it was fitted on; None if they had no names."""
        names = getattr(self.model, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def given_names(self) -> list[str]:
        """What requests call the columns: their names, or x0, x1, … where they have none."""
        return self.names or [f"x{j}" for j in range(int(self.model.n_features_in_))]

    def columns(self, path: Path, options: ReadOptions) -> tuple[Columns, ReadOptions]:
        """What to read from a file: the columns of the fit with their kinds.

        `coterie fit` keeps the kinds with the model; for other models they are found in the file.
        """
        known = getattr(self.model, "file_columns_", None)
        if known is not None:
            every = Columns.from_plain(known)
            features = every.only(name for name in every.kinds if name != self.target)
            return features, replace(options, missing=every.missing)
        source = open_file(path, options)
        found, _ = find_columns(source, options)
        kinds = {name: found.kinds.get(name, "number") for name in self._wanted(source)}
        for column in getattr(self.model, "columns_", []):
            if column.kind == "number" and kinds.get(column.name) == "text":
                kinds[column.name] = "number"
        return Columns(kinds, options.missing), options

    def _wanted(self, source: Source) -> list[str]:
        if self.names is not None:
            return self.names
        wanted = int(self.model.n_features_in_)
        present = [name for name in source.names if name != self.target]
        if len(present) < wanted:
            raise CommandError(
                f"the model was fitted on {wanted} columns without names; the file has "
                f"{len(present)}.",
                "Pass a file with the same columns in the same order.",
                file=source.path,
            )
        return present[:wanted]

    def matrix(self, table: Any) -> Any:
        """A block of rows as the model takes it: with names, if it knows any."""
        if isinstance(table, ListSource):
            return table
        if self.names is not None:
            return table.select(self.names)
        return np.column_stack([np.asarray(column, dtype=np.float64) for column in table.columns])

    def target_column(self, given: str | None, source: Source) -> str:
        """The column that holds the truth in a file."""
        name = given or self.target
        if name is None:
            raise CommandError(
                "the model does not store the name of its target.", "Set it with --target COLUMN."
            )
        if name not in source.names:
            raise CommandError(
                "is not in the file, but this command needs the true target.",
                nearest(name, source.names),
                file=source.path,
                column=name,
            )
        return name


def model_file(path: Path) -> Path:
    """The model's file: the given one, or the one in a directory that `coterie fit` wrote."""
    if path.is_dir():
        inside = path / MODEL_FILE
        if not inside.exists():
            begun = (path / "run").is_dir()
            raise CommandError(
                "the fit in this directory is unfinished."
                if begun
                else f"there is no {MODEL_FILE} in it.",
                "Finish it with: coterie fit FILE … --resume" if begun else "",
                file=path,
            )
        return inside
    if not path.exists():
        raise CommandError(
            "does not exist.",
            "Pass a directory written by `coterie fit`, or a file written by `coterie.save`.",
            file=path,
        )
    return path


def load_model(path: Path, trusted: tuple[str, ...] = ()) -> Fitted:
    """Load a model.

    Parameters
    ----------
    path : Path
        A model file, or the directory that `coterie fit` wrote.
    trusted : tuple of str
        Names of foreign types that may be loaded.
    """
    models = load_models(path, trusted)
    if len(models) > 1:
        inside = sorted(str(one.parent) for one in path.glob(f"*/{MODEL_FILE}"))
        raise CommandError(
            f"contains models of several targets: {', '.join(map(repr, models))}.",
            f"Pass one of them: {', '.join(inside)}." if inside else "",
            file=path,
        )
    return next(iter(models.values()))


def load_models(path: Path, trusted: tuple[str, ...] = ()) -> dict[str | None, Fitted]:
    """Load a model, or those of several targets, by target.

    Parameters
    ----------
    path, trusted : Path, tuple of str
        See `load_model`.

    Returns
    -------
    dict of Fitted
        A single model has None as its key.
    """
    from coterie.automl import TableModels
    from coterie.export import load

    file = model_file(path)
    try:
        found = load(file, trusted=trusted)
    except (ValueError, OSError) as error:
        raise CommandError(str(error), file=file) from error
    if isinstance(found, TableModels):
        return {
            target: Fitted(model, file, [other for other in found if other != target])
            for target, model in found.items()
        }
    return {None: Fitted(found, file)}

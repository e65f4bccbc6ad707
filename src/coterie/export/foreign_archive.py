"""What skops wrote, looked through before skops reads it: how large it is, and what it names."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any
from zipfile import ZipFile

import numpy as np

from coterie.export.errors import ModelFileError

__all__ = ["Archive", "open_archive"]

# Loaders of skops that nothing in an estimator needs; files of today do not hold them.
_REFUSED = {"CachedNode", "MethodNode"}


@dataclass(frozen=True)
class Archive:
    """What is known of a foreign estimator before anything is unpacked.

    Parameters
    ----------
    inflated : int
        Bytes that reading it takes, every array as often as it is asked for.
    types : frozenset of str
        The classes that it names.
    """

    inflated: int
    types: frozenset[str]


def open_archive(data: bytes, limit: int) -> Archive:
    """Look through what skops wrote.

    Parameters
    ----------
    data : bytes
        The archive.
    limit : int
        The most bytes it may take once it is unpacked; nothing is unpacked that would take more.

    Examples
    --------
    >>> open_archive(b"no archive", 1000)
    Traceback (most recent call last):
    zipfile.BadZipFile: File is not a zip file
    """
    with ZipFile(io.BytesIO(data)) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        # Unpacking stops at the size that the directory of the archive says.
        check_size(sum(info.file_size for info in archive.infolist()), limit)
        schema = json.loads(archive.read("schema.json"))
        inner = {name: _inner_size(archive, name, limit) for name in sizes if name[-4:] == ".npz"}
        survey = _Survey()
        survey.count(schema)
        for names in survey.trees:
            _check_tree(*(np.load(io.BytesIO(archive.read(name))) for name in names))
    inflated = sizes["schema.json"]
    inflated += sum(sizes[name] + inner.get(name, 0) for name in survey.files)
    check_size(inflated, limit)
    return Archive(inflated, frozenset(survey.types))


def check_size(inflated: int, limit: int) -> None:
    """Refuse what would take more bytes than the limit."""
    if inflated > limit:
        raise ModelFileError(
            f"The estimators from other packages take {inflated:,} bytes once unpacked, more "
            f"than the limit of {limit:,}. If you trust the source of the file, load it with "
            f"max_unpacked={inflated} or more."
        )


def _inner_size(archive: ZipFile, name: str, limit: int) -> int:
    """Bytes of an archive inside of the archive, as those of sparse matrices are."""
    with ZipFile(io.BytesIO(archive.read(name))) as inner:
        size = sum(info.file_size for info in inner.infolist())
    check_size(size, limit)
    return size


class _Survey:
    """Everything that the text of an archive names."""

    def __init__(self) -> None:
        self.types: set[str] = set()
        self.files: list[str] = []
        self.trees: list[list[str]] = []
        self._sizes: dict[Any, int] = {}

    def count(self, value: Any) -> int:
        """How many objects something is made of."""
        if isinstance(value, list):
            return sum(self.count(item) for item in value)
        if not isinstance(value, dict):
            return 0
        size = sum(self.count(item) for item in value.values())
        if "__loader__" not in value:
            return size
        if value["__loader__"] in _REFUSED:
            raise ModelFileError(
                f"An estimator in the file contains an unsupported {value['__loader__']}."
            )
        if value["__loader__"] == "TreeNode":
            self.trees.append(_arrays_of_tree(value))
        self.types.add(f"{value['__module__']}.{value['__class__']}")
        if value.get("file") is not None:
            self.files.append(value["file"])
        # What appears twice is made once, but written twice: so nothing is larger than its text.
        name = value.get("__id__")
        if name is not None and self._sizes.setdefault(name, size) != size:
            raise ModelFileError("An estimator in the file has two objects of the same name.")
        return size + 1


def _arrays_of_tree(node: dict[str, Any]) -> list[str]:
    """The files of the nodes and the values of a tree of scikit-learn."""
    parts = [node["content"]["content"][name] for name in ("nodes", "values")]
    for part in parts:
        if part["__loader__"] != "NdArrayNode" or part["type"] != "numpy":
            raise ModelFileError("A scikit-learn tree in the file is damaged: an array is missing.")
    return [part["file"] for part in parts]


def _check_tree(nodes: Any, values: Any) -> None:
    """Refuse arrays that the compiled code of a tree would look into nevertheless."""
    if nodes.dtype.names is None or values.ndim != 3 or nodes.shape != values.shape[:1]:
        raise ModelFileError("A scikit-learn tree in the file is damaged: its arrays are invalid.")

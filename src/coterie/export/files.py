"""Saving and loading models."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator

from coterie.base.atomic import write_whole
from coterie.export.attributes import fits
from coterie.export.container import FORMAT, chunks, read_contents, read_header
from coterie.export.decode import Decoder
from coterie.export.encode import SCALARS, Encoder
from coterie.export.errors import ModelFileError
from coterie.export.registry import COTERIE
from coterie.export.rehearsal import rehearse

__all__ = ["describe", "load", "save"]

Path = str | os.PathLike[str]

_UNPACKED = 1 << 28
_DESCRIBED = {
    "format": int,
    "model": str,
    "made_with": dict[str, str],
    "n_features": int | None,
    "features": list[str] | None,
    "foreign": list[str],
}


def save(model: Any, path: Path) -> None:
    """Save a model to a file atomically.

    The file contains plain numbers and text with checksums, and no code: see the guide on model
    files. Members from scikit-learn or other packages are saved with skops. If the disk is full or
    the process is killed, the previous file stays intact.

    Parameters
    ----------
    model : estimator
        A model of coterie, fitted or not; it may have members from other packages.
    path : str or path
        Where to write; an existing file is replaced.

    Raises
    ------
    SaveError
        If the model contains something that cannot be saved, such as your own function; the error
        says where.

    See Also
    --------
    load : Read the file again.

    Examples
    --------
    >>> import os, tempfile
    >>> import coterie
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = coterie.RandomForestClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     coterie.save(model, os.path.join(folder, "forest.coterie"))
    ...     again = coterie.load(os.path.join(folder, "forest.coterie"))
    >>> again.predict([[0.0], [3.0]])
    array(['a', 'b'], dtype='<U1')
    """
    encoder = Encoder()
    root = encoder.value(model, "model")
    header = {
        "format": FORMAT,
        "made_with": {
            "coterie": COTERIE.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "model": type(model).__name__,
        "root": root,
        "objects": encoder.objects,
    }
    write_whole(path, chunks(header, encoder.blocks))


def load(
    path: Path,
    *,
    trusted: Collection[str] = (),
    mmap: bool = False,
    max_unpacked: int | None = None,
) -> Any:
    """Load a model from a file written by `save`.

    Loading never runs code from the file. Checksums are verified, and every index is checked before
    it is used. The memory that the model needs is compared with the limits before anything is
    built. Finally, the model predicts a few synthetic rows, unless it contains types that only
    `trusted` allows.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : collection of str, default=()
        Full names of types from other packages that may be loaded, in addition to the common
        scikit-learn types, whose arrays are all checked.
    mmap : bool, default=False
        Leave the arrays on disk and map them into memory, read-only. Processes that map the same
        file share its memory. The file must not be modified or truncated in place while the model
        is in use: the system kills a process that reads a page that no longer exists, and no
        library can prevent it. Replacing the file, as `save` and ``mv`` do, is safe; overwriting it
        with ``cp`` is not.
    max_unpacked : int, optional
        Maximum number of bytes that members from other packages, which are compressed, may take
        once unpacked. By default 256 MiB or ten times the size of the file, whichever is larger.

    Returns
    -------
    estimator
        The model; its predictions are the same as before saving, bit for bit.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged, comes from a newer version, or contains types
        from other packages that are not trusted (`UntrustedTypesError`, which lists them).

    Examples
    --------
    >>> import os, tempfile
    >>> import coterie
    >>> model = coterie.DecisionTreeRegressor().fit([[0.0], [1.0]], [3.0, 4.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     coterie.save(model, os.path.join(folder, "tree.coterie"))
    ...     coterie.load(os.path.join(folder, "tree.coterie")).predict([[1.0]])
    array([4.])
    """
    if isinstance(trusted, str):
        raise TypeError(f"trusted must be a list of names; write trusted=[{trusted!r}].")
    contents = read_contents(path, mmap=mmap)
    try:
        header = contents.header
        if max_unpacked is None:
            max_unpacked = max(_UNPACKED, 10 * os.path.getsize(path))
        decoder = Decoder(contents.blocks, trusted, max_unpacked)
        model = decoder.read(header["objects"], header["root"])
        for one in _models(model):
            if not isinstance(one, BaseEstimator):
                raise ModelFileError(
                    f"The file contains a {type(one).__name__}, which is not a model."
                )
            if not decoder.vouched_for:  # what others' code does is theirs to know
                rehearse(one, decoder.foreign)
    except (ModelFileError, ImportError):
        raise
    except Exception as error:
        # The checksums are right, so somebody wrote this file on purpose or with another version.
        raise ModelFileError(f"The file cannot be read: {type(error).__name__}: {error}") from error
    return model


def _models(root: Any) -> list[Any]:
    """The models of a file: one, or those of several targets."""
    several = isinstance(root, Mapping) and not isinstance(root, dict)
    return list(root.values()) if several else [root]


def describe(path: Path) -> dict[str, Any]:
    """Read the header of a model file, without loading the model.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    dict
        ``model`` is the name of its class, ``params`` its parameters if they are plain values,
        ``made_with`` the versions it was written with, ``format`` the version of the file format,
        ``bytes`` its size, ``arrays`` and ``objects`` the numbers of arrays and objects,
        ``foreign`` the estimators from other packages, and ``n_features`` and ``features`` the
        number and names of its columns, or None.

    Examples
    --------
    >>> import os, tempfile
    >>> import coterie
    >>> from coterie.export import describe
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     coterie.save(coterie.DecisionTreeRegressor(), os.path.join(folder, "tree.coterie"))
    ...     describe(os.path.join(folder, "tree.coterie"))["model"]
    'DecisionTreeRegressor'
    """
    header = read_header(path)
    try:
        found = _described(header)
    except Exception as error:
        raise ModelFileError(f"The header cannot be read: {error}") from error
    for name, kind in _DESCRIBED.items():
        if not fits(found[name], kind):
            raise ModelFileError(f"The header is damaged: {name} is not a {kind}.")
    return found | {"bytes": os.path.getsize(path)}


def _described(header: dict[str, Any]) -> dict[str, Any]:
    objects = header["objects"]

    def state(value: Any) -> dict[str, Any]:
        """The attributes of an object, if it is one."""
        is_object = isinstance(value, dict) and "ref" in value
        found: dict[str, Any] = objects[value["ref"]].get("state", {}) if is_object else {}
        return found

    top = state(header["root"])
    schema = state(top.get("schema_"))
    names = schema.get("names")
    return {
        "format": header["format"],
        "model": header["model"],
        "made_with": header["made_with"],
        "params": {
            name: value
            for name, value in top.items()
            if isinstance(value, SCALARS) and name.strip("_") == name
        },
        "n_features": schema.get("n_columns"),
        "features": None if names is None else names["tuple"],
        "objects": len(objects),
        "arrays": sum("array" in entry or "texts" in entry for entry in objects),
        "foreign": sorted({entry["name"] for entry in objects if "foreign" in entry}),
    }

"""Foreign estimators inside a model file: skops writes and reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any
from zipfile import ZIP_DEFLATED

from sklearn.base import BaseEstimator

from coterie.export.errors import ModelFileError, SaveError
from coterie.export.foreign_archive import check_size, open_archive
from coterie.export.foreign_trees import check_trees
from coterie.export.foreign_types import TRUSTED

__all__ = ["foreign_bytes", "is_foreign", "read_foreign", "untrusted"]


def _skops() -> Any:
    """``skops.io``, or an error that says how to get it."""
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "Estimators from other packages are saved with skops, which is not installed: pip "
            "install 'coterie[export]'"
        ) from error
    return skops.io


def is_foreign(value: Any) -> bool:
    """Whether something is a matter for skops: an estimator, or an object of scikit-learn.

    Parameters
    ----------
    value : object
        Not one of coterie's own.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> is_foreign(Ridge()), is_foreign(len)
    (True, False)
    """
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return False
    return isinstance(value, BaseEstimator) or type(value).__module__.partition(".")[0] == "sklearn"


def foreign_bytes(value: Any, path: str) -> bytes:
    """A foreign estimator as skops writes it.

    Parameters
    ----------
    value : estimator
        Fitted or not.
    path : str
        Where it is in the model; named in errors.
    """
    skops = _skops()
    try:
        data: bytes = skops.dumps(value, compression=ZIP_DEFLATED)
        types = skops.get_untrusted_types(data=data)
    except Exception as error:  # whatever the state of somebody else's object brings about
        raise SaveError(
            path, f"is a {type(value).__name__}, which skops cannot save: {error}"
        ) from error
    ours = sorted(name for name in types if name.partition(".")[0] == "coterie")
    if ours:
        raise SaveError(
            path,
            f"is a {type(value).__name__} that contains estimators of coterie "
            f"({', '.join(ours)}). Use coterie's own class to combine them, or a Pipeline.",
        )
    return data


def untrusted(blocks: Iterable[bytes], limit: int) -> set[str]:
    """The types in some foreign estimators that are not known to be harmless.

    Parameters
    ----------
    blocks : iterable of bytes
        From `foreign_bytes`.
    limit : int
        The most bytes that all of them together may take once they are unpacked.
    """
    skops = _skops()
    found: set[str] = set()
    inflated = 0
    try:
        for data in blocks:
            archive = open_archive(data, limit)
            inflated += archive.inflated
            check_size(inflated, limit)
            # skops trusts all of scikit-learn; here only what is checked is trusted.
            found |= {name for name in archive.types if name.startswith("sklearn.")}
            found.update(skops.get_untrusted_types(data=data))
    except ModelFileError:
        raise
    except Exception as error:
        raise _unreadable(error) from error
    return found - TRUSTED


def read_foreign(data: bytes, trusted: Collection[str]) -> Any:
    """A foreign estimator, if all of its types are trusted.

    Parameters
    ----------
    data : bytes
        From `foreign_bytes`; `untrusted` has looked through it.
    trusted : collection of str
        Types to be trusted besides those that are known to be harmless.
    """
    try:
        # Refuses by itself what is not in the list.
        built = _skops().loads(data, trusted=sorted({*trusted, *TRUSTED}))
        check_trees(built)
    except ModelFileError:
        raise
    except Exception as error:
        raise _unreadable(error) from error
    return built


def _unreadable(error: Exception) -> ModelFileError:
    return ModelFileError(f"An estimator from another package cannot be read: {error}")

"""Errors of members that say which member it was, and which column, if that can be told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np

# On an error that was told already: the class of the member, and whether its name was known.
_TOLD = "_names_a_member"


@contextmanager
def naming(estimator: Any, name: str | int | None = None, X: Any = None) -> Iterator[None]:
    """Errors of a member say which one it was.

    They keep their type if that can be made of a text, and have the original as their cause.

    Parameters
    ----------
    estimator : estimator
        The member.
    name : str, int or None
        What the user calls it, or its position.
    X : array, frame or sparse array, optional
        The rows that it was shown, of which a column may be to blame.
    """
    try:
        yield
    except Exception as error:
        kind = type(estimator).__name__
        who = kind if name is None else f"{name!r} ({kind})"
        of, named = getattr(error, _TOLD, ("", False))
        if of == kind:  # told by who fitted it, perhaps without a name
            if named or name is None:
                raise
            error = error.__cause__  # type: ignore[assignment]  # what it was made from
        told = f"The member {who} failed: {error}{_blame(str(error), X)}"
        made = _of_type(type(error), told)
        setattr(made, _TOLD, (kind, name is not None))
        raise made from error


def _of_type(kind: type[Exception], told: str) -> Exception:
    try:
        made = kind(told)
    except Exception:  # it is made of more than a text
        made = RuntimeError(told)
    return made if told in str(made) else RuntimeError(told)


def _blame(told: str, X: Any) -> str:
    """A remark on the columns that an error is about, as far as that can be told."""
    if "contains NaN" in told or "missing values" in told:
        reason, wanted = "with missing values", _is_missing
    elif "string to float" in told or "arrays of bytes/strings" in told:
        reason, wanted = "of text", _is_text
    else:
        return ""
    found = [name for name, cells in _columns(X) if any(map(wanted, cells))]
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return f" (columns {reason}: {', '.join(found[:5])}{more})" if found else ""


def _columns(X: Any) -> Iterator[tuple[str, list[Any]]]:
    """The names or positions of columns, and their cells."""
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        yield from ((repr(name), frame[name].to_list()) for name in frame.columns)
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        yield from ((str(j), X[:, j].tolist()) for j in range(X.shape[1]))


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str)

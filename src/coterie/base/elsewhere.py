"""Rows that are not here: collections of other packages, which a higher layer reads.

A host knows such collections. It admits their rows for a fit and asks a fitted model for answers
where the rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])

# By the package that a collection's class is from. The hosts are above this layer, so they are
# known by their names and loaded when somebody brings such rows.
_HOSTS = {"dask": "coterie.distributed", "dask_expr": "coterie.distributed"}


def host_of(X: Any) -> Any:
    """The package that knows a collection, or None if the rows are here.

    Examples
    --------
    >>> host_of([[1.0]]) is None
    True
    """
    name = _HOSTS.get(type(X).__module__.partition(".")[0])
    return None if name is None else import_module(name)


@contextmanager
def brought_here(X: Any) -> Iterator[Any]:
    """All rows of a collection, while members are fitted where it is; others as they are.

    Examples
    --------
    >>> with brought_here([[1.0]]) as rows:
    ...     print(rows)
    [[1.0]]
    """
    host = host_of(X)
    if host is None:
        yield X
    else:
        with host.fetched(X) as rows:
            yield rows


def where_rows_are(method: Method) -> Method:
    """A method of a fitted model that answers row by row, for rows that may be elsewhere."""

    @wraps(method)
    def answer(self: Any, X: Any, *args: Any, **settings: Any) -> Any:
        host = host_of(X)
        if host is None:
            return method(self, X, *args, **settings)
        return host.answers(method.__name__, self._settled(), X, args, settings)

    return cast(Method, answer)

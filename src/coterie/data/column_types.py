"""The types of all columns of a frame, however many there are."""

from __future__ import annotations

from typing import Any

import narwhals as nw

__all__ = ["column_types"]


def column_types(frame: nw.DataFrame[Any]) -> dict[str, Any]:
    """Return the type of every column by its name, as ``frame.schema`` does.

    That looks at every column of a pandas frame on its own, which takes seconds where there are
    tens of thousands of them. Here every type is looked at once; only columns of objects need a
    look each, since their cells tell what they are.

    Examples
    --------
    >>> import pandas as pd
    >>> column_types(nw.from_native(pd.DataFrame({"a": [1.5], "b": ["x"]}), eager_only=True))
    {'a': Float64, 'b': String}
    """
    if not frame.implementation.is_pandas_like():
        return dict(frame.schema)
    known: dict[Any, Any] = {}
    types = {}
    for name, native in zip(frame.columns, frame.to_native().dtypes, strict=True):
        kind = known.get(native)
        if kind is None:
            kind = frame.get_column(name).dtype
            if getattr(native, "kind", "") != "O":
                known[native] = kind
        types[name] = kind
    return types

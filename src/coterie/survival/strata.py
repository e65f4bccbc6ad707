"""Strata: groups of rows with risks in common, but with hazards of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data import DataError


def read_labels(strata: Any, n_rows: int) -> NDArray[Any]:
    """One label per row, as an array of numbers or of text.

    Examples
    --------
    >>> read_labels(["a", "b"], 2)
    array(['a', 'b'], dtype='<U1')
    """
    labels = np.asarray(strata)
    if labels.shape != (n_rows,):
        raise DataError(
            f"strata must contain one label for each of the {n_rows} rows; its shape is "
            f"{labels.shape}."
        )
    if labels.dtype.kind in ("O", "T"):
        missing = [label is None or label != label for label in labels]
        labels = labels.astype(str)
    else:
        missing = np.isnan(labels) if labels.dtype.kind == "f" else [False]
    if np.any(missing):
        raise DataError("strata contains missing labels. Assign those rows to a stratum.")
    return labels


def find_strata(strata: Any, known: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    """The number of each row's stratum among known labels, which ascend.

    Examples
    --------
    >>> find_strata(["b", "a"], np.array(["a", "b"]), 2)
    array([1, 0])
    """
    labels = read_labels(strata, n_rows)
    alike = (labels.dtype.kind == "U") == (known.dtype.kind == "U")
    places = np.zeros(n_rows, dtype=np.intp)
    if alike:
        places = np.minimum(np.searchsorted(known, labels), len(known) - 1)
    unknown = labels[known[places] != labels] if alike else labels
    if len(unknown):
        shown = ", ".join(str(label) for label in known[:10])
        more = ", ..." if len(known) > 10 else ""
        raise DataError(
            f"Stratum {str(unknown[0])!r} was not seen in fit. The known strata are {shown}{more}."
        )
    return places

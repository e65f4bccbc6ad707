"""One binned table for all fits of members that learn from bins alone.

In a pass every member is fitted once per fold, and again on all rows. Trees look at nothing but
bins, so the columns need not be read and cut anew each time: edges and labels are those of all
rows given to the combiner, and a fold is some rows of the codes. Targets play no part in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.base import Committee
from coterie.combining.named_members import Named
from coterie.data import BinnedRows, Table


def takes_bins(estimator: Any) -> bool:
    """Whether an estimator does with bins what it would do with the rows.

    Columns that it declares categorical itself would have to be read as it says; wrong settings
    are left for it to complain about.

    Examples
    --------
    >>> from coterie import BaggingClassifier, HistGradientBoostingClassifier
    >>> takes_bins(HistGradientBoostingClassifier()), takes_bins(BaggingClassifier())
    (True, False)
    """
    if not isinstance(estimator, Committee) or not estimator.learns_from_bins:
        return False
    declared = estimator.categorical_features
    plain = declared is None or (isinstance(declared, str) and declared == "from_dtype")
    return plain and estimator.allowed["max_bins"].admits(getattr(estimator, "max_bins", None))


def share_bins(
    table: Table, fits: Sequence[Named], *, fewest: int = 2, n_threads: int = 1
) -> dict[str, BinnedRows]:
    """The binned rows of members that may share them, by name; rows are read once at most.

    Parameters
    ----------
    table : Table
        All rows, without weights, as weights would move the quantiles. Sparse ones are not shared.
    fits : sequence of Named
        The members, each as often as it will be fitted.
    fewest : int, default=2
        Fits below which nothing is gained.
    n_threads : int, default=1
        Threads of the engine; bins do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import DecisionTreeRegressor, ExtraTreesRegressor
    >>> table = Table.read(np.arange(4.0)[:, None])
    >>> fits = [Named("tree", DecisionTreeRegressor()), Named("trees", ExtraTreesRegressor())]
    >>> shared = share_bins(table, fits)
    >>> shared["tree"] is shared["trees"], shared["tree"].codes.ravel()
    (True, array([0, 1, 2, 3], dtype=uint8))
    """
    if table.values is None or table.source is None:
        return {}
    alike: dict[int, list[str]] = {}
    for name, estimator in fits:
        if takes_bins(estimator):
            alike.setdefault(estimator.max_bins, []).append(name)
    alike = {max_bins: names for max_bins, names in alike.items() if len(names) >= fewest}
    if not alike:
        return {}
    read = Table.read(table.source)  # as members would: declared columns are the combiner's own
    shared: dict[str, BinnedRows] = {}
    for max_bins, names in alike.items():
        binned = read.bin(max_bins=max_bins, n_threads=n_threads)
        assert binned.bins is not None
        assert isinstance(binned.codes, np.ndarray)
        shared |= dict.fromkeys(names, BinnedRows(binned.schema, binned.bins, binned.codes))
    return shared

"""Tables as they come: dates, texts, amounts and lists become columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.automl.amounts import (
    Style,
    check_readable,
    check_text,
    list_parts,
    read_amounts,
    read_lists,
    style_of,
)
from coterie.automl.dates import DateColumns, has_plain_names, with_made
from coterie.automl.texts import TextEncoder, is_prose
from coterie.data.column_types import column_types
from coterie.tags import tagged

Array = NDArray[np.float64]

_MOST_GAPS = 10  # pairs of dates
_LOOKED_AT = 100  # cells by which most columns are told to be nothing of this kind


@tagged
@dataclass(frozen=True)
class Preparation:
    """What is done to the columns of a table before members see it.

    Nothing of it knows the target. New rows are treated as those of the fit were.

    Parameters
    ----------
    dates : DateColumns
        Dates, each replaced by its parts; of two or more, the days between them are columns too.
    amounts : dict of str to {"point", "comma"}
        Columns of numbers with signs around them, and how these are written.
    lists : dict of str to tuple of str
        Columns of lists of numbers, and what they become.
    texts : dict of str to TextEncoder
        Columns of texts.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"price": ["$3", "$1,200"], "x": [1, 2]})
    >>> Preparation.find(frame).apply(frame)["price"].tolist()
    [3.0, 1200.0]
    """

    dates: DateColumns = field(default_factory=DateColumns)
    amounts: dict[str, Style] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    texts: dict[str, TextEncoder] = field(default_factory=dict)

    @classmethod
    def find(cls, X: Any, seed: int = 0) -> Preparation:
        """What a frame needs; nothing if it is an array.

        Parameters
        ----------
        X : frame or array
            The table.
        seed : int, default=0
            Of what is learnt about texts.
        """
        if not nw.dependencies.is_into_dataframe(X) or not has_plain_names(X):
            return cls()
        frame = nw.from_native(X, eager_only=True)
        dates = DateColumns.find(X)
        found = cls(dates)
        for name, dtype in column_types(frame).items():
            if isinstance(dtype, nw.String | nw.Object) and name not in dates.names:
                found._look(name, frame[name], seed)
        return found

    def _look(self, name: str, series: nw.Series[Any], seed: int) -> None:
        """Note what a column of text needs, if anything."""
        known = series.drop_nulls()
        some = known.head(_LOOKED_AT).to_list()
        if not some or not all(isinstance(cell, str) for cell in some):
            return
        tests: tuple[tuple[Callable[[list[str]], Any], dict[str, Any]], ...] = (
            (style_of, self.amounts),
            (list_parts, self.lists),
        )
        cells: list[str] | None = None
        for test, noted in tests:
            if test(some):
                cells = known.to_list() if cells is None else cells
                answer = test([str(cell) for cell in cells])
                if answer:
                    noted[name] = answer
                    return
        if is_prose([str(cell) for cell in known.to_list()]):
            self.texts[name] = TextEncoder.learn(series.to_list(), seed)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that something is done to."""
        return (*self.dates.names, *self.amounts, *self.lists, *self.texts)

    @property
    def gaps(self) -> list[tuple[str, str]]:
        """Pairs of dates."""
        return list(combinations(self.dates.names, 2))[:_MOST_GAPS] if self.between else []

    @property
    def between(self) -> bool:
        """Whether there are dates to be compared, but not very many."""
        return 2 <= len(self.dates.names) <= _MOST_GAPS

    def apply(self, X: Any) -> Any:
        """The frame with these columns replaced; anything else as it is."""
        if not self.names or not nw.dependencies.is_into_dataframe(X):
            return X
        frame = nw.from_native(self.dates.apply(X), eager_only=True)
        made = {name: self._made(frame[name]) for name in frame.columns if self._reads(name)}
        there = set(frame.columns)
        for first, second in self.gaps:
            ends = [f"{name}.days" for name in (first, second)]
            if there.issuperset(ends):
                before, after = (frame[end].to_numpy() for end in ends)
                made[f"{first} to {second}"] = {f"{first} to {second}": after - before}
        return with_made(frame, made)

    def _reads(self, name: str) -> bool:
        """Whether a column of text becomes numbers."""
        return name in self.amounts or name in self.lists or name in self.texts

    def _made(self, series: nw.Series[Any]) -> dict[str, Array]:
        """The columns that a column of text becomes; an error if it is nothing of the kind."""
        name, where = series.name, f"column {series.name!r}"
        cells = series.to_list()
        if name in self.amounts:
            if not series.dtype.is_numeric():
                check_text(series, where, "amounts")
            amounts = read_amounts(cells, self.amounts[name])
            check_readable(cells, amounts, where, "amounts")
            return {name: amounts}
        check_text(series, where)
        if name in self.lists:
            parts = self.lists[name]
            values = read_lists(cells, parts)
        else:
            parts = self.texts[name].parts
            values = list(self.texts[name].columns(cells).T)
        check_readable(cells, values[0], where, "lists" if name in self.lists else "text")
        return {f"{name}.{p}": v for p, v in zip(parts, values, strict=True)}

    def origin(self, names: Sequence[str]) -> list[str]:
        """For each column after `apply`, the one it was made of."""
        made = {f"{name}.{part}": name for name, parts in self.lists.items() for part in parts}
        made |= {f"{n}.{part}": n for n, encoder in self.texts.items() for part in encoder.parts}
        made |= {f"{first} to {second}": second for first, second in self.gaps}
        return [made.get(name, name) for name in self.dates.origin(names)]

    def made_of(self, names: Sequence[str]) -> list[str]:
        """For each column after `apply`, the kind of what it was made of; "" if of nothing."""
        pairs = zip(self.origin(names), names, strict=True)
        return [self.kind(own) if own != name else "" for own, name in pairs]

    def kind(self, name: str) -> str:
        """What a column is, if something was done to it; "" otherwise."""
        kinds = {"date": self.dates.names, "number": self.amounts, "list": self.lists}
        kinds |= {"text": self.texts}
        return next((kind for kind, known in kinds.items() if name in known), "")

    def note(self, name: str) -> str:
        """What was done to a column, for people; "" if nothing was."""
        if name in self.dates.names:
            return "days, month, weekday and hour"
        if name in self.amounts:
            comma = " with a decimal comma" if self.amounts[name] == "comma" else ""
            return f"numbers{comma}, without currency or percent signs"
        if name in self.lists:
            parts = self.lists[name]
            each = f"{len(parts)} numbers" if parts[0] == "0" else ", ".join(parts)
            return f"lists of numbers, converted to {each}"
        if name in self.texts:
            number = len(self.texts[name].directions)
            return f"free text, converted to its length and {number} TF-IDF components"
        return ""

"""What the columns of a file hold: whole numbers, numbers, times, text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from coterie.cli.reading.files import MISSING

__all__ = ["PATTERNS", "Columns", "KindFinder", "is_text", "known_cells"]

# A kind is possible for a column of text while all of its known values match.
PATTERNS = {
    "integer": r"^[+-]?\d{1,18}$",
    "number": r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)$",
    "decimal_comma": r"^[+-]?((\d+|\d{1,3}(\.\d{3})+)(,\d+)?|,\d+)$",
    "thousands": r"^[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$",
    "time": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?$",
}
SHOWN = {
    "integer": "whole numbers",
    "number": "numbers",
    "decimal_comma": "numbers with a decimal comma",
    "thousands": "numbers with a comma between thousands",
    "time": "dates or times",
    "boolean": "yes or no",
    "text": "text",
    "empty": "nothing",
}


@dataclass(frozen=True)
class Columns:
    """What the columns of a table hold, as found at fit and kept with the model.

    Attributes
    ----------
    kinds : dict of str to str
        For each column "integer", "number", "decimal_comma", "thousands", "time", "boolean",
        "text" or "empty".
    missing : tuple of str
        Texts that mean a missing value.

    Examples
    --------
    >>> columns = Columns({"age": "integer", "town": "text"})
    >>> Columns.from_plain(columns.plain()) == columns
    True
    """

    kinds: dict[str, str]
    missing: tuple[str, ...] = MISSING

    def plain(self) -> dict[str, Any]:
        """As plain data, to be kept in a model file."""
        return {"kinds": dict(self.kinds), "missing": list(self.missing)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Columns:
        """The inverse of `plain`."""
        return cls(dict(plain["kinds"]), tuple(plain["missing"]))

    def only(self, names: Iterable[str]) -> Columns:
        """Some of the columns."""
        return Columns({name: self.kinds[name] for name in names}, self.missing)


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, plain or as a dictionary."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def known_cells(cells: Any, missing: tuple[str, ...]) -> Any:
    """A column of text without blanks around the values, and null where they mean missing."""
    import pyarrow as pa
    from pyarrow import compute as pc

    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    trimmed = pc.utf8_trim_whitespace(cells)
    unknown = pc.is_in(pc.utf8_lower(trimmed), pa.array(missing, trimmed.type))
    return pc.if_else(unknown, pa.scalar(None, trimmed.type), trimmed)


@dataclass
class KindFinder:
    """Looks at blocks of a column, one after the other, and tells in the end what it holds."""

    missing: tuple[str, ...]
    # What a text file's column may be; what is found in a typed file is certain.
    possible: set[str] = field(default_factory=lambda: {*PATTERNS, "text"})
    seen: set[str] = field(default_factory=set)
    example: str | None = None

    def look(self, cells: Any, *, typed: bool) -> None:
        """Take one block of the column into account."""
        import pyarrow as pa

        if pa.types.is_null(cells.type):
            return
        if typed or not is_text(cells.type):
            self.seen.add(_kind_of_type(cells.type))
            return
        if self.possible == {"text"}:
            return
        known = known_cells(cells, self.missing).drop_null()
        if len(known):
            self.seen.add("known")
            self._narrow(known)

    def _narrow(self, known: Any) -> None:
        import pyarrow as pa
        from pyarrow import compute as pc

        if "integer" in self.possible and _casts(known, pa.int64()):
            self.possible -= {"time"}
            return
        if "number" in self.possible and _casts(known, pa.float64()):
            # Written with a point: no decimal comma, unless all points are between thousands.
            self.possible -= {"integer", "time"}
            if "decimal_comma" in self.possible:
                self._match(known, "decimal_comma")
            return
        for kind in sorted(self.possible - {"text"}):
            self._match(known, kind)
        if self.possible & {"decimal_comma", "thousands"} and self.example is None:
            self.example = known.filter(pc.match_substring(known, ","))[0].as_py()

    def _match(self, known: Any, kind: str) -> None:
        from pyarrow import compute as pc

        if not pc.all(pc.match_substring_regex(known, PATTERNS[kind])).as_py():
            self.possible.discard(kind)

    def certain(self) -> str | None:
        """The kind, or None if both ways of writing numbers with commas are possible."""
        if not self.seen:
            return "empty"
        if "known" not in self.seen:
            return _one_kind(self.seen)
        for kind in ("integer", "number"):
            if kind in self.possible:
                return kind
        if {"decimal_comma", "thousands"} <= self.possible:
            return None
        return next((kind for kind in PATTERNS if kind in self.possible), "text")


def _casts(known: Any, kind: Any) -> bool:
    import pyarrow as pa

    try:
        known.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _kind_of_type(kind: Any) -> str:
    import pyarrow as pa

    types = pa.types
    tests = {
        "integer": types.is_integer,
        "number": lambda kind: types.is_floating(kind) or types.is_decimal(kind),
        "boolean": types.is_boolean,
        "time": lambda kind: types.is_timestamp(kind) or types.is_date(kind),
        "text": is_text,
    }
    return next((name for name, test in tests.items() if test(kind)), "unusable")


def _one_kind(seen: set[str]) -> str:
    """The kind of a column whose blocks were of these kinds."""
    if seen == {"integer", "number"}:
        return "number"
    return seen.pop() if len(seen) == 1 else "text"

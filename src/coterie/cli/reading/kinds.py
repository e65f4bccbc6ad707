"""What the columns of a file hold: whole numbers, numbers, times, text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from coterie.cli.reading.files import MISSING

__all__ = [
    "NO_VALUE",
    "PATTERNS",
    "Columns",
    "KindFinder",
    "few",
    "is_no_value",
    "is_text",
    "known_cells",
]

# A kind is possible for a column of text while all of its known values match.
PATTERNS = {
    "integer": r"^[+-]?\d{1,18}$",
    "number": r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)$",
    "decimal_comma": r"^[+-]?((\d+|\d{1,3}(\.\d{3})+)(,\d+)?|,\d+)$",
    "thousands": r"^[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$",
    "time": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?$",
}
# Words that mean "no value" among numbers or dates; elsewhere they may be categories.
NO_VALUE = (
    *("-", "--", "---", "–", "—", ".", "..", "...", "*", "(null)", "nil", "none", "nd", "n.d."),
    *("n.a.", "n.a", "na.", "#na", "missing", "unknown", "not available", "tbd", "-nan", "+nan"),
    *("#n/a", "#value!", "#ref!", "#div/0!", "#num!", "#name?", "#null!", "0000-00-00"),
)
_SHARE = 100  # one odd cell in so many is a slip; more of them are what the column holds
_FEWEST = 20  # cells, below which one odd one is as good a sign as the others
_HOPELESS = 1_000  # odd cells, from which on a kind that most cells miss is given up
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


def few(known: int) -> int:
    """How many odd cells among so many known ones are slips rather than what a column holds.

    Examples
    --------
    >>> few(60_000), few(60), few(5)
    (600, 1, 0)
    """
    return max(known // _SHARE, int(known >= _FEWEST))


def is_no_value(known: Any) -> Any:
    """Which cells of a column of text hold a word that means "no value" among numbers."""
    import pyarrow as pa
    from pyarrow import compute as pc

    return pc.is_in(pc.utf8_lower(known), pa.array(NO_VALUE, known.type))


@dataclass
class KindFinder:
    """Looks at blocks of a column, one after the other, and tells in the end what it holds.

    Parameters
    ----------
    missing : tuple of str
        Texts that mean a missing value.
    lenient : bool, default=False
        Whether a few cells that are none make no difference to a column of numbers or dates.
    """

    missing: tuple[str, ...]
    lenient: bool = False
    # How many cells of a text file's column do not match each kind that is still possible; what is
    # found in a typed file is certain.
    odd: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PATTERNS, 0))
    known: int = 0
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
        if not self.odd and "known" in self.seen:
            return
        known = known_cells(cells, self.missing).drop_null()
        if len(known):
            self.seen.add("known")
            self._narrow(known)

    def _narrow(self, known: Any) -> None:
        import pyarrow as pa
        from pyarrow import compute as pc

        if "integer" in self.odd and _casts(known, pa.int64()):
            self.known += len(known)
            self._count("time", len(known))
            return
        if "number" in self.odd and _casts(known, pa.float64()):
            self.known += len(known)
            # Written with a point: no decimal comma, unless all points are between thousands.
            self.odd.pop("integer", None)
            self._count("time", len(known))
            self._match(known, ("decimal_comma",))
            return
        if self.lenient:
            known = known.filter(pc.invert(is_no_value(known)))
        self.known += len(known)
        self._match(known, tuple(self.odd))
        if self.odd.keys() & {"decimal_comma", "thousands"} and self.example is None:
            either = f"({PATTERNS['decimal_comma']})|({PATTERNS['thousands']})"
            fits = pc.and_(pc.match_substring(known, ","), pc.match_substring_regex(known, either))
            self.example = next(iter(known.filter(fits).to_pylist()), None)

    def _match(self, known: Any, kinds: tuple[str, ...]) -> None:
        from pyarrow import compute as pc

        for kind in kinds:
            if kind in self.odd:
                fit = pc.sum(pc.match_substring_regex(known, PATTERNS[kind])).as_py() or 0
                self._count(kind, len(known) - fit)

    def _count(self, kind: str, odd: int) -> None:
        if kind not in self.odd or not odd:
            return
        self.odd[kind] += odd
        most = self.known // 2
        if not self.lenient or (self.odd[kind] > _HOPELESS and self.odd[kind] > most):
            del self.odd[kind]

    def certain(self) -> str | None:
        """The kind, or None if both ways of writing numbers with commas are possible."""
        if not self.seen:
            return "empty"
        if "known" not in self.seen:
            return _one_kind(self.seen)
        if not self.odd or not self.known:
            return "text"
        fewest = min(self.odd.values())
        if fewest > (few(self.known) if self.lenient else 0):
            return "text"
        possible = [kind for kind in PATTERNS if self.odd.get(kind) == fewest]
        commas = {"decimal_comma", "thousands"} <= set(possible)
        return None if commas and not {"integer", "number"} & set(possible) else possible[0]


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

"""What the columns of a file hold: integers, numbers, times, text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from coterie.files.formats import MISSING
from coterie.files.wide import bundles, cut

__all__ = [
    "NO_VALUE",
    "PATTERNS",
    "Columns",
    "KindFinder",
    "few",
    "is_no_value",
    "is_text",
    "known_cells",
    "look_at_texts",
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
_SHRINKING = 3  # times as many bytes as its small letter has a capital at most
_SHARE = 100  # one odd cell in so many is a slip; more of them are what the column holds
_FEWEST = 20  # cells, below which one odd one is as good a sign as the others
_HOPELESS = 1_000  # odd cells, from which on a kind that most cells miss is given up
SHOWN = {
    "integer": "whole numbers",
    "number": "numbers",
    "decimal_comma": "numbers with a decimal comma",
    "thousands": "numbers with a comma as thousands separator",
    "time": "dates or times",
    "boolean": "yes or no",
    "text": "text",
    "empty": "nothing",
}


@dataclass(frozen=True)
class Columns:
    """The types of a table's columns, as detected at fit and stored with the model.

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
    # Most numbers are longer than any such word, and looking words up takes longer than all else.
    longest = _SHRINKING * max((len(word.encode()) for word in missing), default=0)
    shortest = pc.min(pc.binary_length(trimmed)).as_py()
    if shortest is not None and shortest > longest:
        return trimmed
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
        if typed or not is_text(cells.type):
            self.note_type(cells.type)
        elif self.odd or "known" not in self.seen:
            self.look_at_known(known_cells(cells, self.missing))

    def note_type(self, type_: Any) -> None:
        """Take a block of a typed file into account."""
        import pyarrow as pa

        if not pa.types.is_null(type_):
            self.seen.add(_kind_of_type(type_))

    def look_at_known(self, cells: Any) -> None:
        """Take one block of text into account, null where a cell is missing."""
        known = cells.drop_null()
        if len(known):
            self.seen.add("known")
            self._narrow(known)

    def look_at_numbers(self, known: int, *, whole: bool, commas: int) -> bool:
        """Take a block of numbers into account; false if that takes a look at the cells.

        Parameters
        ----------
        known : int
            How many there are.
        whole : bool
            Whether they are whole.
        commas : int
            How many of them could be written with a decimal comma as well.
        """
        if not self.odd.keys() & {"number", *(("integer",) if whole else ())}:
            return False
        if known:
            self.seen.add("known")
            self.known += known
            self._count("time", known)
            if not (whole and "integer" in self.odd):
                self.odd.pop("integer", None)
                self._count("decimal_comma", known - commas)
        return True

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


def look_at_texts(block: Any, finders: Mapping[str, KindFinder]) -> None:
    """Let each finder see its column of a block of text.

    Parameters
    ----------
    block : pyarrow RecordBatch
        Rows of a text file; some columns may have been parsed as numbers.
    finders : dict of str to KindFinder
        One for each column, all with the same idea of missing values.
    """
    import pyarrow as pa

    for names, cells in bundles(block, dict.fromkeys(finders)):
        if not is_text(cells.type):
            for name, column in cut(names, cells):
                known, whole = len(column) - column.null_count, pa.types.is_integer(cells.type)
                finders[name].look_at_numbers(known, whole=whole, commas=0)
            continue
        if len(names) == 1:
            finders[names[0]].look(cells, typed=False)
            continue
        known = known_cells(cells, finders[names[0]].missing)
        counts = [_per_column(mask, len(names)) for mask in _number_masks(known)]
        for (name, column), (there, numbers, whole, points, commas) in zip(
            cut(names, known), zip(*counts, strict=True), strict=True
        ):
            # Whole numbers that are too long for the pattern are left to the finder.
            plain = numbers == there and (whole == there or points > 0)
            if not plain or not finders[name].look_at_numbers(
                there, whole=whole == there, commas=commas
            ):
                finders[name].look_at_known(column)


def _number_masks(known: Any) -> Iterator[Any]:
    """Which cells are there, are numbers, are whole ones, hold a point, may have decimal commas."""
    from pyarrow import compute as pc

    yield pc.is_valid(known)
    yield pc.match_substring_regex(known, PATTERNS["number"])
    yield pc.match_substring_regex(known, PATTERNS["integer"])
    yield pc.match_substring(known, ".")
    yield pc.match_substring_regex(known, PATTERNS["decimal_comma"])


def _per_column(mask: Any, n_columns: int) -> list[int]:
    from pyarrow import compute as pc

    cells = pc.fill_null(mask, False).to_numpy(zero_copy_only=False)
    counts: list[int] = cells.reshape(n_columns, -1).sum(axis=1).tolist()
    return counts


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
    return next(iter(seen)) if len(seen) == 1 else "text"

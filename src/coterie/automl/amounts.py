"""Numbers that are written as text: amounts of money, percentages, decimal commas, lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.data.cells import Numbers, cells_with_dates, changed_kind

Array = NDArray[np.float64]
Style = Literal["point", "comma"]

# What may stand before or after a number, and does not change it.
_SIGNS = r"[$€£¥₹₽₩₺]|usd|eur|gbp|chf|jpy|inr|cad|aud|kr\.?|zł|us\$|%"
_AROUND = re.compile(rf"^({_SIGNS})\s*|\s*({_SIGNS})$", re.IGNORECASE)
_STYLES: dict[Style, re.Pattern[str]] = {
    "point": re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?"),
    "comma": re.compile(r"[+-]?(\d{1,3}([. ]\d{3})+|\d+)(,\d+)?"),
}
_NO_VALUE = {"", "-", "--", "n/a", "na", "nan", "none", "null", "?", "."}
_SHARE = 100  # one odd cell in so many is a slip
_FEWEST = 20  # cells, below which none is
_LIST = re.compile(r"[\[({]?\s*[+-]?\d[\d.eE+-]*(\s*[,;|\s]\s*[+-]?\d[\d.eE+-]*)+\s*[\])}]?")
_NUMBER = re.compile(r"[+-]?\d[\d.]*(?:[eE][+-]?\d+)?")
_LONGEST = 20  # lists whose numbers get columns of their own
SUMMARY = ("count", "mean", "min", "max")


def style_of(texts: Sequence[str]) -> Style | None:
    """How the numbers of a column are written; None if they are none, or plain ones.

    A cell in a hundred may be something else. Plain digits are left alone: they may be codes.

    Examples
    --------
    >>> style_of(["$1,200.50", "$7", "n/a"]), style_of(["3,5 %", "1.200,0 %"])
    ('point', 'comma')
    >>> style_of(["12", "7"]), style_of(["red", "$3"])
    (None, None)
    """
    known = [text.strip() for text in texts if not no_value(text)]
    bare = [_bare(text) for text in known]
    # The sign of a loss, or a sign beside the number, or commas: something that tells.
    if not any(b != k or "," in b for b, k in zip(bare, known, strict=True)):
        return None
    most = max(len(bare) // _SHARE, int(len(bare) >= _FEWEST))
    odd = {style: sum(not p.fullmatch(b) for b in bare) for style, p in _STYLES.items()}
    best: Style = "comma" if odd["comma"] < odd["point"] else "point"
    return best if known and odd[best] <= most else None


def read_amounts(texts: Sequence[Any], style: Style) -> Array:
    """The numbers; NaN where a cell holds none. What is a number already is left as it is.

    Examples
    --------
    >>> read_amounts(["$1,200.50", "($3)", None, 7], "point")
    array([1200.5,   -3. ,     nan,    7. ])
    """
    return np.array([_amount(text, style) for text in texts], dtype=np.float64)


def no_value(cell: Any) -> bool:
    """Whether a cell stands for nothing: it is missing, or says so.

    Examples
    --------
    >>> [no_value(cell) for cell in (None, float("nan"), " n/a", "0")]
    [True, True, True, False]
    """
    if isinstance(cell, str):
        return cell.strip().lower() in _NO_VALUE
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or bool(cell != cell)


def check_text(series: nw.Series[Any], where: str, then: str = "text") -> None:
    """Refuse a column without text, unless it has no values at all.

    Parameters
    ----------
    series : Series
        New rows of a column.
    where, then : str
        How messages call it, and what it contained at fit.
    """
    cells = cells_with_dates(series, where)
    if isinstance(cells, Numbers) and not cells.all_missing:
        raise changed_kind(where, then, cells.kind)


def check_readable(cells: Sequence[Any], found: Array, where: str, what: str) -> None:
    """Refuse texts of which none could be read, rather than to take all of them for missing.

    Parameters
    ----------
    cells : sequence
        New rows of a column.
    found : ndarray
        What was read; NaN where nothing was.
    where, what : str
        How messages call the column, and what it contained at fit.
    """
    if not np.isnan(found).all():
        return
    known = next((cell for cell in cells if not no_value(cell)), None)
    if known is not None:
        raise changed_kind(where, what, f"{known!r:.60}, which cannot be read as such,")


def _amount(text: Any, style: Style) -> float:
    if isinstance(text, int | float):
        return float(text)
    bare = _bare(text.strip()) if isinstance(text, str) else ""
    if not _STYLES[style].fullmatch(bare):
        return float("nan")
    thousands, point = (",", ".") if style == "point" else (". ", ",")
    for sign in thousands:
        bare = bare.replace(sign, "")
    return float(bare.replace(point, "."))


def _bare(text: str) -> str:
    """Without what stands around the number; parentheses of accountants are a minus."""
    minus = text.startswith("(") and text.endswith(")")
    text = text[1:-1].strip() if minus else text
    if text[:1] in ("+", "-"):
        text, sign = text[1:].strip(), text[0]
    else:
        sign = ""
    text = _AROUND.sub("", _AROUND.sub("", text)).strip()
    return ("-" if minus else sign) + text


def list_parts(texts: Sequence[str]) -> tuple[str, ...]:
    """The columns that lists of numbers become; none if the texts are no such lists.

    Lists that are all as long as each other, and not very long, have a column for each number.

    Examples
    --------
    >>> list_parts(["[1, 2]", "[3, 4]"]), list_parts(["1;2", "3;4;5"])
    (('0', '1'), ('count', 'mean', 'min', 'max'))
    >>> list_parts(["2024-01-31", "12 May"])
    ()
    """
    if not texts or not all(_LIST.fullmatch(text.strip()) for text in texts):
        return ()
    lengths = {len(_NUMBER.findall(text)) for text in texts}
    if len(lengths) == 1 and max(lengths) <= _LONGEST:
        return tuple(map(str, range(max(lengths))))
    return SUMMARY


def read_lists(texts: Sequence[Any], parts: Sequence[str]) -> list[Array]:
    """The columns of lists of numbers; NaN where there is no list, or a shorter one.

    Examples
    --------
    >>> read_lists(["1;2", None], ["count", "max"])
    [array([ 2., nan]), array([ 2., nan])]
    """
    lists = [_numbers(text) for text in texts]
    summaries: dict[str, Any] = {"count": len, "mean": np.mean, "min": np.min, "max": np.max}
    found = []
    for part in parts:
        if part in summaries:
            values = [summaries[part](one) if one else np.nan for one in lists]
        else:
            place = int(part)
            values = [one[place] if place < len(one) else np.nan for one in lists]
        found.append(np.array(values, dtype=np.float64))
    return found


def _numbers(text: Any) -> list[float]:
    found: list[float] = []
    if not isinstance(text, str) or not (_LIST.fullmatch(text.strip()) or _NUMBER.fullmatch(text)):
        return found
    for number in _NUMBER.findall(text):
        try:
            found.append(float(number))
        except ValueError:  # 1.2.3, say
            return []
    return found

"""Options that several commands share."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.files.formats import ReadOptions

__all__ = [
    "Costs",
    "Duration",
    "MoreTime",
    "common",
    "existing",
    "json_option",
    "model_argument",
    "read_options",
    "reading",
    "reading_anew",
    "table_file",
]


class MoreTime(float):
    """Seconds that are added to those a fit had before."""


class Duration(click.ParamType):
    """A time such as ``60``, ``60s``, ``5m``, ``1h30m``; in seconds.

    Examples
    --------
    >>> Duration().convert("1h30m", None, None)
    5400.0
    >>> Duration().convert("+2m", None, None)
    120.0
    """

    name = "duration"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Seconds of what the user wrote."""
        if isinstance(value, int | float):
            return float(value)
        text = str(value).strip().lower()
        if text.startswith("+"):
            return MoreTime(self.convert(text[1:], param, ctx))
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return self._positive(float(text), value, param, ctx)
        parts = re.fullmatch(r"(?:([\d.]+)h)?(?:([\d.]+)m(?:in)?)?(?:([\d.]+)s)?", text)
        if parts is None or not any(parts.groups()):
            self.fail(f"{value!r} is not a time; write 90s, 5m or 1h30m.", param, ctx)
        try:
            hours, minutes, seconds = (float(part or 0) for part in parts.groups())
        except ValueError:
            self.fail(f"{value!r} is not a time; write 90s, 5m or 1h30m.", param, ctx)
        return self._positive(3600 * hours + 60 * minutes + seconds, value, param, ctx)

    def _positive(self, seconds: float, value: Any, param: Any, ctx: Any) -> float:
        if seconds <= 0:
            self.fail(f"{value!r} must be greater than zero.", param, ctx)
        return seconds


class Costs(click.ParamType):
    """What mistakes cost, such as ``fp=1,fn=5``.

    Examples
    --------
    >>> Costs().convert("fp=1,fn=5", None, None)
    {'fp': 1.0, 'fn': 5.0}
    """

    name = "costs"

    def convert(self, value: Any, param: Any, ctx: Any) -> dict[str, float]:
        """The costs of false positives and of false negatives."""
        if isinstance(value, dict):
            return value
        parts = [part.partition("=") for part in str(value).split(",")]
        try:
            found = {name.strip().lower(): float(number) for name, _, number in parts}
        except ValueError:
            found = {}
        if set(found) != {"fp", "fn"} or not all(
            0 < cost < float("inf") for cost in found.values()
        ):
            self.fail(f"{value!r} is not a valid cost; write fp=1,fn=5.", param, ctx)
        return found


existing = click.Path(path_type=Path)


def common(command: Any) -> Any:
    """Add what every command takes."""
    command = click.option(
        "--quiet", "-q", is_flag=True, help="Print only results, warnings and errors."
    )(command)
    return click.option("--debug", is_flag=True, help="Show a traceback on errors.")(command)


def reading(command: Any) -> Any:
    """Add what can be said about text files."""
    return _reading(command, ["missing", "error"])


def reading_anew(command: Any) -> Any:
    """Add what can be said about text files whose columns are not known yet."""
    command = click.option(
        "--text", multiple=True, metavar="COLUMN", help="Read this column as text. Repeatable."
    )(command)
    return _reading(command, ["missing", "text", "error"])


def _reading(command: Any, choices: list[str]) -> Any:
    command = click.option(
        "--odd-cells",
        type=click.Choice(choices),
        default="missing",
        show_default=True,
        help="How to treat stray text in a numeric or date column: as missing"
        + (", by reading the column as text," if "text" in choices else "")
        + " or as an error.",
    )(command)
    command = click.option(
        "--encoding", default="utf-8", show_default=True, help="Encoding of text files."
    )(command)
    return click.option(
        "--delimiter",
        help='Field separator, such as ";" or "\\t". Detected by default.',
    )(command)


def table_file(path: Path) -> Path:
    """The file of a table; "-" is the standard input, of which a copy is read."""
    from coterie.files.standard import STANDARD, spool

    if path != STANDARD:
        return path
    copy = spool()
    context: Any = click.get_current_context()
    context.call_on_close(lambda: shutil.rmtree(copy.parent))
    return copy


def read_options(options: dict[str, Any], **more: Any) -> ReadOptions:
    """What was said about text files."""
    try:
        "".encode(options["encoding"])
    except (LookupError, ValueError):  # or not one of text, such as rot13
        raise click.BadParameter(
            f"{options['encoding']!r} is not a known encoding; use utf-8, latin-1, cp1252 …",
            param_hint="--encoding",
        ) from None
    delimiter = options["delimiter"]
    delimiter = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if delimiter is not None and len(delimiter) != 1:
        raise click.BadParameter("must be one character.", param_hint="--delimiter")
    return ReadOptions(
        delimiter,
        options["encoding"],
        odd=options.get("odd_cells", "missing"),
        text=options.get("text", ()),
        **more,
    )


def model_argument(command: Any) -> Any:
    """Add the model: a file, or the directory that `fit` wrote."""
    return click.argument("model", type=existing)(command)


def json_option(command: Any) -> Any:
    """Add the choice of output for scripts."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)

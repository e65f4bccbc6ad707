"""Options that several commands share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.reading.files import ReadOptions

__all__ = [
    "Duration",
    "common",
    "existing",
    "json_option",
    "model_argument",
    "read_options",
    "reading",
]


class Duration(click.ParamType):
    """A time such as ``60``, ``60s``, ``5m``, ``1h30m``; in seconds.

    Examples
    --------
    >>> Duration().convert("1h30m", None, None)
    5400.0
    """

    name = "duration"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Seconds of what the user wrote."""
        if isinstance(value, int | float):
            return float(value)
        text = str(value).strip().lower()
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return self._positive(float(text), value, param, ctx)
        parts = re.fullmatch(r"(?:([\d.]+)h)?(?:([\d.]+)m(?:in)?)?(?:([\d.]+)s)?", text)
        if parts is None or not any(parts.groups()):
            self.fail(f"{value!r} is no time; write 90s, 5m or 1h30m.", param, ctx)
        try:
            hours, minutes, seconds = (float(part or 0) for part in parts.groups())
        except ValueError:
            self.fail(f"{value!r} is no time; write 90s, 5m or 1h30m.", param, ctx)
        return self._positive(3600 * hours + 60 * minutes + seconds, value, param, ctx)

    def _positive(self, seconds: float, value: Any, param: Any, ctx: Any) -> float:
        if seconds <= 0:
            self.fail(f"{value!r} is not above zero.", param, ctx)
        return seconds


existing = click.Path(path_type=Path)


def common(command: Any) -> Any:
    """Add what every command takes."""
    command = click.option(
        "--quiet", "-q", is_flag=True, help="Print nothing but the result, warnings and errors."
    )(command)
    return click.option(
        "--debug", is_flag=True, help="Show where in the program an error came from."
    )(command)


def reading(command: Any) -> Any:
    """Add what can be said about text files."""
    command = click.option(
        "--encoding", default="utf-8", show_default=True, help="Encoding of a text file."
    )(command)
    return click.option(
        "--delimiter", help='Between the fields of a line, such as ";" or "\\t"; found by itself.'
    )(command)


def read_options(options: dict[str, Any], **more: Any) -> ReadOptions:
    """What was said about text files."""
    import codecs

    try:
        codecs.lookup(options["encoding"])
    except LookupError:
        raise click.BadParameter(
            f"{options['encoding']!r} is no encoding; write utf-8, latin-1, cp1252 …",
            param_hint="--encoding",
        ) from None
    delimiter = options["delimiter"]
    delimiter = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if delimiter is not None and len(delimiter) != 1:
        raise click.BadParameter("must be one character.", param_hint="--delimiter")
    return ReadOptions(delimiter, options["encoding"], **more)


def model_argument(command: Any) -> Any:
    """Add the model: a file, or the directory that `fit` wrote."""
    return click.argument("model", type=existing)(command)


def json_option(command: Any) -> Any:
    """Add the choice of output for scripts."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)

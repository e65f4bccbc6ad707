"""A report as a file, written in one step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coterie.base.atomic import write_whole
from coterie.report.collect import facts
from coterie.report.page import html
from coterie.report.text import markdown


def write_report(model: Any, path: Any) -> Path:
    """Write a report on a model fitted by `coterie.fit_table`.

    The file is written atomically: under a temporary name first, then renamed. If anything fails,
    an existing file stays unchanged.

    Parameters
    ----------
    model : TableClassifier, TableRegressor or dict
        The fitted model, or its facts.
    path : str or path-like
        Where to write. The extension sets the format: ``.html`` for a page, ``.md`` for Markdown,
        ``.json`` for the facts themselves, from which the others can be created again.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from coterie import fit_table, write_report
    >>> from coterie.datasets import load_table
    >>> table = load_table("watermelon", as_frame="pandas")
    >>> model = fit_table(table.X.assign(melon=table.y), "melon", members="fast")
    >>> with TemporaryDirectory() as folder:
    ...     write_report(model, f"{folder}/report.html").name
    'report.html'
    """
    target = Path(path)
    form = _FORMS.get(target.suffix.lower())
    if form is None:
        endings = ", ".join(_FORMS)
        raise ValueError(
            f"The file name of a report must end in one of {endings}, "
            f"not in {target.suffix or 'nothing'!r}."
        )
    text = form(model if isinstance(model, dict) else facts(model))
    write_whole(target, [text.encode("utf-8")])
    return target


def _json(found: dict[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


_FORMS = {".html": html, ".htm": html, ".md": markdown, ".json": _json}

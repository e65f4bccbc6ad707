"""Facts as Markdown, for terminals, pull requests and archives."""

from __future__ import annotations

import re
from typing import Any

from coterie.report.content import shown
from coterie.report.page import environment
from coterie.report.svg import Markup

# What could begin markup; pipes would end a cell.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")


def markdown(facts: dict[str, Any]) -> str:
    """Render facts as Markdown: the content of `html` without the plots.

    Parameters
    ----------
    facts : dict
        What `facts` returned, or the same read from JSON.

    Returns
    -------
    str

    Examples
    --------
    >>> from coterie.report import markdown
    >>> def tell(facts):
    ...     print(markdown(facts))
    """
    jinja = environment(autoescape=False)
    # What is printed is escaped, whoever wrote it.
    jinja.finalize = literal
    return str(jinja.get_template("report.md.j2").render(**shown(facts), verbatim=Markup))


def literal(value: Any) -> Any:
    """Text that Markdown shows as it is, on one line."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _SPECIAL.sub(r"\\\1", _BREAKS.sub(" ", value))

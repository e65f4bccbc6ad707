"""The page of the studio as one text: markup, styles, script and data."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from coterie.report.page import source

#: In the order in which they build on one another.
SCRIPTS = (
    "unpack.js",
    "svg.js",
    "picture.js",
    "charts.js",
    "trees.js",
    "diversity.js",
    "calculator.js",
    "formulas.js",
    "export.js",
    "player.js",
    "live.js",
    "workbench.js",
    "start.js",
)


def render(content: dict[str, Any]) -> str:
    """The page about some scenes.

    Its content security policy forbids everything that does not come with it; a live page may
    talk to the server it came from.

    Parameters
    ----------
    content : dict
        ``scenes``, and ``live``: whether there is a server to talk to.

    Returns
    -------
    str
    """
    style = source("style.css") + static("studio.css")
    script = '"use strict";\n(() => {\n' + "".join(map(static, SCRIPTS)) + "})();\n"
    # No text of a user can end the element: there is no "<" in it.
    data = json.dumps(content, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    page = static("page.html")
    parts = {"policy": policy(style, script, live=content["live"]), "style": style}
    for name, text in (parts | {"script": script, "data": data}).items():
        before, _, after = page.partition(f"@@{name}@@")
        page = before + text + after
    return page


def policy(style: str, script: str, *, live: bool) -> str:
    """What the page may do: run its own script, and nothing else.

    A live page also talks to its server, and shows the report in a frame, which inherits this.
    """
    styles, scripts, more = _digest(style), _digest(script), ""
    if live:
        styles += f" {_digest(source('style.css'))}"
        scripts += f" {_digest(source('script.js'))}"
        more = "connect-src 'self'; frame-src blob:; "
    return (
        f"default-src 'none'; style-src {styles}; script-src {scripts}; {more}"
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def static(name: str) -> str:
    """Text of a file that belongs to the page."""
    return files("coterie.studio").joinpath("static", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

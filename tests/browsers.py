"""A real browser, and pages opened in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM = os.environ.get("COTERIE_CHROMIUM") or shutil.which("chromium") or ""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for a module: while it runs, other tests could not start an event loop."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("no chromium on the PATH; name one in COTERIE_CHROMIUM")
    with playwright.sync_playwright() as started:
        window = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield window
        window.close()


def rest(page: Any) -> str:
    """What a page's address says of its state, once the round has come to rest.

    The page waits for 120 ms; what it is asked to wait for here comes after that.
    """
    page.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    return str(page.evaluate("location.hash"))


class Shown:
    """A page that was opened, with all it asked for and complained of."""

    def __init__(self, browser: Any, path: Any, width: int, scheme: str = "light") -> None:
        self.asked: list[str] = []
        self.complaints: list[str] = []
        size = {"width": width, "height": 800}
        self.page = browser.new_page(viewport=size, color_scheme=scheme)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append("dialog") or dialog.dismiss())
        self.page.goto(path.as_uri())

    def text(self, selector: str) -> str:
        return self.page.text_content(selector).replace("\u00a0", " ").strip()

    def rest(self) -> str:
        """What the address says of the state, once the round has come to rest."""
        return rest(self.page)

    def slide(self, name: str, value: int) -> None:
        self.page.eval_on_selector(
            f"#{name}-input",
            "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }",
            value,
        )

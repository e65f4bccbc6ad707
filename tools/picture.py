"""The picture of a report in the README, taken of the report that `make run` wrote.

``python tools/picture.py build/run/report.html docs/_static/report.png`` opens the page in
Chromium, which must be on the PATH or named in COTERIE_CHROMIUM, and keeps the top of it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

WIDTH, HEIGHT = 1120, 860


def main(report: str, picture: str) -> None:
    """Take the picture."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("COTERIE_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        raise SystemExit("No chromium on the PATH. Install it, or name it in COTERIE_CHROMIUM.")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(Path(report).resolve().as_uri())
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])

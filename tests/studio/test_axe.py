"""axe-core finds no serious fault of accessibility, if npm has installed it.

``npm install axe-core`` in the directory of the repository, or name the file in COTERIE_AXE.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coterie import AdaBoostClassifier, BaggingRegressor, explore
from tests.browsers import Shown

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def axe() -> str:
    path = os.environ.get("COTERIE_AXE", "")
    if not path and shutil.which("node"):
        ask = ["node", "-p", "require.resolve('axe-core/axe.min.js')"]
        path = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()
    if not path or not Path(path).is_file():
        pytest.skip("axe-core is not installed; COTERIE_AXE may name its file")
    return Path(path).read_text(encoding="utf-8")


def serious(page: Any, axe: str) -> list[str]:
    """Faults that keep someone from using the page."""
    page.evaluate(f"{axe};0")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_classes(axe, browser, page, tmp_path, scheme):
    shown = Shown(browser, page.save(tmp_path / "page.html"), 1280, scheme)
    shown.page.wait_for_selector("html[data-ready]")
    for tab in ("explorer", "diversity", "calculator"):
        shown.page.click(f"#tab-{tab}")
        assert serious(shown.page, axe) == []
    shown.page.close()


def test_pages_of_numbers_at_the_width_of_a_phone(axe, browser, wave, tmp_path):
    pair = [BaggingRegressor(n_estimators=3), BaggingRegressor(n_estimators=4)]
    made = explore(pair, *wave).retrain(2)
    shown = Shown(browser, made.save(tmp_path / "page.html"), 375)
    shown.page.wait_for_selector("html[data-ready]")
    assert serious(shown.page, axe) == []
    shown.page.close()


def test_a_fault_would_be_found(axe, browser, moons, tmp_path):
    made = explore(AdaBoostClassifier(n_estimators=2), *moons, resolution=8)
    shown = Shown(browser, made.save(tmp_path / "page.html"), 1280)
    shown.page.wait_for_selector("html[data-ready]")
    shown.page.evaluate("document.getElementById('round').removeAttribute('aria-label')")
    assert any("label" in fault for fault in serious(shown.page, axe))
    shown.page.close()


def test_the_live_studio(axe, studio):
    studio.click("#retrain")
    studio.wait_for_selector("[data-bias]")
    assert serious(studio, axe) == []
    studio.click("#tab-workbench")
    studio.click("#compare")
    studio.wait_for_selector("#workbench h3")
    studio.fill("#table-path", "t.csv")
    studio.click("#open-table")
    studio.wait_for_selector("#begin-fit")
    assert serious(studio, axe) == []

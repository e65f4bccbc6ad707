"""How fast the explorer redraws: 200 rounds of 2,000 points, scrubbed from end to end.

``python benchmarks/studio_frames.py`` prints milliseconds per frame in Chromium: processor time of
the page's main thread (script, style, layout, paint) and of all of Chromium's processes, and by the
clock. Each frame is waited for, so none is skipped. On a machine that does other work only the
processor times mean something.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import coterie

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browsers import ARGUMENTS, CHROMIUM

ROUNDS, POINTS = 200, 2_000
SCRUB = """async (tab) => {
  document.getElementById('tab-' + tab).click();
  const input = document.getElementById('round'), frame = () => new Promise(requestAnimationFrame);
  const began = performance.now();
  for (let t = 1; t <= Number(input.max); t++) {
    input.value = t; input.dispatchEvent(new Event('input'));
    await frame();
  }
  return (performance.now() - began) / Number(input.max);
}"""


def main() -> None:
    """Make the page, scrub through it, and print what it took."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(POINTS, 2))
    y = (X[:, 0] * X[:, 1] + rng.normal(0, 0.3, POINTS) > 0).astype(int)
    boosted = coterie.AdaBoostClassifier(n_estimators=ROUNDS, trace="weights").fit(X, y)
    forest = coterie.RandomForestClassifier(n_estimators=ROUNDS, random_state=0).fit(X, y)
    pages = {"AdaBoost": [boosted], "AdaBoost and a forest": [boosted, forest]}
    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        window = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, models in pages.items():
            path = coterie.explore(models, X, y).save(Path(folder) / "page.html")
            for tab in ("explorer", "diversity"):
                thread, whole, clock = measure(window, path, tab)
                print(
                    f"{name}, {tab}: main thread {thread:.1f} ms a frame ({1000 / thread:.0f} "
                    f"frames a second), all processes {whole:.1f} ms ({1000 / whole:.0f}), by the "
                    f"clock {clock:.1f} ms ({1000 / clock:.0f})"
                )
        window.close()


def measure(window: Any, path: Path, tab: str) -> tuple[float, float, float]:
    """Milliseconds per frame: of the main thread, of all processes, and by the clock."""
    page = window.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    processes = window.new_browser_cdp_session()

    def spent() -> Any:
        found = session.send("Performance.getMetrics")["metrics"]
        main = next(one["value"] for one in found if one["name"] == "TaskDuration")
        whole = processes.send("SystemInfo.getProcessInfo")["processInfo"]
        return np.array([main, sum(one["cpuTime"] for one in whole)])

    before = spent()
    clock = page.evaluate(SCRUB, tab)
    thread, whole = 1000 * (spent() - before) / ROUNDS
    page.close()
    return thread, whole, clock


if __name__ == "__main__":
    main()

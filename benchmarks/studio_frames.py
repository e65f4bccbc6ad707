"""How fast the explorer redraws: 200 rounds of 2,000 points, scrubbed from end to end.

    python benchmarks/studio_frames.py        # half a minute; writes results/studio.md

The thumb of the slider is dragged from the first round to the last with the mouse, in Chromium
without a graphics card. Frames are those that Chromium's own trace says were presented. In a second
pass every frame is waited for, so that none is skipped, and processor times are taken.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import coterie

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browsers import ARGUMENTS, CHROMIUM

RESULTS = Path(__file__).parent / "results" / "studio.md"
ROUNDS, POINTS = 200, 2_000
SCRUB = """async () => {
  const input = document.getElementById('round'), frame = () => new Promise(requestAnimationFrame);
  const times = [await frame()];
  for (let t = 1; t <= Number(input.max); t++) {
    input.value = t; input.dispatchEvent(new Event('input'));
    times.push(await frame());
  }
  return times;
}"""


@dataclass
class Pace:
    """What scrubbing through a page took."""

    frames: float  # a second, presented while the thumb was dragged
    clock: list[float]  # milliseconds between frames, every round drawn
    thread: float  # milliseconds of processor time a frame, of the page's main thread
    whole: float  # the same, of all of Chromium's processes

    def row(self, *before: object) -> str:
        """A line of the table."""
        slow = np.quantile(self.clock, 0.95)
        cells = [*before, f"{self.frames:.0f}", f"{1000 / np.mean(self.clock):.0f}", f"{slow:.0f}"]
        return f"| {' | '.join([*map(str, cells), f'{self.thread:.1f}', f'{self.whole:.1f}'])} |"


def main() -> None:
    """Make the pages, scrub through them, and write what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    lines = []
    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        window = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, page in make_pages(Path(folder)).items():
            for tab in ("explorer", "diversity"):
                lines.append(measure(window, page, tab, Path(folder) / "trace.json").row(name, tab))
                print(lines[-1], flush=True)
        version = window.version
        window.close()
    options.out.write_text(text(lines, version), encoding="utf-8")


def make_pages(folder: Path) -> dict[str, Path]:
    """One method, and two side by side."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(POINTS, 2))
    y = (X[:, 0] * X[:, 1] + rng.normal(0, 0.3, POINTS) > 0).astype(int)
    boosted = coterie.AdaBoostClassifier(n_estimators=ROUNDS, trace="weights").fit(X, y)
    forest = coterie.RandomForestClassifier(n_estimators=ROUNDS, random_state=0).fit(X, y)
    shown = {"AdaBoost": [boosted], "AdaBoost beside a random forest": [boosted, forest]}
    return {
        name: coterie.explore(models, X, y).save(folder / f"{len(models)}.html")
        for name, models in shown.items()
    }


def measure(window: Any, path: Path, tab: str, trace: Path) -> Pace:
    """Scrub through one tab of a page in both ways."""
    page = window.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    page.click(f"#tab-{tab}")
    frames = drag(window, page, trace)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    processes = window.new_browser_cdp_session()

    def spent() -> Any:
        found = session.send("Performance.getMetrics")["metrics"]
        main = next(one["value"] for one in found if one["name"] == "TaskDuration")
        whole = processes.send("SystemInfo.getProcessInfo")["processInfo"]
        return np.array([main, sum(one["cpuTime"] for one in whole)])

    before = spent()
    clock = np.diff(page.evaluate(SCRUB)).tolist()
    thread, whole = 1000 * (spent() - before) / ROUNDS
    page.close()
    return Pace(frames, clock, thread, whole)


def drag(window: Any, page: Any, trace: Path) -> float:
    """Frames a second that are presented while the thumb is dragged over all rounds."""
    box = page.locator("#round").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 6, middle)
    page.mouse.down()
    categories = ["-*", "cc", "benchmark", "blink.user_timing"]
    window.start_tracing(page=page, path=trace, categories=categories)
    page.evaluate("() => { performance.mark('drag-begins'); }")
    page.mouse.move(box["x"] + box["width"] - 6, middle, steps=ROUNDS)
    page.evaluate("() => { performance.mark('drag-ends'); }")
    window.stop_tracing()
    page.mouse.up()
    assert page.text_content("#round-shown") == f"{ROUNDS} of {ROUNDS}"
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    begins, ends = (
        next(one for one in events if one["name"] == name) for name in ("drag-begins", "drag-ends")
    )
    presented = {
        one["args"]["frame_reporter"]["frame_sequence"]
        for one in events
        if one["name"] == "PipelineReporter"
        and one["ph"] == "b"
        and one["pid"] == begins["pid"]
        and begins["ts"] <= one["ts"] <= ends["ts"]
        and one["args"]["frame_reporter"]["state"] == "STATE_PRESENTED_ALL"
    }
    return 1e6 * len(presented) / (ends["ts"] - begins["ts"])


def text(lines: list[str], version: str) -> str:
    """The page of results."""
    busy = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    return (
        "# Studio\n\n"
        f"`python benchmarks/studio_frames.py`: the explorer with {ROUNDS} rounds and {POINTS:,} "
        f"points, all layers on, 1280 × 900 pixels, in Chromium {version} without a graphics card "
        f"(everything is drawn by the processor) on {os.cpu_count()} cores; the load average at "
        f"the end was {busy}. *Dragged*: frames a second that Chromium presented while the mouse "
        "dragged the slider over all rounds. *Every round*: frames a second when each round is "
        "waited for. Chromium presents at most 60 frames a second.\n\n"
        "| page | tab | dragged | every round | 95 % of frames within ms | main thread ms a frame "
        "| all processes ms a frame |\n|---|---|--:|--:|--:|--:|--:|\n" + "\n".join(lines) + "\n"
    )


if __name__ == "__main__":
    main()

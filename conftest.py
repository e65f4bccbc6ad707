"""What is settled before tests import the package, and which tests `make test` runs."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A busy machine must not fail a test: nothing here is measured by the clock.
settings.register_profile("long", deadline=None)
settings.register_profile("short", deadline=None, max_examples=20)

# Pictures in docstrings are drawn into memory, also where there is a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

# `make test-processors` tests an engine that was compiled for the plainest processor.
if engine := os.environ.get("COTERIE_TEST_ENGINE"):
    name = "coterie.native._engine"
    spec = util.spec_from_file_location(name, engine)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])

#: Seconds of the tests that took long when they were last recorded, by ``pytest --record``.
RECORD = Path(__file__).parent / "tests" / "durations.json"
#: What a test may take to be in the short suite, and to be left out of the record.
SHORT, WORTH_RECORDING = 0.5, 0.2
#: Of a contract test over all estimators and many cases, the short suite runs one in this many.
THINNING = 11


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close what a test or an example has drawn: matplotlib warns of many open figures."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses the short suite."""
    parser.addoption(
        "--short",
        action="store_true",
        help="leave out slow tests, and run each contract test on a part of its cases",
    )
    parser.addoption(
        "--record",
        action="store_true",
        help=f"write down in {RECORD.name} which tests take long, for later short runs",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what belongs to the short suite, if that was asked for."""
    if not config.getoption("--short"):
        return
    thinned = _thinned(
        [i for i in items if i.get_closest_marker("contract") and hasattr(i, "callspec")]
    )
    dropped = {item for item in items if item.get_closest_marker("slow")} | thinned
    dropped |= _long([item for item in items if item not in dropped])
    config.hook.pytest_deselected(items=list(dropped))
    items[:] = [item for item in items if item not in dropped]


def _thinned(items: list[Any]) -> set[pytest.Item]:
    """Contract tests to leave out, so that every estimator and every case is still met.

    Estimators and cases are numbered; kept are those whose numbers add up to a multiple.
    """
    estimators: dict[type, int] = {}
    cases: dict[tuple[str, str], int] = {}
    dropped = set()
    for item in items:
        params = item.callspec.params
        cls = params.get("cls") or type(params.get("estimator"))
        case = item.originalname, item.callspec.id.replace(cls.__name__, "")
        number = estimators.setdefault(cls, len(estimators))
        if (number + cases.setdefault(case, len(cases))) % THINNING:
            dropped.add(item)
    return dropped


def _long(items: list[pytest.Item]) -> set[pytest.Item]:
    """Tests that took long when they were recorded; every file keeps its quickest one."""
    seconds: dict[str, float] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    quickest: dict[Path, pytest.Item] = {}
    for item in sorted(items, key=lambda item: seconds.get(item.nodeid, 0.0)):
        quickest.setdefault(item.path, item)
    kept = set(quickest.values())
    return {i for i in items if seconds.get(i.nodeid, 0.0) > SHORT and i not in kept}


class Recorder:
    """Adds up the seconds of every test, fixtures included."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the time of a test's set-up, call or end."""
        self.seconds[report.nodeid] += report.duration  # type: ignore[assignment]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write down what took long."""
        long = {k: round(s, 1) for k, s in sorted(self.seconds.items()) if s >= WORTH_RECORDING}
        RECORD.write_text(json.dumps(long, indent=0) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples to try; watch the clock in the process that gathers the results."""
    settings.load_profile("short" if config.getoption("--short") else "long")
    if config.getoption("--record", default=False) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder())

"""What is settled before tests import the package, and which tests `make test` runs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from functools import partial
from importlib import util
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A busy machine must not fail a test: nothing here is measured by the clock.
settings.register_profile("long", deadline=None, max_examples=50)
settings.register_profile("short", deadline=None, max_examples=6)

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

#: Of a contract test over all estimators and many cases, the short suite runs one in this many.
THINNING = 43
#: So does the long suite, but for scikit-learn's checks, unless `--full` asks for all.
LONG_THINNING = 3
#: Of any other test with many cases, the short suite runs so many.
CASES = 2

ROOT = Path(__file__).parent


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
        help="leave out slow tests, and run each contract test on a small part of its cases",
    )
    parser.addoption(
        "--full",
        action="store_true",
        help="run each contract test on every estimator in every case",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the pages of the guide to the long suite; the README's example is in both."""
    return True if collection_path.suffix == ".rst" and config.getoption("--short") else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Look for examples in docstrings of the package alone: tests have none."""
    found = yield
    if ROOT / "tests" not in file_path.parents:
        return found
    return [node for node in found if type(node) is pytest.Module]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Let the garbage collector pass over the tests, which are many and all kept."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what belongs to the suite that was asked for."""
    if config.getoption("--full"):
        return
    contract = [i for i in items if i.get_closest_marker("contract") and hasattr(i, "callspec")]
    if config.getoption("--short"):
        slow = {item for item in items if _is_slow(item)}
        dropped = slow | _thinned([item for item in contract if item not in slow])
        dropped |= _repeated([item for item in items if item not in slow])
    else:
        rows = [item for item in contract if not item.get_closest_marker("every_case")]
        dropped = _thinned(rows, LONG_THINNING)
    config.hook.pytest_deselected(items=list(dropped))
    items[:] = [item for item in items if item not in dropped]


def _is_slow(item: pytest.Item) -> bool:
    """Whether a test is marked as slow, or its case: ``slow("a")`` means cases named after a.

    Examples in docstrings of classes are slow, too: they fit models, as the classes' tests do.
    """
    if isinstance(item, pytest.DoctestItem):
        return item.name.rpartition(".")[2][:1].isupper()
    case = item.name.partition("[")[2]
    return any(
        not mark.args or any(word in case for word in mark.args)
        for mark in item.iter_markers("slow")
    )


def _repeated(items: list[pytest.Item]) -> set[pytest.Item]:
    """Of a test with many cases, all but a few, which are spread evenly over them."""
    tests: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if not any(item.get_closest_marker(mark) for mark in ("contract", "every_case")):
            tests.setdefault((item.path, item.name.partition("[")[0]), []).append(item)
    return {
        case
        for cases in tests.values()
        for k, case in enumerate(cases)
        if len(cases) > CASES and (k * CASES) % len(cases) >= CASES
    }


def _thinned(items: list[Any], thinning: int = THINNING) -> set[pytest.Item]:
    """Contract tests to leave out, so that every estimator and every case is still met.

    Estimators and cases are numbered; kept are those whose numbers add up to a multiple, and
    whatever is the first of a case or of an estimator that would not be met. Of several instances
    of a class, the short suite takes the first.
    """
    estimators: dict[type, int] = {}
    cases: dict[tuple[str, str], int] = {}
    kept: set[pytest.Item] = set()
    met: set[Any] = set()
    rows = [(item, *_row(item)) for item in items]
    for item, cls, case in rows:
        number = estimators.setdefault(cls, len(estimators))
        chosen = (number + cases.setdefault(case, len(cases))) % thinning == 0
        if chosen and (thinning < THINNING or (cls, case) not in met):
            kept.add(item)
            met |= {cls, case, (cls, case)}
    for item, cls, case in rows:
        if cls not in met or case not in met:
            kept.add(item)
            met |= {cls, case}
    return set(items) - kept


def _row(item: Any) -> tuple[type, tuple[str, str]]:
    """The estimator of a contract test, and its case: the test and the other parameters."""
    params = item.callspec.params
    cls = params.get("cls") or type(params.get("estimator"))
    others = [_word(value) for name, value in params.items() if name not in ("cls", "estimator")]
    return cls, (f"{item.path}::{item.originalname}", " ".join(others))


def _word(value: Any) -> str:
    """A name of a parameter that is the same for all estimators: checks are made for each."""
    return f"{value.func.__name__} {value.keywords}" if isinstance(value, partial) else str(value)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples hypothesis tries."""
    settings.load_profile("short" if config.getoption("--short") else "long")

"""What is settled before tests import the package, and which tests `make test` runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import util
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what belongs to the short suite, if that was asked for."""
    if not config.getoption("--short"):
        return
    thinned = _thinned(
        [i for i in items if i.get_closest_marker("contract") and hasattr(i, "callspec")]
    )
    dropped = {item for item in items if item.get_closest_marker("slow")} | thinned
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


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples hypothesis tries."""
    settings.load_profile("short" if config.getoption("--short") else "long")

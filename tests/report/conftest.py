"""Reports of the three tasks, computed once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from sklearn.datasets import load_diabetes, load_digits

from coterie.datasets import load_table
from coterie.report import facts
from tests.report.fitted import fitted


@pytest.fixture(scope="session")
def binary() -> SimpleNamespace:
    table = load_table("german_credit")
    return fitted(table.X, table.y, "binary", list(table.feature_names), "credit")


@pytest.fixture(scope="session")
def multiclass() -> SimpleNamespace:
    digits = load_digits()
    X, y = digits.data[::3, ::2], digits.target[::3]
    return fitted(X, y, "multiclass", digits.feature_names[::2], "digit")


@pytest.fixture(scope="session")
def regression() -> SimpleNamespace:
    table = load_diabetes()
    return fitted(table.data, table.target, "regression", table.feature_names, "progress")


@pytest.fixture(scope="session")
def binary_facts(binary: SimpleNamespace) -> dict[str, Any]:
    return facts(binary)


@pytest.fixture(scope="session")
def multiclass_facts(multiclass: SimpleNamespace) -> dict[str, Any]:
    return facts(multiclass)


@pytest.fixture(scope="session")
def regression_facts(regression: SimpleNamespace) -> dict[str, Any]:
    return facts(regression)


@pytest.fixture(scope="session", params=["binary", "multiclass", "regression"])
def found(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Facts of each of the three."""
    return request.getfixturevalue(f"{request.param}_facts")

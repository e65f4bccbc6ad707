"""The ten points of the textbooks, boosted three times, and a place to draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from coterie import DecisionTreeClassifier
from coterie.boosting import AdaBoostClassifier

P = [[2, 1], [1, 3], [5, 8], [8, 7], [7, 10]]
N = [[3, 6], [6, 5], [4, 2], [10, 9], [9, 4]]


@pytest.fixture
def ten_points() -> tuple[Any, Any]:
    """P1 to P5 are of class 1, N1 to N5 of class -1."""
    return np.array(P + N, dtype=float), np.repeat([1, -1], 5)


@pytest.fixture
def ten_boosted(ten_points: tuple[Any, Any]) -> AdaBoostClassifier:
    """Three stumps: x1 <= 2.5, x1 <= 8.5, x2 > 6.5, each right about all but three points."""
    stump = DecisionTreeClassifier(max_depth=1, criterion="misclassification")
    return AdaBoostClassifier(stump, n_estimators=3, trace="weights").fit(*ten_points)


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    """Draw into memory, and close what was drawn."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")

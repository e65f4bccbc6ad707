"""Scenes and pages for tests of the studio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons

from coterie import AdaBoostClassifier, explore


@pytest.fixture(scope="session")
def moons() -> tuple[Any, Any]:
    return make_moons(120, noise=0.25, random_state=0)


@pytest.fixture(scope="session")
def page(moons) -> Any:
    return explore(AdaBoostClassifier(n_estimators=12), *moons, resolution=32)


@pytest.fixture(scope="session")
def wave() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, 80)
    return x[:, None], np.sin(x) + rng.normal(0, 0.2, 80)

"""Small pools with known answers, and one of real trees."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from coterie import RandomForestClassifier
from coterie.datasets import load_table

# Hits of three members on three samples: voting helps, does nothing, hurts.
FIGURE = {
    "helps": [[1, 1, 0], [0, 1, 1], [1, 0, 1]],
    "nothing": [[1, 1, 0], [1, 1, 0], [1, 1, 0]],
    "hurts": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}


def _columns(*repeated: tuple[tuple[int, int, int], int]) -> list[list[int]]:
    return np.repeat([c for c, _ in repeated], [n for _, n in repeated], axis=0).T.tolist()


# Three members of accuracy .6 on ten samples: the best and the worst vote they allow, and copies.
PATTERNS = {
    "success": _columns(((1, 1, 0), 3), ((1, 0, 1), 3), ((0, 1, 1), 3), ((0, 0, 0), 1)),
    "failure": _columns(((1, 1, 1), 4), ((1, 0, 0), 2), ((0, 1, 0), 2), ((0, 0, 1), 2)),
    "identical": _columns(((1, 1, 1), 6), ((0, 0, 0), 4)),
}


def random_pool(
    seed: int, n_members: int = 7, n_samples: int = 60, n_classes: int = 3
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Labels of members that are right rather often, and the truth."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    labels = rng.integers(0, n_classes, (n_members, n_samples))
    return np.where(rng.random(labels.shape) < 0.5, y, labels), y


@cache
def forest_pool(table: str = "german_credit") -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """What the trees of a small forest say of rows they have not seen, and the truth."""
    X, y = load_table(table, return_X_y=True)
    half = np.arange(len(y)) % 2 == 0
    forest = RandomForestClassifier(9, random_state=0).fit(X[half], y[half])
    labels = np.stack([tree.predict(X[~half]) for tree in forest.estimators_])
    return labels, y[~half]

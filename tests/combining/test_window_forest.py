"""Windows that are scanned by forests."""

import numpy as np
import pytest

from coterie.combining import WindowForestTransformer
from coterie.combining.window_forest import count_windows, windows_of


@pytest.mark.parametrize(
    ("shape", "size", "n_classes", "n_windows", "n_columns"),
    [
        ((400,), 100, 3, 301, 1806),
        ((20, 20), 10, 3, 121, 726),
        ((28, 28), 7, 10, 484, 9680),
        ((28, 28), 10, 10, 361, 7220),
        ((28, 28), 13, 10, 256, 5120),
    ],
)
def test_counts_of_the_paper(shape, size, n_classes, n_windows, n_columns):
    assert count_windows(shape, size) == n_windows
    assert count_windows(shape, size) * n_classes * 2 == n_columns


def test_windows_of_an_image():
    X = np.arange(12).reshape(1, 12)
    found = windows_of(X, (3, 4), 2)
    assert found.shape == (1, 6, 4)
    assert found[0, 0].tolist() == [0, 1, 4, 5]
    assert found[0, -1].tolist() == [6, 7, 10, 11]
    assert windows_of(X, (12,), 3, stride=4)[0].tolist() == [[0, 1, 2], [4, 5, 6], [8, 9, 10]]


def waves(n_rows=60, seed=0):
    """A bump at a random place, narrow or wide."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    place, width = rng.uniform(6, 26, n_rows), np.where(y == 1, 1.0, 3.0)
    X = np.exp(-(((np.arange(32) - place[:, None]) / width[:, None]) ** 2))
    return X + rng.normal(scale=0.05, size=X.shape), y


@pytest.mark.slow
def test_honest_answers_are_less_sure_than_those_of_seen_rows():
    X, _ = waves()
    y = np.random.default_rng(0).permutation(60) % 2  # nothing to learn
    scan = WindowForestTransformer(windows=[8], n_trees=30, random_state=0)
    honest = scan.fit_transform(X, y)
    seen = scan.transform(X)
    assert honest.shape == seen.shape == (60, 25 * 2 * 2)
    truth = np.eye(2)[y]
    right = [
        (part.reshape(60, 50, 2) * truth[:, None]).sum(axis=2).mean() for part in (honest, seen)
    ]
    assert right[0] < 0.55 < right[1]
    assert len(scan.get_feature_names_out()) == 100


@pytest.mark.slow
def test_scans_help_where_the_place_varies():
    from coterie import RandomForestClassifier

    X, y = waves(120)
    test, truth = waves(120, 1)
    scan = WindowForestTransformer(windows=[8], n_trees=20, max_windows=12, random_state=0)
    scanned = RandomForestClassifier(50, random_state=0).fit(scan.fit_transform(X, y), y)
    assert scanned.score(scan.transform(test), truth) > 0.9


def test_what_is_refused():
    X, y = waves(10)
    with pytest.raises(ValueError, match="does not match the 32 columns"):
        WindowForestTransformer(shape=(5, 5)).fit(X, y)
    with pytest.raises(ValueError, match="size from 1 to 32"):
        WindowForestTransformer(windows=[40]).fit(X, y)
    assert WindowForestTransformer(n_trees=2).fit(X, y).windows_ == [2, 4, 8]

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie import AdaBoostClassifier, RandomForestClassifier
from coterie.plotting import ProximityDisplay

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True)
    return RandomForestClassifier(40, random_state=0).fit(X, y), X, y


def test_classes_lie_apart(fitted):
    forest, X, y = fitted
    display = ProximityDisplay.from_estimator(forest, X, np.array(["a", "b", "c"])[y])
    centres = np.stack([display.places[y == k].mean(axis=0) for k in range(3)])
    spread = max(display.places[y == k].std() for k in range(3))
    assert np.linalg.norm(centres[0] - centres[1]) > 2 * spread
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()][:3] == list("abc")
    assert "dimension 1" in display.ax_.get_xlabel()


def test_outliers_are_marked(fitted):
    forest, X, y = fitted
    display = ProximityDisplay.from_estimator(forest, X, y, outlier=1.0)
    assert display.outliers.any()
    assert len(display.ax_.collections) == 4


def test_without_classes(fitted):
    forest, X, _ = fitted
    display = ProximityDisplay.from_estimator(forest, X[:30])
    assert len(display.ax_.collections[0].get_offsets()) == 30
    assert display.ax_.get_legend() is None


def test_only_forests_have_proximity(fitted):
    _, X, y = fitted
    with pytest.raises(TypeError, match="has no proximity"):
        ProximityDisplay.from_estimator(AdaBoostClassifier(n_estimators=2).fit(X, y), X)

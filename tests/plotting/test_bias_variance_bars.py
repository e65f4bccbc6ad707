import numpy as np
import pytest

from coterie import (
    AdaBoostClassifier,
    BaggingRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)
from coterie.plotting import BiasVarianceDisplay

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 6, 160)[:, None]
Y = np.sin(X[:, 0]) + RNG.normal(0, 0.3, 160)


@pytest.mark.slow
def test_bagging_lowers_variance_and_depth_lowers_bias():
    learners = {
        "stump": DecisionTreeRegressor(max_depth=1),
        "tree": DecisionTreeRegressor(),
        "bag": BaggingRegressor(n_estimators=10, random_state=0),
    }
    display = BiasVarianceDisplay.from_estimator(learners, X, Y, repeats=10)
    parts = display.parts
    assert parts["bag"]["variance"] < parts["tree"]["variance"]
    assert parts["tree"]["bias"] < parts["stump"]["bias"]
    # The bars of a learner together are its error.
    lengths = [bar.get_width() for bar in display.ax_.patches]
    total = parts["stump"]["bias"] + parts["stump"]["variance"]
    assert lengths[0] + lengths[3] == pytest.approx(total)
    assert "mean squared error" in display.ax_.get_xlabel()


def test_classes_and_a_single_learner():
    display = BiasVarianceDisplay.from_estimator(
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=5), X, Y > 0, repeats=5
    )
    (parts,) = display.parts.values()
    assert 0 <= parts["bias"] <= 1
    assert list(display.parts) == ["AdaBoostClassifier"]


def test_mixtures_are_refused():
    both = {"a": DecisionTreeRegressor(), "b": DecisionTreeClassifier()}
    with pytest.raises(ValueError, match="not both"):
        BiasVarianceDisplay.from_estimator(both, X, Y)

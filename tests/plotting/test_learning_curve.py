import numpy as np
import pytest

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.plotting import LearningCurveDisplay

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 6, 160)[:, None]
Y = np.sin(X[:, 0]) + RNG.normal(0, 0.3, 160)


@pytest.mark.slow
def test_more_rows_help_a_tree_and_a_stump_is_biased():
    learners = {"stump": DecisionTreeRegressor(max_depth=1), "tree": DecisionTreeRegressor()}
    display = LearningCurveDisplay.from_estimator(learners, X, Y, sizes=[100, 10], repeats=4)
    assert display.sizes.tolist() == [10, 100]
    mean = {
        (name, rows): errors.mean(axis=0)
        for name, parts in display.curves.items()
        for rows, errors in parts.items()
    }
    assert mean["tree", "training"] == pytest.approx([0, 0])
    assert mean["tree", "test"][1] < mean["tree", "test"][0]
    # The curves of a stump meet, above the noise of 0.09.
    assert abs(mean["stump", "test"][1] - mean["stump", "training"][1]) < 0.1
    assert mean["stump", "training"][1] > 0.15
    drawn = {line.get_label(): line.get_ydata() for line in display.ax_.lines}
    np.testing.assert_allclose(drawn["tree, test rows"], mean["tree", "test"])
    assert display.ax_.get_ylabel() == "mean squared error"


@pytest.mark.slow
def test_classes_that_are_numbers_are_counted():
    y = (Y > 0).astype(float)
    display = LearningCurveDisplay.from_estimator(DecisionTreeClassifier(), X, y, repeats=2)
    assert display.sizes.tolist() == [12, 39, 66, 93, 120]
    assert display.curves["DecisionTreeClassifier"]["test"].shape == (2, 5)
    # Shares of 40 test rows.
    shares = display.curves["DecisionTreeClassifier"]["test"] * 40
    np.testing.assert_allclose(shares, np.round(shares))
    assert display.ax_.get_ylabel() == "error"


@pytest.mark.parametrize("sizes", [[], [0], [121], [[1]]])
def test_impossible_sizes_are_named(sizes):
    with pytest.raises(ValueError, match="between 1 and 120"):
        LearningCurveDisplay.from_estimator(DecisionTreeRegressor(), X, Y, sizes=sizes)


def test_mixtures_are_refused():
    both = {"a": DecisionTreeRegressor(), "b": DecisionTreeClassifier()}
    with pytest.raises(ValueError, match="not both"):
        LearningCurveDisplay.from_estimator(both, X, Y)

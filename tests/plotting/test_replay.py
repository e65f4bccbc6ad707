"""AdaBoost's rounds told again: equal to what boosters of both libraries wrote down."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier as Theirs
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from coterie.boosting import AdaBoostClassifier
from coterie.data import DataError
from coterie.plotting import BoundDisplay, MarginBoundDisplay, RoundsDisplay, WeightsDisplay
from coterie.plotting.ballots import ballot_of
from coterie.plotting.replay import replay, story_of


def test_the_ten_points(ten_points, ten_boosted):
    X, y = ten_points
    told, known = replay(ballot_of(ten_boosted, X).labels, y), ten_boosted.trace_
    for name in ("error", "edge", "alpha", "train_error", "bound"):
        np.testing.assert_allclose(told[name], known[name], atol=1e-12, err_msg=name)
    np.testing.assert_allclose(told.weights, known.weights, atol=1e-12)
    # The least margin, as MarginDisplay has it.
    assert told["margin"][-1] == pytest.approx(0.075332, abs=1e-6)
    assert told["margin_bound"] == pytest.approx([0.4, 0.4, 0.4])


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_a_booster_of_scikit_learn(load, rate):
    X, y = load(return_X_y=True)
    model = Theirs(DecisionTreeClassifier(max_depth=1), n_estimators=8, learning_rate=rate)
    model.fit(X, y)
    told = story_of(model, X, y)
    np.testing.assert_allclose(told["error"], model.estimator_errors_)
    two = len(model.classes_) == 2
    np.testing.assert_allclose(told["alpha"] * (2 if two else 1), model.estimator_weights_)
    staged = [np.mean(stage != y) for stage in model.staged_predict(X)]
    np.testing.assert_allclose(told["train_error"], staged)
    assert ("bound" in told.names) == two
    if two:
        assert (told["train_error"] <= told["bound"] + 1e-12).all()


def test_many_classes_of_our_own():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=6, trace="weights").fit(X, y)
    told = replay(ballot_of(model, X).labels, y)
    np.testing.assert_allclose(told["error"], model.trace_["error"])
    np.testing.assert_allclose(told["alpha"], model.trace_["alpha"])
    np.testing.assert_allclose(told.weights, model.trace_.weights)


@pytest.mark.slow
def test_displays_of_predictions(ten_points, ten_boosted):
    X, y = ten_points
    labels = ballot_of(ten_boosted, X).labels
    for display in (BoundDisplay, RoundsDisplay, WeightsDisplay):
        one, other = display.from_estimator(ten_boosted), display.from_predictions(labels, y)
        for first, second in zip(one.ax_.lines, other.ax_.lines, strict=True):
            np.testing.assert_allclose(first.get_xydata(), second.get_xydata())
    margin = MarginBoundDisplay.from_predictions(labels, y)
    assert margin.margin[-1] == pytest.approx(0.075332, abs=1e-6)
    heavy = RoundsDisplay.from_predictions(labels, y, sample_weight=np.arange(1, 11))
    assert heavy.error[0] == pytest.approx(np.arange(1, 11)[labels[0] != y].sum() / 55)


def test_a_member_without_errors_has_finite_weight():
    told = replay([[1, 0, 1], [1, 0, 0]], [1, 0, 1])
    assert np.isfinite(told["alpha"]).all()
    assert told["train_error"].tolist() == [0, 0]


def test_refusals(ten_points):
    X, y = ten_points
    with pytest.raises(ValueError, match="Pass its training rows as X and y"):
        story_of(Theirs(n_estimators=2).fit(X, y))
    with pytest.raises(TypeError, match="keeps no trace"):
        story_of(RandomForestClassifier(2).fit(X, y), X, y)
    with pytest.raises(DataError, match="wrong about all rows"):
        replay([[0, 0]], [1, 1])
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="does not contain 'margin'"):
        MarginBoundDisplay.from_predictions([y, y], y)

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier as Theirs
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import theory
from coterie.boosting import AdaBoostClassifier
from coterie.plotting import MarginDisplay
from coterie.plotting.ballots import ballot_of
from coterie.plotting.margins import largest_say, margins


@pytest.mark.slow
def test_margins_of_the_ten_points(ten_points, ten_boosted):
    display = MarginDisplay.from_estimator(ten_boosted, *ten_points)
    assert display.rounds == [1, 2, 3]
    # One stump is wrong about P3, P4, P5 and right about the rest.
    assert display.margins[0] == pytest.approx([1, 1, -1, -1, -1, 1, 1, 1, 1, 1])
    # After three: F of the ten points over the sum of the three weights.
    score = np.repeat([0.150377, 1.148906, 0.696921, 0.150377, 1.996204], [2, 3, 3, 1, 1])
    assert display.margins[2] == pytest.approx(score / 1.996204, abs=1e-6)
    assert display.margins[2].min() == pytest.approx(0.075332, abs=1e-6)
    display.figure_.canvas.draw()


def test_the_share_below_zero_is_the_error(ten_points, ten_boosted):
    display = MarginDisplay.from_estimator(ten_boosted, *ten_points, rounds=[2, 3])
    margin, share = display.cumulative(0)
    assert share[margin < 0].max() == pytest.approx(ten_boosted.trace_["train_error"][1])
    margin, share = display.cumulative(1)
    assert margin[0] > 0
    assert share[:3] == pytest.approx([0.1, 0.2, 0.3])


def test_rows_count_what_they_weigh(ten_points, ten_boosted):
    weight = np.array([4, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    shown = MarginDisplay.from_estimator(ten_boosted, *ten_points, rounds=[1], sample_weight=weight)
    margin, share = shown.cumulative(0)
    assert share[margin < 0].max() == pytest.approx(3 / 12)


def test_many_classes_by_hand():
    score = np.array([[3.0, 1.0, 2.0], [0.0, 4.0, 5.0]])
    assert margins(score, np.array([0, 1])).tolist() == [1.0, -1.0]
    assert largest_say(score) == 5.0
    assert largest_say(np.array([-0.5, 0.25])) == 0.5


def test_margins_of_three_classes_from_single_votes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    said = np.array([member.predict(X) for member in model.estimators_])
    votes = np.einsum("t,tnk->nk", model.estimator_weights_, said[:, :, None] == np.arange(3))
    own = votes[np.arange(150), y].copy()
    votes[np.arange(150), y] = -np.inf
    by_hand = (own - votes.max(axis=1)) / model.estimator_weights_.sum()
    display = MarginDisplay.from_estimator(model, X, y, rounds=[6])
    assert display.margins[0] == pytest.approx(by_hand)


@pytest.mark.slow
def test_boosters_of_scikit_learn_have_the_same_margins(ten_points, ten_boosted):
    theirs = Theirs(DecisionTreeClassifier(max_depth=1), n_estimators=3).fit(*ten_points)
    display = MarginDisplay.from_estimator(theirs, *ten_points)
    expected = theory.margins(
        [member.predict(ten_points[0]) for member in theirs.estimators_],
        ten_points[1],
        theirs.estimator_weights_,
    )
    np.testing.assert_allclose(display.margins[-1], expected)
    assert display.unit == "member"
    # Labels and weights of our own booster tell what its scores do.
    labels = ballot_of(ten_boosted, ten_points[0]).labels
    ours = MarginDisplay.from_predictions(
        labels, ten_points[1], weights=ten_boosted.estimator_weights_
    )
    shown = MarginDisplay.from_estimator(ten_boosted, *ten_points)
    np.testing.assert_allclose(ours.margins, shown.margins)


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_scores_of_gradient_boosters(load):
    X, y = load(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=6, random_state=0).fit(X[:, :2], y)
    display = MarginDisplay.from_estimator(model, X[:, :2], y, rounds=[6])
    assert np.mean(display.margins[0] < 0) == pytest.approx(np.mean(model.predict(X[:, :2]) != y))
    assert np.abs(display.margins).max() <= 1 + 1e-12


def test_averaged_probabilities():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(7, max_depth=2, random_state=0).fit(X, y)
    display = MarginDisplay.from_estimator(forest, X, y, rounds=[7])
    chances = forest.predict_proba(X)
    own = chances[np.arange(150), y]
    chances[np.arange(150), y] = -1
    np.testing.assert_allclose(display.margins[0], own - chances.max(axis=1), atol=1e-12)


def test_models_that_have_no_margins_are_refused(ten_points, ten_boosted):
    with pytest.raises(TypeError, match="not a classifier"):
        MarginDisplay.from_estimator(LinearRegression().fit(*ten_points), *ten_points)
    with pytest.raises(ValueError, match="rounds 1 to 3"):
        MarginDisplay.from_estimator(ten_boosted, *ten_points, rounds=[4])


@pytest.mark.slow
def test_members_that_fade_count_what_they_weighed_then():
    X, y = load_breast_cancer(return_X_y=True)
    model = coterie.RobustBoostClassifier(n_estimators=12, error_goal=0.02).fit(X, y)
    size = min(4, len(model.pool_))
    shown = MarginDisplay.from_estimator(model, X, y, rounds=[size]).margins[0]
    score = list(model.staged_decision_function(X))[size - 1]
    expected = (2 * y - 1) * score / np.abs(model.pool_.stage(size)).sum()
    np.testing.assert_allclose(shown, expected)
    assert np.abs(shown).max() <= 1 + 1e-12

"""Every display draws every ensemble, from the model and from what its members said."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.ensemble import AdaBoostClassifier as Theirs

from coterie import AdaBoostVClassifier, plotting
from coterie.plotting import Grid
from coterie.plotting.ballots import ballot_of, soft_vote
from coterie.plotting.canvas import pyplot
from tests.plotting.pictures import CLASSIFIERS, check_picture, fitted, rows

DISPLAYS = {name: getattr(plotting, name) for name in plotting.__all__ if name.endswith("Display")}
# Displays of any ensemble; the others show the rounds of boosters.
ANY = [
    "AmbiguityDisplay",
    "DissentDisplay",
    "ErrorCurveDisplay",
    "KappaErrorDisplay",
    "MarginDisplay",
    "PairwiseDisplay",
    "RegionsDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "SimilarityDisplay",
]
ROUNDS = ["BoundDisplay", "MarginBoundDisplay", "RoundsDisplay", "WeightsDisplay"]
# Of certain models only; their own test files draw them.
OTHERS = [
    "BiasVarianceDisplay",
    "CoAssociationDisplay",
    "ConsensusDisplay",
    "CoverageDisplay",
    "ImportancesDisplay",
    "IsolationDisplay",
    "LearningCurveDisplay",
    "MemberCurvesDisplay",
    "ProximityDisplay",
    "PruningCurveDisplay",
    "PseudoLabelDisplay",
    "RoundPictureDisplay",
    "ShapDisplay",
]
NO_CHANCES = {"votes of scikit-learn", "votes"}
NO_SIZES = {"stack of scikit-learn", "stack"}


def main_axes(display):
    return display.axes_[0] if hasattr(display, "axes_") else display.ax_


@pytest.mark.parametrize("name", ANY + ROUNDS)
def test_constructors(name):
    for maker in ("from_estimator", "from_predictions"):
        made = inspect.getattr_static(DISPLAYS[name], maker)
        assert isinstance(made, classmethod)
        assert "ax" in inspect.signature(getattr(DISPLAYS[name], maker)).parameters


@pytest.mark.parametrize("ensemble", CLASSIFIERS)
def test_any_ensemble_can_be_drawn(ensemble):
    model, (X, y) = fitted(ensemble), rows("test")
    figure = pyplot().figure()  # the same for all: layouts take long
    for name in ANY:
        figure.clear()
        if (name == "ErrorCurveDisplay" and ensemble in NO_SIZES) or (
            name in ("ReliabilityDisplay", "RiskCoverageDisplay") and ensemble in NO_CHANCES
        ):
            with pytest.raises(TypeError, match="no probabilities|not a smaller ensemble"):
                DISPLAYS[name].from_estimator(model, X, y)
            continue
        ax = figure.add_subplot()
        options = {"resolution": 12} if name == "RegionsDisplay" else {}
        display = DISPLAYS[name].from_estimator(model, X, y, ax=ax, **options)
        assert main_axes(display) is ax
        assert ax.has_data(), name
        assert ax.get_title(), name
        assert ax.get_xlabel(), name
        assert ax.get_ylabel(), name


@pytest.mark.slow
@pytest.mark.parametrize("name", ANY)
def test_pictures_are_not_empty(name):
    model, (X, y) = fitted("forest of scikit-learn"), rows("test")
    display = DISPLAYS[name].from_estimator(model, X, y)
    check_picture(display.figure_)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_pictures_of_rounds_are_not_empty(name, whose, ten_points, ten_boosted):
    X, y = ten_points
    model = ten_boosted if whose == "ours" else Theirs(n_estimators=3).fit(X, y)
    if (name, whose) == ("MarginBoundDisplay", "ours"):
        model = AdaBoostVClassifier().fit(X, y)
    display = DISPLAYS[name].from_estimator(model, X, y)
    check_picture(display.figure_)


def predicted(name, model, X, y):
    """What `from_predictions` takes for the picture that `from_estimator` draws."""
    ballot = ballot_of(model, X)
    if name == "ErrorCurveDisplay":
        return (list(ballot.staged()), y), {}
    if name == "MarginDisplay":
        return (ballot.counted(), y), {"classes": ballot.classes, "weights": ballot.weights}
    if name == "RegionsDisplay":
        grid = Grid.over(X, (0, 1), 12)
        inside = ballot_of(model, grid.rows)
        return (grid, inside.vote), {"members": inside.labels, "labels": y}
    if name == "ReliabilityDisplay":
        chances, classes = soft_vote(model, X)
        return (np.searchsorted(classes, y), chances), {}
    if name == "RiskCoverageDisplay":
        chances, classes = soft_vote(model, X)
        return (classes[chances.argmax(axis=1)] == y, chances.max(axis=1)), {}
    needs_vote = name in ("DissentDisplay", "SimilarityDisplay")
    return (ballot.labels, y), {"vote": ballot.vote} if needs_vote else {}


def drawn(ax):
    """All numbers that are drawn."""
    numbers = [np.asarray(line.get_xydata(), dtype=float).ravel() for line in ax.lines]
    numbers += [np.asarray(points.get_offsets()).ravel() for points in ax.collections]
    numbers += [np.asarray(image.get_array(), dtype=float).ravel() for image in ax.images]
    numbers += [np.array(patch.get_extents().extents) for patch in ax.patches]
    return np.concatenate(numbers)


@pytest.mark.slow
@pytest.mark.parametrize("name", ANY)
def test_both_constructors_draw_the_same(name):
    model, (X, y) = fitted("forest of scikit-learn"), rows("test")
    options = {"resolution": 12} if name == "RegionsDisplay" else {}
    one = DISPLAYS[name].from_estimator(model, X, y, **options)
    given, named = predicted(name, model, X, y)
    other = DISPLAYS[name].from_predictions(*given, **named)
    first, second = drawn(main_axes(one)), drawn(main_axes(other))
    if name == "ErrorCurveDisplay":  # the error of a single member is known of models only
        second = np.concatenate([second, first[len(second) :]])
    np.testing.assert_allclose(first, second)


def test_all_displays_are_covered():
    assert set(ANY + ROUNDS + OTHERS) == set(DISPLAYS)
    assert all(isinstance(m, list) or is_classifier(m) for m in CLASSIFIERS.values())

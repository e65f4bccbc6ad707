import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier as Theirs,
)
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from coterie import DecisionTreeClassifier
from coterie.boosting import AdaBoostClassifier
from coterie.plotting import Grid, RegionsDisplay


def at(display, number, x, y):
    """The class a picture shows at a point."""
    column = np.abs(display.grid.x - x).argmin()
    row = np.abs(display.grid.y - y).argmin()
    return display.classes[display.regions[number, row, column]]


@pytest.mark.slow
def test_regions_of_the_ten_points(ten_points, ten_boosted):
    display = RegionsDisplay.from_estimator(ten_boosted, *ten_points, sizes=[1, 3])
    # One stump: left of 2.5 is positive. Three: each point is where it belongs.
    assert [at(display, 0, x, 5) for x in (2.4, 2.6)] == [1, -1]
    assert [at(display, 1, *point) for point in ten_points[0]] == ten_points[1].tolist()
    # A member's picture has one edge: x1 = 2.5, x1 = 8.5, x2 = 6.5.
    x, y = display.grid.x, display.grid.y
    for member, edge in zip(display.members[:2], (2.5, 8.5), strict=True):
        assert np.array_equal(member == member[0, 0], np.tile(x <= edge, (200, 1)))
    third = display.members[2]
    assert np.array_equal(third == third[0, 0], np.tile((y <= 6.5)[:, None], (1, 200)))
    assert [ax.get_title() for ax in display.axes_] == ["1 member", "3 members"]
    display.figure_.canvas.draw()


def test_the_whole_ensemble_is_the_default(ten_points, ten_boosted):
    display = RegionsDisplay.from_estimator(ten_boosted, *ten_points, resolution=40)
    expected = ten_boosted.predict(display.grid.rows)
    assert np.array_equal(display.classes[display.regions[0].ravel()], expected)
    assert display.sizes == [3]
    assert display.labels.tolist() == [1] * 5 + [0] * 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "n_members"),
    [
        (RandomForestClassifier(n_estimators=4, random_state=0), 4),
        (BaggingClassifier(n_estimators=3, max_features=0.5, random_state=0), 3),
        (Theirs(n_estimators=5, random_state=0), 5),
        (GradientBoostingClassifier(n_estimators=2), 0),
        (KNeighborsClassifier(), 0),
    ],
)
def test_any_classifier_can_be_drawn(model, n_members):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model.fit(X, names)
    display = RegionsDisplay.from_estimator(model, X, names, columns=(2, 3), resolution=30)
    assert display.regions.shape == (1, 30, 30)
    assert display.members.shape == (n_members, 30, 30)
    expected = model.predict(display.grid.rows)
    assert np.array_equal(display.classes[display.regions[0].ravel()], expected)
    display.figure_.canvas.draw()


@pytest.mark.slow
def test_a_data_frame_and_members_of_any_kind(ten_points):
    pandas = pytest.importorskip("pandas")
    X, y = ten_points
    frame = pandas.DataFrame(X, columns=["width", "height"])
    model = AdaBoostClassifier(KNeighborsClassifier(2), n_estimators=3, random_state=0)
    model.fit(frame, y)
    display = RegionsDisplay.from_estimator(model, frame, y, resolution=20, sizes=[1])
    assert display.axes_[0].get_xlabel() == "width"
    assert len(display.members) == len(model.estimators_)


def test_members_of_many_classes_are_drawn_by_their_votes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=4).fit(X[:, 2:], y)
    display = RegionsDisplay.from_estimator(model, X[:, 2:], resolution=25)
    said = [member.predict(display.grid.rows) for member in model.estimators_]
    assert display.members.reshape(4, -1).tolist() == np.array(said).tolist()


def test_a_booster_without_members_is_one_region():
    X = np.zeros((4, 2))
    model = AdaBoostClassifier().fit(X, [0, 0, 1, 1])
    display = RegionsDisplay.from_estimator(model, X, resolution=5)
    assert display.sizes == [None]
    assert np.unique(display.regions).size == 1
    assert len(display.members) == 0


def test_members_can_be_left_out(ten_points, ten_boosted):
    display = RegionsDisplay.from_estimator(
        ten_boosted, ten_points[0], members=False, resolution=10
    )
    assert display.members.shape == (0, 10, 10)
    assert display.labels is None


@pytest.mark.slow
def test_sizes_of_a_forest_and_of_a_list(ten_points):
    X, y = ten_points
    forest = RandomForestClassifier(4, random_state=0).fit(X, y)
    display = RegionsDisplay.from_estimator(forest, X, y, sizes=[1, 4], resolution=15)
    points = display.grid.rows
    first = forest.classes_[forest.estimators_[0].predict(points).astype(int)]
    assert np.array_equal(display.classes[display.regions[0].ravel()], first)
    assert np.array_equal(display.classes[display.regions[1].ravel()], forest.predict(points))
    models = [KNeighborsClassifier(k).fit(X, y) for k in (1, 3, 5)]
    display = RegionsDisplay.from_estimator(models, X, y, resolution=15)
    said = np.stack([model.predict(display.grid.rows) for model in models])
    assert np.array_equal(display.classes[display.regions[0].ravel()], np.median(said, axis=0))
    assert (display.sizes, display.members.shape) == ([3], (3, 15, 15))
    assert display.labels.tolist() == [1] * 5 + [0] * 5


def test_predictions_on_a_grid(ten_points):
    X, y = ten_points
    grid = Grid.over(X, (0, 1), 10)
    said = np.where(grid.rows[:, 0] > 4, "right", "left")
    display = RegionsDisplay.from_predictions(grid, said, labels=np.where(y > 0, "left", "up"))
    assert display.classes.tolist() == ["left", "right", "up"]
    assert np.array_equal(display.regions[0], np.tile(grid.x > 4, (10, 1)))
    assert display.axes_[0].get_title() == "Decision regions"
    assert len(display.members) == 0


def test_what_cannot_be_drawn_is_refused(ten_points, ten_boosted):
    X, y = ten_points
    with pytest.raises(TypeError, match="no staged_predict"):
        RegionsDisplay.from_estimator(KNeighborsClassifier().fit(X, y), X, sizes=[1])
    with pytest.raises(TypeError, match="not a classifier"):
        RegionsDisplay.from_estimator(LinearRegression().fit(X, y), X)
    with pytest.raises(ValueError, match="rounds 1 to 3"):
        RegionsDisplay.from_estimator(ten_boosted, X, sizes=[7])
    display = RegionsDisplay.from_estimator(ten_boosted, X, resolution=10)
    with pytest.raises(ValueError, match="1 sizes, but 2 axes"):
        display.plot([display.axes_[0]] * 2)


@pytest.mark.parametrize("columns", [(0, 1), (0,)])
def test_one_column_is_a_strip(columns):
    X = np.arange(8.0)[:, None] if len(columns) == 2 else np.arange(16.0).reshape(8, 2) / 2
    y = X[:, 0] > 3.5
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    display = RegionsDisplay.from_estimator(model, X, y, columns=columns, resolution=50)
    grid = display.grid
    # Every height predicts the same, and the boundary lies where the tree cuts.
    assert display.regions.shape == (1, 2, 50)
    np.testing.assert_array_equal(display.regions[0][0], grid.x > model.tree_.threshold[0])
    np.testing.assert_array_equal(display.regions[0][1], display.regions[0][0])
    np.testing.assert_array_equal(grid.points[:, 0], X[:, 0])
    assert list(display.axes_[0].get_yticks()) == []


def test_three_columns_are_refused():
    X = np.eye(4)
    model = DecisionTreeClassifier().fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="One or two columns"):
        RegionsDisplay.from_estimator(model, X, columns=(0, 1, 2))

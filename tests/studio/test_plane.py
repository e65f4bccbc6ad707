"""Axes and grids of pictures."""

import numpy as np
import pytest

from coterie.studio.plane import Plane, join_rows, take_rows


def test_grid_runs_along_x_first_and_covers_the_points():
    plane = Plane.over([[0.0, 10.0, 5.0], [4.0, 20.0, 7.0], [2.0, 30.0, 9.0]], (0, 1), 4)
    assert plane.grid.shape == (16, 3)
    assert plane.grid[0, 0] < plane.grid[1, 0]
    assert plane.grid[0, 1] == plane.grid[1, 1] < plane.grid[4, 1]
    assert set(plane.grid[:, 2]) == {7.0}
    assert plane.box[0] < 0
    assert plane.box[1] > 4


def test_frames_keep_their_columns_and_kinds():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"a": [1.0, 2.0, 3.0], "town": ["x", "y", "y"], "b": [1, 5, 9]}, index=[7, 8, 9]
    )
    plane = Plane.over(frame, ["b", "a"], 3)
    assert list(plane.grid.columns) == ["a", "town", "b"]
    assert set(plane.grid["town"]) == {"y"}
    assert plane.names == ("b", "a")
    assert plane.drawn == (2, 0)
    with pytest.raises(ValueError, match="is not numeric"):
        Plane.over(frame, ["town", "a"], 3)
    assert len(join_rows(frame, plane.grid)) == 12
    assert take_rows(frame, np.array([2, 0]))["b"].tolist() == [9, 1]


def test_projection_finds_the_plane_the_rows_lie_in():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(50, 2))
    table = flat @ rng.normal(size=(2, 5)) + 3.0
    plane = Plane.over(table, "pca", 8)
    assert plane.drawn == ()
    np.testing.assert_allclose(plane.place(table), plane.points)
    # A grid row, projected, lies where it was made for.
    width = plane.box[1] - plane.box[0]
    np.testing.assert_allclose(plane.place(plane.grid)[0, 0], plane.box[0] + width / 16)


@pytest.mark.parametrize(
    ("columns", "words"),
    [(("z", 0), "'z' is not in"), ((0, 9), "no column 9"), ((0, 1, 2), "not 3"), ("x", "pca")],
)
def test_wrong_columns_are_refused(columns, words):
    with pytest.raises(ValueError, match=words):
        Plane.over(np.zeros((4, 3)), columns, 8)

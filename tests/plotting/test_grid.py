import numpy as np
import pytest

from coterie.plotting.grid import Grid

X = np.array([[0.0, 10.0, 1.0], [100.0, 20.0, np.nan], [50.0, 20.0, 5.0]])


def test_two_columns_vary_and_the_others_rest_at_their_medians():
    grid = Grid.over(X, (0, 2), 5)
    assert grid.x.tolist() == [-8, 21, 50, 79, 108]
    assert grid.y[[0, -1]] == pytest.approx([1 - 0.32, 5 + 0.32])
    assert grid.rows[:, 1].tolist() == [20] * 25
    assert grid.rows[:6, 0].tolist() == [-8, 21, 50, 79, 108, -8]
    assert grid.rows[:6, 2] == pytest.approx([0.68] * 5 + [grid.y[1]])
    assert grid.image(grid.rows[:, 2])[:, 0] == pytest.approx(grid.y)
    assert grid.points[2].tolist() == [50.0, 5.0]
    assert grid.names == ("column 0", "column 2")


def test_a_column_of_one_value_still_has_a_width():
    assert Grid.over(np.ones((3, 2)), (0, 1), 2).x.tolist() == [0.5, 1.5]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_stay_frames(library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"a": [0.0, 1.0], "b": [2.0, 3.0], "c": [4.0, 6.0]})
    grid = Grid.over(frame, ("c", "a"), 3)
    assert type(grid.rows) is frames.DataFrame
    assert list(grid.rows.columns) == ["a", "b", "c"]
    assert grid.names == ("c", "a")
    assert np.asarray(grid.rows)[:, 1].tolist() == [2.5] * 9
    assert grid.pick([1]).tolist() == [[2.5]] * 9
    with pytest.raises(ValueError, match="Column 'd' is not in"):
        Grid.over(frame, ("a", "d"), 3)

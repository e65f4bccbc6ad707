import numpy as np
import pandas as pd
import pytest

from coterie.data import DataError, Table
from coterie.distributed.partitions import Partitions, few_values, glance, read_cells, recipes
from coterie.distributed.session import Session

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.integers(0, 9, 60)})
    frame["c"] = pd.Categorical(np.array(["x", "y"])[rng.integers(0, 2, 60)])
    frame["d"] = np.array(["u", "v", None], dtype=object)[rng.integers(0, 3, 60)]
    frame.loc[59, "d"] = "only here"
    frame.loc[3, "a"] = np.nan
    return frame


def test_a_glance_shows_all_labels_and_the_ends_of_numbers(frame):
    seen = glance(frame, [])
    assert seen.n_rows == 60
    assert set(seen.telling["d"].dropna()) == {"u", "v", "only here"}
    assert seen.telling["a"].max() == frame["a"].max()
    assert len(seen.telling) < 12
    assert set(glance(frame, ["b"]).telling["b"]) == set(frame["b"])
    assert glance(frame[:0], []).n_rows == 0


@pytest.mark.slow
@pytest.mark.parametrize("categorical", [None, ["b"]])
def test_schema_and_cells_are_those_of_the_whole_table(client, frame, categorical):
    whole = Table.read(frame, categorical=categorical)
    parts = Partitions.open(
        Session(client), dd.from_pandas(frame, npartitions=4), categorical=categorical
    )
    schema = parts.reading.schema
    assert schema.names == whole.schema.names
    assert schema.labels.keys() == whole.schema.labels.keys()
    for j, labels in whole.schema.labels.items():
        np.testing.assert_array_equal(schema.labels[j], labels)
    assert parts.reading.dtype == whole.values.dtype
    np.testing.assert_array_equal(parts.values(None), whole.values)
    some = np.array([0, 17, 18, 59])
    np.testing.assert_array_equal(parts.values(some), whole.values[some])


def test_rows_are_split_by_their_partition():
    parts = Partitions(None, [0, 1, 2], None, np.array([0, 3, 3, 8]))
    split = parts.split(np.array([1, 3, 7]))
    assert [rows.tolist() for rows in split] == [[1], [], [0, 4]]
    assert parts.split(None) == [None] * 3


def test_values_are_counted_up_to_a_limit():
    part = np.array([[1.0, 5.0], [1.0, 6.0], [np.nan, 7.0]])
    found = few_values(part, Reader(), None, [0, 1], 1)
    assert [values.tolist() for values in found] == [[1.0], [5.0, 6.0]]
    assert read_cells(part, Reader(), np.array([2])).shape == (1, 2)


class Reader:
    """Cells as they are."""

    def cells(self, part, rows=None):
        return part if rows is None else part[rows]


def test_only_arrays_and_frames_have_partitions():
    import dask

    with pytest.raises(DataError, match="Delayed"):
        recipes(dask.delayed(3))
    with pytest.raises(DataError, match="Expected 2D array"):
        recipes(da.zeros(3))
    assert len(recipes(da.zeros((6, 4), chunks=(2, 2)))) == 3


def test_no_rows_at_all_are_refused(client):
    empty = da.zeros((0, 3))
    with pytest.raises(DataError, match=r"0 sample"):
        Partitions.open(Session(client), empty)

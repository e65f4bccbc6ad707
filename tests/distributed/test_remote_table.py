import numpy as np
import pytest

from coterie.data import BinnedRows, Table
from coterie.distributed import remote_table
from coterie.distributed.partitions import Partitions
from coterie.distributed.remote_table import RemoteTable
from coterie.distributed.session import Session

da = pytest.importorskip("dask.array")
N = 400


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    X[:, 1] = rng.integers(0, 5, N)
    X[:, 2] = (rng.random(N) < 0.01) * rng.integers(1, 40, N)  # the sample shows few of them
    X[:, 3] = rng.integers(0, 30, N)
    return X


@pytest.fixture
def few_sampled(monkeypatch):
    """A sample of 50 rows, in place of 200,000."""
    from coterie.native import bins

    monkeypatch.setattr(bins, "SAMPLE_ROWS", 50)
    monkeypatch.setattr(remote_table, "SAMPLE_ROWS", 50)


def remote(client, X, rows=None, **settings):
    parts = Partitions.open(Session(client), da.from_array(X, chunks=(150, -1)), categorical=[3])
    return RemoteTable.of(parts, rows, **{"gathers": False, **settings})


@pytest.mark.slow
@pytest.mark.parametrize("max_bins", [3, 8, 255])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_are_those_of_the_table_in_memory(client, X, few_sampled, max_bins, weighted):
    weight = np.random.default_rng(1).random(N) + 0.1 if weighted else None
    whole = Table.read(X, categorical=[3]).bin(weight=weight, max_bins=max_bins)
    there = remote(client, X, gathers=True).bin(weight=weight, max_bins=max_bins)
    for name in ("offsets", "lower", "upper", "categorical"):
        np.testing.assert_array_equal(getattr(there.bins, name), getattr(whole.bins, name))
    np.testing.assert_array_equal(there.codes, whole.codes)


@pytest.mark.slow
def test_some_rows_are_binned_by_themselves(client, X, few_sampled):
    rows = np.flatnonzero(np.arange(N) % 3 > 0)
    whole = Table.read(X, categorical=[3]).take(rows).bin(max_bins=8)
    there = remote(client, X).take(rows)
    assert there.shape == (len(rows), 4)
    binned = there.bin(max_bins=8)
    assert binned.bin() is binned
    np.testing.assert_array_equal(binned.gathered().codes, whole.codes)


@pytest.mark.slow
def test_cells_come_when_they_are_asked_for(client, X):
    there = remote(client, X).take(np.array([2, 151, 399]))
    ((part, cells),) = there.blocks()
    assert part == slice(0, 3)
    np.testing.assert_array_equal(cells, X[[2, 151, 399]])
    assert next(there.take(np.array([1])).blocks())[1].tolist() == [X[151].tolist()]


@pytest.mark.slow
def test_cells_of_a_binned_table_are_those_of_its_bins(client, X):
    rows = np.array([2, 151, 399])
    there = remote(client, X).bin(max_bins=8)
    ((_, cells),) = there.take(rows).blocks()
    whole = Table.read(X, categorical=[3]).bin(max_bins=8)
    known = BinnedRows(whole.schema, whole.bins, whole.codes)
    np.testing.assert_array_equal(cells, known.native()[rows])

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from coterie.data import Table
from coterie.interpretation.virtual import GENERATORS, Prototypes, dense_cells, virtual_table


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "whole": rng.integers(0, 9, 60),
            "kind": pd.Categorical(rng.choice(["a", "b", None], 60)),
            "text": rng.choice(["p", "q"], 60),
            "gaps": np.where(rng.random(60) < 0.3, np.nan, rng.normal(size=60)),
        }
    )


def made(table, name, n_rows=400):
    rows = Prototypes.of(table, None)
    return GENERATORS[name](rows, n_rows, np.random.default_rng(1))


@pytest.mark.parametrize("name", GENERATORS)
def test_rows_come_in_the_container_that_was_given(name, frame):
    for given in (frame, pl.from_pandas(frame), frame.to_numpy(dtype=object)):
        table = Table.read(given)
        cells = made(table, name)
        whole = virtual_table(table, cells)
        assert type(whole.given()) is type(given)
        np.testing.assert_array_equal(dense_cells(whole), cells)
    assert whole.given()[0, 2] in ("p", "q")


def test_dates_stay_dates():
    """A teacher that knows dates would refuse numbers."""
    frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=9, tz="UTC"), "x": range(9)})
    table = Table.read(frame)
    whole = virtual_table(table, made(table, "munge")).given()
    assert whole.dtypes["when"] == frame.dtypes["when"]
    assert whole["when"].dt.year.isin([2023, 2024]).all()


def test_sparse_rows_stay_sparse():
    table = Table.read(sparse.csr_array(np.eye(5)))
    whole = virtual_table(table, made(table, "swap", 7))
    assert sparse.issparse(whole.given())
    assert whole.shape == (7, 5)


@pytest.mark.parametrize("name", ["swap", "marginal"])
def test_cells_are_cells_of_their_column(name, frame):
    table = Table.read(frame)
    cells = made(table, name)
    for column, known in zip(cells.T, dense_cells(table).T, strict=True):
        assert np.isin(column[~np.isnan(column)], known).all()


def test_swap_keeps_three_quarters_of_a_row():
    table = Table.read(np.arange(4000.0).reshape(1000, 4))
    cells = made(table, "swap", 5000)
    home = (cells // 4).astype(int)  # the row that a cell is from
    most = np.array([np.bincount(row).max() for row in home])
    assert abs((most - 1).mean() / 3 - 0.75) < 0.1
    assert (np.ptp((made(table, "marginal", 5000) // 4).astype(int), axis=1) > 0).all()


def test_uniform_covers_the_range(frame):
    table = Table.read(frame)
    cells = made(table, "uniform", 4000)
    assert cells[:, 0].min() >= 0
    assert cells[:, 0].max() <= 8
    assert np.ptp(np.histogram(cells[:, 0], bins=4, range=(0, 8))[0]) < 200
    assert abs(np.isnan(cells[:, 3]).mean() - frame["gaps"].isna().mean()) < 0.05
    assert set(np.unique(cells[:, 2])) == {0.0, 1.0}


def test_munge_moves_to_the_nearest_row():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [10.0, 5.0], [10.1, 5.0]])
    cells = made(Table.read(X), "munge", 500)
    # Neighbours differ in the first column only, by a tenth.
    assert set(np.unique(cells[:, 1])) == {0.0, 5.0}
    near = np.minimum(np.abs(cells[:, 0]), np.abs(cells[:, 0] - 10.0))
    assert 0.02 < near.mean() < 0.2


def test_huge_and_single_rows():
    for X in (np.array([[1e308, -1e308], [-1e308, 1e308]]), np.zeros((1, 2))):
        for name in GENERATORS:
            assert np.isfinite(made(Table.read(X), name, 20)).all()


@pytest.mark.parametrize("name", GENERATORS)
def test_order_and_repetition_do_not_matter(name):
    rng = np.random.default_rng(0)
    X, times = rng.normal(size=(30, 3)), rng.integers(1, 4, 30)
    shuffled = np.repeat(X, times, axis=0)[rng.permutation(times.sum())]
    rows = Prototypes.of(Table.read(X), times.astype(float))
    others = Prototypes.of(Table.read(shuffled), None)
    np.testing.assert_allclose(rows.mass, others.mass)
    first, second = (
        GENERATORS[name](part, 50, np.random.default_rng(0)) for part in (rows, others)
    )
    np.testing.assert_allclose(first, second)
    np.testing.assert_array_equal(rows.cells[rows.row], X)

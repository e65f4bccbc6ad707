"""Binning a table while it is read."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from coterie.data import DataError, RowStream, Table


def streamed(blocks, **settings):
    stream = RowStream(**settings)
    for block in blocks:
        stream.look(block)
    for block in blocks:
        stream.add(block)
    return stream.rows()


@pytest.mark.parametrize("library", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_a_small_table_gets_the_bins_of_the_whole(library):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(700, 3)), 2)
    X[rng.random(X.shape) < 0.05] = np.nan
    whole = Table.read(X).bin()
    names = (
        {}
        if library is np.asarray
        else {"schema" if library is pl.DataFrame else "columns": list("abc")}
    )
    rows = streamed([library(X[i : i + 100], **names) for i in range(0, 700, 100)])
    np.testing.assert_array_equal(rows.codes, whole.codes)
    assert rows.names == (None if library is np.asarray else ("a", "b", "c"))


def test_categories_of_all_blocks_are_known():
    blocks = [pd.DataFrame({"k": [a, a, b]}) for a, b in ("uv", "vw", "xu")]
    rows = streamed(blocks)
    assert rows.schema.labels[0].tolist() == ["u", "v", "w", "x"]
    assert rows.codes.ravel().tolist() == [0, 0, 1, 1, 1, 2, 3, 3, 0]


def test_the_sample_is_even_and_bounded():
    blocks = [np.full((1000, 1), float(k)) for k in range(40)]
    stream = RowStream(sample_rows=500, seed=3)
    for block in blocks:
        stream.look(block)
        assert sum(part.n_rows for part in stream._sample) <= 1000
    sizes = np.array([part.n_rows for part in stream._sample])
    assert stream.n_rows == 40_000
    # About 500 to 1,000 of 40,000 rows: no block may be left out or preferred.
    assert sizes.min() >= 3
    assert sizes.max() <= 50


def test_the_passes_must_agree():
    block = np.arange(6.0).reshape(3, 2)
    stream = RowStream()
    with pytest.raises(DataError, match="no rows"):
        stream.add(block)
    stream.look(block)
    with pytest.raises(DataError, match="missing"):
        stream.rows()
    stream.add(block)
    with pytest.raises(DataError, match="more rows"):
        stream.add(block)
    with pytest.raises(DataError, match="second pass has begun"):
        stream.look(block)


def test_rows_held_out_are_put_at_the_end():
    X = np.arange(50.0)[:, None]
    stream = RowStream(held_out=0.2, seed=4)
    for block in np.split(X, 5):
        stream.look(block)
    for block in np.split(X, 5):
        stream.add(block)
    rows = stream.rows()
    assert stream.n_held_out == 10
    np.testing.assert_array_equal(rows.native(), X[stream.order])
    learnt, held = stream.order[:40], stream.order[40:]
    assert (np.diff(learnt) > 0).all()
    assert (np.diff(held) > 0).all()
    assert held[0] < 40  # drawn from anywhere, not the last ones
    assert np.shares_memory(rows[np.arange(40)].codes, rows.codes)
    assert not np.shares_memory(rows[np.array([3, 1])].codes, rows.codes)

"""Rows of which only the bins are kept."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coterie import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from coterie.data import BinnedRows, DataError, Table
from coterie.data.binned import decode, decoded_blocks


def frame(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 9, size=n),
            "kind": rng.choice(["x", "y", "z"], size=n),
        }
    )
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    y = (X["a"].fillna(1) + (X["kind"] == "y") + rng.normal(size=n) * 0.3 > 0.5).to_numpy()
    return X, y.astype(int)


def binned(X):
    table = Table.read(X).bin()
    return BinnedRows(table.schema, table.bins, table.codes)


@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingClassifier(max_iter=8, early_stopping=False),
        HistGradientBoostingRegressor(max_iter=8, subsample=0.7, boosting="dart", random_state=0),
        RandomForestClassifier(30, max_bins=255, oob_score=True, random_state=0),
        BaggingClassifier(n_estimators=5, max_bins=255, random_state=0),
        AdaBoostClassifier(n_estimators=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_estimators_fit_bins_as_they_fit_the_rows(model):
    X, y = frame()
    plain = model.fit(X, y).predict(X)
    from_bins = model.fit(binned(X), y)
    np.testing.assert_array_equal(from_bins.predict(X), plain)
    assert from_bins.feature_names_in_.tolist() == ["a", "b", "kind"]


def test_rows_to_watch_may_be_binned_too():
    X, y = frame()
    rows = binned(X)
    train, watched = rows.take(np.arange(300)), rows.take(np.arange(300, 400))
    model = HistGradientBoostingClassifier(max_iter=10).fit(
        train, y[:300], X_val=watched, y_val=y[300:]
    )
    other = HistGradientBoostingClassifier(max_iter=10)
    # The same bins, although other rows are given: those of the 300 alone would differ.
    other.fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    assert len(model.validation_score_) == len(other.validation_score_)
    assert model.score(watched, y[300:]) > 0.7


def test_decoding_gives_a_value_of_the_same_bin():
    X, _ = frame()
    table = Table.read(X).bin(max_bins=5)
    values = decode(table.codes, table.bins)
    again = Table.read(values, categorical=[2])
    np.testing.assert_array_equal(np.isnan(again.values), table.codes == table.bins.counts[None, :])
    from coterie.native import encode

    np.testing.assert_array_equal(encode(values, table.bins), table.codes)
    blocks = list(decoded_blocks(table.codes, table.bins))
    np.testing.assert_array_equal(np.concatenate([cells for _, cells in blocks]), values)


def test_parts_of_binned_rows():
    X, _ = frame()
    table = Table.read(binned(X))
    part = table[10:20, ["kind", "a"]]
    assert part.shape == (10, 2)
    assert part.names == ("kind", "a")
    np.testing.assert_array_equal(part.given(), decode(table.codes, table.bins)[10:20][:, [2, 0]])


def test_what_does_not_fit_is_refused():
    X, y = frame()
    rows = binned(X)
    with pytest.raises(ValueError, match="code"):
        BinnedRows(rows.schema, rows.bins, np.full((3, 3), 255, dtype=np.uint8))
    with pytest.raises(DataError, match="numbers of columns"):
        BinnedRows(rows.schema, rows.bins, rows.codes[:, :2])
    model = HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    with pytest.raises(DataError, match="do not come from the stream"):
        model.predict(rows)
    with pytest.raises(DataError, match="cannot be set for binned rows"):
        Table.read(rows, categorical=[0])


def test_damaged_pickles_of_codes_are_refused():
    X, _ = frame(50)
    for rows in (binned(X), Table.read(X).bin()):
        rows.codes[3, 1] = 200
        state = pickle.dumps(rows)
        with pytest.raises(ValueError, match="outside the bins"):
            pickle.loads(state)


def test_codes_of_another_table_are_refused():
    table, other = Table.read(frame(50)[0]).bin(), Table.read(frame(40)[0]).bin()
    state = pickle.dumps(replace(table, bins=other.bins, codes=other.codes))
    with pytest.raises(ValueError, match="the codes have shape"):
        pickle.loads(state)


def test_binned_rows_pickle():
    rows = binned(frame()[0])
    again = pickle.loads(pickle.dumps(rows))
    np.testing.assert_array_equal(again.codes, rows.codes)

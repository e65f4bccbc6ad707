"""Rows of which only the bins are known."""

import pickle

import numpy as np
import pandas as pd
import pytest

from coterie import TableClassifier, TableRegressor
from coterie.automl import Column, fit_rows
from coterie.automl.binned import hold_out_last, is_binned, look_at_some, member_rows
from coterie.core import ParameterError
from coterie.data import DataError, RowStream, Table


def frame(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "kind": rng.choice(list("xyz"), n), "b": 0.0})
    X["b"] = rng.normal(size=n)
    y = X["a"] + (X["kind"] == "y") + rng.normal(size=n) * 0.2
    X.loc[rng.random(n) < 0.1, "b"] = np.nan
    return X, y.to_numpy()


def streamed(X, y):
    stream = RowStream(held_out=0.1)
    stream.look(X)
    stream.add(X)
    return stream.rows(), y[stream.order]


def test_members_see_codes_without_names():
    rows, _ = streamed(*frame())
    table = Table.read(rows)
    assert is_binned(table)
    assert not is_binned(Table.read(np.ones((2, 2))))
    seen = member_rows(table)
    assert seen.names is None
    assert seen.schema.labels[1].tolist() == [0.0, 1.0, 2.0]
    assert np.shares_memory(seen.codes, rows.codes)
    some, truth = look_at_some(table, np.arange(2000))
    np.testing.assert_array_equal(some.values, rows.native())
    assert some.categories[1].tolist() == ["x", "y", "z"]
    assert len(truth) == 2000


def test_the_last_tenth_is_held_out():
    [(train, test)] = hold_out_last(2000)
    assert (train[-1], test[0], len(test)) == (1799, 1800, 200)
    assert hold_out_last(1) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", [TableClassifier, TableRegressor])
def test_a_model_of_bins_is_about_as_good_as_one_of_numbers(kind):
    X, y = frame()
    y = np.where(y > 0.5, "high", "low") if kind is TableClassifier else y
    rows, own = streamed(X, y)
    model = kind(members=["gradient boosting", "forest of some rows", "linear"]).fit(rows, own)
    new, truth = frame(500, seed=1)
    truth = np.where(truth > 0.5, "high", "low") if kind is TableClassifier else truth
    assert model.score(new, truth) > 0.9
    new.loc[0, "kind"] = "never seen"
    assert len(model.predict(new)) == 500
    # The rows themselves are answered for as well.
    order = RowStream(held_out=0.1)
    order.look(X)
    np.testing.assert_array_equal(model.predict(rows), model.predict(X.iloc[order.order]))
    assert len(model.out_of_fold_) == len(model.truth_) == 200
    assert model.member_out_of_fold_.shape[1] == 200
    assert model.made_["rows"] == 2000
    assert "needs the original values" in next(
        h["note"] for h in model.history_ if h["name"] == "linear"
    )
    assert set(model.importances_) == {"a", "kind", "b"}
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(new), model.predict(new))


@pytest.mark.slow
def test_held_out_rows_are_not_learnt_from():
    """The target is noise: what is said of held-out rows must not know it."""
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(3000, 3))), rng.integers(0, 2, 3000)
    X.columns = ["a", "b", "c"]
    model = TableClassifier(metric="accuracy", members="native").fit(*streamed(X, y))
    assert np.mean(model.out_of_fold_.argmax(axis=1) == model.truth_) < 0.6


@pytest.mark.slow
def test_labels_may_be_positions():
    X, y = frame()
    rows, own = streamed(X, y > 0.5)
    gone = Column("row", "text", 0.0, 2000, False, "identifier")
    model = fit_rows(
        rows,
        own.astype(np.int8),
        "level",
        classes=["high", "low"],
        left_out=[gone],
        task="classification",
        members="fast",
    )
    plain = TableClassifier(members="fast").fit(rows, np.where(own, "low", "high"))
    assert model.classes_.tolist() == ["high", "low"]
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.target_name_ == "level"
    assert "row" in [c.name for c in model.columns_]
    assert "identifier" in [f.kind for f in model.findings_]


def test_what_bins_cannot_do_is_refused():
    X, y = frame()
    rows, y = streamed(X, y)
    with pytest.raises(DataError, match="groups"):
        TableRegressor(members="fast").fit(rows, y, groups=np.arange(2000) % 7)
    with pytest.raises(ParameterError, match="task"):
        fit_rows(rows, y)

"""What columns are taken for."""

import numpy as np
import pytest

from coterie.automl import columns
from coterie.automl.columns import read_columns
from coterie.data import Table

pandas = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N = 200


def kinds(frame):
    """Why each column is left out, or that it is used."""
    names = list(frame.columns)
    found = read_columns(Table.read(frame), names, [""] * len(names))
    assert [c.name for c in found.columns] == names
    assert [names[j] for j in found.used] == [c.name for c in found.columns if c.used]
    return {c.name: "used" if c.used else c.note for c in found.columns}


def test_what_says_nothing_is_left_out():
    frame = pandas.DataFrame(
        {
            "number": RNG.normal(size=N),
            "whole": RNG.integers(0, 1000, N),
            "label": RNG.choice(["a", "b"], N),
            "same": 3.0,
            "empty": np.nan,
            "half": np.where(RNG.random(N) < 0.5, 1.0, np.nan),
            "counter": np.arange(N) + 17,
            "customer_id": RNG.permutation(N) * 37 + 1,
            "salary": RNG.permutation(N) * 37 + 1,
            "code": [f"k{k}" for k in range(N)],
            "note": [f"the row is number {k} of many" for k in range(N)],
        }
    )
    assert kinds(frame) == {
        "number": "used",
        "whole": "used",
        "label": "used",
        "same": "constant",
        "empty": "no values",
        "half": "used",
        "counter": "identifier",
        "customer_id": "identifier",
        "salary": "used",
        "code": "identifier",
        "note": "free text",
    }


def test_floats_are_no_counters():
    """A sorted column of measurements is one."""
    assert kinds(pandas.DataFrame({"x": np.arange(N) * 0.5, "y": RNG.normal(size=N)})) == {
        "x": "used",
        "y": "used",
    }


@pytest.mark.parametrize(("n_rows", "kind"), [(49, "used"), (50, "identifier")])
def test_identifiers_need_fifty_rows(n_rows, kind):
    frame = pandas.DataFrame({"counter": np.arange(n_rows), "x": RNG.normal(size=n_rows)})
    assert kinds(frame) == {"counter": kind, "x": "used"}


def test_something_is_always_left():
    frame = pandas.DataFrame({"a": np.zeros(N), "b": np.ones(N)})
    assert set(kinds(frame).values()) == {"used"}


def test_counts_of_missing_and_distinct():
    frame = pandas.DataFrame({"x": [1.0, 2.0, np.nan, 2.0] * 10})
    (column,) = read_columns(Table.read(frame), ["x"], [""]).columns
    assert (column.kind, column.missing, column.distinct) == ("number", 0.25, 2)


def test_columns_are_counted_together(monkeypatch):
    cells = RNG.integers(0, 9, size=(40, 30)).astype(float)
    cells[cells == 8] = np.nan
    cells[:, 3], cells[:, 4] = np.nan, 1.0
    sorts = []
    sort = np.sort
    monkeypatch.setattr(np, "sort", lambda *given, **more: sorts.append(1) or sort(*given, **more))
    monkeypatch.setattr(columns, "_TOGETHER", 400)
    missing, distinct = columns._counts(cells)
    assert len(sorts) == 3
    monkeypatch.undo()
    assert missing == [np.isnan(column).mean() for column in cells.T]
    assert distinct == [len(np.unique(column[~np.isnan(column)])) for column in cells.T]

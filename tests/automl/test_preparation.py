"""Tables as they come."""

import numpy as np
import pytest

from coterie import TableRegressor
from coterie.automl.preparation import Preparation
from coterie.export import load, save

pandas = pytest.importorskip("pandas")


def frame(n_rows=80):
    rng = np.random.default_rng(0)
    words = np.array(["red", "blue", "old", "new", "house", "river"])
    days = pandas.Series(pandas.date_range("2023-01-01", periods=n_rows))
    return pandas.DataFrame(
        {
            "title": [" ".join(rng.choice(words, 4)) for _ in range(n_rows)],
            "price": [f"${v:,.2f}" for v in rng.uniform(10, 5000, n_rows)],
            "begun": days.dt.strftime("%d.%m.%Y"),
            "ended": days + pandas.to_timedelta(rng.integers(0, 9, n_rows), unit="D"),
            "where": [f"[{a:.2f}, {b:.2f}]" for a, b in rng.normal(size=(n_rows, 2))],
            "kind": rng.choice(["a", "b"], n_rows),
            "x": rng.normal(size=n_rows),
        }
    )


@pytest.fixture(scope="module")
def model():
    return TableRegressor(members="fast").fit(frame(), np.arange(80.0) ** 2)


def test_every_column_is_told_by_what_it_holds():
    found = Preparation.find(frame())
    kinds = {name: found.kind(name) for name in frame().columns}
    expected = ("text", "number", "date", "date", "list", "", "")
    assert kinds == dict(zip(frame().columns, expected, strict=True))
    assert all(found.note(name) for name in found.names)
    assert found.note("kind") == ""


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_are_replaced_by_numbers(library):
    table = frame()
    if library == "polars":
        pytest.importorskip("polars")
        table = pytest.importorskip("polars").from_pandas(table)
    elif library == "pyarrow":
        table = pytest.importorskip("pyarrow").Table.from_pandas(table)
    found = Preparation.find(table)
    made = found.apply(table)
    names = list(made.column_names if library == "pyarrow" else made.columns)
    own = dict.fromkeys(found.origin(names))
    assert list(own) == list(frame().columns)
    between = np.asarray(made["begun to ended"])
    begun = pandas.to_datetime(frame()["begun"], dayfirst=True)
    np.testing.assert_array_equal(between, (frame()["ended"] - begun).dt.days)
    assert np.asarray(made["where.1"]).dtype == float


def test_arrays_are_left_alone():
    found = Preparation.find(np.zeros((3, 2)))
    assert found.names == ()
    assert found.apply("anything") == "anything"


@pytest.mark.slow
def test_a_model_reads_new_rows_as_those_of_the_fit(tmp_path):
    table = frame(120)
    y = table["x"] + table["title"].str.contains("red") * 2.0
    model = TableRegressor(members="fast").fit(table, y)
    assert model.feature_names_in_.tolist() == list(table.columns)
    assert [column.name for column in model.columns_] == list(table.columns)
    assert set(model.importances_) <= set(table.columns)
    title = model.columns_[0]
    assert (title.kind, title.used) == ("text", True)
    assert "TF-IDF components" in title.note
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(table[:9]), model.predict(table[:9]))


@pytest.mark.parametrize(
    ("column", "now", "words"),
    [
        ("title", 3.0, "Column 'title' contained text at fit, but contains numbers now"),
        ("title", pandas.Timestamp("2024-01-01"), "contains dates now"),
        ("title", pandas.Categorical([7] * 80), "contained text at fit, but contains 7"),
        ("price", "some words", "contained amounts at fit, but contains 'some words', which"),
        ("price", pandas.Timestamp("2024-01-01"), "amounts at fit, but contains dates now"),
        ("where", 1.5, "contained text at fit, but contains numbers"),
        ("where", "a house with 3 rooms and 2 doors", "contained lists at fit"),
        ("begun", 20240101, "contained dates at fit, but contains numbers"),
        ("x", pandas.Timestamp("2024-01-01"), "contained numbers at fit, but contains dates"),
        ("kind", pandas.Timestamp("2024-01-01"), "contained text at fit, but contains dates"),
    ],
)
def test_new_rows_are_of_the_same_kinds(column, now, words, model):
    with pytest.raises(ValueError, match=words):
        model.predict(frame().assign(**{column: now}))


def test_an_array_has_no_dates(model):
    """Its cells would be taken for days, months and lengths of texts."""
    with pytest.raises(ValueError, match="reads column .* in its own way.*Pass a data frame"):
        model.predict(np.zeros((2, model.schema_.n_columns)))


@pytest.mark.slow
def test_amounts_may_be_numbers():
    preparation = Preparation.find(frame())
    plain = preparation.apply(frame())["price"]
    assert preparation.apply(frame().assign(price=plain))["price"].tolist() == plain.tolist()

"""What is learnt about columns, and how new rows are compared with it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from coterie.data.errors import DataError, KindError
from coterie.data.schema import MAX_LEVELS, Schema, learn_schema
from coterie.data.sources import open_source

FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4], "c": ["x", "y"]})


def learn(X, categorical=None):
    return learn_schema(open_source(X), categorical)


def read(schema, X, **settings):
    return schema.read(open_source(X), **settings)


def test_text_columns_are_learnt_and_numbers_are_not():
    schema, values = learn(FRAME)
    assert schema.n_columns == 3
    assert schema.names == ("a", "b", "c")
    assert {j: labels.tolist() for j, labels in schema.labels.items()} == {2: ["x", "y"]}
    assert schema.categorical.tolist() == [False, False, True]
    np.testing.assert_array_equal(values, [[1, 3, 0], [2, 4, 1]])


def test_numbers_beside_text_keep_their_digits():
    _, values = learn(pd.DataFrame({"number": [0.1, 2.0], "word": ["x", "y"]}))
    assert float(values[0, 0]) == 0.1  # a float32 would be compared as one


def test_columns_of_numbers_have_no_labels():
    schema, _ = learn(np.ones((2, 2)))
    assert schema == Schema(2)
    assert schema.categorical is None


@pytest.mark.parametrize("categorical", [[False, True, False], np.array([1]), [1], 1, ["b"], "b"])
def test_numbers_are_declared_categorical_by_mask_position_or_name(categorical):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [7, -2, 7], "c": [0, 1, 2]})
    schema, values = learn(frame, categorical)
    assert list(schema.labels) == [1]
    assert schema.labels[1].tolist() == [-2, 7]
    assert values[:, 1].tolist() == [1, 0, 1]
    assert values[:, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize("categorical", [None, "from_dtype", [], [False, False, False]])
def test_nothing_declared_leaves_the_kinds_of_the_columns(categorical):
    assert list(learn(FRAME, categorical)[0].labels) == [2]


@pytest.mark.parametrize(
    ("categorical", "message"),
    [
        ([True, False], "boolean mask must have shape"),
        ([3], "must be in .*got 3, but X has 3 columns"),
        ([-1], "got -1"),
        ([0.5], "bool, int or str, got: float64"),
        (np.array([b"a", 1.5], dtype=object), "got: bytes, float"),
        (["nope"], "'nope' which is not a valid feature name"),
        ("nope", "'nope'"),
    ],
)
def test_declarations_that_point_nowhere_are_refused(categorical, message):
    with pytest.raises(DataError, match=message):
        learn(FRAME, categorical)
    with pytest.raises(DataError, match="data without feature names"):
        learn(np.ones((2, 3)), ["a"])


def test_long_integers_declared_categorical_stay_apart():
    X = np.array([[2**60], [2**60 + 1], [2**60]])
    schema, values = learn(X, [0])
    assert schema.labels[0].tolist() == [2**60, 2**60 + 1]
    assert values.ravel().tolist() == [0, 1, 0]
    assert read(schema, X[1:2]).tolist() == [[1]]


def test_long_integers_warn_once_at_fit_and_name_the_column():
    X = np.array([[1, 2**60 + 1], [2, 3]])
    with pytest.warns(UserWarning, match="Column 1 contains integers beyond"):
        schema, values = learn(X)
    assert values.tolist() == [[1, 2.0**60], [2, 3]]
    assert read(schema, X).tolist() == values.tolist()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_long_integers_among_floats_warn_too(make):
    columns = {"x": [0.5, 1.0], "n": [2**60 + 1, 3]}
    with pytest.warns(UserWarning, match="Column 'n' contains integers beyond"):
        _, values = learn(make(columns))
    assert values.tolist() == [[0.5, 2.0**60], [1, 3]]


def test_a_missing_label_stays_missing_and_an_unseen_one_becomes_so():
    schema, values = learn(pd.DataFrame({"c": ["x", None, "y"]}))
    np.testing.assert_array_equal(values.ravel(), [0, np.nan, 1])
    new = read(schema, pd.DataFrame({"c": ["new", "y", None]}))
    np.testing.assert_array_equal(new.ravel(), [np.nan, 1, np.nan])


def test_categories_are_matched_by_label_not_by_code():
    labels = ["low", "mid", "high"]
    fitted = pd.DataFrame({"c": pd.Categorical(labels, categories=labels)})
    turned = pd.DataFrame({"c": pd.Categorical(labels, categories=labels[::-1])})
    schema, values = learn(fitted)
    assert fitted.c.cat.codes.tolist() != turned.c.cat.codes.tolist()
    assert read(schema, turned).tolist() == values.tolist()
    assert read(schema, fitted.astype(str)).tolist() == values.tolist()


def test_unused_categories_are_not_labels():
    schema, _ = learn(pd.DataFrame({"c": pd.Categorical(["b"], categories=["a", "b"])}))
    assert schema.labels[0].tolist() == ["b"]


@pytest.mark.slow
def test_many_levels_are_fine_and_too_many_are_refused():
    names = [f"level {k}" for k in range(MAX_LEVELS + 1)]
    schema, values = learn(pd.DataFrame({"c": names[:5000]}))
    assert len(schema.labels[0]) == 5000
    assert sorted(values.ravel()) == list(range(5000))
    with pytest.raises(DataError, match="Column 'c' has 65536 categories.*Drop the column if"):
        learn(pd.DataFrame({"c": names}))


def test_a_column_of_nothing_is_allowed_and_stays_so():
    schema, values = learn(pd.DataFrame({"c": pd.Series([None, None], dtype="string"), "d": 1.0}))
    assert np.isnan(values[:, 0]).all()
    assert schema.categorical is None
    assert np.isnan(read(schema, pd.DataFrame({"c": ["x"], "d": [1.0]}))[0, 0])
    assert np.isnan(read(schema, pd.DataFrame({"c": [7], "d": [1.0]}))[0, 0])


def test_numbers_may_be_missing_throughout_in_new_rows():
    schema, _ = learn(FRAME)
    empty = pd.DataFrame({"a": [None], "b": pd.Series([None], dtype=object), "c": [None]})
    assert np.isnan(read(schema, empty)).all()
    assert np.isnan(read(schema, empty.astype(float))).all()


def test_columns_that_changed_their_kind_are_refused_by_name():
    schema, _ = learn(FRAME)
    for name, column in (("a", ["x"]), ("c", [1.0]), ("a", pd.Categorical([1]))):
        changed = FRAME.iloc[:1].assign(**{name: column})
        with pytest.raises(
            KindError, match=rf"Column '{name}' contained .* at fit, but contains .* now"
        ):
            read(schema, changed)


def test_objects_and_lists_may_mix_columns_of_text_and_of_numbers():
    for X in ([["x", 1], ["y", None]], np.array([["x", 1], ["y", None]], dtype=object)):
        schema, values = learn(X)
        assert list(schema.labels) == [0]
        np.testing.assert_array_equal(values, [[0, 1], [1, np.nan]])
        np.testing.assert_array_equal(read(schema, X), values)


@pytest.mark.parametrize("X", [[["1", "2"]], np.array([["1.5"], ["2"]]), np.array([["1"]], object)])
def test_numbers_written_as_text_are_refused_unless_declared(X):
    with pytest.raises(
        KindError, match=r"Column 0 contains numbers stored as text.*astype\(float\)"
    ):
        learn(X)
    assert 0 in learn(X, [True] * np.shape(X)[1])[0].labels


def test_a_text_column_of_a_frame_may_look_like_numbers():
    assert learn(pd.DataFrame({"zip": ["01234", "99999"]}))[0].labels[0].tolist() == [
        "01234",
        "99999",
    ]


@pytest.mark.parametrize(
    "X", [np.array([["2020"]], dtype="M8[D]"), np.array([[1]], "m8[s]"), np.array([[b"a"]])]
)
def test_arrays_of_other_kinds_are_refused(X):
    with pytest.raises(TypeError, match="not numbers"):
        learn(X)


def test_complex_arrays_are_refused_in_scikit_learns_words():
    with pytest.raises(ValueError, match="Complex data not supported"):
        learn(np.array([[1j]]))


def frame_of(X):
    return pd.DataFrame(X, columns=["first", "odd one"])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize(
    ("make", "where"),
    [(np.asarray, "column 1"), (sparse.csr_array, "column 1"), (frame_of, "column 'odd one'")],
)
def test_infinity_is_refused_at_fit_and_later_and_the_column_is_named(value, make, where):
    good = np.array([[0.0, 1.0], [np.nan, 2.0]])
    bad = good.copy()
    bad[1, 1] = value
    message = f"infinity.*{where}, row 1.*NaN"
    with pytest.raises(DataError, match=message):
        learn(make(bad))
    schema, _ = learn(make(good))
    with pytest.raises(DataError, match=message):
        read(schema, make(bad))


def test_infinity_in_a_frame_of_mixed_kinds_is_refused():
    with pytest.raises(DataError, match="infinity.*column 'a'"):
        learn(FRAME.assign(a=[np.inf, 1.0]))


def test_categorical_columns_of_sparse_input_are_refused():
    with pytest.raises(KindError, match="Sparse X cannot have categorical columns"):
        learn(sparse.csr_array(np.eye(2)), [0])


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_another_number_of_columns_is_refused(columns, make):
    schema, _ = learn(np.ones((4, 2)))
    message = f"X has {columns} features, but Forest is expecting 2 features as input"
    with pytest.raises(DataError, match=message):
        read(schema, make(np.ones((4, columns))), owner="Forest")


NAMES = "The feature names should match those that were passed during fit.\n"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (list("cba"), NAMES + "Feature names must be in the same order as they were in fit.\n"),
        (list("abz"), NAMES + "Feature names unseen at fit time:\n- z\nFeature names seen at fit"),
        (list("ab"), NAMES + "Feature names seen at fit time, yet now missing:\n- c\n"),
        (list("abcd"), NAMES + "Feature names unseen at fit time:\n- d\n"),
        (list("uvwxyzabc"), "- u\n- v\n- w\n- x\n- y\n- ...\n"),
    ],
)
def test_other_names_are_refused_in_scikit_learns_words(columns, message):
    schema, _ = learn(pd.DataFrame(np.ones((2, 3)), columns=list("abc")))
    with pytest.raises(DataError) as raised:
        read(schema, pd.DataFrame(np.ones((2, len(columns))), columns=columns))
    assert message in str(raised.value)


def test_names_on_one_side_only_warn_as_scikit_learn_does():
    named, nameless = pd.DataFrame(np.ones((2, 2)), columns=["a", "b"]), np.ones((2, 2))
    with pytest.warns(UserWarning, match="^X does not have valid feature names, but F was fitted"):
        read(learn(named)[0], nameless, owner="F")
    with pytest.warns(UserWarning, match="^X has feature names, but F was fitted without"):
        read(learn(nameless)[0], named, owner="F")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(learn(named)[0], named)
        read(learn(nameless)[0], nameless)


def test_some_columns_of_a_schema():
    schema, _ = learn(FRAME)
    chosen = schema.select(np.array([2, 0]))
    assert chosen.names == ("c", "a")
    assert list(chosen.labels) == [0]
    assert chosen.labels[0] is schema.labels[2]
    assert chosen.column(0) == "column 'c'"


def test_a_schema_pickles():
    schema, _ = learn(FRAME)
    again = pickle.loads(pickle.dumps(schema))
    assert read(again, FRAME).tolist() == read(schema, FRAME).tolist()


WHEN = pd.Series(pd.date_range("2024-01-01", periods=3))
KINDS = {
    "numbers": pd.Series([1.0, 2.0, 3.0]),
    "dates": WHEN,
    "dates with a time zone": WHEN.dt.tz_localize("Europe/Berlin"),
    "durations": WHEN - WHEN[0],
    "text": pd.Series(["x", "y", "x"]),
}


@pytest.mark.parametrize("now", KINDS)
@pytest.mark.parametrize("then", KINDS)
def test_columns_stay_what_they_were(then, now):
    """Days since 1970 are numbers to members, but no number of a user is one of them."""
    schema, values = learn(pd.DataFrame({"c": KINDS[then]}))
    for change in (pd.DataFrame, pl.DataFrame):
        given = change({"c": KINDS[now]})
        if now == then:
            np.testing.assert_array_equal(read(schema, given), values)
        else:
            words = f"Column 'c' contained {then} at fit, but contains {now} now"
            with pytest.raises(KindError, match=words):
                read(schema, given)


def test_dates_may_be_missing_and_zones_may_differ():
    schema, values = learn(pd.DataFrame({"c": KINDS["dates with a time zone"], "d": WHEN}))
    assert schema.moments == {0: "dates with a time zone", 1: "dates"}
    elsewhere = KINDS["dates with a time zone"].dt.tz_convert("Asia/Tokyo")
    same = read(schema, pd.DataFrame({"c": elsewhere, "d": WHEN}))
    np.testing.assert_array_equal(same, values)
    for nothing in (None, np.nan, pd.NaT):
        assert np.isnan(read(schema, pd.DataFrame({"c": [nothing], "d": [nothing]}))).all()
    with pytest.warns(UserWarning, match="valid feature names"):
        assert np.isnan(read(schema, np.full((2, 2), np.nan))).all()
    with pytest.warns(UserWarning, match="valid"), pytest.raises(KindError, match="numbers now"):
        read(schema, np.ones((2, 2)))
    assert schema.select(np.array([1])).moments == {0: "dates"}

"""The target."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from coterie import native
from coterie.data import DataError, Target


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        (np.array(["b", "a"], dtype=object), ["a", "b"], [1, 0]),
        ([-1, 1, 1], [-1, 1], [0, 1, 1]),
        ([0, 7, 2, 7], [0, 2, 7], [0, 2, 1, 2]),
        ([True, False], [False, True], [1, 0]),
        (np.array([2.0, 0.0]), [0, 2], [1, 0]),
        (np.array([2, 0], dtype=object), [0, 2], [1, 0]),
        (np.array([True, False], dtype=object), [False, True], [1, 0]),
        (np.array([3, 1], dtype=">i4"), [1, 3], [1, 0]),
        (pd.Series(["b", "a"], dtype="category"), ["a", "b"], [1, 0]),
        (pd.Categorical(["b", "a"]), ["a", "b"], [1, 0]),
        (pd.Series([5, 3], dtype="Int64", index=[9, 9]), [3, 5], [1, 0]),
        (pd.Series([True, False], dtype="boolean"), [False, True], [1, 0]),
        (pd.Index(["b", "a"]), ["a", "b"], [1, 0]),
        (pl.Series(["b", "a"]), ["a", "b"], [1, 0]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["a", "b"], [1, 0]),
        (pa.array(["b", "a"]), ["a", "b"], [1, 0]),
        (pa.chunked_array([["b"], ["a"]]), ["a", "b"], [1, 0]),
        (["only"] * 3, ["only"], [0, 0, 0]),
        (range(200), list(range(200)), list(range(200))),
    ],
)
def test_labels_of_any_container(y, classes, codes):
    target = Target.labels(y)
    assert target.kind == "labels"
    assert target.flat
    assert target.classes[0].tolist() == classes
    assert target.n_classes == (len(classes),)
    assert target.codes.dtype == np.int32
    assert target.codes.shape == (len(codes), 1)
    assert target.codes.flags.c_contiguous
    assert target.codes[:, 0].tolist() == codes
    assert target.decode(target.codes).tolist() == [classes[c] for c in codes]
    with pytest.raises(AttributeError, match="no numbers"):
        _ = target.values


@pytest.mark.parametrize(
    "y",
    [
        np.array([1, 2], dtype=np.int8),
        np.array([True, False]),
        np.array(["x", "yy"]),
        np.array(["x", "yy"], dtype=object),
        np.array([1.0, 2.0], dtype=np.float32),
    ],
)
def test_decoding_gives_the_dtype_back(y):
    target = Target.labels(y)
    assert target.decode(target.codes[:, 0]).dtype == y.dtype


def test_boolean_series_have_boolean_classes():
    for y in (pd.Series([True, False]), pl.Series([True, False])):
        assert Target.labels(y).classes[0].dtype == bool


def test_labels_with_several_outputs():
    y = np.array([[0, 5], [1, 5], [0, 9]])
    for given_y in (y, y.tolist(), pd.DataFrame(y), pl.DataFrame({"u": y[:, 0], "v": y[:, 1]})):
        target = Target.labels(given_y)
        assert not target.flat
        assert target.n_outputs == 2
        assert [c.tolist() for c in target.classes] == [[0, 1], [5, 9]]
        assert target.codes.flags.c_contiguous
        assert target.codes.tolist() == [[0, 0], [1, 0], [0, 1]]
        np.testing.assert_array_equal(target.decode(target.codes), y)


def test_outputs_may_have_labels_of_different_kinds():
    y = pd.DataFrame({"colour": ["red", "blue"], "size": [3, 1]})
    target = Target.labels(y)
    assert [c.tolist() for c in target.classes] == [["blue", "red"], [1, 3]]
    assert target.decode(target.codes).tolist() == [["red", 3], ["blue", 1]]
    turned = Target.labels(y[["size", "colour"]])
    assert turned.decode(turned.codes).tolist() == [[3, "red"], [1, "blue"]]


def test_a_column_vector_is_one_output():
    target = Target.labels([[0], [1]])
    assert not target.flat
    assert target.decode(target.codes).tolist() == [0, 1]


def test_labels_of_several_outputs_are_not_cut_short():
    target = Target.labels(np.array([["a", "long"], ["b", "longer"]]))
    assert target.decode(target.codes).tolist() == [["a", "long"], ["b", "longer"]]
    y = pd.DataFrame({"short": np.array([1, 2], dtype=np.int8), "long": [2**40, 2**41]})
    target = Target.labels(y)
    assert target.decode(target.codes).tolist() == [[1, 2**40], [2, 2**41]]


@pytest.mark.parametrize(
    "y",
    [
        [1.0, np.nan],
        [None, "a"],
        ["a", np.nan],
        np.array([1, None], dtype=object),
        pd.Series(["a", None]),
        pd.Series(["a", None], dtype="category"),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pl.Series([1, None]),
        pl.Series(["a", None]),
        pa.chunked_array([["a", None]]),
        pa.chunked_array([pa.array(["a", None]).dictionary_encode()]),
        np.ma.array([1, 2], mask=[False, True]),
        [None, None],
        [[1, 0], [None, 1]],
    ],
)
def test_missing_labels_and_numbers_are_refused(y):
    with pytest.raises(DataError, match=r"contains NaN: [12] of 2 rows.*Drop"):
        Target.labels(y)
    with pytest.raises(DataError, match="NaN|text|categories"):
        Target.numbers(y)


def test_a_list_of_texts_and_numbers_is_text_as_in_numpy():
    target = Target.labels(["foo", 1, "foo", 2])
    assert target.classes[0].tolist() == ["1", "2", "foo"]
    with pytest.raises(TypeError, match="mixes text and numbers"):
        Target.labels(np.array(["foo", 1], dtype=object))


@pytest.mark.parametrize("y", [["a", 1.5, None], [[1, "a"], ["b", "c"]]])
def test_mixed_labels_are_refused(y):
    with pytest.raises(TypeError, match="mixes text and numbers. Convert all values to text"):
        Target.labels(y)


@pytest.mark.parametrize("y", [[0.5, 1.0], np.array([1.5, 2.0], dtype=np.float32), [1e-300, 0]])
def test_continuous_labels_are_refused_in_scikit_learns_words(y):
    with pytest.raises(DataError, match="Unknown label type: continuous. .*Use a regressor"):
        Target.labels(y)
    with pytest.raises(DataError, match="Unknown label type: continuous-multioutput"):
        Target.labels(np.column_stack([y, y]))


@pytest.mark.parametrize("y", [[1.0, np.inf], [-np.inf, 0.0]])
def test_infinity_is_refused(y):
    for read in (Target.labels, Target.numbers):
        with pytest.raises(DataError, match="contains infinity .* in 1 of 2 rows"):
            read(y)


@pytest.mark.parametrize("y", [[1e308, 1.0], [0.0, -1e200], [1e71, 0]])
def test_numbers_whose_powers_overflow_are_refused(y):
    with pytest.raises(DataError, match=r"1 of 2 values are larger than 1e\+70.*Rescale y"):
        Target.numbers(y)


@pytest.mark.parametrize("y", [[5e-324, 0.0], [1e-300, -2e-300]])
def test_numbers_whose_powers_vanish_are_refused(y):
    """A square of zero makes every target constant, and so would be the predictions."""
    with pytest.raises(DataError, match=r"no value is larger than .*e-3.* Rescale y"):
        Target.numbers(y)


@pytest.mark.parametrize("y", [[1e39, -1e39], [1e70, 1.0], [5e-324, 1.0], [1e-70, 0], [0, 0]])
def test_large_and_small_numbers_are_kept(y):
    assert Target.numbers(y).values[:, 0].tolist() == y


@pytest.mark.parametrize(
    "y",
    [
        [1, 2, 3],
        np.array([1, 2, 3], dtype=np.float16),
        np.array([1, 2, 3], dtype=">f4"),
        np.array([3.0, 2.0, 1.0])[::-1],
        np.array([1, 2.0, 3], dtype=object),
        pd.Series([1, 2, 3], dtype="Int32"),
        pl.Series([1, 2, 3]),
        pa.chunked_array([[1, 2, 3]]),
    ],
)
def test_numbers_of_any_container(y):
    target = Target.numbers(y)
    assert target.kind == "values"
    assert target.classes == ()
    assert target.n_classes == ()
    assert target.values.dtype == np.float64
    assert target.values.flags.c_contiguous
    assert target.values.tolist() == [[1], [2], [3]]
    assert target.decode(target.values).tolist() == [1, 2, 3]
    with pytest.raises(AttributeError, match="no class codes"):
        _ = target.codes


def test_numbers_with_several_outputs():
    y = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    target = Target.numbers(y)
    assert target.values.flags.c_contiguous
    np.testing.assert_array_equal(target.decode(target.values), y)


@pytest.mark.parametrize("y", [["a", "b"], pd.Series(["a", "b"]), ["1", "2"]])
def test_text_is_no_number(y):
    with pytest.raises(TypeError, match="y contains .*, but a regressor needs numbers"):
        Target.numbers(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "1d array"),
        (3, "1d array"),
        (np.zeros((2, 2, 2)), "1d array, got an array of shape"),
        (np.zeros((2, 0)), "1d array"),
        ([[1], [1, 2]], "same number of values"),
        (sparse.csr_array(np.eye(2)), "sparse multilabel-indicator for y is not supported"),
        (np.array(["2020"], dtype="M8[D]"), "y contains datetime64"),
        (np.array([1j]), "Complex data not supported"),
        ([{"a": 1}], "y contains dict"),
    ],
)
@pytest.mark.parametrize("read", [Target.labels, Target.numbers])
def test_what_is_no_target_is_refused(read, y, message):
    with pytest.raises(DataError, match=message):
        read(y)


@pytest.mark.parametrize("y", [[1, 2, 3], pd.Series([1, 2, 3]), pd.DataFrame({"a": [1, 2, 3]})])
def test_another_number_of_rows_is_refused(y):
    message = r"inconsistent numbers of samples: \[4, 3\]"
    for read in (Target.labels, Target.numbers):
        with pytest.raises(DataError, match=message):
            read(y, n_rows=4)


@pytest.mark.parametrize(
    "make", [list, np.array, pd.Series, pl.Series, lambda v: pd.DataFrame({"a": v})]
)
def test_rows_left_out_are_not_looked_at(make):
    rows = np.array([0, 2])
    values = make([5.0, np.nan, 3.0])
    labels = Target.labels(values, rows=rows, n_rows=3)
    assert labels.classes[0].tolist() == [3, 5]
    assert labels.codes[:, 0].tolist() == [1, 0]
    assert Target.numbers(values, rows=rows, n_rows=3).values[:, 0].tolist() == [5, 3]


def test_some_rows_and_none():
    target = Target.labels(["b", "a", "b"])
    some = target.take([2, 1])
    assert some.codes[:, 0].tolist() == [1, 0]
    assert some.codes.flags.c_contiguous
    assert target.take(slice(0, 1)).n_rows == 1
    nothing = target.empty()
    assert nothing.n_rows == 0
    assert nothing.decode([1, 0]).tolist() == ["b", "a"]
    assert len(pickle.dumps(nothing)) < 1000


def test_the_engine_is_given_its_own_types():
    labels = Target.labels([[0, 5], [1, 5]]).native()
    assert isinstance(labels, native.Labels)
    assert tuple(labels.n_classes) == (2, 1)
    assert labels.codes.tolist() == [[0, 0], [1, 0]]
    assert isinstance(Target.numbers([1.0]).native(), native.Values)


LABELS = st.one_of(
    st.lists(st.text(max_size=4), min_size=1),
    st.lists(st.integers(-(2**40), 2**40), min_size=1),
    st.lists(st.booleans(), min_size=1),
    st.lists(st.integers(-100, 100).map(float), min_size=1),
)


@given(LABELS)
def test_decoding_what_was_encoded_gives_the_labels(y):
    for form in (y, np.array(y, dtype=object)):
        target = Target.labels(form)
        assert target.decode(target.codes[:, 0]).tolist() == y
        assert target.classes[0].tolist() == sorted(set(y))


@given(LABELS, st.randoms())
def test_classes_do_not_depend_on_the_order_of_rows(y, random):
    shuffled = list(y)
    random.shuffle(shuffled)
    assert Target.labels(y).classes[0].tolist() == Target.labels(shuffled).classes[0].tolist()


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([3, -1, 5, -1]), [3, 5]),
        (np.array([3.0, np.nan, 5.0, -1.0]), [3.0, 5.0]),
        (["x", -1, "y", None], ["x", "y"]),
        (np.array(["x", -1, "y", -1], dtype=object), ["x", "y"]),
        (pd.Series(["x", -1, "y", None]), ["x", "y"]),
        (pl.Series(["x", None, "y", None]), ["x", "y"]),
        (pl.Series([3, None, 5, -1]), [3, 5]),
    ],
    ids=str,
)
def test_labels_may_be_unknown(y, classes):
    target = Target.labels(y, unlabelled=True)
    assert target.classes[0].tolist() == classes
    assert target.codes.ravel().tolist() == [0, -1, 1, -1]
    assert target.labelled.tolist() == [True, False, True, False]
    assert target.decode(target.codes[::2]).tolist() == classes


@pytest.mark.parametrize("y", [[-1, -1], [np.nan, -1.0], [None, None]], ids=str)
def test_some_labels_must_be_known(y):
    with pytest.raises(DataError, match="y has no label: all 2 entries are"):
        Target.labels(y, unlabelled=True)


def test_known_labels_are_checked_beside_unknown_ones():
    with pytest.raises(DataError, match="contains continuous values"):
        Target.labels([0.5, np.nan, 1.0], unlabelled=True)
    with pytest.raises(DataError, match="infinity"):
        Target.labels([np.inf, np.nan, 1.0], unlabelled=True)


def test_a_target_may_be_absent():
    target = Target.absent(3).take([0, 2])
    assert (target.n_rows, target.n_outputs, target.n_classes) == (2, 0, ())
    with pytest.raises(AttributeError, match="A target of nothing has no class codes"):
        _ = target.codes
    with pytest.raises(AttributeError, match="A target of nothing has no numbers"):
        target.native()


def test_a_target_among_more_classes():
    target = Target.labels(["b", "d", "b"])
    wider = target.among(["a", "d", "e"])
    assert wider.classes[0].tolist() == ["a", "b", "d", "e"]
    assert wider.decode(wider.codes).tolist() == ["b", "d", "b"]
    assert wider.codes.dtype == np.int32
    assert target.among(["d"]) is target

"""Outputs of members: labels of every kind become codes, and bad ones are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.data.errors import DataError, KindError
from coterie.data.outputs import (
    counted_votes,
    hits_of,
    label_codes,
    member_weights,
    numbers_of,
    sample_weights,
    y_numbers,
)


@given(
    st.lists(
        st.lists(st.integers(-(2**40), 2**40) | st.integers(-3, 3), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
)
def test_codes_lead_back_to_the_labels(labels, y):
    codes, truth, classes = label_codes(labels, y)
    assert classes[codes].tolist() == labels
    assert classes[truth].tolist() == y
    assert classes.tolist() == sorted({*y, *(label for row in labels for label in row)})


@pytest.mark.parametrize(
    "labels",
    [
        np.array([["no", "yes"], ["yes", "yes"]]),
        np.array([["no", "yes"], ["yes", "yes"]], dtype=object),
        np.array([[0.5, 1.5], [1.5, 1.5]]),
        np.array([[False, True], [True, True]]),
        np.array([[3, 2**64 - 1], [2**64 - 1, 3]], dtype=np.uint64),
        np.array([[2**64 - 2, 2**64 - 1], [2**64 - 1, 2**64 - 2]], dtype=np.uint64),
        np.array([[-128, 127], [127, 127]], dtype=np.int8),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_any_kind(labels):
    codes, truth, classes = label_codes(labels, labels[0])
    assert (classes[codes] == labels).all()
    assert classes.dtype == labels.dtype
    assert truth.tolist() == codes[0].tolist()
    assert hits_of(labels, labels[1]).tolist() == (labels == labels[1]).tolist()


def test_members_and_truth_may_know_different_classes():
    codes, truth, classes = label_codes([["b", "b"]], ["a", "c"])
    assert (codes.tolist(), truth.tolist(), classes.tolist()) == ([[1, 1]], [0, 2], ["a", "b", "c"])


@pytest.mark.parametrize(
    ("labels", "y", "error", "message"),
    [
        ([1, 0], None, DataError, r"shape \(members, samples\), not \(2,\)"),
        ([[1, 0]], [1], DataError, "y has 1 labels, but members label 2 samples"),
        ([[1.0, np.nan]], None, DataError, "NaN, which is not a label"),
        ([[1, 0]], ["a", "b"], KindError, "some are text and some are numbers"),
        (np.array([["a", 1]], dtype=object), None, KindError, "different types"),
        (np.zeros((2, 0)), None, DataError, "empty"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), None, KindError, "numbers or text"),
    ],
)
def test_bad_labels_are_refused(labels, y, error, message):
    with pytest.raises(error, match=message):
        label_codes(labels, y)


def test_hits_are_zeros_and_ones():
    assert hits_of([[0.0, 1.0]]).tolist() == [[False, True]]
    with pytest.raises(DataError, match="If you pass labels, also pass y"):
        hits_of([[0, 2]])
    with pytest.raises(DataError, match="If you pass labels, also pass y"):
        hits_of([["a", "b"]])


def test_numbers():
    assert numbers_of([[True, False]]).tolist() == [[1.0, 0.0]]
    with pytest.raises(KindError, match="outputs must be numbers"):
        numbers_of([["a"]])
    with pytest.raises(DataError, match="NaN or infinity"):
        numbers_of([[np.inf]])
    with pytest.raises(DataError, match=r"\(members, samples\) or \(members, samples, outputs\)"):
        numbers_of([1.0])
    with pytest.raises(DataError, match="empty"):
        numbers_of([[]])
    with pytest.raises(DataError, match=r"y must have shape \(3,\)"):
        y_numbers([1.0, 2.0], (3,))


def test_weights():
    assert sample_weights([0, 2, 0], 3).tolist() == [0, 2, 0]
    assert sample_weights(None, 3) is None
    assert member_weights([-1, 2], 2, signed=True).tolist() == [-1, 2]
    for weights, message in [([1], "1 weights for 2"), ([-1, 1], "negative"), ([0, 0], "zero")]:
        with pytest.raises(DataError, match=message):
            member_weights(weights, 2)


def test_counted_votes():
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(0, 3, (5, 20)), rng.normal(size=5)
    expected = np.einsum("t,tnk->nk", weights, np.eye(3)[codes])
    np.testing.assert_allclose(counted_votes(codes.astype(np.int16), weights, 3), expected)

"""What travels between holders comes as it went."""

import numpy as np
import pytest

pytest.importorskip("distributed")

from coterie.distributed.course import Found
from coterie.distributed.letters import pack, unpack


@pytest.mark.parametrize(
    "array",
    [
        np.arange(7),
        np.eye(3, 5),
        np.asfortranarray(np.eye(3, 5)),
        np.eye(6)[::2, ::3],
        np.empty((0, 4)),
        np.array(2.5),
        np.array(["a", None], dtype=object),
    ],
)
def test_arrays_of_all_kinds(array):
    found = unpack(pack(array))
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("said", [None, 3, "text", b"bytes", ("pair", [1.5]), {}])
def test_what_holds_no_array(said):
    assert unpack(pack(said)) == said


def test_arrays_within_objects_are_aligned_and_not_copied():
    said = Found(np.arange(3), [np.arange(255), np.arange(5.0)], [])
    packed = pack(said)
    found = unpack(packed)
    for mine, its in zip(said.arrays, found.arrays, strict=True):
        np.testing.assert_array_equal(mine, its)
        assert (its.ctypes.data - packed.ctypes.data) % 64 == 0
        assert np.shares_memory(its, packed)


def test_found_sums_can_be_added_to():
    found = unpack(pack(Found(np.arange(3), [np.arange(4)], [])))
    found.add(found)
    np.testing.assert_array_equal(found.histograms[0], 2 * np.arange(4))


def test_what_was_sent_does_not_follow_changes():
    array = np.zeros(4)
    packed = pack(array)
    array += 1
    np.testing.assert_array_equal(unpack(packed), np.zeros(4))

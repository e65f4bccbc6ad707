"""Arrays packed into text."""

import numpy as np

from coterie.studio.blob import Blob
from tests.studio.scenes import unpack


def test_arrays_come_back_and_are_aligned():
    blob = Blob()
    arrays = {"a": np.array([1, 2, 3]), "b": np.array([[0.5, -1.5]]), "c": np.array([-3, 4])}
    for (name, array), kind in zip(arrays.items(), ("u1", "f4", "i1"), strict=True):
        blob.add(name, array, kind)
    found = unpack({"arrays": blob.places, "data": blob.text()})
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
    assert all(place["at"] % 4 == 0 for place in blob.places.values())

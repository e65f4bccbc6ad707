"""Arrays come back as they were, and only safe ones come back at all."""

import numpy as np
import pytest

from coterie.export.arrays import as_bytes, dtype_name, from_bytes, read_dtype, read_scalar
from coterie.export.errors import ModelFileError
from coterie.native.forest import NODE

ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(20)[::3],
    np.arange(4, dtype=">i4"),
    np.array(3.5),
    np.empty((0, 3), dtype=np.float32),
    np.array([True, False]),
    np.array(["a", "grüße", "漢字"]),
    np.array([b"ab", b"c"]),
    np.array(["2024-01-01", "NaT"], dtype="M8[D]"),
    np.array([1, 2], dtype="m8[ns]"),
    np.array([1 + 2j]),
    np.array([np.nan, -0.0, np.inf]),
    np.zeros(3, dtype=NODE),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype.kind}{a.shape}")
def test_arrays_come_back(array):
    block, order = as_bytes(array)
    again = from_bytes(block, read_dtype(dtype_name(array.dtype)), array.shape, order)
    np.testing.assert_array_equal(again, array)
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.flags.c_contiguous == (order == "C") or array.ndim < 2 or array.size == 0


@pytest.mark.parametrize(
    "name", ["O", "|O", "<f16", "<V8", "f8, O", "node2", ">f8", "<U0", "|b2", None, 3, ["<f8"]]
)
def test_other_types_are_refused(name):
    with pytest.raises(ModelFileError, match="array type"):
        read_dtype(name)


@pytest.mark.parametrize("dtype", ["O", "g", [("a", "f8")], "V4"])
def test_other_types_have_no_name(dtype):
    assert dtype_name(np.dtype(dtype)) is None


def test_shapes_must_fit_the_bytes():
    block = np.zeros(16, dtype=np.uint8)
    for shape in [(3,), (2, 2), (1 << 62, 4), ()]:
        with pytest.raises(ModelFileError, match="16 bytes"):
            from_bytes(block, np.dtype("<f8"), shape, "C")


def test_bytes_that_mean_nothing_are_refused():
    with pytest.raises(ModelFileError, match="Boolean"):
        from_bytes(np.array([0, 2], dtype=np.uint8), np.dtype("?"), (2,), "C")
    with pytest.raises(ModelFileError, match="not a character"):
        from_bytes(np.full(4, 255, dtype=np.uint8), np.dtype("<U1"), (1,), "C")


def test_scalars_keep_their_type():
    for scalar in (np.float32(0.1), np.int8(-3), np.bool_(True), np.str_("ä"), np.float64("nan")):
        again = read_scalar(
            dtype_name(scalar.dtype), as_bytes(np.asarray(scalar))[0].tobytes().hex()
        )
        assert type(again) is type(scalar)
        np.testing.assert_equal(again, scalar)
    with pytest.raises(ModelFileError):
        read_scalar("<f8", 3)

import numpy as np
import pytest

from coterie.base.groups import read_groups


def test_groups_are_numbered_by_label():
    np.testing.assert_array_equal(read_groups([7, 3, 7, 9], 4, None), [1, 0, 1, 2])
    np.testing.assert_array_equal(
        read_groups(["x", "a", "x", "b"], 4, np.array([0, 2, 3])), [1, 1, 0]
    )
    assert read_groups(None, 4, None) is None


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], "expected \\(4,\\)"),
        (np.ones((4, 1)), "one label per row"),
        ([1.0, 2.0, np.nan, 3.0], "NaN"),
        (np.array([1, "a", None, 2], dtype=object), "of one type"),
    ],
)
def test_bad_groups(groups, message):
    with pytest.raises(ValueError, match=message):
        read_groups(groups, 4, None)

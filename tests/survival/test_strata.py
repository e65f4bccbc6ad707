"""Labels of strata."""

import numpy as np
import pytest

from coterie.survival.strata import find_strata, read_labels


def test_labels_of_all_kinds():
    pandas = pytest.importorskip("pandas")
    assert read_labels([3, 1], 2).tolist() == [3, 1]
    assert read_labels(pandas.Series(["b", "a"]), 2).tolist() == ["b", "a"]
    assert read_labels(pandas.Series(["b", "a"], dtype="category"), 2).tolist() == ["b", "a"]
    assert read_labels([True, False], 2).tolist() == [True, False]


def test_numbers_among_known_labels():
    assert find_strata(["c", "a"], np.array(["a", "b", "c"]), 2).tolist() == [2, 0]
    assert find_strata([7, 5], np.array([5, 7]), 2).tolist() == [1, 0]


def test_what_is_wrong():
    with pytest.raises(ValueError, match="one label for each of the 3 rows"):
        read_labels([1, 2], 3)
    with pytest.raises(ValueError, match="missing labels"):
        read_labels(np.array(["a", None], dtype=object), 2)
    with pytest.raises(ValueError, match="missing labels"):
        read_labels([1.0, np.nan], 2)
    with pytest.raises(ValueError, match="'d' was not seen in fit. The known strata are a, b"):
        find_strata(["a", "d"], np.array(["a", "b"]), 2)
    with pytest.raises(ValueError, match="Stratum '1' was not seen"):
        find_strata([1], np.array(["1"]), 1)

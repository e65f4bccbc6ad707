"""Numbers that are written as text."""

import numpy as np
import pytest

from coterie.automl.amounts import list_parts, read_amounts, read_lists, style_of


@pytest.mark.parametrize(
    ("text", "style", "value"),
    [
        ("$1,234.50", "point", 1234.5),
        ("-$3", "point", -3.0),
        ("(€ 2,000)", "point", -2000.0),
        ("12.5%", "point", 12.5),
        ("1.234,5 €", "comma", 1234.5),
        ("3 000 kr", "comma", 3000.0),
        ("USD 7", "point", 7.0),
        ("12 apples", "point", np.nan),
        ("", "point", np.nan),
    ],
)
def test_signs_are_left_out(text, style, value):
    np.testing.assert_equal(read_amounts([text], style), [value])


def test_the_way_of_writing_is_that_of_most_cells():
    assert style_of(["1,5", "2,75", "3"]) == "comma"
    assert style_of(["1,500", "2,750", "300"]) == "point"
    assert style_of(["$5"] * 99 + ["five"]) == "point"
    assert style_of(["$5"] * 98 + ["five"] * 2) is None
    assert style_of(["a, b", "c"]) is None


def test_codes_are_no_amounts():
    assert style_of(["01234", "04567"]) is None
    assert style_of([]) is None
    assert style_of(["-", "n/a"]) is None


def test_lists_of_one_length_have_a_column_for_each_number():
    assert list_parts(["1 2 3", "4 5 6"]) == ("0", "1", "2")
    first, second = read_lists(["[1.5, -2]", "[3e2, 4]", "x"], ["0", "1"])
    np.testing.assert_equal(first, [1.5, 300, np.nan])
    np.testing.assert_equal(second, [-2, 4, np.nan])


def test_others_have_summaries():
    parts = list_parts(["1;2", "3;4;8"])
    assert parts == ("count", "mean", "min", "max")
    found = read_lists(["3;4;8"], parts)
    assert [float(column[0]) for column in found] == [3, 5, 3, 8]


def test_words_and_dates_are_no_lists():
    assert list_parts(["1 2", "three"]) == ()
    assert list_parts(["2024-01-02"]) == ()
    assert list_parts([]) == ()

import pyarrow as pa
import pytest

from coterie.files.formats import MISSING
from coterie.files.kinds import Columns, KindFinder, known_cells, look_at_texts


def kind_of(*blocks, typed=False):
    finder = KindFinder(MISSING)
    for block in blocks:
        finder.look(block if isinstance(block, pa.Array) else pa.array(block), typed=typed)
    return finder.certain()


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([["1", " 2 ", "NA", ""]], "integer"),
        ([["1", "2"], ["2.5", "1e3"]], "number"),
        ([["1", "-inf"]], "number"),
        ([["3,5", "4"]], "decimal_comma"),
        ([["1.234,5", "12"]], "decimal_comma"),
        ([["1.234", "1.235"], ["1,5"]], "decimal_comma"),
        ([["1.23"], ["1,5"]], "text"),
        ([["1,234.5", "12"]], "thousands"),
        ([["1,234", "2,345"]], None),
        ([["1,234"], ["2,34"]], "decimal_comma"),
        ([["1,234"], ["2,345,678"]], "thousands"),
        ([["2024-01-02", "2024-01-02 10:30"]], "time"),
        ([["2024-01-02"], ["17"]], "text"),
        ([["1"], ["x"]], "text"),
        ([["?", "null", "NaN", "n/a"]], "empty"),
    ],
)
def test_kinds_of_text(blocks, expected):
    assert kind_of(*blocks) == expected


@pytest.mark.parametrize(
    "blocks",
    [
        [["1", "2"], ["2.5", "1e3"]],
        [["1", "2"], ["3", "4,5"]],
        [["12345678901234567890", "5"], ["1,5", "2"]],
    ],
)
def test_columns_side_by_side_are_what_they_are_alone(blocks):
    finders = {name: KindFinder(MISSING) for name in "ab"}
    for block in blocks:
        look_at_texts(pa.record_batch({"a": block, "b": ["1"] * len(block)}), finders)
    assert finders["a"].certain() == kind_of(*blocks)
    assert finders["b"].certain() == "integer"


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([[1, None]], "integer"),
        ([[1], [2.5]], "number"),
        ([[True]], "boolean"),
        ([["1", "2"]], "text"),
        ([["a"], [1]], "text"),
        ([pa.array(["a"]).dictionary_encode()], "text"),
        ([pa.array([0], pa.timestamp("ms"))], "time"),
        ([[[1]]], "unusable"),
        ([pa.nulls(2)], "empty"),
    ],
)
def test_typed_columns_are_what_their_types_say(blocks, expected):
    assert kind_of(*blocks, typed=True) == expected


def test_missing_markers():
    cells = pa.array([" a ", "na", "NaN", "?", "", None, "nan b"])
    assert known_cells(cells, MISSING).to_pylist() == ["a", None, None, None, None, None, "nan b"]


def test_columns_as_plain_data():
    columns = Columns({"a": "integer", "b": "text"}, ("", "-"))
    assert Columns.from_plain(columns.plain()) == columns
    assert columns.only(["b"]) == Columns({"b": "text"}, ("", "-"))


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([["abc"] * 3000, ["1"]], "text"),
        ([["1"] * 99, ["x"]], "integer"),
        ([["1"] * 98, ["x", "x"]], "text"),
        ([["1"] * 99, ["1.5", "x"]], "number"),
        ([["1,234"] * 99, ["x"]], None),
        ([["2024-01-02"] * 30, ["soon"]], "time"),
        ([["-", "none"] * 9], "text"),
        ([["-"] * 9, ["1"]], "integer"),
    ],
)
def test_a_few_odd_cells_make_no_difference(blocks, expected):
    finder = KindFinder(MISSING, lenient=True)
    for block in blocks:
        finder.look(pa.array(block), typed=False)
    assert finder.certain() == expected

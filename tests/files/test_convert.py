from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from coterie.files.convert import convert_block
from coterie.files.errors import CommandError
from coterie.files.kinds import Columns

LINES = SimpleNamespace(path=Path("a.csv"), line=lambda row: row + 2)
ROWS = SimpleNamespace(path=Path("a.parquet"), line=lambda row: None)


def convert(values, kind, source=LINES, first=0):
    block = pa.record_batch({"a": values if isinstance(values, pa.Array) else pa.array(values)})
    return convert_block(block, Columns({"a": kind}), source, first).column("a")


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["1", "NA"], "integer", [1, None]),
        (["1", "2.5"], "integer", [1.0, 2.5]),
        ([" 2.5", "1e2"], "number", [2.5, 100.0]),
        (["1.234,5", "7"], "decimal_comma", [1234.5, 7.0]),
        (["1,234.5", "7"], "thousands", [1234.5, 7.0]),
        (["x", "?"], "text", ["x", None]),
        ([1, 2], "text", ["1", "2"]),
        ([1, 2], "number", [1.0, 2.0]),
        ([1.5, 2], "integer", [1.5, 2.0]),
        (["x"], "empty", [None]),
        (pa.nulls(1), "number", [None]),
        (["true", "false"], "boolean", [True, False]),
        (pa.array(["3", "4"]).dictionary_encode(), "number", [3.0, 4.0]),
    ],
)
def test_cells_become_what_the_column_holds(values, kind, expected):
    assert convert(values, kind).to_pylist() == expected


def test_times():
    found = convert(["2024-01-02", "2024-01-02 10:30"], "time")
    assert [str(moment) for moment in found.to_pylist()] == [
        "2024-01-02 00:00:00",
        "2024-01-02 10:30:00",
    ]


def test_a_misfit_is_named_with_its_line():
    with pytest.raises(CommandError) as caught:
        convert(["1", "?", "12 EUR"], "number", first=1000)
    error = caught.value
    assert (error.line, error.column) == (1004, "a")
    assert '"12 EUR"' in error.message
    assert "empty" in error.cure


def test_without_lines_the_row_is_named():
    with pytest.raises(CommandError, match="row 3: "):
        convert(["1", "2", "x"], "integer", ROWS)


def test_types_that_cannot_be_converted():
    with pytest.raises(CommandError, match="list"):
        convert([[1.0]], "number", ROWS)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pa.array([1, 2]), "time"),
        (pa.array([1, 2]).dictionary_encode(), "time"),
        (pa.array([0], pa.timestamp("us")), "integer"),
        (pa.array([0], pa.duration("s")), "integer"),
        (pa.array([0], pa.time64("us")), "integer"),
        (pa.array([0], pa.date32()), "number"),
    ],
)
def test_moments_are_no_numbers(values, kind):
    """Arrow would count microseconds."""
    with pytest.raises(CommandError, match="cannot be converted to each other") as caught:
        convert(values, kind, ROWS)
    assert "Convert the column to the type it had" in caught.value.cure

"""A few cells that are neither numbers nor dates."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from coterie.files import Columns, ReadOptions, open_blocks, read_table
from coterie.files.errors import CommandError


def numbers(n=200, **odd):
    cells = [str(k / 4) for k in range(n)]
    for place, text in odd.items():
        cells[int(place[1:])] = text
    return "x,y\n" + "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells))


def test_a_slip_is_missing_and_named(write):
    found = read_table(write("a.csv", numbers(r7="abc")))
    assert found.columns.kinds["x"] == "number"
    assert found.table.column("x").null_count == 1
    assert len(found.notes) == 1
    assert 'a.csv, column "x": 1 cell is treated as missing' in found.notes[0]
    assert 'line 9 "abc"' in found.notes[0]


def test_lines_are_those_of_an_editor(write):
    text = '\nx,y\n"1",a\n\n2,"two\nlines"\n' + "3,b\n" * 30 + "abc,c\n"
    assert 'line 37 "abc"' in read_table(write("a.csv", text)).notes[0]


def test_many_are_counted_and_the_first_named(write):
    path = write("a.csv", numbers(500, r7="a", r8="b", r9="c", r10="d"))
    note = read_table(path).notes[0]
    assert "4 cells" in note
    assert '"c" and 1 more' in note


def test_more_than_a_few_are_what_the_column_holds(write):
    path = write("a.csv", numbers(r7="V7", r8="V8", r9="V9"))
    found = read_table(path)
    assert found.columns.kinds["x"] == "text"
    assert found.notes == []


def test_words_for_no_value_are_missing_among_numbers_only(write):
    lines = [f"{'-' if k % 2 else k},{'none' if k % 2 else 'some'}" for k in range(40)]
    found = read_table(write("a.csv", "x,t\n" + "\n".join(lines)))
    assert found.columns.kinds == {"x": "integer", "t": "text"}
    assert found.table.column("x").null_count == 20
    assert found.table.column("t").null_count == 0
    assert found.notes == [
        'column "x" contains whole numbers; "-" is treated as missing there (20 cells)'
    ]


def test_a_column_can_stay_text_and_a_slip_can_be_an_error(write):
    path = write("a.csv", numbers(r7="abc"))
    assert read_table(path, ReadOptions(odd="text")).columns.kinds["x"] == "text"
    with pytest.raises(CommandError, match='"abc"') as caught:
        read_table(path, ReadOptions(odd="error"))
    assert (caught.value.line, caught.value.column) == (9, "x")
    assert read_table(path, ReadOptions(text=("y",))).columns.kinds["y"] == "text"


def test_a_point_among_decimal_commas_is_not_a_hundred_times_more(write):
    text = "x;y\n" + "1,25;a\n" * 30 + "3.14;b\n"
    found = read_table(write("a.csv", text))
    assert found.table.column("x").to_pylist()[-1] is None
    assert '"3.14"' in "".join(found.notes)


def test_days_that_do_not_exist(write):
    text = "day\n" + "2024-02-28\n" * 30 + "2024-02-31\n"
    found = read_table(write("a.csv", text))
    assert found.columns.kinds["day"] == "time"
    assert found.table.column("day").null_count == 1
    assert 'line 32 "2024-02-31"' in found.notes[0]


def test_new_rows_are_read_alike(write):
    columns = Columns({"x": "number"})
    blocks, notes = open_blocks(write("a.csv", numbers(r7="abc")), columns)
    assert pa.concat_tables(blocks).column("x").null_count == 1
    assert any('line 9 "abc"' in note for note in notes)


def test_another_column_than_at_fit_is_refused(write):
    blocks, _ = open_blocks(write("a.csv", "x\n" + "a\nb\n" * 9), Columns({"x": "number"}))
    with pytest.raises(CommandError, match="column of numbers") as caught:
        list(blocks)
    assert "18 of its 18 cells" in caught.value.cure


def test_infinite_numbers_are_named_with_their_line(write):
    with pytest.raises(CommandError, match="infinite") as caught:
        read_table(write("a.csv", numbers(r7="inf")))
    assert (caught.value.file.name, caught.value.line, caught.value.column) == ("a.csv", 9, "x")


def test_whole_numbers_that_no_int64_holds(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"x": pa.array([1, 2**64 - 1], pa.uint64())}), path)
    assert read_table(path).table.column("x").to_pylist() == [1.0, 2.0**64]

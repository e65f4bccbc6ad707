import gzip

import pyarrow as pa
import pytest

from coterie.files import Columns, ReadOptions, open_blocks, read_table
from coterie.files.errors import CommandError


def test_a_table_with_all_that_is_found_out(write):
    text = "size; town ;price\n1;ulm;3,5\n2;?;1.000,25\n"
    found = read_table(write("a.csv.gz", gzip.compress(text.encode())))
    assert found.table.to_pydict() == {
        "size": [1, 2],
        "town": ["ulm", None],
        "price": [3.5, 1000.25],
    }
    assert found.columns.kinds == {"size": "integer", "town": "text", "price": "decimal_comma"}
    assert len(found.notes) == 1
    assert '"3,5"' in found.notes[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a,b\n"1,234",1\n"2,345",2\n', [1234.0, 2345.0]),
        ("a;b\n1,234;1\n2,345;2\n", [1.234, 2.345]),
        ('a,b\n"1,234","0,5"\n"2,345",2\n', [1.234, 2.345]),
        ('a;b\n1,234;"1,234.5"\n2,345;2\n', [1234.0, 2345.0]),
    ],
)
def test_the_other_columns_decide_what_a_comma_means(write, text, expected):
    assert read_table(write("a.csv", text)).table.column("a").to_pylist() == expected


def test_a_header_alone_is_no_table(write):
    with pytest.raises(CommandError, match="no rows"):
        read_table(write("a.csv", "a,b\n"))


def test_blocks_have_the_columns_and_types_of_the_fit(write):
    columns = Columns({"a": "number", "b": "text"})
    path = write("a.csv", "y,z,b,a\n1,9,7,1\n2,8,8,2.5\n")
    blocks, notes = open_blocks(path, columns, also=["z"], spare=["y"])
    table = pa.concat_tables(blocks)
    assert table.to_pydict() == {"a": [1.0, 2.5], "b": ["7", "8"], "z": ["9", "8"]}
    assert notes == []
    _, notes = open_blocks(path, columns)
    assert notes == ["columns that the model does not know are ignored: y, z"]


def test_missing_columns_are_named(write):
    with pytest.raises(CommandError, match='"ages"') as caught:
        open_blocks(write("a.csv", "age\n1\n"), Columns({"ages": "number"}))
    assert 'Did you mean "age"?' in caught.value.cure


def test_own_markers_of_missing_values(write):
    found = read_table(write("a.csv", "a\n1\n-\n"), ReadOptions(missing=("-",)))
    assert found.table.column("a").to_pylist() == [1, None]


def test_a_header_that_does_not_end_its_line(write):
    with pytest.raises(CommandError, match="no rows"):
        read_table(write("a.csv", "a,b"))

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import compute as pc
from pyarrow import csv, parquet

from coterie.files import open_file, read_table, wide
from coterie.files.errors import CommandError
from coterie.files.formats import ReadOptions
from coterie.files.wide import bundles, cut

# What columns can hold, several of each kind.
CELLS = {
    "whole": ["1", "2", "-3", "NA"],
    "number": ["1.5", " 2 ", "-.25", ""],
    "comma": ["1,5", "2", "3,25", "4"],
    "thousands": ["1,234.5", "2", "3", "4"],
    "point": ["1.234", "2.345", "3.456", "?"],
    "text": ["a", "b", "", "1"],
    "time": ["2024-01-01", "2024-01-02", "", "2024-02-28"],
    "long": ["1234567890123456789", "1", "2", "3"],
    "nothing": ["", "", "NA", "?"],
}


def written(folder, repeats=3):
    columns = {f"{name}{k}": cells for k in range(repeats) for name, cells in CELLS.items()}
    lines = [";".join(columns), *(";".join(row) for row in zip(*columns.values(), strict=True))]
    path = folder / "a.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_that_are_taken_together_come_apart_again():
    block = pa.record_batch({name: [k, k + 1] for k, name in enumerate("abc")})
    ((names, cells),) = bundles(block, dict.fromkeys("abc"))
    assert {name: part.to_pylist() for name, part in cut(names, cells)} == block.to_pydict()


@pytest.mark.parametrize("odd", ["missing", "text"])
def test_a_wide_file_is_read_as_if_each_column_were_alone(tmp_path, monkeypatch, odd):
    path, options = written(tmp_path), ReadOptions(odd=odd)
    together = read_table(path, options)
    monkeypatch.setattr(wide, "_LONG", 0)
    alone = read_table(path, options)
    assert together.columns == alone.columns
    assert together.table.equals(alone.table)
    assert together.notes == alone.notes
    assert together.columns.kinds["whole0"] == together.columns.kinds["long0"] == "integer"


@pytest.mark.slow
def test_calls_for_a_wide_file_grow_with_its_cells_not_with_its_columns(tmp_path, monkeypatch):
    cells = np.round(np.random.default_rng(0).normal(size=(5, 3000)), 3)
    table = pa.table({f"c{j}": cells[:, j] for j in range(3000)})
    csv.write_csv(table, tmp_path / "a.csv")
    parquet.write_table(table, tmp_path / "a.parquet")
    calls = []
    for name in ("is_inf", "is_in", "match_substring_regex", "utf8_trim_whitespace"):
        own = getattr(pc, name)
        monkeypatch.setattr(pc, name, lambda *given, own=own: calls.append(1) or own(*given))
    for ending in ("csv", "parquet"):
        found = read_table(tmp_path / f"a.{ending}").table
        assert np.array_equal(np.stack([c.to_numpy() for c in found.columns], axis=1), cells)
    assert len(calls) < 50


def test_what_is_wrong_with_a_cell_is_told_with_its_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1.5,2.5,3.5\n1.5,inf,3.5\n")
    with pytest.raises(CommandError, match="infinite") as caught:
        read_table(path)
    assert (caught.value.line, caught.value.column) == (3, "b")


@pytest.mark.slow
def test_a_header_longer_than_any_field_may_be(tmp_path):
    names = [f"{'n' * 40}{j}" for j in range(8000)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([",".join(names), *[",".join(["1"] * 8000)] * 100]) + "\n")
    assert len(list(open_file(path, ReadOptions()).blocks(names))) == 1
    found = read_table(path)
    assert found.table.column_names == names
    assert set(found.columns.kinds.values()) == {"integer"}

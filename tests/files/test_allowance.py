"""What there is time to read, by a clock that the test turns."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from coterie.files import Allowance, ReadOptions, delimited, jsonlines, open_file, read_table


@dataclass
class Clock:
    """Each look at it takes some seconds."""

    limit: float
    step: float = 0.0
    now: float = 0.0

    @property
    def elapsed(self):
        self.now += self.step
        return self.now


def blocks(*sizes):
    first = 0
    for size in sizes:
        yield pa.record_batch({"x": list(range(first, first + size))})
        first += size


def read(found):
    return [cell for block in found for cell in block.column("x").to_pylist()]


def test_all_rows_are_read_without_a_limit():
    allowance = Allowance()
    assert read(allowance.rows(blocks(2, 3))) == [0, 1, 2, 3, 4]
    assert allowance.shortage == ""


def test_rows_end_with_the_time_and_later_looks_at_the_same_row():
    allowance = Allowance(Clock(10.0, step=1.0))
    assert read(allowance.rows(blocks(2, 3, 4, 5), share=0.2)) == list(range(9))
    assert allowance.n_rows == 9
    # Cut where it was, in blocks of any size and whatever the time.
    assert read(allowance.rows(blocks(4, 4, 4, 2))) == list(range(9))
    assert "the first 9 rows" in allowance.shortage


def test_a_file_that_ends_with_the_time_is_whole():
    allowance = Allowance(Clock(10.0, step=10.0))
    assert read(allowance.rows(blocks(5))) == list(range(5))
    assert allowance.n_rows is None
    assert allowance.settled
    assert read(allowance.rows(blocks(2, 3))) == list(range(5))  # nothing is cut afterwards


def test_a_look_at_the_first_rows_alone_settles_nothing():
    allowance = Allowance(Clock(10.0, step=1.0))
    rows = allowance.rows(blocks(2, 3), share=0.5)
    assert len(next(rows)) == 2
    rows.close()
    assert not allowance.settled


@pytest.fixture
def wide(tmp_path):
    """Many columns of fractions and of whole numbers, and a class."""
    rng = np.random.default_rng(0)
    cells = {f"x{j}": rng.normal(size=40).round(6) for j in range(3000)}
    cells |= {f"n{j}": rng.integers(9, size=40) for j in range(500)}
    table = pa.table(cells | {"class": ["a", "b"] * 20})
    parquet.write_table(table, tmp_path / "wide.parquet")
    lines = [",".join(table.column_names)]
    lines += [",".join(map(str, row.values())) for row in table.to_pylist()]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_are_drawn_if_there_are_too_many(wide, ending):
    path = wide / f"wide.{ending}"
    names = open_file(path, ReadOptions()).names
    allowance = Allowance(Clock(1e-6), seed=3, needed=("class",))
    found = read_table(path, allowance=allowance)
    assert len(found.table.column_names) == 2001
    assert found.table.column_names[-1] == "class"
    assert found.table.num_rows == 40  # rows are dear
    places = [names.index(name) for name in found.table.column_names]
    assert places == sorted(places)
    assert allowance.shortage.startswith(
        "The time limit was too short to read more than 2,000 of 3,500 colu"
    )
    other = Allowance(Clock(1e-6), seed=4, needed=("class",))
    assert other.choose(open_file(path, ReadOptions())) != allowance.chosen


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_with_time_wide_tables_are_read_whole(wide, ending):
    found = read_table(wide / f"wide.{ending}", allowance=Allowance(Clock(60.0)))
    assert found.table.equals(parquet.read_table(wide / "wide.parquet"))
    kinds = [found.columns.kinds[name] for name in ("x0", "n0", "class")]
    assert kinds == ["number", "integer", "text"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "expected"),
    [("NA", None), (" ? ", None), ("abc", None), ("7.5", 7.5), ("9007199254740993", 2**53 + 1)],
)
def test_a_cell_that_is_no_plain_number_in_a_wide_table(wide, cell, expected):
    """The first rows promise whole numbers; what comes is read as in a narrow table."""
    text = (wide / "wide.csv").read_text().splitlines()
    cells = text[30].split(",")
    cells[3100] = cell
    text[30] = ",".join(cells)
    (wide / "wide.csv").write_text("\n".join(text))
    found = read_table(wide / "wide.csv")
    assert found.table.column("n100")[29].as_py() == expected
    assert [n for n in found.notes if "n100" in n] == found.notes
    assert len(found.notes) == (cell == "abc")
    assert found.columns.kinds["n100"] == ("number" if cell == "7.5" else "integer")


def test_text_files_are_cut_in_the_first_pass(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 300)
    monkeypatch.setattr(jsonlines, "BLOCK_BYTES", 300)
    rows = [{"x": k / 2, "y": k % 2} for k in range(400)]
    (tmp_path / "a.csv").write_text("x,y\n" + "".join(f"{r['x']},{r['y']}\n" for r in rows))
    (tmp_path / "a.jsonl").write_text("".join(f'{{"x": {r["x"]}, "y": {r["y"]}}}\n' for r in rows))
    for name in ("a.csv", "a.jsonl"):
        allowance = Allowance(Clock(10.0, step=0.7))
        found = read_table(tmp_path / name, allowance=allowance).table
        assert 0 < len(found) == allowance.n_rows < 400
        assert found.to_pylist() == rows[: len(found)]

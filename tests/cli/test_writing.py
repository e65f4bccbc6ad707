import csv
import gzip
import os

import pyarrow as pa
import pytest
from pyarrow import parquet

from coterie.cli.writing import check_folder, open_writer
from coterie.files.errors import CommandError

BLOCKS = [
    pa.table({"a": [1.5, None], "b": ["x", 'y"z'], "c": [True, False]}),
    pa.table(
        {"a": [0.1], "b": ["v,w"], "c": [None]},
        pa.schema({"a": pa.float64(), "b": pa.string(), "c": pa.bool_()}),
    ),
]
TEXT = 'a,b,c\n1.5,x,true\n,"y""z",false\n0.1,"v,w",\n'


def write_all(path):
    with open_writer(path) as write:
        for block in BLOCKS:
            write(block)


def test_text(tmp_path, capsys):
    write_all(None)
    assert capsys.readouterr().out == TEXT
    write_all(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == TEXT
    write_all(tmp_path / "a.csv.gz")
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode() == TEXT
    write_all(tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text().startswith("a\tb\tc\n")


def test_parquet(tmp_path):
    write_all(tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet").equals(pa.concat_tables(BLOCKS))


def fail_midway(path):
    with open_writer(path) as write:
        write(BLOCKS[0])
        raise ValueError("halfway")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, name):
    path = tmp_path / name
    path.write_text("before")
    with pytest.raises(ValueError, match="halfway"):
        fail_midway(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_other_formats_and_places_are_refused(tmp_path):
    for path in (tmp_path / "a.jsonl", tmp_path / "a.xyz", tmp_path / "no" / "a.csv"):
        with pytest.raises(CommandError):
            write_all(path)


def test_formulas_are_escaped_and_numbers_are_not(tmp_path):
    cells = ["=1+1", "+x", "-x", "@x", "\tx", "-1.5", "+2", "-1,5", "-1e-5", "x=1", None]
    path = tmp_path / "a.csv"
    with open_writer(path, escape=True) as write:
        write(pa.table({"=a": cells, "b": [-1.5] * len(cells)}))
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["'=a", "b"]
    expected = ["'=1+1", "'+x", "'-x", "'@x", "'\tx", *cells[5:10], ""]
    assert [row[0] for row in rows] == expected
    assert {row[1] for row in rows} == {"-1.5"}


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(CommandError, match="does not exist"):
        check_folder(tmp_path / "none" / "a.onnx")
    with pytest.raises(CommandError, match="is a directory"):
        check_folder(tmp_path)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path, name):
    resource = pytest.importorskip("resource")
    path = tmp_path / name
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            write_all(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [name]

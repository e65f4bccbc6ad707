import gzip
import os
from pathlib import Path

import pytest

from coterie.files.errors import CommandError
from coterie.files.formats import check_file, file_format, open_bytes

# Without the time of day: bytes are part of the names of tests, which all processes must agree on.
GZIPPED = gzip.compress(b"a\n1\n", mtime=0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", ("delimited", None)),
        ("a.b.TSV.ZST", ("delimited", "zstd")),
        ("a.parquet", ("parquet", None)),
        ("a.feather", ("arrow", None)),
        ("a.jsonl.gz", ("jsonlines", "gzip")),
    ],
)
def test_format_is_told_by_the_name(name, expected):
    assert file_format(Path(name)) == expected


@pytest.mark.parametrize("name", ["a", "a.xlsx", "a.gz", "a.parquet.gz"])
def test_other_names_are_refused(name):
    with pytest.raises(CommandError, match="a"):
        file_format(Path(name))


def test_a_missing_file_names_its_neighbours(write):
    write("sales.csv", "a\n")
    with pytest.raises(CommandError) as caught:
        check_file(write("other.csv", "a\n").with_name("sale.csv"))
    assert 'Did you mean "sales.csv"?' in caught.value.cure


def test_empty_files_and_directories_are_refused(write):
    path = write("a.csv", "")
    with pytest.raises(CommandError, match="empty"):
        check_file(path)
    with pytest.raises(CommandError, match="directory"):
        check_file(path.parent)


def test_packed_bytes_are_unpacked_also_in_several_parts(write):
    path = write("a.csv.gz", gzip.compress(b"one") + gzip.compress(b"two"))
    with open_bytes(path, "gzip") as stream:
        assert bytes(stream.read()) == b"onetwo"


def read_all(path):
    with open_bytes(path, "gzip") as stream:
        while stream.read(100):
            pass


def test_a_cut_file_is_told(write):
    path = write("a.csv.gz", gzip.compress(bytes(range(256)) * 9)[:-30])
    with pytest.raises(CommandError, match="unpacked"):
        read_all(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    for path in (tmp_path / "a.csv", Path(os.devnull)):
        with pytest.raises(CommandError, match="not a file") as caught:
            check_file(path)
        assert "use -" in caught.value.cure


@pytest.mark.parametrize(
    ("name", "content", "problem", "cure"),
    [
        ("a.csv", GZIPPED, "compressed with gzip", "Rename it to a.csv.gz"),
        ("a.csv.zst", GZIPPED, "compressed with gzip", "Rename it to a.csv.gz"),
        ("a.csv.gz", b"a\n1\n", "is not compressed with gzip", "Rename it to a.csv,"),
        ("a.csv", b"PAR1 and more", "Parquet", "Rename it to a.parquet"),
        ("a.jsonl", b"ARROW1 and more", "Arrow", "Rename it to a.arrow"),
        ("a.txt", b"PK\x03\x04 and more", "zip archive or a spreadsheet", "as CSV"),
    ],
)
def test_files_that_are_not_what_they_are_called(write, name, content, problem, cure):
    with pytest.raises(CommandError, match=problem) as caught:
        check_file(write(name, content))
    assert cure in caught.value.cure

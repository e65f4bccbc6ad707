import io
import shutil

import pytest

from coterie.files.errors import shown_path
from coterie.files.standard import spool


@pytest.mark.parametrize(
    ("content", "ending"),
    [
        (b"a,b\n1,2\n", ".csv"),
        (b'{"a": 1}\n', ".jsonl"),
        (b"PAR1...", ".parquet"),
        (b"\x1f\x8b...", ".csv.gz"),
        (b"", ".csv"),
    ],
)
def test_the_first_bytes_tell_the_format(monkeypatch, content, ending):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    path = spool()
    try:
        assert path.name == f"table{ending}"
        assert path.read_bytes() == content
        assert shown_path(path) == "standard input"
    finally:
        shutil.rmtree(path.parent)

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from coterie.files import columnar
from coterie.files.columnar import open_columnar
from coterie.files.errors import CommandError

TABLE = pa.table({"a": list(range(10)), "b": list("abcdefghij")})


def written(folder, kind):
    path = folder / f"a.{kind}"
    if kind == "parquet":
        parquet.write_table(TABLE, path)
    else:
        feather.write_feather(TABLE, path)
    return path


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_batches_of_the_columns_asked_for(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(columnar, "BATCH_ROWS", 4)
    source = open_columnar(written(tmp_path, kind), kind)
    assert source.names == ("a", "b")
    batches = list(source.blocks(["b"]))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert pa.Table.from_batches(batches).equals(TABLE.select(["b"]))


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_damaged_files_are_told(tmp_path, kind):
    path = written(tmp_path, kind)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(CommandError, match="cannot be read"):
        open_columnar(path, kind)


def test_cells_are_counted_without_reading_them(tmp_path):
    assert columnar.table_size(written(tmp_path, "parquet")) == (10, 2)
    path = tmp_path / "a.parquet"
    path.write_bytes(b"no such thing")
    with pytest.raises(CommandError, match="cannot be read") as caught:
        columnar.table_size(path)
    assert caught.value.file == path

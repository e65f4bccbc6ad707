"""Files as people send them."""

import csv

import pytest

from benchmarks.real_life import FILES, ROWS, write


@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
def test_every_file_is_a_table_with_a_target(make, tmp_path):
    number = 0
    for path in write(make, tmp_path):
        with path.open(newline="") as file:
            header, *rows = csv.reader(file, delimiter=";" if make.__name__ == "commas" else ",")
        assert header[-1] == "target"
        assert {len(row) for row in rows} == {len(header)}
        number += len(rows)
    assert number == ROWS

"""Columns of a table that was opened."""

import pytest

from coterie.files.table import read_table
from coterie.studio.columns_seen import describe_columns


def test_kinds_holes_and_distributions(tmp_path):
    path = tmp_path / "t.csv"
    lines = ["id,age,town,same,gap"]
    lines += [f"n{k},{20 + k},{'ab'[k % 2]},1,{k if k < 5 else ''}" for k in range(30)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = {one["name"]: one for one in describe_columns(read_table(path))}
    assert found["age"]["kind"] == "whole numbers"
    assert sum(found["age"]["histogram"]["counts"]) == 30
    assert found["town"]["values"] == [["a", 15], ["b", 15]]
    assert found["gap"]["missing"] == pytest.approx(25 / 30)
    assert found["gap"]["findings"] == ["more than half missing"]
    assert found["same"]["findings"] == ["constant, so it is not useful"]
    assert found["id"]["findings"] == ["different in every row: perhaps an identifier"]

"""Rows of a table as points."""

import numpy as np
import pytest

from coterie.files.table import read_table
from coterie.serve.problems import Problem
from coterie.studio.table_points import table_points


@pytest.fixture
def reading(tmp_path):
    lines = ["a,b,colour,y,note"]
    lines += [f"{k},{k * k / 10},{'red' if k % 3 else 'blue'},{k / 7:.3f},n{k}" for k in range(50)]
    lines[3] = ",1,red,0.5,n"
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_table(path)


def test_two_columns_and_classes(reading):
    found = table_points(reading, "colour", ["b", "a"], 1000)
    assert found["task"] == "classes"
    assert found["classes"] == ["blue", "red"]
    assert found["columns"] == ["b", "a"]
    assert (len(found["X"]), found["left_out"], found["rows"]) == (49, 1, 50)
    assert found["X"][1] == [0.1, 1.0]
    assert found["y"][:3] == [0, 1, 0]


def test_numbers_have_one_column(reading):
    found = table_points(reading, "y", ["a", "b"], 1000)
    assert (found["task"], found["columns"], found["classes"]) == ("numbers", ["a"], [])
    assert found["X"][4] == [5.0]
    assert found["y"][4] == pytest.approx(0.714)


def test_projections_and_samples(reading):
    found = table_points(reading, "colour", "pca", 20)
    assert found["columns"] == ["first component", "second component"]
    assert np.shape(found["X"]) == (20, 2)
    assert found == table_points(reading, "colour", "pca", 20)


@pytest.mark.parametrize(
    ("target", "columns", "words"),
    [
        ("nothing", ["a"], "not in the table"),
        ("colour", ["note", "a"], "columns of numbers"),
        ("a", ["a", "b"], "other than the target"),
        ("colour", [], "columns of numbers"),
        ("colour", None, "columns of numbers"),
        ("colour", ["a"], "need two columns"),
        ("note", ["a", "b"], "different values"),
    ],
)
def test_wrong_choices_are_explained(reading, target, columns, words):
    with pytest.raises(Problem, match=words):
        table_points(reading, target, columns, 1000)

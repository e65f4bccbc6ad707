import pytest

from coterie.files import Allowance, jsonlines
from coterie.files.errors import CommandError
from coterie.files.jsonlines import open_jsonlines


def rows(path):
    source = open_jsonlines(path, Allowance())
    return [row for block in source.blocks(source.names) for row in block.to_pylist()]


def test_keys_of_all_lines_are_columns(write, monkeypatch):
    monkeypatch.setattr(jsonlines, "BLOCK_BYTES", 20)
    path = write("a.jsonl", '{"a": 1}\n{"b": "x"}\n\n{"a": 2.5, "b": null}')
    assert rows(path) == [{"a": 1, "b": None}, {"a": None, "b": "x"}, {"a": 2.5, "b": None}]


@pytest.mark.parametrize(
    ("second", "message", "column"),
    [
        ('{"a": ', "not valid JSON", None),
        ("[1]", "not a JSON object", None),
        ('{"a": "x"}', "the same type", "a"),
    ],
)
def test_bad_lines_are_named(write, second, message, column):
    with pytest.raises(CommandError, match=message) as caught:
        rows(write("a.jsonl", '{"a": 1}\n' + second + "\n"))
    assert (caught.value.line, caught.value.column) == (2, column)

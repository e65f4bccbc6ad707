import pytest

from coterie.files import Allowance, delimited
from coterie.files.delimited import guess_delimiter, open_delimited
from coterie.files.errors import CommandError
from coterie.files.formats import ReadOptions


def rows(path, **options):
    source = open_delimited(path, ReadOptions(**options))
    blocks = list(source.blocks(source.names))
    return source, [row for block in blocks for row in block.to_pylist()]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1,2\t3\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a;x";b\n"1,2,3";4\n', ";"),
        ("a\n1\n", ","),
    ],
)
def test_delimiter_is_guessed(head, expected):
    assert guess_delimiter(head) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_decide_about_the_encoding(write, encoding):
    source, found = rows(write("a.csv", "näme,b\n1,café\n".encode(encoding)))
    assert source.names == ("näme", "b")
    assert found == [{"näme": "1", "b": "café"}]


def test_another_encoding_must_be_said(write):
    path = write("a.csv", "a,b\n1,x\n2,café\n".encode("latin-1"))
    with pytest.raises(CommandError) as caught:
        rows(path)
    assert "byte 13 (0xe9)" in caught.value.message
    assert caught.value.line == 3
    assert "--encoding latin-1" in caught.value.cure
    assert rows(path, encoding="latin-1")[1][1] == {"a": "2", "b": "café"}


def test_a_bad_byte_far_away_is_found_too(write):
    text = b"a,b\n" + b"1,x\n" * 200_000
    with pytest.raises(CommandError) as caught:
        rows(write("a.csv", text + b"1,\xe9\n"))
    assert f"byte {len(text) + 2:,} " in caught.value.message
    assert caught.value.line == 200_002


@pytest.mark.parametrize(
    ("bad", "cure"), [("1,2,3", "quotation marks"), ("1", "cut short"), ('"1,2', "Close the")]
)
def test_ragged_lines_are_named(write, bad, cure):
    path = write("a.csv", "a,b\n" + "1,2\n" * 5 + bad + "\n1,2\n")
    with pytest.raises(CommandError) as caught:
        rows(path)
    assert caught.value.line == 7
    assert cure in caught.value.cure


def test_names_stand_once(write):
    with pytest.raises(CommandError, match="fields 1, 3") as caught:
        rows(write("a.csv", "a,b,a\n1,2,3\n"))
    assert (caught.value.line, caught.value.column) == (1, "a")


def test_a_column_without_a_name_gets_one(write):
    source, found = rows(write("a.csv", ",b\n1,2\n"))
    assert found == [{"column_1": "1", "b": "2"}]
    assert "column_1" in source.notes[0]


def test_a_header_of_numbers_is_suspected(write):
    assert "header" in rows(write("a.csv", "1,2\n3,4\n"))[0].notes[0]


def test_line_breaks_in_quotation_marks_are_text(write):
    assert rows(write("a.csv", 'a,b\n"x\ny",2\n'))[1] == [{"a": "x\ny", "b": "2"}]


def test_blocks_are_small_and_only_of_the_columns_asked_for(write, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1000)
    source = open_delimited(write("a.csv", "a,b\n" + "1,2\n" * 1000), ReadOptions())
    blocks = list(source.blocks(["b"]))
    assert len(blocks) > 3
    assert sum(map(len, blocks)) == 1000
    assert blocks[0].schema.names == ["b"]


def test_what_is_no_text_is_refused(write):
    with pytest.raises(CommandError, match="null bytes"):
        rows(write("a.csv", b"a,b\n\0\0"))


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (b"a,b\n1,2\n", {"encoding": "utf-16"}, "not valid utf-16"),
        ("a,b\n1,2\n".encode("utf-16-le"), {}, "null bytes"),
        (b'"a,b\n1,2\n3,4\n', {}, "several lines"),
        (b"\n \n", {}, "only white space"),
    ],
)
def test_files_that_cannot_be_read_are_told_in_words(write, content, options, words):
    with pytest.raises(CommandError, match=words):
        rows(write("a.csv", content), **options)


def test_lines_above_the_header_may_be_blank(write):
    source, found = rows(write("a.csv", "\n  \na,b\n1,2\n"))
    assert found == [{"a": "1", "b": "2"}]
    assert source.line(0) == 4


def test_held_rows_are_parsed_once(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    source = open_delimited(path, ReadOptions())
    source.hold(Allowance(), ReadOptions())
    path.unlink()
    assert [block.num_rows for block in source.blocks(["a"])] == [2]
    source.hold(Allowance(), ReadOptions())

import json
import re

import pytest

from coterie.report import facts, markdown
from coterie.report.text import literal
from tests.report.hostile import EVIL, hostile


def test_every_table_has_the_same_cells_in_each_line(found):
    text = markdown(found)
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(tables) >= 4
    for table in tables:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(cells) == 1


def test_it_says_what_the_page_says(found):
    text = markdown(found)
    for words in (
        "## Summary",
        "## Leaderboard",
        "## How it was made",
        "gradient boosting",
        "all members",
    ):
        assert words in text
    assert 'model = coterie.load("model.coterie")\n' in text


@pytest.mark.slow
def test_facts_read_from_json_say_the_same(found):
    assert markdown(json.loads(json.dumps(found))) == markdown(found)


@pytest.mark.slow
def test_names_are_no_markup(binary):
    text = markdown(facts(hostile(binary)))
    assert "<script" not in text.replace("\\<script", "")
    assert literal(EVIL) in text


def test_literal_text():
    assert literal("a|b\n<c> *d*") == r"a\|b \<c\> \*d\*"
    assert literal(3) == 3

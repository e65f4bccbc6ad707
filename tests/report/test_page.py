import json
import re
import sys
from html.parser import HTMLParser

import pytest

from coterie.report import facts, html
from coterie.report.page import _tools, source
from tests.report.hostile import hostile

VOID = {"meta", "input", "br", "hr", "img", "link"}


class Reader(HTMLParser):
    """Checks that tags are closed in order, and notes what there is."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open, self.tags, self.text, self.links = [], [], [], []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.slow
def test_page_is_well_formed_and_small(found):
    page = html(found)
    reader = Reader(page)
    assert reader.open == []
    assert len(page.encode()) < 250_000


@pytest.mark.slow
def test_page_loads_nothing(found):
    page = html(found)
    assert not re.search(r"https?://", page)
    assert "@import" not in page
    assert "url(" not in page
    for tag, attributes in Reader(page).attributes:
        assert tag not in ("link", "img", "iframe", "object", "embed")
        assert "src" not in attributes
        assert "style" not in attributes  # the policy would refuse it
        assert attributes.get("href", "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)


@pytest.mark.slow
def test_policy_allows_this_style_and_this_script_only(found):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html(found))[1]
    assert policy.startswith("default-src &#39;none&#39;")
    assert policy.count("sha256-") == 2
    assert "unsafe" not in policy


@pytest.mark.slow
def test_every_link_has_its_target(found):
    attributes = [attributes for _, attributes in Reader(html(found)).attributes]
    names = [one["id"] for one in attributes if "id" in one]
    assert len(names) == len(set(names))
    assert {one["href"][1:] for one in attributes if "href" in one} <= set(names)


@pytest.mark.slow
def test_every_picture_has_a_label(found):
    pictures = [one for tag, one in Reader(html(found)).attributes if tag == "svg"]
    assert len(pictures) > 8
    assert all(one["role"] == "img" and one["aria-label"] for one in pictures)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["binary", "regression"])
def test_names_are_no_markup(name, request):
    model = request.getfixturevalue(name)
    page = html(facts(hostile(model)))
    assert "<script>alert" not in page
    assert Reader(page).tags.count("script") == 1
    assert "{{ 7 * 7 }}" in page  # what looks like a template is none


@pytest.mark.slow
def test_facts_read_from_json_give_the_same_page(found):
    assert html(json.loads(json.dumps(found))) == html(found)


@pytest.mark.slow
def test_numbers_that_are_missing_are_dashes(found):
    bare = found | {
        "score": {"score": 0.5, "low": None, "high": None},
        "baseline": found["baseline"] | {"score": None},
        "importances": [],
        "columns": [],
        "history": [],
        "size_curve": [],
        "findings": [],
        "made": {},
        "diversity": None,
    }
    page = html(bare)
    assert Reader(page).open == []
    assert "None" not in " ".join(Reader(page).text)


def test_without_jinja_the_extra_is_named(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"coterie\[report\]"):
        html(found)


def test_script_has_no_markup_that_would_end_it():
    assert "</" not in source("script.js")


def test_the_threshold_starts_in_the_middle():
    counts = {
        "threshold": [0.2, 0.5, 0.8],
        "true_positives": [9, 6, 3],
        "false_positives": [5, 2, 1],
        "false_negatives": [1, 4, 7],
        "true_negatives": [5, 8, 9],
        "labels": ["no", "yes"],
    }
    now = _tools({"task": "classification", "thresholds": counts})["thresholds"]["now"]
    assert (now["threshold"], now["right"], now["found"], now["precise"]) == (0.5, 0.7, 0.6, 0.75)

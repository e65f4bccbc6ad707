from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from coterie import RandomForestClassifier, diagnose
from coterie.diagnosis import Diagnosis, Finding
from tests.diagnosis.pools import SaysNumbers

EMPTY = {"polyline", "circle", "line"}


class Parsed(HTMLParser):
    """Checks that elements are closed in order, and collects what there is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.attributes: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def _rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    return X, np.where(X[:, 0] + rng.normal(size=200) > 0, "<b>yes</b>", "no")


def test_a_forest():
    X, y = _rows()
    found = diagnose(RandomForestClassifier(9, random_state=0).fit(X[:100], y[:100]), X, y)
    page = Parsed(found._repr_html_())
    assert page.tags.count("svg") == 3
    assert page.tags.count("tr") == len(found.findings)
    assert page.tags.count("li") == len(found.advice)
    assert "script" not in page.tags
    assert not any(name.startswith("on") or name == "href" for name in page.attributes)
    # Labels are text, whatever they look like.
    assert "b" not in page.tags
    assert any("<b>yes</b>" in word for word in page.words)


@pytest.mark.slow
def test_one_tree_and_numbers():
    X, y = _rows()
    page = Parsed(diagnose(DecisionTreeClassifier().fit(X, y), X, y)._repr_html_())
    assert page.tags.count("svg") == 1
    found = diagnose([SaysNumbers(0), SaysNumbers(1)], X, X[:, 0])
    assert Parsed(found._repr_html_()).tags.count("svg") == 1


def test_names_and_advice_are_escaped():
    finding = Finding("oversized?", "<i>", False, "a & b", "<script>alert(1)</script>")
    page = Parsed(Diagnosis("<x>", "regression", 1, 1, "", [finding])._repr_html_())
    assert set(page.tags) == {"div", "table", "tbody", "tr", "td", "ol", "li"}
    assert "<script>alert(1)</script>" in page.words

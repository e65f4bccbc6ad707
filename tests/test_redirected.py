"""The tool that redirects other projects' tests."""

import ast

import pytest

from tools.redirected import KINDS, Outcome, Reason, Redirection, read_reasons

SOURCE = """
from sklearn.ensemble import IsolationForest, RandomForestClassifier as Forest
from sklearn.ensemble._forest import _draw
from sklearn import clone, tree

def helper():
    return _draw()

def test_ours():
    Forest()

def test_inner():
    helper()

def test_neither():
    clone(1)
"""


def test_imports_come_from_coterie_and_what_does_not_apply_is_skipped():
    source = ast.parse(SOURCE)
    text = ast.unparse(ast.fix_missing_locations(Redirection(source).visit(source)))
    assert "from coterie import RandomForestClassifier as Forest" in text
    assert "IsolationForest = __import__" in text or "import IsolationForest" in text
    assert "from sklearn import clone\n" in text
    assert "redirection.overlay(sklearn.tree)" in text
    before = {name: text.split(f"def {name}")[0].splitlines()[-1] for name in ("test_ours",)}
    assert "skip" not in before["test_ours"]
    assert "not applicable: tests _draw" in text.split("def test_inner")[0]
    assert "uses no class of these packages" in text.split("def test_neither")[0]


@pytest.mark.parametrize(
    ("pattern", "explained"),
    [
        ("test_forest.py::test_one", True),
        ("sklearn-ensemble/test_forest.py::test_one[a*", True),
        ("sklearn-ensemble/test_forest.py::test_o*", True),
        ("test_forest.py::test_on", False),
        ("test_bagging.py::test_one", False),
    ],
)
def test_patterns(pattern, explained):
    failed = Outcome("sklearn-ensemble/test_forest.py", "test_one[a-1]", "failed")
    assert Reason("internals", [pattern], "").explains(failed) == explained


def test_every_reason_is_of_a_kind():
    assert {reason.kind for reason in read_reasons()} <= set(KINDS)

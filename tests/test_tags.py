"""Names in model files."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

from coterie.core.rule import Rule
from coterie.losses.margin import Sigmoid
from coterie.selection.methods import by_ola
from coterie.tags import CLASSES, FUNCTIONS, TAGS, tagged, tagged_family


@pytest.fixture
def untouched():
    """What is tagged within a test is forgotten after it."""
    before = CLASSES.copy(), TAGS.copy()
    yield
    for now, then in zip((CLASSES, TAGS), before, strict=True):
        now.clear()
        now.update(then)


def make(name: str, module: str, *bases: type, **body: object) -> type:
    return type(name, bases, {"__module__": module, "__qualname__": name, **body})


def test_the_tag_is_the_name():
    assert TAGS[Rule] == "Rule"
    assert FUNCTIONS[TAGS[by_ola]] is by_ola


def test_a_class_may_have_a_tag_of_its_own():
    assert TAGS[Sigmoid] == "MarginSigmoid"
    assert CLASSES["MarginSigmoid"] is Sigmoid


def test_what_others_define_has_no_tag():
    class Mine(Rule):
        pass

    assert tagged(Mine) not in TAGS
    assert "Mine" not in CLASSES


@pytest.mark.usefixtures("untouched")
def test_two_classes_cannot_share_a_tag():
    tagged(make("Twin", "coterie.one"))
    with pytest.raises(TypeError, match=r"coterie\.two\.Twin and coterie\.one\.Twin .*'Twin'"):
        tagged(make("Twin", "coterie.two"))


@pytest.mark.usefixtures("untouched")
def test_the_tag_of_a_class_is_not_that_of_its_base():
    base = tagged_family(make("Base", "coterie.one", file_tag="Former"))
    derived = make("Derived", "coterie.one", base)
    assert (TAGS[base], TAGS[derived]) == ("Former", "Derived")


@pytest.mark.usefixtures("untouched")
def test_a_class_that_is_made_again_takes_the_place_of_the_first():
    root = tagged_family(make("Root", "coterie.one"))
    first = make("Slotted", "coterie.one", root, __annotations__={"a": int})
    second = dataclass(slots=True)(first)
    assert second is not first
    assert CLASSES["Slotted"] is second
    assert first not in TAGS


@pytest.mark.slow
def test_packages_bring_all_their_tags_along():
    """A tag is found by importing packages, never by the name of a module."""
    code = """
import importlib, pkgutil
import coterie
from coterie.export.registry import _PACKAGES
from coterie.tags import CLASSES, FUNCTIONS
for package in _PACKAGES:
    importlib.import_module(f"coterie.{package}")
found = {*CLASSES, *FUNCTIONS}
for module in pkgutil.walk_packages(coterie.__path__, "coterie."):
    importlib.import_module(module.name)
print(*sorted({*CLASSES, *FUNCTIONS} - found))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []

"""The list of what a model file may name."""

import inspect
from pathlib import Path

import pytest

import coterie
from coterie.export.errors import ModelFileError
from coterie.export.registry import class_of, function_of, function_tag, tag_of
from coterie.learners import ForeignMember
from coterie.losses.margin import Sigmoid
from coterie.selection.methods import METHODS
from coterie.tags import CLASSES, FUNCTIONS
from tests.contract.exported import ESTIMATORS


def test_tags_and_classes_belong_together():
    assert all(tag_of(class_of(tag)) == tag for tag in CLASSES)
    assert all(function_tag(function_of(tag)) == tag for tag in FUNCTIONS)


def test_the_tags_of_earlier_versions_are_known():
    """A class that was renamed keeps its tag by `file_tag`, or old files no longer load."""
    former = (Path(__file__).parent / "golden" / "v1-tags.txt").read_text(encoding="utf-8")
    changed = {tag: class_of(tag) for tag in former.split() if tag_of(class_of(tag)) != tag}
    assert changed == dict.fromkeys(("Guest", "Seat", "Voter"), ForeignMember)


@pytest.mark.every_case
@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_estimator_has_a_tag(cls):
    assert tag_of(cls) is not None, "mark it with coterie.tags.tagged"


def test_every_method_of_selection_has_a_tag():
    for method in METHODS.values():
        found = function_tag(method) if inspect.isfunction(method) else tag_of(type(method))
        assert found is not None


def test_equal_names_are_told_apart():
    assert tag_of(Sigmoid) == "MarginSigmoid"
    assert class_of("Sigmoid") is not Sigmoid


@pytest.mark.parametrize("tag", ["os.system", "coterie.core.pool:Pool", "", None, 3, ["Pool"]])
def test_other_names_are_refused(tag):
    with pytest.raises(ModelFileError, match="does not know"):
        class_of(tag)
    with pytest.raises(ModelFileError, match="does not know"):
        function_of(tag)


def test_derived_classes_have_no_tag():
    class Mine(coterie.DecisionTreeClassifier):
        pass

    assert tag_of(Mine) is None

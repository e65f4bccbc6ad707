"""The list of what a model file may name."""

import inspect

import pytest

import coterie
from coterie.export import registry
from coterie.export.errors import ModelFileError
from coterie.export.registry import class_of, function_of, function_tag, tag_of
from coterie.losses.margin import Sigmoid
from coterie.selection.methods import METHODS
from tests.contract.exported import ESTIMATORS


@pytest.mark.parametrize("tag", sorted(registry._TODAY))
def test_tags_and_classes_belong_together(tag):
    assert tag_of(class_of(tag)) == tag


@pytest.mark.parametrize("tag", sorted(registry._FUNCTION_HOMES))
def test_tags_and_functions_belong_together(tag):
    assert function_tag(function_of(tag)) == tag


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_estimator_has_a_tag(cls):
    assert tag_of(cls) is not None, "add it to coterie.export.registry"


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

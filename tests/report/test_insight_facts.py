import json
from types import SimpleNamespace

import pytest

from coterie.report import facts, html
from coterie.report.insight_facts import facts_of_insights


def test_outputs_are_called_by_their_class(binary_facts, multiclass_facts, regression_facts):
    assert binary_facts["effects"][0]["outputs"] == ["good"]
    assert len(multiclass_facts["effects"][0]["outputs"]) == 3
    assert regression_facts["contributions"][0]["output"] is None


def test_the_strongest_contributions_come_first(binary, binary_facts):
    first, second = (one.column for one in binary.contributions_)
    assert [one["column"] for one in binary_facts["contributions"]] == [second, first]


def test_only_groups_that_clearly_differ_are_shown(found):
    assert found["groups"]["number"] == 4
    assert [one["category"] for one in found["groups"]["shown"]] == ["bad"]


@pytest.mark.slow
def test_models_of_before_have_a_page_too(binary):
    older = SimpleNamespace(**vars(binary))
    for name in ("effects_", "contributions_", "subgroups_", "learning_curve_"):
        delattr(older, name)
    assert facts_of_insights(older) == {
        "effects": [], "contributions": [], "groups": None, "learning_curve": None
    }  # fmt: skip
    found = json.loads(json.dumps(facts(older)))
    for name in ("effects", "contributions", "groups", "learning_curve", "curves"):
        found.pop(name)
    page = html(found)
    assert "Would more rows help" not in page
    assert "ROC curve" not in page

import json

import pytest

from coterie import AdaBoostClassifier, RandomForestRegressor, VotingClassifier
from coterie.report import facts, model_card
from tests.report.hostile import EVIL, hostile


def front(card: str) -> dict:
    """The metadata: a line for each name, both in JSON, which YAML includes."""
    start, lines, _ = card.split("---\n", 2)
    assert start == ""
    pairs = (line.split(": ", 1) for line in lines.splitlines())
    return {json.loads(name): json.loads(value) for name, value in pairs}


def test_the_metadata_name_task_and_scores(found):
    given = front(model_card(found))
    numbers = found["task"] == "regression"
    assert given["pipeline_tag"] == f"tabular-{'regression' if numbers else 'classification'}"
    assert given["library_name"] == "coterie"
    (result,) = given["model-index"][0]["results"]
    values = {row["name"]: row["value"] for row in found["measures"]}
    assert {row["type"]: row["value"] for row in result["metrics"]} == values
    assert given["metrics"] == list(values)


def test_the_text_tells_use_limits_and_scores(found):
    card = model_card(found)
    for title in ("Intended use", "How to get started", "Limitations and risks", "Training"):
        assert f"\n## {title}\n" in card
    assert 'coterie.load("model.coterie")' in card
    assert card.count("| 95 % interval |") == 1


@pytest.mark.slow
def test_a_model_and_its_facts_have_the_same_card(binary):
    assert model_card(binary) == model_card(facts(binary))


def test_names_are_neither_markup_nor_metadata(binary):
    card = model_card(facts(hostile(binary)))
    assert "<script" not in card.split("---\n", 2)[2].replace("\\<script", "")
    assert set(front(card)) == {"library_name", "pipeline_tag", "tags", "metrics", "model-index"}
    assert front(card)["model-index"][0]["name"] == f"Predicting {EVIL}"


def test_any_estimator_has_a_card_with_its_parameters():
    forest = RandomForestRegressor(n_estimators=7).fit([[0.0], [1.0]], [0.0, 1.0])
    card = model_card(forest)
    assert front(card)["pipeline_tag"] == "tabular-regression"
    assert "- parameters: n\\_estimators=7\n" in card
    assert "No scores are stored" in card


@pytest.mark.parametrize("fitted", [True, False])
def test_a_composite_has_a_card(fitted):
    model = VotingClassifier([("a", AdaBoostClassifier(n_estimators=2))])
    if fitted:
        model.fit([[0.0], [1.0], [2.0], [3.0]], ["x", "x", "y", "y"])
    card = model_card(model)
    assert front(card)["pipeline_tag"] == "tabular-classification"
    assert ("classes: x, y" in card) == fitted

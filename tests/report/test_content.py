import pytest

from coterie.report.content import made, shown, tiles, usage, worth


def test_four_tiles(found):
    assert len(tiles(found)) == 4
    assert all(tile["value"] for tile in tiles(found))


def test_the_first_tile_is_the_easiest_to_understand(binary_facts, regression_facts):
    assert tiles(binary_facts)[0]["what"] == "accuracy"
    assert tiles(regression_facts)[0]["what"] == "mean absolute error"


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "f1"])
def test_the_second_tile_is_another_measure(binary_facts, metric):
    found = binary_facts
    changed = found | {"metric": found["metric"] | {"name": metric, "label": metric}}
    first, second = tiles(changed)[:2]
    assert first["what"] != second["what"]


def test_worth_of_a_member_has_the_sign_of_the_metric(found):
    less = found | {"together": 0.5}
    assert worth(less)({"without": 0.6}) == "improves it by 0.10"
    assert worth(less)({"without": 0.4}) == "worsens it by 0.10"
    assert worth(less)({"without": 0.5001}) == "makes hardly any difference"
    assert worth(less)({"without": None}) == "–"
    more = less | {"metric": found["metric"] | {"greater_is_better": True}}
    assert worth(more)({"without": 0.6}) == "worsens it by 0.10"


def test_only_classes_have_probabilities(binary_facts, regression_facts):
    assert "predict_proba" in usage(binary_facts)["python"]
    assert "predict_proba" not in usage(regression_facts)["python"]


def test_how_it_was_made_is_all_there(found):
    lines = dict(made(found))
    assert lines["fingerprint"] == "ab" * 32
    assert lines["versions"].startswith("coterie 0.1.0")
    assert "time taken" in lines


def test_kind_of_task(found):
    assert shown(found)["kind"].startswith(("Classification", "Regression"))

import pytest

from coterie.report import insight_charts


def test_every_picture_is_drawn(found):
    for effect in found["effects"]:
        assert effect["column"] in insight_charts.effect(effect, found["target"])
    swarm = insight_charts.contributions(found)
    assert swarm.count('class="swarm shade2"') == 40
    assert swarm.count('class="swarm plain"') == 40
    assert "400" in insight_charts.learning_curve(found)


@pytest.mark.parametrize("kind", ["roc", "precision_recall", "gain"])
def test_curves_of_two_classes(binary_facts, kind):
    picture = getattr(insight_charts, kind)(binary_facts)
    assert 'class="line"' in picture
    assert "NaN" not in picture.upper().replace("NAN", "NaN")

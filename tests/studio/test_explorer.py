"""The explorer and what it is asked for."""

import html
import json
import re

import numpy as np
import pytest

import coterie


def test_class_is_fitted_with_weights_and_a_part_held_out(page):
    (scene,) = page.scenes
    assert (scene["train"], scene["rows"]) == (90, 120)
    assert scene["emphasis"] == "weight before the round"
    assert scene["errors"]["held"] is not None


def test_fitted_models_are_taken_as_they_are(moons):
    model = coterie.AdaBoostClassifier(n_estimators=3).fit(*moons)
    (scene,) = coterie.explore(model, *moons, resolution=8).scenes
    assert scene["train"] == scene["rows"] == 120
    assert scene["emphasis"] == "residual before the round"


def test_few_rows_are_all_learnt_from():
    X, y = coterie.datasets.load_table("watermelon", return_X_y=True)
    (scene,) = coterie.explore(coterie.AdaBoostClassifier, X, y, resolution=8).scenes
    assert scene["train"] == scene["rows"] == len(y)


def test_saved_page_holds_the_scenes(page, tmp_path):
    text = page.save(tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="content">(.*?)</script>', text)
    assert json.loads(found[1])["scenes"] == json.loads(json.dumps(page.scenes))


def test_notebooks_show_a_frame_of_its_own(page):
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads" srcdoc="')
    inside = re.search(r'srcdoc="([^"]*)"', shown)[1]
    assert html.unescape(inside) == page.html()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rounds": 0}, "rounds must be"),
        ({"resolution": 2}, "resolution must be"),
        ({"X_val": np.zeros((2, 2))}, "both X_val and y_val"),
    ],
)
def test_wrong_settings_are_refused(settings, words, moons):
    with pytest.raises(ValueError, match=words):
        coterie.explore(coterie.AdaBoostClassifier(), *moons, **settings)


def test_two_of_a_kind_only(moons):
    ada, bag = coterie.AdaBoostClassifier(n_estimators=2), coterie.BaggingRegressor(n_estimators=2)
    with pytest.raises(ValueError, match="side by side"):
        coterie.explore([ada, bag], *moons)
    with pytest.raises(ValueError, match="not 3"):
        coterie.explore([ada] * 3, *moons)

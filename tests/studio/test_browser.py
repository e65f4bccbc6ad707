"""The explorer in a real browser."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import betabinom

import coterie
from coterie import theory
from tests.browsers import Shown

EVIL = "<script>alert('x')</script>\"&{{ 7 * 7 }}<img src=x onerror=alert(1)>"
# What the picture shows, as a number that changes with it.
PIXELS = "document.querySelector('canvas').toDataURL()"


@pytest.fixture
def show(browser, tmp_path) -> Iterator[Any]:
    opened = []

    def open_page(page: Any, width: int = 1280, scheme: str = "light", state: str = "") -> Shown:
        path = page.save(tmp_path / "page.html")
        opened.append(Shown(browser, path, width, scheme))
        if state:
            opened[-1].rest()
            opened[-1].page.evaluate("state => { location.hash = state; }", state)
            opened[-1].page.reload()
        opened[-1].page.wait_for_selector("html[data-ready]")
        return opened[-1]

    yield open_page
    for shown in opened:
        shown.page.close()


@pytest.mark.slow("1280")
@pytest.mark.parametrize("width", [375, 1280])
def test_page_fits_and_asks_for_nothing(page, show, width):
    shown = show(page, width)
    for tab in ("explorer", "diversity", "calculator"):
        shown.page.click(f"#tab-{tab}")
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, tab
    assert len(shown.asked) == 1
    assert shown.complaints == []


@pytest.mark.slow
def test_dark_mode_is_dark_in_the_picture_too(page, show):
    corner = "document.querySelector('canvas').getContext('2d').getImageData(2, 2, 1, 1).data[0]"
    assert show(page).page.evaluate(corner) == 255
    assert show(page, scheme="dark").page.evaluate(corner) < 40


def test_buttons_step_and_numbers_follow(page, show):
    shown, scene = show(page), page.scenes[0]

    def alpha() -> float:
        return float(shown.text("[data-fact=alpha]").replace("−", "-"))

    assert alpha() == pytest.approx(scene["facts"]["alpha"][0], rel=1e-3)
    seen = {shown.page.evaluate(PIXELS)}
    for button, at in (("forward", 2), ("last", 12), ("back", 11), ("first", 1), ("forward", 2)):
        shown.page.click(f"#{button}")
        assert shown.text("#round-shown") == f"{at} of 12"
        assert alpha() == pytest.approx(scene["facts"]["alpha"][at - 1], rel=1e-3)
        seen.add(shown.page.evaluate(PIXELS))
    assert len(seen) == 4
    # The formula has the same number in it.
    line = shown.text(".formulas > div:nth-child(2) dd")
    assert line.endswith(shown.text("[data-fact=alpha]"))
    shown.rest()
    assert f"round 2 of 12: training error {scene['errors']['train'][1]:.3g}" in shown.text("#said")


@pytest.mark.slow
def test_keyboard_alone(page, show):
    shown = show(page)
    press = shown.page.keyboard.press
    for key, at in (("ArrowRight", 2), ("End", 12), ("ArrowLeft", 11), ("Home", 1)):
        press(key)
        assert shown.text("#round-shown") == f"{at} of 12"
    press("Space")
    shown.page.wait_for_selector("#round-shown:has-text('4 of 12')")
    assert shown.page.get_attribute("#play", "aria-pressed") == "true"
    press("Space")
    assert shown.page.get_attribute("#play", "aria-pressed") == "false"
    # Every control can be reached.
    shown.page.focus("#tab-explorer")
    reached = set()
    for _ in range(30):
        press("Tab")
        reached.add(shown.page.evaluate("document.activeElement.id"))
    wanted = {"first", "back", "play", "forward", "last", "round", "speed", "regions", "member"}
    assert wanted | {"weights", "mistakes", "held", "shade", "link", "png", "svg", "gif"} <= reached
    shown.page.focus("#tab-explorer")
    press("ArrowRight")
    assert shown.page.is_visible("#diversity")
    press("ArrowRight")
    assert shown.page.is_visible("#vote-exact")


@pytest.mark.slow
@pytest.mark.parametrize("layer", ["regions", "member", "weights", "mistakes", "held"])
def test_layers_change_the_picture_and_come_back(page, show, layer):
    shown = show(page, state="round=4")
    before = shown.page.evaluate(PIXELS)
    shown.page.click(f"#{layer}")
    assert shown.page.evaluate(PIXELS) != before
    shown.page.click(f"#{layer}")
    assert shown.page.evaluate(PIXELS) == before


@pytest.mark.slow
def test_link_restores_the_state(page, show):
    first = show(page)
    first.page.click("#weights")
    first.page.select_option("#shade", "member")
    first.page.click("#forward")
    first.page.click("#forward")
    state = first.rest()
    second = show(page, state=state)
    assert second.text("#round-shown") == "3 of 12"
    assert not second.page.is_checked("#weights")
    assert second.page.evaluate(PIXELS) == first.page.evaluate(PIXELS)


@pytest.mark.slow
def test_hostile_state_is_ignored(page, show):
    shown = show(page, state="round=99999&tab=<script>&show=nonsense&shade=x")
    assert shown.text("#round-shown") == "12 of 12"
    assert shown.complaints == []


@pytest.mark.slow
def test_pictures_can_be_saved(page, show, tmp_path):
    shown = show(page)
    shown.page.click("#forward")
    starts = {"png": b"\x89PNG", "svg": b"<svg", "gif": b"GIF89a"}
    for kind, start in starts.items():
        with shown.page.expect_download() as saving:
            shown.page.click(f"#{kind}")
        path = tmp_path / f"saved.{kind}"
        saving.value.save_as(path)
        assert path.read_bytes().startswith(start), kind
        assert saving.value.suggested_filename.endswith(kind)
    image = pytest.importorskip("PIL.Image")
    with image.open(tmp_path / "saved.gif") as frames:
        assert frames.n_frames == 12
        frames.seek(11)
        assert frames.convert("RGB").getpixel((2, 2)) == (255, 255, 255)


# Mean difference of the colours of a file and of the canvas, from 0 to 255.
APART = """async (file) => {
  const image = new Image();
  image.src = file; await image.decode();
  const canvas = document.querySelector('canvas'), copy = document.createElement('canvas');
  copy.width = canvas.width; copy.height = canvas.height;
  const pen = copy.getContext('2d');
  pen.drawImage(image, 0, 0, copy.width, copy.height);
  const size = [0, 0, copy.width, copy.height], a = pen.getImageData(...size).data;
  const b = canvas.getContext('2d').getImageData(...size).data;
  return a.reduce((sum, value, k) => sum + Math.abs(value - b[k]), 0) / a.length;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_files_show_what_the_screen_shows(page, wave, show, scheme):
    numbers = coterie.explore(coterie.BaggingRegressor(n_estimators=4), *wave)
    for made, regions in ((page, True), (numbers, False)):
        shown = show(made, scheme=scheme, state="round=4")
        files = {}
        for kind, mime in (("png", "image/png"), ("svg", "image/svg+xml")):
            with shown.page.expect_download() as saving:
                shown.page.click(f"#{kind}")
            content = b64encode(Path(saving.value.path()).read_bytes()).decode()
            files[kind] = f"data:{mime};base64,{content}"
        assert shown.page.evaluate(APART, files["png"]) < 0.01
        same = shown.page.evaluate(APART, files["svg"])
        assert same < 2  # edges are smoothed differently
        shown.page.click("#first")
        assert shown.page.evaluate(APART, files["svg"]) > 2 * same
        if regions:
            shown.page.click("#regions")
            assert shown.page.evaluate(APART, files["svg"]) > 10


@pytest.mark.slow
def test_the_rest_of_the_controls(page, show):
    shown = show(page)
    line = shown.page.locator(".card", has_text="By round").locator("path.curve")
    before = line.get_attribute("d")
    shown.page.select_option("[aria-label^='Quantity of']", "edge")
    assert line.get_attribute("d") != before
    shown.page.click("#forward")
    picture = shown.page.evaluate(PIXELS)
    shown.page.select_option("#shade", "member")
    assert shown.page.evaluate(PIXELS) != picture
    shown.page.select_option("#speed", "30")
    shown.page.click("#play")
    shown.page.wait_for_selector("#round-shown:has-text('12 of 12')")
    shown.page.click("#link")
    shown.page.wait_for_selector("#said:text-matches('Link copied|holds its state')")
    shown.page.fill("#round", "5")
    assert shown.text("#round-shown") == "5 of 12"


def test_no_control_is_left_out(page, show):
    """Those of the page are all used by tests of this file."""
    used = {"first", "back", "play", "forward", "last", "round", "speed", "shade", "link", "png"}
    used |= {"svg", "gif", "regions", "member", "weights", "mistakes", "held", "html"}
    used |= {"tab-explorer", "tab-diversity", "tab-calculator", "tab-workbench"}
    used |= {"vote-members", "vote-error", "vote-correlation", ""}
    found = "[...document.querySelectorAll('button, input, select')].map((one) => one.id)"
    assert set(show(page).page.evaluate(found)) == used


@pytest.mark.slow
def test_bias_and_variance_follow_the_round(wave, show):
    model = coterie.BaggingRegressor(n_estimators=6)
    made = coterie.explore(model, *wave, resolution=24).retrain(3)
    shown, parts = show(made), made.scenes[0]["retrained"]
    shown.page.click("#last")
    words = shown.text("[data-bias]")
    assert f"Round 6: {parts['bias'][5]:.3g} + {parts['variance'][5]:.3g}" in words
    curves = shown.page.locator(".card", has_text="Trained on 3 samples").locator("path.faint")
    assert curves.count() == 3
    before = curves.first.get_attribute("d")
    shown.page.click("#first")
    assert curves.first.get_attribute("d") != before


@pytest.mark.slow
def test_two_methods_run_in_step(moons, show):
    pair = [coterie.AdaBoostClassifier(n_estimators=6), coterie.BaggingClassifier(n_estimators=4)]
    shown = show(coterie.explore(pair, *moons, resolution=16))
    assert shown.page.locator("#stage canvas").count() == 2
    shown.page.click("#last")
    shown.rest()
    words = shown.text("#said")
    assert "AdaBoostClassifier, round 6 of 6" in words
    assert "BaggingClassifier, round 4 of 4" in words


@pytest.mark.slow
def test_numbers_have_a_curve(wave, show):
    shown = show(coterie.explore(coterie.GradientBoostingRegressor(n_estimators=9), *wave))
    before = shown.page.evaluate(PIXELS)
    shown.page.click("#last")
    assert shown.page.evaluate(PIXELS) != before
    shown.rest()
    assert "mean squared error" in shown.text("#said")
    assert shown.complaints == []


@pytest.mark.slow
def test_diversity_follows_the_round(page, show):
    shown = show(page)
    shown.page.click("#tab-diversity")
    shown.page.click("#last")
    assert "would keep 6 of 12 members" in shown.text("#diversity-cards")
    before = shown.page.locator("#diversity canvas").nth(1).evaluate("c => c.toDataURL()")
    shown.page.click("#back")
    assert shown.page.locator("#diversity canvas").nth(1).evaluate("c => c.toDataURL()") != before


@pytest.mark.slow
def test_vote_calculator_counts_as_theory_does(page, show):
    shown = show(page)
    shown.page.click("#tab-calculator")
    for n, error, r in ((21, 0.3, 0.0), (4, 0.4, 0.0), (25, 0.3, 0.2)):
        for name, value in (("members", n), ("error", error), ("correlation", r)):
            shown.page.fill(f"#vote-{name}", str(value))
        expected = theory.vote_error(n, error)
        if r:
            spread = (1 - r) / r
            expected = betabinom.sf(n - n // 2 - 1, n, error * spread, (1 - error) * spread)
        assert float(shown.text("#vote-exact")) == pytest.approx(expected, rel=1e-3)
        bound = theory.hoeffding_bound(n, error)
        assert float(shown.text("#vote-hoeffding")) == pytest.approx(bound, rel=1e-3)


@pytest.mark.slow
def test_names_that_are_scripts_do_nothing(show):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pandas.DataFrame({EVIL: rng.normal(size=40), f"{EVIL}2": rng.normal(size=40)})
    y = np.where(X[EVIL] > 0, EVIL, f"{EVIL}3")
    named = type(EVIL, (coterie.AdaBoostClassifier,), {})
    model = coterie.AdaBoostClassifier(n_estimators=3).fit(X, y)
    made = coterie.explore(model, X, y, resolution=16)
    made.scenes[0]["name"] = named.__name__
    shown = show(made, 375)
    assert shown.complaints == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 375
    assert "<script>" in shown.page.text_content("h2")
    assert shown.page.evaluate("document.querySelectorAll('img').length") == 0


@pytest.mark.slow
def test_a_large_scene_is_scrubbed_from_end_to_end(show):
    """200 rounds of 2,000 points; how long a frame takes is printed, and depends on the machine."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = (X[:, 0] * X[:, 1] + rng.normal(0, 0.3, 2000) > 0).astype(int)
    model = coterie.AdaBoostClassifier(n_estimators=200, trace="weights").fit(X, y)
    shown = show(coterie.explore(model, X, y))
    slide = """() => { const input = document.getElementById('round'), began = performance.now();
      for (let t = 1; t <= 200; t++) { input.value = t; input.dispatchEvent(new Event('input')); }
      document.querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1);
      return (performance.now() - began) / 200; }"""
    print("milliseconds a frame:", shown.page.evaluate(slide))
    assert shown.text("#round-shown") == "200 of 200"

"""The page in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from coterie.report import facts, html
from tests.browsers import Shown
from tests.report.hostile import hostile


@pytest.fixture
def show(browser, tmp_path) -> Iterator[Any]:
    opened = []

    def open_page(found: dict[str, Any], width: int = 1280, scheme: str = "light") -> Shown:
        path = tmp_path / "report.html"
        path.write_text(html(found), encoding="utf-8")
        opened.append(Shown(browser, path, width, scheme))
        return opened[-1]

    yield open_page
    for shown in opened:
        shown.page.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [375, 1280])
def test_page_fits_and_asks_for_nothing(found, show, width):
    shown = show(found, width)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    assert [url for url in shown.asked if not url.startswith("file:")] == []
    assert len(shown.asked) == 1
    assert shown.complaints == []


@pytest.mark.slow
def test_dark_mode_is_dark(found, show):
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = show(found), show(found, scheme="dark")
    assert light.page.evaluate(colour) == "rgb(255, 255, 255)"
    assert dark.page.evaluate(colour) == "rgb(18, 22, 27)"


@pytest.mark.slow
def test_leaderboard_sorts_both_ways(found, show):
    page = show(found).page
    scores = "[...document.querySelectorAll('#leaderboard tbody td:nth-child(2)')]"
    read = scores + ".map(cell => Number(cell.dataset.value))"
    button = page.locator("#leaderboard thead button").nth(1)
    button.click()
    assert page.evaluate(read) == sorted(page.evaluate(read))
    button.click()
    assert page.evaluate(read) == sorted(page.evaluate(read), reverse=True)
    assert page.get_attribute("#leaderboard thead th:nth-child(2)", "aria-sort") == "descending"
    page.locator("#leaderboard thead button").first.click()
    names = page.locator("#leaderboard tbody th").all_text_contents()
    assert names == sorted(names)


def test_threshold_slider_shows_the_counts(binary_facts, show):
    found = binary_facts
    shown = show(found)
    table = found["thresholds"]
    for at in (20, 75):
        shown.slide("threshold", at)
        for name in ("true_positives", "false_positives", "true_negatives", "false_negatives"):
            assert shown.text(f"#{name}") == f"{table[name][at]:,}"
        hits = table["true_positives"][at]
        assert (
            shown.text("#rate-found")
            == f"{100 * hits / (hits + table['false_negatives'][at]):.1f} %"
        )
        mark = shown.page.locator("#threshold-mark")
        start, end = (float(mark.get_attribute(f"data-{name}")) for name in ("x0", "x1"))
        assert float(mark.get_attribute("x1")) == pytest.approx(start + at / 100 * (end - start))
    assert shown.complaints == []


@pytest.mark.slow
def test_costs_choose_the_cheapest_threshold(binary_facts, show):
    shown, table = show(binary_facts), binary_facts["thresholds"]
    shown.page.fill("#cost-miss", "5")
    shown.page.click("#cost-best")
    costs = [
        alarm + 5 * miss
        for alarm, miss in zip(table["false_positives"], table["false_negatives"], strict=True)
    ]
    best = costs.index(min(costs))
    assert shown.page.input_value("#threshold-input") == str(best)
    assert shown.text("#cost-value").replace(",", "") == str(min(costs))
    assert shown.complaints == []


@pytest.mark.slow
def test_coverage_slider_shows_risk_and_coverage(multiclass_facts, show):
    found = multiclass_facts
    shown = show(found)
    shown.slide("coverage", 60)
    assert shown.text("#coverage-risk") == f"{100 * found['coverage']['risk'][60]:.1f} %"
    assert shown.text("#coverage-share") == f"{100 * found['coverage']['coverage'][60]:.1f} %"


@pytest.mark.slow
def test_tolerance_slider_shows_the_share(regression_facts, show):
    found = regression_facts
    shown = show(found)
    shown.slide("tolerance", 10)
    assert shown.text("#tolerance-share") == f"{100 * found['tolerance']['share'][10]:.1f} %"


@pytest.mark.slow
def test_script_and_template_write_the_same(found, show):
    shown = show(found)
    for name in ("threshold", "coverage", "tolerance"):
        figure = shown.page.locator(f"#{name}")
        if figure.count():
            before = figure.inner_text()
            at = shown.page.input_value(f"#{name}-input")
            shown.slide(name, 3)
            assert figure.inner_text() != before
            shown.slide(name, int(at))
            assert figure.inner_text() == before


@pytest.mark.slow
def test_pointing_at_a_dot_tells_what_it_is(found, show):
    page = show(found).page
    assert page.is_hidden("#tip")
    dot = page.locator("#diversity circle").first
    # Scrolling hides what is shown, and is told of a frame later.
    dot.scroll_into_view_if_needed()
    page.evaluate("() => new Promise(done => setTimeout(done, 200))")
    dot.hover(force=True)
    page.locator("#tip").wait_for(state="visible")
    assert page.text_content("#tip") == dot.get_attribute("data-tip")


@pytest.mark.slow
def test_names_that_are_scripts_do_nothing(binary, show):
    shown = show(facts(hostile(binary)), 375)
    assert shown.complaints == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 375
    assert "<script>" in shown.page.text_content("h1")


@pytest.mark.slow
def test_page_can_be_printed(found, show):
    shown = show(found)
    document = shown.page.pdf(format="A4")
    assert document.startswith(b"%PDF")
    shown.page.emulate_media(media="print", color_scheme="dark")
    assert shown.page.is_hidden("nav")
    colour = shown.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == "rgb(255, 255, 255)"

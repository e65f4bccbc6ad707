"""The live studio in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("uvicorn")

pytestmark = pytest.mark.slow


def fits(page: Any) -> int:
    return int(page.evaluate("document.documentElement.dataset.fits"))


def after(page: Any, act: Any) -> None:
    """Do something that makes the models be fitted anew, and wait for them."""
    number = fits(page) + 1
    act()
    page.wait_for_selector(f"html[data-fits='{number}']")


def points(page: Any) -> int:
    label = page.get_attribute("#picture-0", "aria-label")
    assert "round" in label
    return page.evaluate("document.querySelectorAll('#stage canvas').length")


def test_token_leaves_the_address(studio):
    assert "token" not in studio.url
    assert studio.complaints == []


def test_methods_and_sets_are_chosen(studio):
    after(studio, lambda: studio.select_option("#against", "RobustBoost"))
    assert points(studio) == 2
    after(studio, lambda: studio.select_option("#set", "ten points"))
    assert studio.text_content("h2") == "AdaBoost"
    assert studio.locator("[data-fact=held]").count() == 0
    assert "set=ten+points" in studio.url


def test_points_are_added_moved_relabelled_and_removed(studio):
    after(studio, lambda: studio.select_option("#set", "seven points"))
    error = studio.text_content("[data-fact=error]")
    box = studio.locator("#picture-0").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 3
    studio.select_option("#tool", "add the first class")
    after(studio, lambda: studio.mouse.click(*middle))
    assert studio.text_content("[data-fact=error]") != error
    studio.select_option("#tool", "relabel")
    changed = studio.text_content("[data-fact=error]")
    after(studio, lambda: studio.mouse.click(*middle))
    assert studio.text_content("[data-fact=error]") != changed
    studio.select_option("#tool", "move")

    def drag() -> None:
        studio.mouse.move(*middle)
        studio.mouse.down()
        studio.mouse.move(middle[0] - 60, middle[1] + 80)
        studio.mouse.up()

    after(studio, drag)
    studio.select_option("#tool", "remove")
    after(studio, lambda: studio.mouse.click(middle[0] - 60, middle[1] + 80))
    assert studio.text_content("[data-fact=error]") == error
    assert studio.complaints == []


def test_link_restores_set_and_method(studio, browser, address):
    after(studio, lambda: studio.select_option("#method", "LPBoost"))
    studio.click("#last")
    state = studio.evaluate("location.hash")
    again = browser.new_page(viewport={"width": 1280, "height": 900})
    again.goto(f"{address}{state}&token=the-token")
    again.wait_for_selector("html[data-fits='1']")
    picture = "document.getElementById('picture-0').toDataURL()"
    assert again.input_value("#method") == "LPBoost"
    assert again.evaluate(picture) == studio.evaluate(picture)
    again.close()


def test_wrong_token_is_told(browser, address):
    page = browser.new_page()
    page.goto(f"{address}#token=wrong")
    page.wait_for_selector("#trouble:visible")
    assert "token is missing or wrong" in page.text_content("#trouble")
    page.close()


def test_workbench_opens_a_table_and_names_are_inert(studio):
    studio.click("#tab-workbench")
    studio.fill("#table-path", "../secret.csv")
    studio.click("#open-table")
    studio.wait_for_selector("#trouble:visible")
    studio.fill("#table-path", "t.csv")
    studio.click("#open-table")
    studio.wait_for_selector("#begin-fit")
    assert "<script>alert(1)</script>" in studio.text_content("#workbench table")
    assert [text for text in studio.complaints if "404" not in text] == []


def test_workbench_runs_a_search(studio):
    studio.click("#tab-workbench")
    studio.set_input_files(
        "#table-file",
        {
            "name": "dropped.csv",
            "mimeType": "text/csv",
            "buffer": ("a,y\n" + "".join(f"{k // 2},{int(k > 20)}\n" for k in range(40))).encode(),
        },
    )
    studio.wait_for_selector("#begin-fit")
    studio.fill("#seconds", "5")
    studio.click("#begin-fit")
    studio.wait_for_selector("#run-state[data-state=finished]", timeout=120_000)
    assert studio.locator("#leaderboard tr.final").count() >= 1
    studio.fill("#row input", "18")
    studio.click("#ask-row")
    studio.wait_for_selector("#answer .card")
    assert "prediction1" in studio.text_content("#answer")
    frame = studio.frame_locator("#workbench iframe")
    assert frame.locator("h1").text_content()
    with studio.expect_download() as saving:
        studio.click("#save-model")
    assert saving.value.suggested_filename == "model.coterie"
    assert studio.complaints == []

"""The live studio in a real browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import pytest

from tests.browsers import rest

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


PICTURE = "document.getElementById('picture-0').toDataURL()"


def state(page: Any) -> dict[str, list[str]]:
    return parse_qs(rest(page).lstrip("#"))


def opened(browser: Any, url: str) -> Any:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    page.goto(url)
    return page


def nearest_point(page: Any) -> tuple[float, float]:
    """Where the point (6, 5) of the ten is, from the corner of the canvas."""
    size = page.evaluate(
        "(() => { const c = document.getElementById('picture-0').getBoundingClientRect();"
        " return [c.width, c.height]; })()"
    )
    left, right, top, bottom = 24 + 7 * 2, size[0] - 8, 8, size[1] - 36
    x0, x1 = 1 - 0.08 * 9, 10 + 0.08 * 9
    across = left + (6 - x0) / (x1 - x0) * (right - left)
    return across, bottom - (5 - x0) / (x1 - x0) * (bottom - top)


def test_token_leaves_the_address(studio):
    assert "token" not in studio.url
    assert studio.complaints == []


def test_methods_and_sets_are_chosen(studio):
    after(studio, lambda: studio.select_option("#against", "RobustBoost"))
    assert points(studio) == 2
    after(studio, lambda: studio.select_option("#set", "ten points"))
    assert studio.text_content("h2") == "AdaBoost"
    assert studio.locator("[data-fact=held]").count() == 0
    # The address follows when the controls rest.
    studio.wait_for_url(lambda url: "set=ten+points" in url)


def test_points_are_added_moved_relabelled_and_removed(studio):
    after(studio, lambda: studio.select_option("#set", "seven points"))
    error = studio.text_content("[data-fact=error]")
    box = studio.locator("#picture-0").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 3
    studio.select_option("#tool", "add:0")
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


def test_points_are_edited_by_keyboard_alone(studio):
    after(studio, lambda: studio.select_option("#set", "seven points"))
    error = studio.text_content("[data-fact=error]")
    studio.select_option("#tool", "add:0")
    studio.focus("#picture-0")
    for _ in range(4):
        studio.keyboard.press("ArrowUp")
    studio.keyboard.press("Shift+ArrowLeft")
    after(studio, lambda: studio.keyboard.press("Enter"))
    assert studio.text_content("[data-fact=error]") != error
    assert studio.text_content("#round-shown") == "1 of 8"
    # Pick it up where it lies, and put it down elsewhere.
    studio.select_option("#tool", "move")
    studio.focus("#picture-0")
    studio.keyboard.press("Enter")
    for _ in range(5):
        studio.keyboard.press("ArrowDown")
    after(studio, lambda: studio.keyboard.press("Enter"))
    studio.select_option("#tool", "remove")
    studio.focus("#picture-0")
    after(studio, lambda: studio.keyboard.press("Enter"))
    assert studio.text_content("[data-fact=error]") == error
    kinds = [edit.split(",")[0] for edit in state(studio)["edits"][0].split(";")]
    assert kinds == ["add", "move", "remove"]


def test_every_setting_changes_the_picture(studio):
    changes = {"rounds": "5", "depth": "2", "n": "70", "noise": "0.2", "spread": "0.4"}
    seen = {studio.evaluate(PICTURE)}
    studio.click("#last")
    seen.add(studio.evaluate(PICTURE))
    for name, value in changes.items():

        def change(name: str = name, value: str = value) -> None:
            studio.fill(f"#{name}", value)
            studio.press(f"#{name}", "Tab")

        after(studio, change)
        assert studio.evaluate(PICTURE) not in seen, name
        seen.add(studio.evaluate(PICTURE))
    after(studio, lambda: studio.click("#fresh"))
    assert studio.evaluate(PICTURE) not in seen


def test_link_and_file_show_edited_points_alike(studio, browser, address, tmp_path):
    after(studio, lambda: studio.select_option("#set", "ten points"))
    studio.select_option("#tool", "relabel")
    box = studio.locator("#picture-0").bounding_box()
    place = nearest_point(studio)
    after(studio, lambda: studio.mouse.click(box["x"] + place[0], box["y"] + place[1]))
    studio.click("#last")
    with studio.expect_download() as saving:
        studio.click("#html")
    file = tmp_path / "page.html"
    saving.value.save_as(file)
    linked = opened(browser, f"{address}{rest(studio)}&token=the-token")
    linked.wait_for_selector("html[data-fits]")
    alone = opened(browser, file.as_uri())
    alone.wait_for_selector("html[data-ready]")
    for page in (linked, alone):
        assert page.evaluate(PICTURE) == studio.evaluate(PICTURE)
        page.close()
    assert studio.complaints == []


def test_numbers_and_their_variance(studio):
    after(studio, lambda: studio.select_option("#set", "wave"))
    assert "random forest" in studio.text_content("#method")
    assert studio.locator("#regions").is_hidden()
    after(studio, lambda: studio.select_option("#method", "bagging"))
    studio.click("#retrain")
    studio.wait_for_selector("[data-bias]")
    assert "Trained 20 times" in studio.text_content("[data-bias]")
    assert state(studio)["retrained"] == ["yes"]
    studio.select_option("#tool", "add:0")
    box = studio.locator("#picture-0").bounding_box()
    after(studio, lambda: studio.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40))
    assert studio.locator("[data-bias]").count() == 0
    assert studio.complaints == []


def test_link_restores_set_and_method(studio, browser, address):
    after(studio, lambda: studio.select_option("#method", "LPBoost"))
    studio.click("#last")
    state = rest(studio)
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
    before = fits(studio)
    studio.click("#explore-columns")
    studio.wait_for_selector(f"html[data-fits='{before + 1}']")
    assert studio.input_value("#set") == "open table"
    assert studio.locator("#n").is_hidden()
    assert state(studio)["table"] == ["t.csv"]
    assert "no" in studio.text_content(".legend")
    studio.click("#tab-workbench")
    studio.select_option("#axis-y", "a")
    studio.click("#explore-columns")
    studio.wait_for_selector("#trouble:visible")
    studio.click("#explore-projection")
    studio.wait_for_selector(f"html[data-fits='{before + 2}']")
    after(studio, lambda: studio.select_option("#set", "moons"))
    assert studio.locator("#n").is_visible()
    assert [text for text in studio.complaints if "404" not in text and "422" not in text] == []


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
    studio.fill("#row-number", "1")
    studio.click("#take-row")
    studio.wait_for_selector("#answer .card")
    assert studio.input_value("#row input") == "0"
    assert "prediction0" in studio.text_content("#answer")
    studio.fill("#row input", "18")
    studio.click("#ask-row")
    studio.wait_for_selector("#answer dt:text-is('probability 1')")
    words = studio.text_content("#cheapest")
    studio.fill("#cost-positive", "50")
    assert studio.text_content("#cheapest") != words
    studio.fill("#cost-negative", "50")
    frame = studio.frame_locator("#workbench iframe")
    assert frame.locator("h1").text_content()
    with studio.expect_download() as saving:
        studio.click("#save-model")
    assert saving.value.suggested_filename == "model.coterie"
    with studio.expect_download() as saving:
        studio.click("#save-report")
    assert saving.value.suggested_filename == "report.html"
    assert studio.complaints == []


def test_a_search_is_stopped(studio):
    studio.click("#tab-workbench")
    studio.fill("#table-path", "t.csv")
    studio.click("#open-table")
    studio.wait_for_selector("#begin-fit")
    studio.select_option("#target", "y")
    studio.fill("#metric", "accuracy")
    studio.fill("#seconds", "600")
    studio.click("#begin-fit")
    studio.wait_for_selector("#tried tbody tr", timeout=240_000)
    assert "s left" in studio.text_content("#run-state")
    studio.click("#stop-fit")
    studio.wait_for_selector("#run-state[data-state=finished]", timeout=240_000)
    assert "Stopped" in studio.text_content("#run-state")


def test_two_runs_are_compared(studio):
    studio.click("#tab-workbench")
    studio.click("#compare")
    studio.wait_for_selector("#runs")
    studio.select_option("#run-first", "two")
    studio.select_option("#run-second", "one")
    studio.click("#compare-two")
    studio.wait_for_selector("#two-runs")
    assert studio.locator("#two-runs thead th").all_text_contents() == ["", "two", "one"]
    assert studio.locator("#two-runs b").all_text_contents() == ["0.6"]
    # The better score of a candidate that both have tried.
    assert studio.locator("#two-boards b").all_text_contents() == ["0.4"]
    assert studio.locator("#beside svg circle").count() == 2
    assert studio.complaints == []


def test_a_file_is_dropped(studio):
    studio.click("#tab-workbench")
    drop = """() => { const data = new DataTransfer();
      data.items.add(new File(['a,b,y\\n1,2,u\\n3,4,v\\n'], 'x.csv'));
      const event = new DragEvent('drop', {dataTransfer: data});
      document.getElementById('drop').dispatchEvent(event); }"""
    studio.evaluate(drop)
    studio.wait_for_selector("h3:has-text('x.csv: 2 rows')")


def test_no_control_of_the_live_page_is_left_out(studio):
    """Those of the bar are all used by tests of this file."""
    used = {"set", "method", "against", "rounds", "depth", "n", "noise", "spread", "tool"}
    found = "[...document.querySelectorAll('#live button, #live input, #live select')]"
    assert set(studio.evaluate(f"{found}.map((one) => one.id)")) == used | {"fresh", "retrain"}

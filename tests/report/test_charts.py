from xml.etree import ElementTree

import pytest

from coterie.report import charts


def elements(picture, class_):
    root = ElementTree.fromstring(picture)
    return [one for one in root.iter() if class_ in (one.get("class") or "").split()]


def test_bars_are_as_long_as_their_values():
    rows = [{"name": "a", "value": 0.4}, {"name": "<b>", "value": 0.2}]
    first, second = elements(charts.bars(rows, "bars"), "bar")
    assert float(first.get("width")) == pytest.approx(2 * float(second.get("width")), abs=0.2)


def test_bars_of_negative_values_start_at_zero():
    rows = [{"name": "a", "value": 1.0}, {"name": "b", "value": -1.0}]
    first, second = elements(charts.bars(rows, "bars"), "bar")
    end = float(second.get("x")) + float(second.get("width"))
    assert end == pytest.approx(float(first.get("x")), abs=0.2)


def test_strips_share_a_scale_and_stay_inside():
    entry = {"score": 0.5, "low": 0.2, "high": 3.0, "chosen": True}
    picture = charts.strip(entry, 0.0, 1.0, 0.7)
    (line,) = elements(picture, "range")
    assert float(line.get("x2")) == 134
    assert len(elements(picture, "baseline")) == 1
    assert elements(charts.strip(entry, 0.0, 1.0, 1.5), "baseline") == []


def test_size_curve_has_a_dot_for_each_size(found):
    assert len(elements(charts.size_curve(found), "dot")) == len(found["size_curve"])


def test_pairs_have_dots_that_name_both(found):
    dots = elements(charts.diversity(found), "dot")
    assert len(dots) == 6
    names = found["diversity"]["names"]
    assert all(sum(name in dot.get("data-tip") for name in names.values()) == 2 for dot in dots)


def test_the_best_so_far_never_gets_worse(found):
    (line,) = elements(charts.search(found), "line")
    heights = [float(point.split(",")[1]) for point in line.get("points").split()]
    # Less is better for both metrics, and lower on the page is a larger number.
    assert heights == sorted(heights)


def test_without_a_history_there_is_no_picture(found):
    assert charts.search(found | {"history": []}) is None

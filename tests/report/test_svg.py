from xml.etree import ElementTree

import pytest

from coterie.report.svg import Markup, Plot, Scale, drawing, padded, percent, short, tag, ticks


def test_everything_but_markup_is_escaped():
    assert tag("text", "<b>", x=1.25, class_="a", data_tip='"<') == (
        '<text x="1.2" class="a" data-tip="&quot;&lt;">&lt;b&gt;</text>'
    )
    assert tag("g", tag("rect")) == "<g><rect/></g>"
    assert tag("g", Markup("<i/>")) == "<g><i/></g>"


def test_attributes_that_are_none_are_left_out():
    assert tag("rect", x=None, y=2) == '<rect y="2"/>'


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (3.0, 3.0, [3.0]),
        (-7.0, 12.0, [-5, 0, 5, 10]),
        (0.4912, 0.5049, [0.495, 0.5]),
    ],
)
def test_ticks_are_round_numbers_inside(low, high, marks):
    assert ticks(low, high) == pytest.approx(marks)


def test_scale_and_its_ends():
    scale = Scale(10, 20, 100, 0)
    assert [scale(10), scale(15), scale(20)] == [100, 50, 0]
    assert Scale(1, 1, 0, 10)(1) == 0


def test_padding_is_never_empty():
    low, high = padded([2.0, 2.0])
    assert low < 2 < high
    low, high = padded([0.0])
    assert low < 0 < high


def test_numbers_of_ticks():
    assert [short(v) for v in (0.25, -3, 12000, 2.5e6)] == ["0.25", "−3", "12k", "2.5M"]
    assert percent(0.125) == "12.5\u00a0%"


def test_a_picture_is_xml_with_a_label():
    plot = Plot((0, 1), (0, 1), ("x <", "y"))
    plot.axes()
    plot.line([(0, 0), (1, 1)], "line")
    plot.dot(0.5, 0.5, "dot", "tip & more")
    root = ElementTree.fromstring(plot.picture('what "it" shows'))
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'what "it" shows'
    assert ElementTree.fromstring(drawing("x", 10.0)).get("viewBox") == "0 0 440 10"

from xml.etree import ElementTree

import numpy as np
import pytest

from coterie.report import error_charts


def elements(picture, class_):
    root = ElementTree.fromstring(picture)
    return [one for one in root.iter() if class_ in (one.get("class") or "").split()]


def test_confusion_has_a_cell_for_each_pair_of_classes(multiclass_facts):
    picture = error_charts.confusion(multiclass_facts)
    assert len(elements(picture, "cell")) == 100
    assert len(elements(picture, "right")) == 10


def test_reliability_has_a_dot_for_each_bin(binary_facts):
    found = binary_facts
    dots = elements(error_charts.reliability(found), "dot")
    assert len(dots) == len(found["calibration"]["bins"])


def test_the_mark_of_coverage_stands_on_the_curve(binary_facts):
    picture = error_charts.coverage(binary_facts)
    (mark,), (line,) = elements(picture, "mark"), elements(picture, "line")
    last = line.get("points").split()[-1]
    assert last == f"{mark.get('cx')},{mark.get('cy')}"
    top, y0, y1 = (float(mark.get(f"data-{name}")) for name in ("top", "y0", "y1"))
    risk = binary_facts["coverage"]["risk"][0]
    assert y0 + risk / top * (y1 - y0) == pytest.approx(float(mark.get("cy")), abs=0.2)


def test_histogram_of_chances_has_both_classes(binary_facts):
    picture = error_charts.chances(binary_facts)
    assert len(elements(picture, "yes")) == len(elements(picture, "no")) == 20


def test_histogram_of_residuals_has_all_bars(regression_facts):
    found = regression_facts
    assert len(elements(error_charts.residuals(found), "bar")) == len(found["residuals"]["counts"])
    assert len(elements(error_charts.bands(found), "band")) == 10


def test_a_prediction_far_off_does_not_press_the_others_together(regression_facts):
    found = regression_facts
    points = [*found["residuals"]["points"], [-1e6, 100.0]]
    changed = found | {"residuals": found["residuals"] | {"points": points}}
    picture = error_charts.scatter(changed)
    assert len(elements(picture, "beyond")) == 1
    places = [float(dot.get("cx")) for dot in elements(picture, "faint")]
    assert np.ptp(places) > 150

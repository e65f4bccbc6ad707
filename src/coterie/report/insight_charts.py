"""Pictures of curves over thresholds, of what columns do, and of the learning curve."""

from __future__ import annotations

from typing import Any

from coterie.report.charts import shortened
from coterie.report.forms import number, share
from coterie.report.svg import (
    WIDTH,
    Markup,
    Plot,
    Scale,
    drawing,
    padded,
    percent,
    short,
    tag,
    ticks,
)

_QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]
_LEVELS = 5  # shades of a contribution, from the least to the greatest value of the column
_HUES = ("line", "line second", "line third")


def roc(facts: dict[str, Any]) -> Markup:
    """True and false positives of all thresholds."""
    plot = _unit_plot("share of false alarms (false positive rate)", "share found (recall)")
    plot.line([(0.0, 0.0), (1.0, 1.0)], "ideal")
    plot.line([tuple(point) for point in facts["curves"]["roc"]], "line")
    area = next((row["value"] for row in facts["measures"] if row["name"] == "roc_auc"), None)
    return plot.picture(f"ROC curve; the area under it is {number(area)}")


def precision_recall(facts: dict[str, Any]) -> Markup:
    """Precision and recall of all thresholds."""
    given = facts["curves"]
    plot = _unit_plot("share found (recall)", "share of these that are right (precision)")
    plot.line([(0.0, given["share"]), (1.0, given["share"])], "ideal")
    plot.line([tuple(point) for point in given["precision_recall"]], "line")
    return plot.picture(
        f"Precision by recall; average precision {number(given['average_precision'])}"
    )


def gain(facts: dict[str, Any]) -> Markup:
    """Share found by the share of rows that are looked at, the most probable first."""
    given = facts["curves"]
    plot = _unit_plot("share of rows looked at, most probable first", "share found")
    plot.line([(0.0, 0.0), (1.0, 1.0)], "ideal")
    plot.line([tuple(point) for point in given["gain"]], "line")
    top = given["top"]
    tip = f"{share(top['rows'])} of the rows contain {share(top['found'])}"
    plot.dot(top["rows"], top["found"], "mark", tip, 5.0)
    return plot.picture(f"Cumulative gain: {tip}")


def _unit_plot(across: str, up: str) -> Plot:
    plot = Plot((0.0, 1.0), (0.0, 1.02), (across, up), 330.0)
    plot.axes(_QUARTERS, _QUARTERS, (percent, percent))
    return plot


def effect(given: dict[str, Any], target: str) -> Markup:
    """How predictions change with one column."""
    what = given["outputs"][0]
    up = (
        f"probability of {shortened(what, 24)}"
        if what and len(given["mean"]) == 1
        else ("probability" if what else shortened(target, 24))
    )
    single = len(given["mean"]) == 1
    levels = [y for curve in [*given["mean"], *(given["rows"] if single else [])] for y in curve]
    numbers = not isinstance(given["values"][0], str)
    xs = [float(x) for x in (given["values"] if numbers else range(len(given["values"])))]
    low, high = padded(levels, 0.04)
    if what:
        low, high = max(low, 0.0), min(high, 1.0)
    reach = padded(xs, 0.03) if numbers else (-0.5, len(xs) - 0.5)
    plot = Plot(reach, (low, high), (shortened(given["column"], 50), up), 270.0)
    plot.axes(None if numbers else [], form=(short, percent if what else short))
    if single and numbers:
        for curve in given["rows"]:
            plot.line(list(zip(xs, curve, strict=True)), "thread")
    _mean_curves(plot, given, xs, numbers)
    return plot.picture(
        f"Mean prediction by {given['column']}, from {number(given['mean'][0][0])} to "
        f"{number(given['mean'][0][-1])}"
    )


def _mean_curves(plot: Plot, given: dict[str, Any], xs: list[float], numbers: bool) -> None:
    """Means over rows: lines for numbers, dots over the names of categories."""
    for k, (curve, name) in enumerate(zip(given["mean"], given["outputs"], strict=True)):
        if numbers:
            plot.line(list(zip(xs, curve, strict=True)), _HUES[k])
        if name and len(given["mean"]) > 1:
            place = {"x": plot.across.end - 100.0 * (len(given["mean"]) - 1 - k), "y": 13.0}
            plot.add("text", shortened(name, 14), **place, class_=f"note end hue{k}")
        for x, y, value in zip(xs, curve, given["values"], strict=True):
            said = value if isinstance(value, str) else number(value)
            tip = f"{said}: {number(y)}" + (f" ({name})" if name else "")
            if not numbers and len(given["mean"]) == 1:
                for row in given["rows"]:
                    plot.dot(x, row[int(x)], "dot faint tiny", None, 1.6)
            plot.dot(x, y, f"dot hue{k}", tip, 3.0 if numbers else 5.0)
    if not numbers:
        room = max(3, int(50 / len(xs)))
        for x, value in zip(xs, given["values"], strict=True):
            where = {"x": plot.across(x), "y": plot.up.start + 17}
            plot.add("text", shortened(str(value), room), **where, class_="tick middle")


def contributions(facts: dict[str, Any]) -> Markup:
    """What columns contribute to single predictions, coloured by the value of the column."""
    rows = facts["contributions"]
    reach = max(abs(v) for one in rows for v in one["values"]) * 1.05 or 1.0
    left, line, top = 150.0, 30.0, 10.0
    across = Scale(-reach, reach, left, WIDTH - 12)
    bottom = top + line * len(rows)
    form = percent if rows[0]["output"] else short
    parts = []
    for value in ticks(-reach, reach, 7):
        x = across(value)
        parts.append(tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"))
        parts.append(tag("text", form(value), x=x, y=bottom + 16, class_="tick middle"))
    parts.append(tag("line", x1=across(0.0), x2=across(0.0), y1=top, y2=bottom, class_="axis"))
    for place, one in enumerate(rows):
        y = top + line * (place + 0.5)
        name = shortened(one["column"], 22)
        parts.append(tag("text", name, x=left - 8, y=y + 4, class_="tick end"))
        parts += _swarm(one, across, y, line)
    label = (
        f"change of the probability of {rows[0]['output']}"
        if rows[0]["output"]
        else ("change of the prediction")
    )
    middle = (across.start + across.end) / 2
    parts.append(tag("text", shortened(label, 44), x=middle, y=bottom + 34, class_="label middle"))
    return drawing(f"Shapley values of {len(rows)} columns for single rows", bottom + 42, *parts)


def _swarm(one: dict[str, Any], across: Scale, y: float, line: float) -> list[Markup]:
    """Dots side by side; those that would touch are moved up and down."""
    stacked: dict[int, int] = {}
    dots = []
    for value, level in sorted(zip(one["values"], one["levels"], strict=True), key=_first):
        x = across(value)
        at = stacked[int(x // 5)] = stacked.get(int(x // 5), -1) + 1
        move = (at + 1) // 2 * (4.0 if at % 2 else -4.0)
        move = max(-line / 2 + 4, min(line / 2 - 4, move))
        shade = "plain" if level is None else f"shade{min(_LEVELS - 1, int(level * _LEVELS))}"
        dots.append(tag("circle", cx=x, cy=y + move, r=2.8, class_=f"swarm {shade}"))
    return dots


def _first(pair: tuple[float, Any]) -> float:
    return pair[0]


def learning_curve(facts: dict[str, Any]) -> Markup:
    """The score by the number of training rows."""
    given, metric = facts["learning_curve"], facts["metric"]["label"]
    points = list(zip([float(n) for n in given["n_rows"]], given["scores"], strict=True))
    plot = Plot((0.0, points[-1][0] * 1.05), padded([y for _, y in points]), ("rows", metric))
    plot.axes()
    plot.line(points, "line")
    for n, score in points:
        plot.dot(n, score, "dot", f"{n:,.0f} rows: {metric} {number(score)}")
    return plot.picture(
        f"{metric} of {given['member']}: {number(points[0][1])} with {points[0][0]:,.0f} training "
        f"rows, {number(points[-1][1])} with {points[-1][0]:,.0f}"
    )

"""Pictures of mistakes: calibration, confusion, thresholds, residuals."""

from __future__ import annotations

from typing import Any

from coterie.report.charts import shortened
from coterie.report.forms import number, share, value_of, whole
from coterie.report.svg import WIDTH, Markup, Plot, drawing, padded, percent, short, tag, ticks

_QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]


def reliability(facts: dict[str, Any]) -> Markup:
    """Reliability diagram, and below how many rows each bin has."""
    given = facts["calibration"]
    of = (
        f"probability of {given['of']}"
        if given["of"] is not None
        else "probability of the predicted class"
    )
    plot = Plot((0.0, 1.0), (0.0, 1.0), (shortened(of, 50), "observed frequency"), 330.0)
    most = max(bin_["share"] for bin_ in given["bins"])
    for bin_ in given["bins"]:
        height = 44 * bin_["share"] / most
        place = {"x": plot.across(bin_["mean"]) - 8, "y": plot.up.start - height}
        plot.add("rect", **place, width=16.0, height=height, class_="mass")
    plot.axes(_QUARTERS, _QUARTERS, (percent, percent))
    plot.line([(0, 0), (1, 1)], "ideal")
    plot.line([(bin_["mean"], bin_["frequency"]) for bin_ in given["bins"]], "line")
    for bin_ in given["bins"]:
        tip = (
            f"predicted {share(bin_['mean'])}, observed {share(bin_['frequency'])}; "
            f"{share(bin_['share'])} of the rows"
        )
        plot.dot(bin_["mean"], bin_["frequency"], "dot", tip, 3 + 6 * bin_["share"] ** 0.5)
    return plot.picture(
        f"Reliability: probabilities differ from frequencies by {share(given['error'])} on average"
    )


def confusion(facts: dict[str, Any]) -> Markup:
    """True classes down, predicted classes across; the darker, the larger the share of the row."""
    labels, counts = facts["confusion"]["labels"], facts["confusion"]["counts"]
    k, longest, top = len(labels), max(map(len, facts["confusion"]["labels"])), 22.0
    left = min(max(24 + 7.0 * min(longest, 14), 46.0), 120.0)
    size = min((WIDTH - left - 4) / k, 64.0)
    letters = max(1, round(left / 7.2) - 2)
    parts = [tag("text", "true", x=4.0, y=12.0, class_="label")]
    parts.append(tag("text", "predicted →", x=left, y=12.0, class_="label"))
    for row, label in enumerate(labels):
        y, total = top + size * row, sum(counts[row]) or 1
        name = shortened(label, letters)
        parts.append(tag("text", name, x=left - 7, y=y + size / 2 + 4, class_="tick end"))
        for column, count in enumerate(counts[row]):
            said = f"{label} → {labels[column]}: {count:,} rows, {share(count / total)} of true"
            place = (left + size * column, y, size)
            parts.append(_cell(count, count / total, place, row == column, said))
    below = _names_below(labels, left, top + size * k, size, letters)
    height = top + size * k + (20 if longest * 7 <= size else 12 + 6.4 * min(longest, letters))
    return drawing(_confusion_words(facts), height, *parts, *below, class_="matrix")


def _names_below(
    labels: list[str], left: float, y: float, size: float, letters: int
) -> list[Markup]:
    """Names of columns, slanted where they would touch."""
    places = [left + size * (column + 0.5) for column in range(len(labels))]
    if max(map(len, labels)) * 7 <= size:
        named = zip(labels, places, strict=True)
        return [tag("text", label, x=x, y=y + 14, class_="tick middle") for label, x in named]
    return [
        tag(
            "text",
            shortened(label, letters),
            x=x + 3,
            y=y + 10,
            transform=f"rotate(-60 {x:.1f} {y + 8:.1f})",
            class_="tick end",
        )
        for label, x in zip(labels, places, strict=True)
    ]


def _confusion_words(facts: dict[str, Any]) -> str:
    counts = facts["confusion"]["counts"]
    right, total = sum(row[i] for i, row in enumerate(counts)), sum(map(sum, counts))
    return f"Confusion matrix of {len(counts)} classes: {right:,} of {total:,} rows are right"


def _cell(
    count: int, part: float, place: tuple[float, float, float], right: bool, said: str
) -> Markup:
    """One cell, with its number if there is room for it."""
    x, y, size = place
    # Mistakes are few where much is right; their root tells more of them apart.
    level = 0 if not count else min(9, 1 + int(9 * (part if right else part**0.5)))
    kind, gap = "right" if right else "wrong", 1.0 if size > 24 else 0.0
    side = size - 2 * gap
    box = {"x": x + gap, "y": y + gap, "width": side, "height": side}
    inside = [tag("rect", **box, class_=f"cell {kind} level{level}")]
    if size > 24 and count:
        dark = " inverse" if right and part > 0.55 else ""
        where = {"x": x + size / 2, "y": y + size / 2 + 4}
        inside.append(tag("text", f"{count:,}", **where, class_=f"count middle{dark}"))
    return tag("g", *inside, data_tip=said)


def chances(facts: dict[str, Any]) -> Markup:
    """Histogram of the probability of the second class, for rows of each class."""
    labels, counts = facts["thresholds"]["labels"], facts["chances"]["counts"]
    n = len(counts[0])
    depth, top = (max(max(rows) * 1.15, 1.0) for rows in counts)
    plot = Plot(
        (0.0, 1.0), (-depth, top), (f"probability of {shortened(labels[1], 40)}", "rows"), 330.0
    )
    marks = [step for step in ticks(-depth, top, 6) if step == int(step)]
    plot.axes(_QUARTERS, marks, (percent, lambda value: short(abs(value))))
    for sign, kind, label, rows in (
        (1, "yes", labels[1], counts[1]),
        (-1, "no", labels[0], counts[0]),
    ):
        for place, count in enumerate(rows):
            x, y = plot.across(place / n), plot.up(max(sign * count, 0))
            width, height = plot.across(1 / n) - plot.across(0), abs(plot.up(count) - plot.up(0))
            tip = f"{whole(place / n)} to {whole((place + 1) / n)}: {count:,} rows that are {label}"
            box = {"x": x + 0.5, "y": y, "width": width - 1, "height": height}
            plot.add("rect", **box, class_=kind, data_tip=tip)
    plot.line([(0.0, 0.0), (1.0, 0.0)], "axis")
    right = {"x": plot.across.end - 2, "class_": "note end"}
    plot.add("text", f"is {shortened(labels[1], 30)} ↑", **right, y=plot.up.end + 4)
    plot.add("text", f"is {shortened(labels[0], 30)} ↓", **right, y=plot.up.start - 8)
    middle = plot.across(0.5)
    span = {"x1": middle, "x2": middle, "y1": plot.up.start, "y2": plot.up.end - 4}
    ends = {"data_x0": plot.across(0.0), "data_x1": plot.across(1.0), "id": "threshold-mark"}
    plot.add("line", **span, class_="rule ink", **ends)
    return plot.picture(
        f"Predicted probability of {labels[1]}, for {sum(counts[1]):,} rows that are {labels[1]} "
        f"and {sum(counts[0]):,} that are {labels[0]}"
    )


def coverage(facts: dict[str, Any]) -> Markup:
    """Share of errors among the rows that are answered, by the share answered."""
    given = facts["coverage"]
    points = [
        (cover, risk)
        for cover, risk in zip(given["coverage"], given["risk"], strict=True)
        if risk is not None
    ]
    top = max([risk for _, risk in points] + [0.01]) * 1.15
    names = ("share of rows predicted (coverage)", "error rate among them")
    plot = Plot((0.0, 1.0), (0.0, top), names)
    plot.axes(_QUARTERS, form=(percent, percent))
    plot.line(points[::-1], "line")
    x, y = points[0]
    ends: dict[str, Any] = {"data_x0": plot.across(0.0), "data_x1": plot.across(1.0)}
    ends |= {
        "data_y0": plot.up(0.0),
        "data_y1": plot.up(top),
        "data_top": repr(top),
        "id": "coverage-mark",
    }
    plot.add("circle", cx=plot.across(x), cy=plot.up(y), r=6.0, class_="mark", **ends)
    return plot.picture(
        f"The error rate falls from {share(y)} on all rows to {share(points[-1][1])} on the "
        f"{share(points[-1][0])} with the most confident predictions"
    )


def scatter(facts: dict[str, Any]) -> Markup:
    """Predicted and true numbers of some rows."""
    points = facts["residuals"]["points"]
    low, high = _main_part(points)
    plot = Plot((low, high), (low, high), ("predicted", "true"), 330.0)
    plot.axes()
    plot.line([(low, low), (high, high)], "ideal")
    for said, true in points:
        tip = f"predicted {number(said)}, true {number(true)}"
        inside = low <= said <= high and low <= true <= high
        place = (min(max(said, low), high), min(max(true, low), high))
        plot.dot(*place, "dot faint" if inside else "dot beyond", tip, 3.2)
    return plot.picture(
        f"True against predicted values for {len(points)} rows; on the diagonal they agree"
    )


def _main_part(points: list[list[float]]) -> tuple[float, float]:
    """Ends of the truth; predictions may be a quarter of that further off, others are beyond."""
    true = sorted(point[1] for point in points)
    room = 0.25 * (true[-1] - true[0]) or abs(true[0]) * 0.05 or 0.5
    said = sorted(point[0] for point in points)
    low, high = max(said[0], true[0] - room), min(said[-1], true[-1] + room)
    return padded([true[0], true[-1], low, high], 0.03)


def residuals(facts: dict[str, Any]) -> Markup:
    """Histogram of what predictions are off by."""
    given = facts["residuals"]
    edges, counts = given["edges"], given["counts"]
    total, top = sum(counts), max(counts) * 1.08
    plot = Plot((edges[0], edges[-1]), (0.0, top), ("truth minus prediction", "rows"), 330.0)
    plot.axes()
    for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
        x, y = plot.across(left), plot.up(count)
        box = {
            "x": x + 0.5,
            "y": y,
            "width": plot.across(right) - x - 1,
            "height": plot.up.start - y,
        }
        tip = f"{number(left)} to {number(right)}: {count:,} rows, {share(count / total)}"
        plot.add("rect", **box, class_="bar", data_tip=tip)
    plot.line([(0.0, 0.0), (0.0, top)], "ideal")
    return plot.picture(
        f"Histogram of residuals: half of them within ±{value_of(given['half_within'])}, nine in "
        f"ten within ±{value_of(given['nine_in_ten_within'])}"
    )


def bands(facts: dict[str, Any]) -> Markup:
    """Residuals along the predictions: median and middle four fifths of each tenth."""
    given = facts["residuals"]["bands"]
    spread = padded([band[end] for band in given for end in ("low", "high")])
    across = padded([band["at"] for band in given])
    plot = Plot(across, spread, ("predicted", "truth minus prediction"))
    plot.axes()
    plot.line([(across[0], 0.0), (across[1], 0.0)], "ideal")
    for band in given:
        tip = (
            f"around {number(band['at'])}: {number(band['low'])} to {number(band['high'])}, "
            f"median {number(band['middle'])}"
        )
        x = plot.across(band["at"])
        ends = {"x1": x, "x2": x, "y1": plot.up(band["low"]), "y2": plot.up(band["high"])}
        plot.add("line", **ends, class_="band", data_tip=tip)
        plot.dot(band["at"], band["middle"], "dot", tip, 3.5)
    return plot.picture("Residuals by predicted value, median and middle four fifths of each tenth")

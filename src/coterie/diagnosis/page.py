"""A diagnosis as a small piece of HTML: a table and pictures, all styles in place, no script."""

from __future__ import annotations

from typing import Any

from coterie.diagnosis.finding import Finding
from coterie.fusion.calibration_error import ReliabilityCurve
from coterie.report.plain import thinned
from coterie.report.svg import Markup, Scale, padded, short, tag
from coterie.theory import DissentProfile

# Seen on light and on dark pages; all else takes the colour of the text around it.
_BLUE, _RED, _GREEN, _GREY = "#2f7ed8", "#d8572f", "#2f9e5f", "#8a8a8a"
_COLOURS = {"+": _GREEN, "!": _RED, "?": _GREY}
_WIDTH, _HEIGHT = 300.0, 170.0
_POINTS = 150


def page(diagnosis: Any) -> Markup:
    """The whole account."""
    cell = "padding:2px 10px 2px 0;vertical-align:top;text-align:left;border:0"
    rows = [_row(finding, cell) for finding in diagnosis.findings]
    advice = [tag("li", text) for text in diagnosis.advice]
    parts: list[Any] = [
        tag("div", diagnosis.summary, style="font-weight:600;margin-bottom:4px"),
        tag(
            "table",
            tag("tbody", *rows),
            style="border-collapse:collapse;border:0;font-size:inherit",
        ),
    ]
    if advice:
        parts.append(tag("div", "What to try next", style="font-weight:600;margin-top:6px"))
        parts.append(tag("ol", *advice, style="margin:2px 0 6px 0;padding-left:22px"))
    else:
        parts.append(tag("div", diagnosis.ending, style="margin:6px 0"))
    pictures = _pictures(diagnosis)
    if pictures:
        parts.append(tag("div", *pictures))
    style = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4;max-width:960px"
    return tag("div", *parts, style=style)


def _row(finding: Finding, cell: str) -> Markup:
    sign = f"{cell};color:{_COLOURS[finding.mark]};font-weight:600;white-space:nowrap"
    return tag(
        "tr",
        tag("td", finding.question, style=f"{cell};white-space:nowrap"),
        tag("td", finding.verdict, style=sign),
        tag("td", finding.words, style=cell),
    )


def _pictures(diagnosis: Any) -> list[Markup]:
    """The error by size, and the dissent profile or the reliability."""
    found = []
    numbers = diagnosis["oversized?"].numbers
    if len(numbers.get("sizes", ())) > 1:
        found.append(_curve(numbers, diagnosis.unit))
    if diagnosis.profile is not None:
        found.append(_profile(diagnosis.profile))
    if diagnosis.reliability is not None:
        found.append(_reliability(diagnosis.reliability))
    return found


def _curve(numbers: dict[str, Any], unit: str) -> Markup:
    sizes, errors = numbers["sizes"], numbers["errors"]
    across = Scale(sizes[0], sizes[-1], 44, _WIDTH - 10)
    low, high = padded(list(errors))
    up = Scale(low, high, _HEIGHT - 34, 24)
    at = across(numbers["enough"])
    mark = _line([(at, 24.0), (at, _HEIGHT - 34)], _GREEN, stroke_dasharray="3 3")
    line = _line([(across(x), up(y)) for x, y in zip(sizes, errors, strict=True)], _BLUE)
    ends = {"x": (sizes[0], sizes[-1]), "y": (low, high)}
    label = f"Error by number of {unit}s; {numbers['enough']} would suffice"
    return _framed(label, ends, mark, line)


def _profile(profile: DissentProfile) -> Markup:
    """Share of members that fail, over the rows: first those on which the vote is wrong."""
    across, up = Scale(0, 1, 44, _WIDTH - 10), Scale(0, 1, _HEIGHT - 34, 24)
    ends = profile.shares.cumsum()
    lines = []
    for lost, colour in ((True, _RED), (False, _BLUE)):
        rows = (profile.lost == lost).nonzero()[0]
        kept = [int(rows[place]) for place in thinned(len(rows), _POINTS)]
        points = [
            (across(float(ends[i] - profile.shares[i])), up(float(profile.failing[i])))
            for i in kept
        ]
        if points:
            points.append((across(float(ends[kept[-1]])), points[-1][1]))
            lines.append(_line(points, colour))
    half = _line([(44.0, up(0.5)), (_WIDTH - 10, up(0.5))], _GREY, stroke_dasharray="3 3")
    label = "Share of members that fail, by row (red: the vote fails too)"
    return _framed(label, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, half, *lines)


def _reliability(curve: ReliabilityCurve) -> Markup:
    across, up = Scale(0, 1, 44, _WIDTH - 10), Scale(0, 1, _HEIGHT - 34, 24)
    ideal = _line([(44.0, up(0.0)), (_WIDTH - 10, up(1.0))], _GREY, stroke_dasharray="3 3")
    dots = [
        tag("circle", cx=across(float(x)), cy=up(float(y)), r=2.0 + 6.0 * float(m), fill=_BLUE)
        for x, y, m in zip(curve.mean, curve.frequency, curve.mass, strict=True)
    ]
    label = "Accuracy by confidence"
    return _framed(label, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, ideal, *dots)


def _framed(label: str, ends: dict[str, tuple[float, float]], *parts: Any) -> Markup:
    """A picture with a title, and numbers at the ends of its axes."""
    left, right, bottom = 44.0, _WIDTH - 10, _HEIGHT - 34
    text = {"font_size": "11", "fill": "currentColor"}
    (x_low, x_high), (y_low, y_high) = ends["x"], ends["y"]
    axes = _line([(left, 24.0), (left, bottom), (right, bottom)], "currentColor")
    return tag(
        "svg",
        tag("title", label),
        tag("text", label, x=4.0, y=14.0, **text),
        axes,
        tag("text", short(x_low), x=left, y=bottom + 14, **text),
        tag("text", short(x_high), x=right, y=bottom + 14, text_anchor="end", **text),
        tag("text", short(float(f"{y_low:.2g}")), x=left - 4, y=bottom, text_anchor="end", **text),
        tag("text", short(float(f"{y_high:.2g}")), x=left - 4, y=32.0, text_anchor="end", **text),
        *parts,
        viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}",
        width=f"{_WIDTH:.0f}",
        height=f"{_HEIGHT:.0f}",
        role="img",
        style="margin-right:16px",
    )


def _line(points: list[tuple[float, float]], colour: str, **attributes: Any) -> Markup:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return tag(
        "polyline", points=path, fill="none", stroke=colour, stroke_width="1.5", **attributes
    )

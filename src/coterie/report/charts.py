"""Pictures of facts."""

from __future__ import annotations

from typing import Any

from coterie.report.forms import number
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

_GUTTER = 172.0


def bars(rows: list[dict[str, Any]], label: str, form: Any = number) -> Markup:
    """Horizontal bars with names on the left: rows of ``name``, ``value`` and maybe ``std``."""
    reach = [(row["value"] or 0.0) + (row.get("std") or 0.0) for row in rows]
    least = min([0.0, *((row["value"] or 0.0) - (row.get("std") or 0.0) for row in rows)])
    scale = Scale(least, max([*reach, least + 1e-12]), _GUTTER, WIDTH - 58)
    parts: list[Any] = []
    for place, row in enumerate(rows):
        y, value, std = 4 + 24.0 * place, row["value"] or 0.0, row.get("std") or 0.0
        start, end = sorted((scale(0.0), scale(value)))
        tip = f"{row['name']}: {form(value)}" + (f" ± {form(std)}" if std else "")
        inside = [
            tag("rect", x=0.0, y=y, width=WIDTH, height=24.0, class_="touch"),
            tag("text", shortened(row["name"]), x=_GUTTER - 8, y=y + 16, class_="name end"),
            tag("rect", x=start, y=y + 5, width=max(end - start, 1.0), height=14.0, class_="bar"),
        ]
        if std:
            ends = {"x1": scale(value - std), "x2": scale(value + std)}
            inside.append(tag("line", **ends, y1=y + 12, y2=y + 12, class_="whisker"))
        after = max(end, scale(value + std)) + 6
        inside.append(tag("text", form(value), x=after, y=y + 16, class_="tick"))
        parts.append(tag("g", *inside, data_tip=tip))
    return drawing(label, 8 + 24.0 * len(rows), *parts)


def shortened(name: str, longest: int = 23) -> str:
    """A name that fits beside a picture."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def strip(entry: dict[str, Any], low: float, high: float, baseline: float | None) -> Markup:
    """Score and interval of one line of the leaderboard, on a scale all lines share."""
    scale = Scale(low, high, 6.0, 134.0)
    parts = [tag("line", x1=0.0, x2=140.0, y1=11.0, y2=11.0, class_="grid")]
    if baseline is not None and low <= baseline <= high:
        at = scale(baseline)
        parts.append(tag("line", x1=at, x2=at, y1=3.0, y2=19.0, class_="baseline"))
    kind = "chosen" if entry["chosen"] else "other"
    if entry["low"] is not None and entry["high"] is not None:
        ends = {"x1": scale(max(entry["low"], low)), "x2": scale(min(entry["high"], high))}
        parts.append(tag("line", **ends, y1=11.0, y2=11.0, class_=f"range {kind}"))
    if entry["score"] is not None:
        parts.append(tag("circle", cx=scale(entry["score"]), cy=11.0, r=4.0, class_=f"dot {kind}"))
    words = f"{number(entry['score'])}, between {number(entry['low'])} and {number(entry['high'])}"
    return drawing(words, 22.0, *parts, class_="strip", width=140.0)


def size_curve(facts: dict[str, Any]) -> Markup:
    """The score as members were added."""
    points = [(float(n), score) for n, score in facts["size_curve"] if score is not None]
    metric = facts["metric"]["label"]
    last = points[-1][0]
    steps = [step for step in ticks(1, last, 8) if step == int(step) and step >= 1]
    plot = Plot((0.5, last + 0.5), padded([y for _, y in points]), ("members", metric))
    plot.axes(xs=sorted({1.0, *steps}) if last > 1 else [1.0])
    plot.line(points, "line")
    for n, score in points:
        plot.dot(n, score, "dot", f"{n:.0f} members: {metric} {number(score)}")
    return plot.picture(
        f"{metric} by number of members: {number(points[0][1])} with {points[0][0]:.0f}, "
        f"{number(points[-1][1])} with {last:.0f}"
    )


def search(facts: dict[str, Any]) -> Markup | None:
    """Scores of the candidates in the order of their trial, and the best so far."""
    tried = [step for step in facts["history"] if step.get("score") is not None]
    if not tried:
        return None
    metric, pick = facts["metric"]["label"], _better(facts)
    best: list[float] = []
    for step in tried:
        best.append(step["score"] if not best else pick(best[-1], step["score"]))
    times = [step.get("elapsed") for step in tried]
    timed = all(time is not None for time in times)
    xs = [float(time) for time in times] if timed else [float(n + 1) for n in range(len(tried))]
    # One hopeless candidate must not press all the others onto a line.
    ordered = sorted(
        (step["score"] for step in tried), reverse=facts["metric"]["greater_is_better"]
    )
    near = ordered[: max(3, round(0.9 * len(ordered)))]
    low, high = padded([*near, *best])
    names = ("seconds" if timed else "candidates", metric)
    plot = Plot((0.0, max(xs) * 1.03), (low, high), names)
    plot.axes()
    stairs = [(xs[0], best[0])]
    for x, y in zip(xs[1:], best[1:], strict=True):
        stairs += [(x, stairs[-1][1]), (x, y)]
    plot.line([*stairs, (max(xs) * 1.03, best[-1])], "line")
    for x, step in zip(xs, tried, strict=True):
        tip = f"{step.get('name', '')}: {number(step['score'])}"
        plot.dot(x, min(max(step["score"], low), high), "dot pale", tip)
    return plot.picture(
        f"{len(tried)} candidates; the best {metric} so far went from {number(best[0])} to "
        f"{number(best[-1])}"
    )


def _better(facts: dict[str, Any]) -> Any:
    return max if facts["metric"]["greater_is_better"] else min


def diversity(facts: dict[str, Any]) -> Markup:
    """Agreement and mean error of pairs of members."""
    given = facts["diversity"]
    kappa = given["kind"] == "kappa"
    pairs, own = given["pairs"], given["ensemble_error"]
    errors = [pair[3] for pair in pairs] + [own]
    form: Any = percent if kappa else short
    names = ("agreement κ of the pair", "mean error of the pair")
    if not kappa:
        names = ("correlation of the pair's errors", "mean RMSE of the pair")
    low, high = padded([pair[2] for pair in pairs], 0.12)
    plot = Plot((low, min(high, 1.02)), padded(errors, 0.12), names)
    plot.axes(form=(short, form))
    plot.line([(plot.x[0], own), (plot.x[1], own)], "rule")
    plot.add(
        "text", "the ensemble", x=plot.across.end, y=plot.up(own) + 14, class_="note accent end"
    )
    for i, j, agreement, error in pairs:
        said = f"{given['names'][str(i)]} and {given['names'][str(j)]}: "
        what = f"κ {number(agreement)}" if kappa else f"correlation {number(agreement)}"
        plot.dot(agreement, error, "dot", f"{said}{what}, error {form(error)}", 4.5)
    return plot.picture(
        f"{len(pairs)} pairs of members by agreement and mean error; mean agreement "
        f"{number(given['mean_agreement'])}, error of the ensemble {form(own)}"
    )

"""Sentences of the report, for readers who were not involved in the fit."""

from __future__ import annotations

from typing import Any

from coterie.data.errors import counted
from coterie.report.forms import interval, measure, number, share, whole
from coterie.report.reader_warnings import UNCALIBRATED, beats_baseline, warnings

_WAYS = {
    "ensemble selection": "Members were added one at a time, each time the one that helped most; "
    "the weight is how often a member was added.",
    "weighted mean": "The prediction is a weighted mean of the members' predictions, with the "
    "weights that gave the smallest error on held-out rows.",
    "stacking": "A second-level model, trained on the members' out-of-fold predictions, "
    "combines them.",
}


def summary(facts: dict[str, Any]) -> list[dict[str, str]]:
    """What was predicted, how well, how reliably, and warnings: titles and sentences."""
    return [
        {"title": "What it predicts", "text": _what(facts)},
        {"title": "How well it predicts", "text": _how_well(facts)},
        {"title": "How reliable it is", "text": _how_sure(facts)},
        {"title": "The model", "text": _made_of(facts)},
        {"title": "Warnings", "text": _beware(facts)},
    ]


def _what(facts: dict[str, Any]) -> str:
    columns, rows = counted(facts["n_columns"], "column"), counted(facts["rows"], "row")
    learned = f"from {columns}. The model was trained on {rows}."
    if facts["task"] == "regression":
        low, high = facts["residuals"]["range"]
        return f"{facts['target']}, a number between {number(low)} and {number(high)}, {learned}"
    named = [f"“{one['label']}” ({whole(one['share'])})" for one in facts["classes"][:3]]
    if facts["n_classes"] == 2:
        return f"Whether {facts['target']} is {' or '.join(named)}, {learned}"
    more = facts["n_classes"] - len(named)
    listed = ", ".join(named) + (f" and {more} more" if more else "")
    return f"{facts['target']}, one of {facts['n_classes']} classes ({listed}), {learned}"


def _row(facts: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in facts["measures"] if row["name"] == name)


def _how_well(facts: dict[str, Any]) -> str:
    same = facts["baseline"]["value"]
    if facts["task"] == "regression":
        row = _row(facts, "mae")
        said = (
            f"On held-out rows its predictions are off by {number(row['value'])} on average "
            f"(95 % interval {interval(row, row['low'], row['high'])}). Always predicting "
            f"the mean, {number(same)}, would be off by {number(row['baseline'])}."
        )
        explained = next((one for one in facts["measures"] if one["name"] == "r2"), None)
        if explained:
            said += f" It explains {share(max(explained['value'], 0.0))} of the variance."
    else:
        row = _row(facts, "accuracy")
        said = (
            f"On held-out rows it is right in {measure(row, row['value'])} of all cases "
            f"(95 % interval {interval(row, row['low'], row['high'])}). Always predicting “{same}” "
            f"would be right in {measure(row, facts['baseline']['share'])}."
        )
    return f"{said} {_by_metric(facts)}"


def _by_metric(facts: dict[str, Any]) -> str:
    """The metric by which it was chosen, and whether the baseline is beaten."""
    metric, score = facts["metric"], facts["score"]
    better = "higher" if metric["greater_is_better"] else "lower"
    said = (
        f"By the metric used to choose it, {metric['label']} ({better} is better), it scores "
        f"{measure(metric, score['score'])} "
        f"({interval(metric, score['low'], score['high'])})"
    )
    baseline = facts["baseline"]["score"]
    if baseline is None:
        return said + "."
    said += f"; the baseline scores {measure(metric, baseline)}"
    return said + ("." if beats_baseline(facts) else ", which is not significantly worse.")


def _how_sure(facts: dict[str, Any]) -> str:
    if facts["task"] == "regression":
        rest = facts["residuals"]
        return (
            f"Half of its predictions are within ±{number(rest['half_within'])} of the truth, nine "
            f"in ten within ±{number(rest['nine_in_ten_within'])}. The largest error is "
            f"{number(rest['largest'])}."
        )
    given = facts["calibration"]
    off = f"on average they differ from observed frequencies by {100 * given['error']:.1f} points"
    if given["error"] <= UNCALIBRATED:
        said = f"Its probabilities are well calibrated: {off}."
    else:
        kind = "over" if given["too_sure"] > 0 else "under"
        said = f"Its probabilities are {kind}-confident: {off}."
    cover, risk = _surest_half(facts["coverage"])
    if risk is None:
        return said
    most = f"Of the {whole(cover)} of rows with the most confident predictions"
    return f"{said} {most}, {share(risk)} are wrong."


def _surest_half(given: dict[str, Any]) -> tuple[float, float | None]:
    """The smallest coverage of at least a half, and the error rate there."""
    steps = [
        (cover, risk)
        for cover, risk in zip(given["coverage"], given["risk"], strict=True)
        if cover >= 0.5
    ]
    return min(steps, key=lambda step: step[0]) if steps else (0.0, None)


def _made_of(facts: dict[str, Any]) -> str:
    members = facts["members"]
    if len(members) == 1:
        return f"A single model, “{members[0]['name']}”: {why_alone(facts)}."
    first = members[0]
    families = {member["family"] for member in members}
    of = f" from {len(families)} families" if len(families) > 1 else ""
    weight = first["weight"] / (sum(member["weight"] for member in members) or 1)
    return (
        f"{counted(facts['n_members'], 'member')}{of}, combined by {facts['final_name']}; "
        f"“{first['name']}” has the largest weight ({whole(weight)})."
    )


def why_alone(facts: dict[str, Any]) -> str:
    """Why the model has a single member: the end of a sentence."""
    entries = facts["leaderboard"]
    number = sum(entry["kind"] == "member" for entry in entries)
    if number == 1 and not facts["left_out"]:
        return "no other candidate was fitted"
    if any(
        entry["kind"] == "ensemble" and entry["name"].startswith(tuple(_WAYS)) for entry in entries
    ):
        return "no combination of candidates was better on held-out rows"
    return "candidates were not combined"


def way(facts: dict[str, Any]) -> str:
    """How the members are combined, in plain words."""
    name = facts["final_name"]
    known = next((said for start, said in _WAYS.items() if name.startswith(start)), "")
    if name.endswith(", calibrated"):
        known += " Its probabilities are then calibrated on held-out rows."
    return known.strip()


def _beware(facts: dict[str, Any]) -> str:
    serious = [one for one in warnings(facts) if one["level"] in ("danger", "warning")]
    if not serious:
        return "No problems were found in the table or in the predictions."
    first = serious[0]["message"].rstrip()
    others = len(serious) - 1
    more = f" {counted(others, 'more warning')} below." if others else ""
    return first + ("" if first.endswith((".", "!", "?")) else ".") + more


def more_rows(facts: dict[str, Any]) -> str:
    """Whether more rows would help, as far as the learning curve tells; empty without one."""
    given = facts.get("learning_curve")
    if not given:
        return ""
    metric = facts["metric"]
    before, after = (measure(metric, score) for score in given["scores"][-2:])
    rows = f"from {given['n_rows'][-2]:,} to {given['n_rows'][-1]:,} training rows"
    said = f"{metric['label']} went from {before} to {after} {rows}."
    said = said[:1].upper() + said[1:]
    gain, error = given["gain"], given["error"]
    if gain is None or error is None:
        return said
    if gain > 2 * error:
        return f"{said} This is more than chance explains, so more rows would probably help."
    if gain < -2 * error:
        return (
            f"{said} More rows made it worse here, which is unusual: check whether the rows "
            "changed "
            "over time."
        )
    if gain > error:
        return f"{said} This may be due to chance, but more rows may well help."
    return f"{said} This may be due to chance, so it is unclear whether more rows would help."

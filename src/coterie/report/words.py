"""Sentences of the report, for a reader who was not there."""

from __future__ import annotations

from typing import Any

from coterie.report.beware import UNCALIBRATED, beats_baseline, warnings
from coterie.report.forms import interval, measure, number, several, share, whole

_WAYS = {
    "best single": "The best candidate alone: no combination was better by more than chance.",
    "ensemble selection": "Members were added one at a time, each time the one that helped most; "
    "the weight is how often a member was taken.",
    "weighted mean": "The answer is a weighted mean of what the members say, with the weights that "
    "made the smallest error on rows that were not seen.",
    "stacking": "How much each member is to be trusted was learned from what all of them said "
    "about rows they had not seen.",
}


def summary(facts: dict[str, Any]) -> list[dict[str, str]]:
    """What was predicted, how well, how sure and what to beware of: titles and sentences."""
    return [
        {"title": "What it predicts", "text": _what(facts)},
        {"title": "How well", "text": _how_well(facts)},
        {"title": "How sure", "text": _how_sure(facts)},
        {"title": "What it is made of", "text": _made_of(facts)},
        {"title": "What to beware of", "text": _beware(facts)},
    ]


def _what(facts: dict[str, Any]) -> str:
    columns, rows = several(facts["n_columns"], "column"), several(facts["rows"], "row")
    learned = f"from {columns}. It was learned from {rows}."
    if facts["task"] == "regression":
        low, high = facts["residuals"]["range"]
        return (
            f"The number {facts['target']}, which lies between {number(low)} and {number(high)}, "
            f"{learned}"
        )
    named = [f"“{one['label']}” ({whole(one['share'])})" for one in facts["classes"][:3]]
    if facts["n_classes"] == 2:
        return f"Whether {facts['target']} is {' or '.join(named)}, {learned}"
    more = facts["n_classes"] - len(named)
    listed = ", ".join(named) + (f" and {more} more" if more else "")
    return f"Which of {facts['n_classes']} {facts['target']} is: {listed}; {learned}"


def _row(facts: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in facts["measures"] if row["name"] == name)


def _how_well(facts: dict[str, Any]) -> str:
    same = facts["baseline"]["value"]
    if facts["task"] == "regression":
        row = _row(facts, "mae")
        said = (
            f"On rows it had not seen, its predictions are off by {number(row['value'])} on "
            f"average (95 % interval {interval(row, row['low'], row['high'])}). Always predicting "
            f"the mean, {number(same)}, would be off by {number(row['baseline'])}."
        )
        explained = next((one for one in facts["measures"] if one["name"] == "r2"), None)
        if explained:
            said += f" It explains {share(max(explained['value'], 0.0))} of the variance."
    else:
        row = _row(facts, "accuracy")
        said = (
            f"On rows it had not seen, it is right in {measure(row, row['value'])} of all cases "
            f"(95 % interval {interval(row, row['low'], row['high'])}). Always answering “{same}” "
            f"would be right in {measure(row, facts['baseline']['share'])}."
        )
    return f"{said} {_by_metric(facts)}"


def _by_metric(facts: dict[str, Any]) -> str:
    """The measure by which it was chosen, and whether the baseline is beaten."""
    metric, score = facts["metric"], facts["score"]
    better = "more" if metric["greater_is_better"] else "less"
    said = (
        f"By the measure it was chosen for, {metric['label']} ({better} is better), it reaches "
        f"{measure(metric, score['score'])} "
        f"({interval(metric, score['low'], score['high'])})"
    )
    baseline = facts["baseline"]["score"]
    if baseline is None:
        return said + "."
    said += f" against {measure(metric, baseline)} without a model"
    return said + ("." if beats_baseline(facts) else ": no difference that could not be chance.")


def _how_sure(facts: dict[str, Any]) -> str:
    if facts["task"] == "regression":
        rest = facts["residuals"]
        return (
            f"Half of its predictions are within ±{number(rest['half_within'])} of the truth, nine "
            f"of ten within ±{number(rest['nine_in_ten_within'])}. The largest error seen is "
            f"{number(rest['largest'])}."
        )
    given = facts["calibration"]
    off = f"on average they are {100 * given['error']:.1f} points away from what came true"
    if given["error"] <= UNCALIBRATED:
        said = f"Its probabilities can be taken at their word: {off}."
    else:
        sure = given["too_sure"] > 0
        said = f"Its probabilities are too {'sure' if sure else 'cautious'}: {off}."
    cover, risk = _surest_half(facts["coverage"])
    if risk is None:
        return said
    return f"{said} Of the {whole(cover)} of rows it is surest of, {share(risk)} are wrong."


def _surest_half(given: dict[str, Any]) -> tuple[float, float | None]:
    """The least share of rows answered that is still a half, and the errors among them."""
    steps = [
        (cover, risk)
        for cover, risk in zip(given["coverage"], given["risk"], strict=True)
        if cover >= 0.5
    ]
    return min(steps, key=lambda step: step[0]) if steps else (0.0, None)


def _made_of(facts: dict[str, Any]) -> str:
    members = facts["members"]
    if len(members) == 1:
        return f"A single model, “{members[0]['name']}”: no combination was better."
    first = members[0]
    families = {member["family"] for member in members}
    of = f" from {len(families)} families" if len(families) > 1 else ""
    weight = first["weight"] / (sum(member["weight"] for member in members) or 1)
    return (
        f"{several(facts['n_members'], 'member')}{of}, combined by {facts['final_name']}; "
        f"“{first['name']}” weighs most ({whole(weight)})."
    )


def way(facts: dict[str, Any]) -> str:
    """How the members are combined, in plain words."""
    name = facts["final_name"]
    known = next((said for start, said in _WAYS.items() if name.startswith(start)), "")
    if name.endswith(", calibrated"):
        known += (
            " In the end its probabilities are made more or less sure, as they turned out right."
        )
    return known.strip()


def _beware(facts: dict[str, Any]) -> str:
    serious = [one for one in warnings(facts) if one["level"] in ("danger", "warning")]
    if not serious:
        return "Nothing suspicious was found in the table or in the predictions."
    first = serious[0]["message"].rstrip()
    others = len(serious) - 1
    more = f" {several(others, 'more warning')} below." if others else ""
    return first + ("" if first.endswith((".", "!", "?")) else ".") + more

"""What the HTML page and the Markdown text both show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coterie.data.errors import counted
from coterie.report import forms
from coterie.report.reader_warnings import warnings
from coterie.report.words import more_rows, summary, way, why_alone

_TASKS = {
    "binary": "Classification, two classes",
    "multiclass": "Classification",
    "regression": "Regression",
}
_LEVELS = {"danger": "danger", "warning": "warning", "info": "note"}
_GLOSSARY = (
    (
        "95 % interval",
        "A confidence interval: it contains the true value in about 95 of 100 samples of the "
        "same kind. It does not account for changes over time.",
    ),
    (
        "held-out rows",
        "The table is split into folds; each fold is predicted by models fitted to the "
        "others. Every row is predicted by models that were not trained on it.",
    ),
    ("member", "One of the models whose predictions are combined."),
    ("calibrated", "Probabilities that match the observed frequencies."),
    (
        "κ, kappa",
        "Agreement of two members beyond chance: 1 is perfect agreement, 0 is chance.",
    ),
    ("importance", "How much worse the predictions become when a column is shuffled."),
    ("fingerprint", "A checksum of the table's content: the same table has the same fingerprint."),
)


def shown(facts: dict[str, Any]) -> dict[str, Any]:
    """What both show: facts, sentences, and functions that format numbers."""
    written = ("number", "share", "whole", "seconds", "measure", "interval", "value_of")
    return {
        **{name: getattr(forms, name) for name in written},
        "counted": counted,
        "f": facts,
        "kind": _kind(facts),
        "tiles": tiles(facts),
        "summary": summary(facts),
        "warnings": warnings(facts),
        "levels": _LEVELS,
        "worth": worth(facts),
        "way": way(facts),
        "why_alone": why_alone(facts),
        "usage": usage(facts),
        "made": made(facts),
        "more_rows": more_rows(facts),
        "glossary": _GLOSSARY,
        "upper": lambda text: text[:1].upper() + text[1:],
    }


def _kind(facts: dict[str, Any]) -> str:
    kind = _TASKS.get(facts["task"], facts["task"])
    return f"{kind}, {facts['n_classes']} classes" if facts["task"] == "multiclass" else kind


def tiles(facts: dict[str, Any]) -> list[dict[str, str]]:
    """The few figures at the top."""
    first = "mae" if facts["task"] == "regression" else "accuracy"
    metric = facts["metric"]["name"]
    rest = [metric, "r2", "rmse", "roc_auc", "log_loss"]
    second = next(name for name in rest if name != first)
    rows = {row["name"]: row for row in facts["measures"]}
    called = {"accuracy": "accuracy", "mae": "mean absolute error"}
    found = []
    for name in (first, second):
        row = rows.get(name) or {**facts["metric"], **facts["score"]}
        value = row.get("value", row.get("score"))
        between = forms.interval(row, row["low"], row["high"])
        less = (
            "" if facts["metric"]["greater_is_better"] or name != metric else " (lower is better)"
        )
        what = called.get(name, row["label"]) + less
        found.append({"what": what, "value": forms.measure(row, value), "more": between})
    without = rows.get(first, {}).get("baseline")
    if first == "accuracy":
        without = facts["baseline"]["share"]
    same = "always the mean" if first == "mae" else f"always “{facts['baseline']['value']}”"
    families = len({member["family"] for member in facts["members"]})
    form = forms.measure(rows.get(first, {}), without)
    found.append({"what": "baseline", "value": form, "more": same})
    of = counted(families, "family", "families")
    found.append({"what": "members", "value": str(facts["n_members"]), "more": f"from {of}"})
    return found


def worth(facts: dict[str, Any]) -> Callable[[dict[str, Any]], str]:
    """What a member adds, in words."""
    metric, together = facts["metric"], facts["together"]
    sign = 1 if metric["greater_is_better"] else -1

    def said(member: dict[str, Any]) -> str:
        if member["without"] is None or together is None:
            return "–"
        gain = sign * (together - member["without"])
        if abs(gain) < 1e-3 * abs(together):
            return "makes hardly any difference"
        return f"{'improves' if gain > 0 else 'worsens'} it by {forms.number(abs(gain), 2)}"

    return said


def usage(facts: dict[str, Any]) -> dict[str, str]:
    """Code that uses the model."""
    chances = "" if facts["task"] == "regression" else "model.predict_proba(new_rows)\n"
    python = (
        "import coterie, pandas\n\n"
        'model = coterie.load("model.coterie")\n'
        'new_rows = pandas.read_csv("new.csv")\n'
        f"model.predict(new_rows)\n{chances}"
    )
    return {
        "python": python,
        "shell": "coterie predict model.coterie new.csv \\\n  --out predictions.csv\n",
    }


def made(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """How the model was made, one line per fact."""
    found = []
    for name, value in facts["made"].items():
        title = name.replace("_", " ")
        if isinstance(value, dict):
            text = ", ".join(f"{key} {forms.value_of(item)}" for key, item in value.items())
            found.append((title, text or "–"))
        elif name == "seconds":
            found.append(("time taken", forms.seconds(value)))
        elif name == "date":
            found.append((title, forms.moment(str(value))))
        else:
            found.append((title, forms.value_of(value)))
    return found

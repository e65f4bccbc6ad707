"""Facts as one self-contained page of HTML."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from coterie.report import charts, error_charts, forms, insight_charts
from coterie.report.content import shown
from coterie.report.svg import Markup, padded


def html(facts: dict[str, Any]) -> str:
    """Render facts as one self-contained page.

    The page loads nothing: it contains its styles, a little script and all plots, and its content
    security policy forbids the rest. It adapts to phones, dark mode and print.

    Parameters
    ----------
    facts : dict
        What `facts` returned, or the same read from JSON.

    Returns
    -------
    str

    Examples
    --------
    >>> from pathlib import Path
    >>> from coterie.report import html
    >>> def keep(facts, path="report.html"):
    ...     return Path(path).write_text(html(facts), encoding="utf-8")
    """
    template = environment(autoescape=True).get_template("page.html.j2")
    style, script = (Markup(source(name)) for name in ("style.css", "script.js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    context = {"policy": policy, "style": style, "script": script, "sections": _sections(facts)}
    return str(template.render(**context, **shown(facts), **_pictures(facts), **_tools(facts)))


def environment(autoescape: bool) -> Any:
    """Jinja with the templates of the package, or an error that says how to get it."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(
            "Reports need Jinja2, which is not installed: pip install 'coterie[report]'"
        ) from error
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(source),
        autoescape=autoescape,
        undefined=jinja2.ChainableUndefined,
        keep_trailing_newline=True,
    )


def source(name: str) -> str:
    """Text of a template."""
    return files("coterie.report").joinpath("templates", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _sections(facts: dict[str, Any]) -> list[tuple[str, str]]:
    titles = {
        "summary": "Summary",
        "warnings": "Warnings",
        "scores": "Scores",
        "leaderboard": "Leaderboard",
        "members": "Members",
        "diversity": "Diversity" if _has_pairs(facts) else None,
        "calibration": "Calibration" if facts["task"] != "regression" else None,
        "errors": "Errors",
        "columns": "Columns",
        "groups": "Groups" if facts.get("groups") else None,
        "more": "More rows?" if facts.get("learning_curve") else None,
        "use": "Usage",
        "made": "Details",
    }
    return [(anchor, title) for anchor, title in titles.items() if title]


def _has_pairs(facts: dict[str, Any]) -> bool:
    return bool(facts["diversity"] and facts["diversity"]["pairs"])


def _pictures(facts: dict[str, Any]) -> dict[str, Any]:
    scores = [entry[end] for entry in facts["leaderboard"] for end in ("score", "low", "high")]
    low, high = _reach(facts, [score for score in scores if score is not None])
    baseline = facts["baseline"]["score"]
    weights = [{"name": one["name"], "value": one["weight"]} for one in facts["members"]]
    columns = [
        {"name": one["name"], "value": one["mean"], "std": one["std"]}
        for one in facts["importances"]
    ]
    found = {
        "strip": lambda entry: charts.strip(entry, low, high, baseline),
        "baseline_shown": baseline is not None and low <= baseline <= high,
        "weights": charts.bars(weights, f"Weights of {len(weights)} members", _weight),
        "size_curve": charts.size_curve(facts) if len(facts["size_curve"]) > 1 else None,
        "diversity": charts.diversity(facts) if _has_pairs(facts) else None,
        "importances": charts.bars(columns, "Importance of the columns") if columns else None,
        "n_importances": len(columns) + facts["importances_left_out"],
        "search": charts.search(facts),
    }
    kinds = ("scatter", "residuals", "bands")
    if facts["task"] != "regression":
        picture = "chances" if "chances" in facts else "confusion"
        kinds = ("reliability", "coverage", picture)
    found |= {kind: getattr(error_charts, kind)(facts) for kind in kinds}
    return found | _insights(facts)


def _insights(facts: dict[str, Any]) -> dict[str, Any]:
    """Pictures that older facts may lack."""
    found: dict[str, Any] = {
        "effects": [insight_charts.effect(one, facts["target"]) for one in facts.get("effects", ())]
    }
    if facts.get("curves"):
        kinds = ("roc", "precision_recall", "gain")
        found |= {kind: getattr(insight_charts, kind)(facts) for kind in kinds}
    for kind in ("contributions", "learning_curve"):
        if facts.get(kind):
            found[kind] = getattr(insight_charts, kind)(facts)
    return found


def _weight(value: float) -> str:
    return forms.number(value, 2)


def _reach(facts: dict[str, Any], scores: list[float]) -> tuple[float, float]:
    """Ends of the scale that the leaderboard's lines share: hopeless candidates fall off it."""
    low, high = padded(scores, 0.02)
    score, baseline = facts["score"]["score"], facts["baseline"]["score"]
    if baseline is None or score is None:
        return low, high
    far = score + 1.25 * (baseline - score)
    return (max(low, far), high) if far < score else (low, max(min(high, far), score))


def _tools(facts: dict[str, Any]) -> dict[str, Any]:
    """Starting positions of the sliders."""
    if facts["task"] == "regression":
        given = facts["tolerance"]
        at = next(
            (n for n, part in enumerate(given["share"]) if part >= 0.8), len(given["share"]) - 1
        )
        return {"tolerance": given | {"at": at}}
    if "thresholds" not in facts:
        return {}
    given = dict(facts["thresholds"])
    labels = given.pop("labels")
    at = len(given["threshold"]) // 2
    tp, fp, fn, tn = (
        given[name][at]
        for name in ("true_positives", "false_positives", "false_negatives", "true_negatives")
    )
    now = {name: values[at] for name, values in given.items()}
    now["right"] = (tp + tn) / (tp + fp + fn + tn)
    now["found"] = tp / (tp + fn) if tp + fn else None
    now["precise"] = tp / (tp + fp) if tp + fp else None
    now["cost"] = fp + fn
    return {"thresholds": {"table": given, "labels": labels, "at": at, "now": now}}

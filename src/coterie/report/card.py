"""A model card: what a repository of models shows about one, with metadata for its search."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

from coterie.data.errors import counted
from coterie.report.collect import facts
from coterie.report.content import shown, usage
from coterie.report.forms import value_of
from coterie.report.page import environment
from coterie.report.plain import cut, plain
from coterie.report.svg import Markup
from coterie.report.text import literal

_TASKS = {True: "tabular-regression", False: "tabular-classification"}
_CHANCE = (
    "The model reflects the rows it was fitted to. Evaluate it on your own rows before you use "
    "it, especially if they differ in time, place or population."
)
_NO_CAUSE = (
    "Its predictions are not causal: they do not show what would happen if a column were changed."
)
_USES = "Predicting {target} for rows of the same kind as those it was fitted to."


def model_card(model: Any) -> str:
    """A model card in Markdown, for Hugging Face and other model repositories.

    It begins with metadata (library, task, metrics with values) in YAML, followed by what the
    model is for, how to use it, its limitations, its scores and how it was made. Models of
    `coterie.fit_table` know their scores on held-out rows; the card of any other estimator has
    its class and its parameters.

    Parameters
    ----------
    model : estimator or dict
        A fitted model, or the facts of one.

    Returns
    -------
    str
        The text of a ``README.md``.

    References
    ----------
    .. [1] Mitchell et al., "Model cards for model reporting", FAT* (2019).

    Examples
    --------
    >>> from coterie import RandomForestRegressor
    >>> from coterie.report import model_card
    >>> forest = RandomForestRegressor(n_estimators=5).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> model_card(forest).splitlines()[2]
    '"pipeline_tag": "tabular-regression"'
    """
    known = model if isinstance(model, dict) else None
    if known is None and hasattr(model, "leaderboard_"):
        known = facts(model)
    content = _of_facts(known) if known is not None else _of_estimator(model)
    jinja = environment(autoescape=False)
    jinja.finalize = literal
    return str(jinja.get_template("card.md.j2").render(**content, verbatim=Markup))


def _of_facts(found: dict[str, Any]) -> dict[str, Any]:
    """The card of a model that knows how it was made."""
    both = shown(found)
    told = {part["title"]: part["text"] for part in both["summary"]}
    limits = [f"{one['message']} {one['advice']}" for one in both["warnings"]]
    baseline = found["baseline"]["value"]
    numbers = found["task"] == "regression"
    return both | {
        "front": _front(numbers, found["members"], found["measures"], found["target"]),
        "title": f"Predicting {found['target']}",
        "what": " ".join(told[title] for title in ("What it predicts", "The model")),
        "uses": _USES.format(target=found["target"]),
        "python": both["usage"]["python"],
        "shell": both["usage"]["shell"],
        "limits": [*limits, _CHANCE, _NO_CAUSE],
        "measures": found["measures"],
        "validation": f"{counted(found['scored_rows'], 'row')} of {found['rows']:,}",
        "baseline": f"the mean, {value_of(baseline)}," if numbers else f"“{baseline}”",
        "details": both["made"],
    }


def _of_estimator(model: Any) -> dict[str, Any]:
    """The card of an estimator, of which only its parameters are known."""
    from sklearn.base import is_regressor

    numbers, name = bool(is_regressor(model)), type(model).__name__
    columns = getattr(model, "n_features_in_", None)
    fitted = f", fitted to {counted(columns, 'column')}" if columns else ""
    details = [("class", name), ("parameters", _parameters(model))]
    if hasattr(model, "classes_"):
        details.append(("classes", cut(value_of(plain(model.classes_)))))
    return {
        "front": _front(numbers, [{"name": name}], [], "the target"),
        "title": name,
        "what": f"A coterie {name}{fitted}.",
        "uses": _USES.format(target="the target"),
        "python": usage({"task": "regression" if numbers else "binary"})["python"],
        "limits": ["This card has no evaluation of the model.", _CHANCE, _NO_CAUSE],
        "details": details,
    }


def _parameters(model: Any) -> str:
    """Those that are not defaults."""
    defaults = {
        name: parameter.default for name, parameter in signature(type(model)).parameters.items()
    }
    given = [
        f"{name}={cut(repr(value), 80)}"
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(defaults.get(name))
    ]
    return ", ".join(given) or "defaults"


def _front(numbers: bool, members: Any, measures: Any, target: str) -> str:
    """Metadata in YAML; JSON's text is YAML, whatever a name may hold."""
    task = _TASKS[numbers]
    results = [
        {"type": row["name"], "name": row["label"], "value": row["value"]} for row in measures
    ]
    lines = {
        "library_name": "coterie",
        "pipeline_tag": task,
        "tags": ["coterie", "ensemble", "tabular", *{str(one["name"]) for one in members[:1]}],
        "metrics": [row["type"] for row in results],
    }
    if results:
        source = {"task": {"type": task}, "dataset": {"type": "tabular", "name": "training table"}}
        lines["model-index"] = [
            {"name": f"Predicting {target}", "results": [source | {"metrics": results}]}
        ]
    return "\n".join(
        f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in lines.items()
        if value
    )

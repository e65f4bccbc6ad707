"""Facts of what columns do, for whom the model is worse, and whether more rows would help."""

from __future__ import annotations

from typing import Any

from coterie.report.plain import cut, plain

#: Groups that a report lists.
MOST_GROUPS = 12
_DIGITS = 4


def facts_of_insights(model: Any) -> dict[str, Any]:
    """Effects, contributions, groups of rows and the learning curve, where they were measured.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
        Fitted; what an older one lacks is left out.
    """
    curve = getattr(model, "learning_curve_", None)
    classes = getattr(model, "classes_", None)
    labels = [] if classes is None else [str(label) for label in classes]
    return {
        "effects": [_effect(one, labels) for one in getattr(model, "effects_", ())],
        "contributions": [_contribution(one, labels) for one in _strongest(model)],
        "groups": _groups(model),
        "learning_curve": None if curve is None else plain(curve),
    }


def _named(output: int, labels: list[str]) -> str | None:
    return cut(labels[output], 60) if labels else None


def _effect(effect: Any, labels: list[str]) -> dict[str, Any]:
    found = plain(effect, _DIGITS)
    return found | {"outputs": [_named(k, labels) for k in effect.outputs]}


def _strongest(model: Any) -> list[Any]:
    """Contributions, the largest on average first."""
    return sorted(
        getattr(model, "contributions_", ()), key=lambda one: -sum(abs(v) for v in one.values)
    )


def _contribution(one: Any, labels: list[str]) -> dict[str, Any]:
    return plain(one, _DIGITS) | {"output": _named(one.output, labels)}


def _groups(model: Any) -> dict[str, Any] | None:
    """Groups of rows whose score is clearly another than that of all rows, worst first."""
    known = list(getattr(model, "subgroups_", None) or ())
    if not known:
        return None
    chosen = [entry for entry in model.leaderboard_ if entry.chosen]
    final = next((entry for entry in chosen if entry.kind == "ensemble"), chosen[0])
    clear = [one for one in known if one.low > final.score or one.high < final.score]
    sign = 1 if model.greater_is_better_ else -1
    clear.sort(key=lambda one: sign * one.score)
    return {
        "number": len(known),
        "differing": len(clear),
        "shown": [plain(one) for one in clear[:MOST_GROUPS]],
    }

"""From a fitted model to facts: plain data of everything that the report shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.conformal import kept_coverage
from coterie.report.classes import facts_of_classes
from coterie.report.insight_facts import facts_of_insights
from coterie.report.measures import Array, measured, metric_of, names_for, words_for
from coterie.report.member_facts import facts_of_members
from coterie.report.numbers import facts_of_numbers
from coterie.report.plain import cut, plain, thinned

VERSION = 1
MOST_ENTRIES = 60
MOST_COLUMNS = 200
MOST_IMPORTANCES = 25
MOST_POINTS = 200
SETS = 0.9
_NEEDED = ("task_", "metric_", "leaderboard_", "members_", "out_of_fold_", "truth_")


def facts(model: Any) -> dict[str, Any]:
    """Everything a report shows about a model fitted by `coterie.fit_table`, as plain data.

    Scores are on held-out rows. The data can be written as JSON, are small whatever the size of
    the table (long lists are truncated, points thinned out, numbers rounded), and contain no rows
    of the table, but predictions for a sample of them and some values of the most important
    columns.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
        Fitted.

    Returns
    -------
    dict
        To be passed to `html` or `markdown`, or saved as JSON.

    Examples
    --------
    >>> from coterie import fit_table
    >>> from coterie.datasets import load_table
    >>> from coterie.report import facts
    >>> table = load_table("watermelon", as_frame="pandas")
    >>> model = fit_table(table.X.assign(melon=table.y), "melon", members="fast")
    >>> found = facts(model)
    >>> found["target"], found["task"], found["rows"]
    ('melon', 'binary', 17)
    """
    missing = [name for name in _NEEDED if not hasattr(model, name)]
    if missing:
        raise TypeError(
            f"A report needs a fitted model from `coterie.fit_table`; this {type(model).__name__} "
            f"has no {', '.join(missing)}. Is it fitted?"
        )
    final = np.asarray(model.out_of_fold_, dtype=np.float64)
    final = final[:, 0] if final.ndim == 2 and model.task_ == "regression" else final
    seen = np.isfinite(final if final.ndim == 1 else final.sum(axis=1))
    if not seen.any():
        raise ValueError("The model has no out-of-fold predictions, so there is nothing to report.")
    truth = np.asarray(model.truth_)[seen]
    truth = truth.astype(np.float64 if final.ndim == 1 else np.intp)
    found = {"version": VERSION, **_what(model, seen), **_scores(model, truth, final[seen])}
    if final.ndim == 1:
        found |= facts_of_numbers(truth, final[seen])
    else:
        found |= facts_of_classes(truth, final[seen], [str(label) for label in model.classes_])
    found["sets"] = _sets(truth, final[seen])
    votes = np.asarray(model.member_out_of_fold_, dtype=np.float64)[:, seen]
    members, blend = list(model.members_), getattr(model, "blend_", None)
    parts = facts_of_members(members, votes, final[seen], truth, model.metric_, blend)
    return found | parts | _search(model) | _table(model) | facts_of_insights(model)


def _sets(truth: Any, final: Array) -> dict[str, Any] | None:
    """How often prediction sets, or intervals, hold the truth; None if rows are too few."""
    found = kept_coverage(truth, final, round(1.0 - SETS, 9))
    if found is None:
        return None
    numbers = {name: getattr(found, name) for name in ("coverage", "low", "high", "size")}
    return {"asked": SETS, **plain(numbers)}


def _what(model: Any, seen: Any) -> dict[str, Any]:
    """What was predicted, from what."""
    words = words_for(model.metric_)
    return {
        "task": str(model.task_),
        "target": cut(str(model.target_name_)),
        "rows": len(seen),
        "scored_rows": int(seen.sum()),
        "n_columns": int(model.n_features_in_),
        "n_classes": len(model.classes_) if model.task_ != "regression" else None,
        "metric": {
            "name": str(model.metric_),
            **words._asdict(),
            "greater_is_better": bool(model.greater_is_better_),
        },
        "stopped": str(getattr(model, "stopped_", "finished")),
        "simple": bool(getattr(model, "simple", False)),
    }


def _scores(model: Any, truth: Any, final: Array) -> dict[str, Any]:
    """Measures of the model, of always saying the same, and of everything that was tried."""
    if final.ndim == 1:
        same = np.full_like(final, truth.mean())
        constant: Any = {"value": plain(truth.mean(), 5), "spread": plain(truth.std(), 4)}
    else:
        shares = np.bincount(truth, minlength=final.shape[1]) / len(truth)
        same = np.broadcast_to(shares, final.shape)
        label = cut(str(model.classes_[shares.argmax()]), 60)
        constant = {"value": label, "share": plain(shares.max(), 5)}
    score = getattr(model, "baseline_", None)  # which models of version 0.1 lack
    score = measured(model.metric_, truth, same) if score is None else score
    entries = list(model.leaderboard_)
    shown = entries[:MOST_ENTRIES] + [entry for entry in entries[MOST_ENTRIES:] if entry.chosen]
    final_entry = final_of(entries)
    return {
        "score": plain({name: getattr(final_entry, name) for name in ("score", "low", "high")}),
        "final_name": cut(str(final_entry.name), 80),
        "baseline": plain(constant | {"score": score}),
        "measures": _measures(model, truth, final, same, final_entry),
        "leaderboard": [plain(entry) for entry in shown],
        "left_out": len(entries) - len(shown),
    }


def _measures(
    model: Any, truth: Any, final: Array, same: Array, entry: Any
) -> list[dict[str, Any]]:
    """Common measures of the model with their intervals, and of always saying the same."""
    table = []
    for name in names_for(model.task_):
        metric, value = metric_of(name, final.ndim == 1), measured(name, truth, final)
        if metric is not None and value is not None:
            low, high = None, None
            if name == model.metric_:
                low, high = entry.low, entry.high
            elif metric.rows is not None or (name in ("roc_auc", "r2") and final.size < 3e5):
                # A bootstrap is too slow for measures that look at every class in turn.
                slow = metric.rows is None and final.ndim == 2 and final.shape[1] > 2
                low, high = (None, None) if slow else metric.interval(truth, final)
            row = {"name": name, "value": value, "low": low, "high": high}
            row["greater_is_better"] = metric.greater_is_better
            row["baseline"] = measured(name, truth, same)
            table.append(plain(row | words_for(name)._asdict()))
    return table


def final_of(entries: list[Any]) -> Any:
    """The entry of the model itself: the ensemble that was chosen, or else the chosen member."""
    chosen = [entry for entry in entries if entry.chosen]
    ensembles = [entry for entry in chosen if entry.kind == "ensemble"]
    return (ensembles or chosen or entries)[0]


def _search(model: Any) -> dict[str, Any]:
    """How the ensemble grew and what was tried."""
    history = [plain(step) for step in getattr(model, "history_", None) or []]
    curve = [plain(list(point)) for point in getattr(model, "size_curve_", None) or []]
    return {
        "size_curve": [curve[at] for at in thinned(len(curve), MOST_POINTS)],
        "history": [history[at] for at in thinned(len(history), MOST_POINTS)],
        "made": plain(getattr(model, "made_", None) or {}),
    }


def _table(model: Any) -> dict[str, Any]:
    """What was found in the table, and what of it counts."""
    importances = getattr(model, "importances_", None) or {}
    ranked = sorted(importances.items(), key=lambda item: -float(item[1][0]))
    columns = list(getattr(model, "columns_", None) or [])
    return {
        "findings": [_finding(finding) for finding in getattr(model, "findings_", None) or []],
        "columns": [plain(column) for column in columns[:MOST_COLUMNS]],
        "columns_left_out": max(0, len(columns) - MOST_COLUMNS),
        "importances": [
            {"name": cut(str(name), 80), "mean": plain(mean, 4), "std": plain(std, 4)}
            for name, (mean, std) in ranked[:MOST_IMPORTANCES]
        ],
        "importances_left_out": max(0, len(ranked) - MOST_IMPORTANCES),
    }


def _finding(finding: Any) -> dict[str, Any]:
    """A finding with at most a few of its columns, and their number."""
    found = plain(finding)
    columns = found.get("columns") or []
    return found | {"columns": columns[:12], "n_columns": len(columns)}

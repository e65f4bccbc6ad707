"""Finished fits in a directory: a list of them, and two side by side."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from coterie.serve.problems import Problem


def list_runs(root: Path) -> list[dict[str, Any]]:
    """What is worth knowing about each fit in a directory."""
    found = []
    for path in sorted(root.glob("*/facts.json")):
        with contextlib.suppress(ValueError, KeyError, OSError, TypeError):
            found.append(_summary(path))
    return found


def compare_runs(root: Path, first: str, second: str) -> dict[str, Any]:
    """Two fits side by side: their measures, and every candidate that either of them tried.

    Parameters
    ----------
    root : Path
        The directory in which the runs are.
    first, second : str
        Names of two of them, as `list_runs` gives them.

    Returns
    -------
    dict
        ``runs``, ``measures`` and ``candidates``, the latter with a score of each run or None.
    """
    known = {run["directory"] for run in list_runs(root)}
    for name in (first, second):
        if name not in known:
            raise Problem(f"There is no run {name!r}.", "Choose two from the list.", 404)
    both = [_facts(root / name / "facts.json") for name in (first, second)]
    if len({(facts["task"], facts["target"]) for facts in both}) > 1:
        raise Problem("The runs have different targets.", "Choose two of the same target.")
    measured = [{one["name"]: one for one in facts["measures"]} for facts in both]
    tried = [{one["name"]: one["score"] for one in facts["leaderboard"]} for facts in both]
    if both[0]["metric"]["name"] != both[1]["metric"]["name"]:
        tried = [{}, {}]  # scores by different metrics cannot be compared
    return {
        "metric": both[0]["metric"],
        "runs": [_summary(root / name / "facts.json") for name in (first, second)],
        "measures": [
            {
                "label": one["label"],
                "greater_is_better": one["greater_is_better"],
                "values": [one["value"], measured[1][name]["value"]],
            }
            for name, one in measured[0].items()
            if name in measured[1]
        ],
        "candidates": [
            {"name": name, "scores": [tried[0].get(name), tried[1].get(name)]}
            for name in dict.fromkeys([*tried[0], *tried[1]])
        ],
    }


def _facts(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise TypeError(f"{path} holds no facts.")
    return found


def _summary(path: Path) -> dict[str, Any]:
    facts = _facts(path)
    return {
        "directory": path.parent.name,
        "target": str(facts.get("target", "")),
        "rows": facts["rows"],
        "columns": facts["n_columns"],
        "seconds": facts["made"]["seconds"],
        "metric": facts["metric"]["name"],
        "score": facts["score"]["score"],
        "interval": [facts["score"]["low"], facts["score"]["high"]],
        "members": [[one["name"], one["weight"]] for one in facts["members"]],
        "curve": _best_so_far(facts["history"]),
    }


def _best_so_far(history: list[dict[str, Any]]) -> list[list[float]]:
    """Seconds, and the best score found by then."""
    return [[one["elapsed"], one["best"]] for one in history if one["best"] is not None]

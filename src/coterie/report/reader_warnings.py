"""Warnings for the reader: problems found in the table and in the predictions."""

from __future__ import annotations

from typing import Any

from coterie.data.errors import counted

#: Above this mean gap between probability and frequency, a reader should know.
UNCALIBRATED = 0.05


def warnings(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Problems found in the table and in the predictions, the worst first."""
    found = [*facts["findings"], *_own_warnings(facts)]
    ranks = {"danger": 0, "warning": 1}
    return sorted(found, key=lambda one: ranks.get(one["level"], 2))


def _own_warnings(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Warnings that follow from the predictions and the search."""
    found = []
    if not beats_baseline(facts):
        found.append(
            _warning(
                "danger",
                "The model is not significantly better than the baseline.",
                "Check whether the columns contain any information about the target, or collect "
                "more rows.",
            )
        )
    if facts["stopped"] == "interrupted":
        found.append(
            _warning(
                "warning",
                "The search was interrupted; this is the best model it had found.",
                "Run it again to the end.",
            )
        )
    if facts["stopped"] == "time":
        found.append(
            _warning(
                "info",
                "The search had too little time for some of the candidates.",
                "A longer search may find a better model.",
            )
        )
    unscored = facts["rows"] - facts["scored_rows"]
    if unscored:
        found.append(
            _warning(
                "info",
                f"{counted(unscored, 'row')} of {facts['rows']:,} were not scored.",
                "The scores are based on the other rows.",
            )
        )
    return found + _class_warnings(facts)


def _class_warnings(facts: dict[str, Any]) -> list[dict[str, Any]]:
    if facts["task"] == "regression":
        return []
    found = []
    given = facts["calibration"]
    if given["error"] > UNCALIBRATED:
        kind = "over-confident" if given["too_sure"] > 0 else "under-confident"
        found.append(
            _warning(
                "warning",
                f"Probabilities are {kind}: {100 * given['error']:.1f} points off on average.",
                "Calibrate them before you use them for costs or thresholds, "
                "for example with CalibratedEnsembleClassifier.",
            )
        )
    never = [one["label"] for one in facts["classes"] if one["rows"] and not one["recall"]]
    if never:
        listed = ", ".join(never[:5]) + (" …" if len(never) > 5 else "")
        found.append(
            _warning(
                "warning",
                f"Never predicted correctly: {listed}.",
                "Collect more rows of these classes, or lower their thresholds.",
            )
        )
    return found


def _warning(level: str, message: str, advice: str) -> dict[str, Any]:
    return {
        "kind": "report",
        "level": level,
        "columns": [],
        "n_columns": 0,
        "message": message,
        "advice": advice,
    }


def beats_baseline(facts: dict[str, Any]) -> bool:
    """Whether even the worse end of the interval is better than the baseline."""
    score, baseline = facts["score"], facts["baseline"]["score"]
    if baseline is None or score["low"] is None or score["high"] is None:
        return True
    greater = facts["metric"]["greater_is_better"]
    return bool(score["low"] > baseline) if greater else bool(score["high"] < baseline)

"""What a reader should beware of: findings in the table, and in the predictions."""

from __future__ import annotations

from typing import Any

from coterie.report.forms import several

#: Above this mean gap between probability and frequency, a reader should know.
UNCALIBRATED = 0.05


def warnings(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """What was found in the table and in the predictions, the worst first."""
    found = [*facts["findings"], *_own_warnings(facts)]
    ranks = {"danger": 0, "warning": 1}
    return sorted(found, key=lambda one: ranks.get(one["level"], 2))


def _own_warnings(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """What the predictions themselves give reason to warn of."""
    found = []
    if not beats_baseline(facts):
        found.append(
            _warning(
                "danger",
                "The model is not clearly better than always saying the same.",
                "Ask whether the columns can tell the target at all, or collect more rows.",
            )
        )
    if facts["stopped"] == "interrupted":
        found.append(
            _warning(
                "warning",
                "The search was interrupted; this is the best it had found until then.",
                "Run it again to its end.",
            )
        )
    if facts["stopped"] == "time":
        found.append(
            _warning(
                "info",
                "The search ended at its time limit.",
                "A longer one may find a better model.",
            )
        )
    unscored = facts["rows"] - facts["scored_rows"]
    if unscored:
        found.append(
            _warning(
                "info",
                f"{several(unscored, 'row')} of {facts['rows']:,} took no part in the scores.",
                "Scores are of the others.",
            )
        )
    return found + _class_warnings(facts)


def _class_warnings(facts: dict[str, Any]) -> list[dict[str, Any]]:
    if facts["task"] == "regression":
        return []
    found = []
    given = facts["calibration"]
    if given["error"] > UNCALIBRATED:
        kind = "too sure" if given["too_sure"] > 0 else "too cautious"
        found.append(
            _warning(
                "warning",
                f"Probabilities are {kind}: {100 * given['error']:.1f} points off on average.",
                "Calibrate them before costs or thresholds are computed with them, "
                "for example with CalibratedEnsembleClassifier.",
            )
        )
    never = [one["label"] for one in facts["classes"] if one["rows"] and not one["recall"]]
    if never:
        listed = ", ".join(never[:5]) + (" …" if len(never) > 5 else "")
        found.append(
            _warning(
                "warning",
                f"Never recognised: {listed}.",
                "Give more rows of it, or lower its threshold.",
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
    """Whether even the bad end of the interval is better than always saying the same."""
    score, baseline = facts["score"], facts["baseline"]["score"]
    if baseline is None or score["low"] is None or score["high"] is None:
        return True
    greater = facts["metric"]["greater_is_better"]
    return bool(score["low"] > baseline) if greater else bool(score["high"] < baseline)

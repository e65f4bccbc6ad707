"""Whether the ensemble is accurate, and whether it is so for all classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from coterie.diagnosis.case import WIDE, Array, Case, Estimate, wilson
from coterie.diagnosis.finding import Finding, percent, shown

_LITTLE = 0.1  # share of the errors of a guess
_UNEVEN = 0.1  # by which the recall of a class may be below the accuracy
_FEWEST = 5  # rows of a class that tell something


def accuracy(case: Case) -> Finding:
    """Compare the error with that of a constant baseline and of single members.

    Errors are shares of wrong rows with Wilson's interval, or roots of mean squared errors.
    """
    own = case.loss(case.answers.vote)
    guess = case.loss(case.guess())
    error, gain = case.mean(own), case.mean(guess - own)
    base = case.mean(guess).value
    saved = gain.value / base if base else 0.0
    numbers: dict[str, Any] = {**_sizes(case, error), "guess": _root(case, base), "saved": saved}
    words = [_stated(case, numbers)]
    verdict, fine, advice = "yes", True, ""
    if not gain.clear and base:
        verdict, fine = "no", False
        advice = (
            f"Look for more informative columns and for errors in the target: {numbers['score']} "
            f"is not significantly better than the baseline ({shown(numbers['guess'])}). "
            "permutation_importances shows which columns matter; fit_table tries many kinds "
            "of members."
        )
    elif saved < _LITTLE and base:
        verdict, fine = "barely", False
        advice = (
            f"Try members of other kinds (fit_table): these remove {percent(saved)} of the "
            "baseline's error."
        )
    best, lead = _members(case, own, numbers)
    if best is not None:
        words.append(f"members {shown(numbers['mean_member'])} on average, the best {shown(best)}")
    if fine and lead is not None and lead.clear:
        verdict, fine = "below best member", False
        advice = _let_the_best(case, numbers)
    return Finding("accurate?", verdict, fine, "; ".join(words) + ".", advice, numbers)


def recalls(case: Case) -> Finding:
    """Look for a class whose recall is far below the overall accuracy."""
    question = "even classes?"
    assert case.codes is not None
    assert case.answers.classes is not None
    right = 1.0 - case.loss(case.answers.vote)
    overall = case.mean(right).value
    found: list[tuple[float, Any, float]] = []
    for code, label in enumerate(case.answers.classes.tolist()):
        rows = case.codes == code
        if rows.sum() >= _FEWEST and case.weight[rows].sum() > 0:
            share = float(np.average(right[rows], weights=case.weight[rows]))
            size = float(case.weight[rows].sum() ** 2 / (case.weight[rows] ** 2).sum())
            found.append((share, label, size))
    if len(found) < 2:
        words = f"Fewer than two classes have {_FEWEST} rows or more."
        return Finding(question, "unknown", None, words)
    worst, label, size = min(found, key=lambda entry: entry[0])
    best = max(found, key=lambda entry: entry[0])
    numbers = {
        "worst_class": label,
        "worst_recall": worst,
        "best_recall": best[0],
        "recalls": {str(name): share for share, name, _ in found},
    }
    words = (
        f"Recall is {percent(worst)} for class {label!r} and {percent(best[0])} for {best[1]!r}; "
        f"the accuracy is {percent(overall)}."
    )
    if wilson(worst, size)[1] >= overall - _UNEVEN:
        return Finding(question, "yes", True, words, "", numbers)
    advice = (
        f"If class {label!r} matters (recall {shown(worst)}), try BalancedRandomForestClassifier, "
        'EasyEnsembleClassifier or class_weight="balanced".'
    )
    return Finding(question, "no", False, words, advice, numbers)


def _sizes(case: Case, error: Estimate) -> dict[str, Any]:
    """The error with its interval, as it is told."""
    if case.labels:
        low, high = wilson(error.value, case.size)
        score = f"error {shown(error.value)}"
        return {"error": error.value, "low": low, "high": high, "score": score}
    root = np.sqrt(error.value)
    reach = WIDE * error.deviation
    low, high = np.sqrt(max(0.0, error.value - reach)), np.sqrt(error.value + reach)
    spread = float(case.shares @ case.loss(case.guess()))
    return {
        "error": float(root),
        "low": float(low),
        "high": float(high),
        "score": f"RMSE {shown(root)}",
        "r2": 1.0 - error.value / spread if spread else 0.0,
    }


def _stated(case: Case, numbers: dict[str, Any]) -> str:
    score, guess = numbers["score"], shown(numbers["guess"])
    words = f"{score[0].upper()}{score[1:]} ({shown(numbers['low'])} to {shown(numbers['high'])})"
    if case.labels:
        return f"{words}; always {case.guess().tolist()[0]!r}: {guess}"
    return f"{words}, R² {shown(numbers['r2'])}; always the mean: {guess}"


def _members(
    case: Case, own: Array, numbers: dict[str, Any]
) -> tuple[float | None, Estimate | None]:
    """Error of the best member, and by how much it is below that of all of them."""
    ballot = case.answers.ballot
    if ballot is None:
        return None, None
    losses = case.loss(ballot.labels)
    errors = losses @ case.shares
    first = int(errors.argmin())
    numbers["best_member"], numbers["best"] = _root(case, float(errors[first])), first
    numbers["mean_member"] = _root(case, float(errors.mean()))
    lead = case.mean(own - losses[first])
    # The best of many is better by chance, too.
    strict = float(norm.isf(0.025 / len(errors))) / WIDE
    return numbers["best_member"], Estimate(lead.value, lead.deviation * strict)


def _let_the_best(case: Case, numbers: dict[str, Any]) -> str:
    kind = "Classifier" if case.labels else "Regressor"
    return (
        f"Give the better members more weight: the error of member {numbers['best']} alone is "
        f"{shown(numbers['best_member'])}. Try EnsembleSelection{kind} or Stacking{kind}."
    )


def _root(case: Case, error: float) -> float:
    """Squared errors in the unit of the target."""
    return error if case.labels else float(np.sqrt(error))

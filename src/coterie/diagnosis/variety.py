"""Whether the members are diverse, whether that helps, and whether they are equally good."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import norm

from coterie import diversity, theory
from coterie.data.errors import counted
from coterie.diagnosis.case import WIDE, Array, Case, Estimate
from coterie.diagnosis.finding import Finding, percent, shown
from coterie.plotting.ballots import Ballot

_ALIKE = 1.5  # effective members of a vote that hardly differ
_SAVED = 0.05  # share of the members' error that a vote should take away at least
_CANCELLED = 0.05  # share of squared errors that averaging should take away at least
_CONCENTRATED = 0.2  # share of members that weights should count as at least


def variety(case: Case) -> Finding:
    """Measure how much members differ, and what their vote makes of it."""
    question, answers = "diverse?", case.answers
    if answers.ballot is None:
        if answers.unit == "round":
            words = f"Its {answers.n_parts} rounds correct earlier ones; they need not be diverse."
            return Finding(question, "does not apply", None, words)
        return Finding(question, "unknown", None, answers.why)
    return _labels(case, answers.ballot) if case.labels else _numbers(case, answers.ballot)


def equality(case: Case) -> Finding:
    """Look for members that are worse than the baseline, and for concentrated weights."""
    question, ballot = "equal members?", case.answers.ballot
    if ballot is None:
        if case.answers.unit == "round":
            words = "Rounds do not predict on their own."
            return Finding(question, "does not apply", None, words)
        return Finding(question, "unknown", None, case.answers.why)
    losses, guess = case.loss(ballot.labels), case.loss(case.guess())
    errors = losses @ case.shares if case.labels else np.sqrt(losses @ case.shares)
    weak = _worse_than(case, losses, guess)
    weights = np.ones(len(losses)) if ballot.weights is None else ballot.weights
    heard = theory.effective_weights(weights) if weights.any() else 0.0
    numbers: dict[str, Any] = {
        "member_errors": errors.tolist(),
        "weak_members": weak,
        "effective_weights": heard,
    }
    low, high = shown(float(errors.min())), shown(float(errors.max()))
    words = f"Member errors range from {low} to {high}"
    if ballot.weights is not None:
        words += f"; effective number of weights {shown(heard)} of {len(losses)}"
    if weak:
        harm = _harm(case, ballot, weak)
        numbers["harm"] = harm.value
        words += (
            f"; {counted(len(weak), 'member')} worse than the baseline, costing {shown(harm.value)}"
        )
        if harm.clear:
            return Finding(question, "no", False, words + ".", _drop(case, weak), numbers)
    if heard < _CONCENTRATED * len(losses) and len(losses) > 2:
        advice = (
            f"The weights are worth {shown(heard)} of {len(losses)} members; the others could be "
            f'left out: Pruned{_kind(case)}(order="accuracy").'
        )
        return Finding(question, "no", False, words + ".", advice, numbers)
    return Finding(question, "yes", True, words + ".", "", numbers)


def _labels(case: Case, ballot: Ballot) -> Finding:
    labels, weight = ballot.labels, case.weight
    profile = theory.dissent(labels, case.truth, vote=case.answers.vote, sample_weight=weight)
    wrong = case.loss(labels)
    gain = case.mean(wrong.mean(axis=0) - case.loss(case.answers.vote))
    several: dict[str, Any] = {"outputs": "labels", "sample_weight": weight}
    numbers: dict[str, Any] = {
        "q_statistic": diversity.mean_q_statistic(labels, case.truth, sample_weight=weight),
        "kappa": diversity.mean_kappa(labels, case.truth, **several),
        "disagreement": diversity.mean_disagreement(labels, case.truth, **several),
        "effective_members": theory.effective_members(wrong, sample_weight=weight),
        "mean_error": profile.mean_error,
        "vote_gain": profile.gain,
        "good": profile.good,
        "bad": profile.bad,
        "independent_error": profile.independent_error(),
        "dependence": profile.dependence(),
    }
    words = (
        f"Voting reduces the members' error of {shown(profile.mean_error)} by "
        f"{shown(profile.gain)} ({shown(profile.good)} good minus {shown(profile.bad)} bad "
        f"diversity); effective members {shown(numbers['effective_members'])} of {len(labels)}, "
        f"κ {shown(numbers['kappa'])}; "
        f"error if independent: {_rare(numbers['independent_error'])}."
    )
    return _judged(case, gain, numbers, words)


def _rare(share: float) -> str:
    return shown(share) if share > 5e-4 else "below 0.0005"


def _judged(case: Case, gain: Estimate, numbers: dict[str, Any], words: str) -> Finding:
    """A verdict on a vote, by what it gains and how many its members count as."""
    question, many = "diverse?", numbers["effective_members"]
    if not numbers["mean_error"]:
        return Finding(question, "no need", True, "All members are always right.", "", numbers)
    if Estimate(-gain.value, gain.deviation).clear:
        advice = (
            f"Voting increases the error by {shown(-gain.value)}: too many correct votes "
            "are wasted. Weight the members or learn to combine them: "
            "EnsembleSelectionClassifier, StackingClassifier."
        )
        return Finding(question, "voting hurts", False, words, advice, numbers)
    if gain.clear and (many >= _ALIKE or gain.value >= _SAVED * numbers["mean_error"]):
        return Finding(question, "yes", True, words, "", numbers)
    if not many >= _ALIKE:
        advice = (
            f"Make the members more diverse (effective number {shown(many)}): smaller "
            "max_features or max_samples, RotationForestClassifier, RandomPatchesClassifier, or a "
            "VotingClassifier of several kinds."
        )
        return Finding(question, "too similar", False, words, advice, numbers)
    advice = (
        f"Members differ, but voting gains at most {shown(gain.value + WIDE * gain.deviation)}"
        ": try better members rather than more."
    )
    return Finding(question, "no benefit", False, words, advice, numbers)


def _numbers(case: Case, ballot: Ballot) -> Finding:
    outputs = ballot.labels
    parts = theory.ambiguity(outputs, case.truth, sample_weight=case.weight)
    numbers: dict[str, Any] = {
        "mean_error": parts.mean_error,
        "ambiguity": parts.mean_ambiguity,
        "average_error": parts.error,
        "cancellation": parts.cancellation,
        "error_correlation": _correlation(outputs - case.truth, case.weight),
        "effective_members": theory.effective_members(
            outputs, case.truth, sample_weight=case.weight
        ),
    }
    words = (
        f"Averaging removes {percent(parts.cancellation)} of the members' squared error; error "
        f"correlation {shown(numbers['error_correlation'])}, effective members "
        f"{shown(numbers['effective_members'])} of {len(outputs)}."
    )
    if not parts.mean_error:
        return Finding("diverse?", "no need", True, "No member makes any error.", "", numbers)
    if parts.cancellation >= _CANCELLED:
        return Finding("diverse?", "yes", True, words, "", numbers)
    advice = (
        f"Make the members more diverse (error correlation {shown(numbers['error_correlation'])}): "
        "smaller max_features or max_samples, NegativeCorrelationRegressor, or a VotingRegressor "
        "of several kinds."
    )
    return Finding("diverse?", "too similar", False, words, advice, numbers)


def _correlation(residuals: Array, weight: Array) -> float:
    """Mean correlation of two members' errors; NaN if none varies."""
    centred = residuals - np.average(residuals, axis=1, weights=weight)[:, None]
    length = np.sqrt((centred**2) @ weight)
    rows = centred[length > 0] * np.sqrt(weight) / length[length > 0, None]
    number = len(rows)
    if number < 2:
        return float("nan")
    return float(((rows.sum(axis=0) ** 2).sum() - number) / (number * (number - 1)))


def _worse_than(case: Case, losses: Array, guess: Array) -> list[int]:
    """Members that are clearly worse than a guess; of many, some would be so by chance."""
    strict = float(norm.isf(0.025 / len(losses))) / WIDE
    found = []
    for number, loss in enumerate(losses):
        excess = case.mean(loss - guess)
        if Estimate(excess.value, excess.deviation * strict).clear:
            found.append(number)
    return found


def _harm(case: Case, ballot: Ballot, weak: list[int]) -> Estimate:
    """By how much the error falls if weak members do not vote; nothing if all are weak."""
    if case.answers.stages is None or len(weak) == len(ballot.said):
        return Estimate(0.0, 0.0)
    kept = np.setdiff1d(np.arange(len(ballot.said)), weak)
    weights = None if ballot.weights is None else ballot.weights[kept]
    part = replace(ballot, said=ballot.said[kept], weights=weights)
    *_, without = part.staged()
    return case.mean(case.loss(case.answers.vote) - case.loss(without))


def _kind(case: Case) -> str:
    return "EnsembleClassifier" if case.labels else "EnsembleRegressor"


def _drop(case: Case, weak: list[int]) -> str:
    some = ", ".join(str(number) for number in weak[:5]) + (", …" if len(weak) > 5 else "")
    which = f"member {some} is" if len(weak) == 1 else f"members {some} are"
    tried = f'Pruned{_kind(case)}(order="accuracy")'
    return f"Leave out weak members: {which} worse than the baseline. Try {tried}."

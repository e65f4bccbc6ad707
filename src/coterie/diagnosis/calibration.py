"""Whether the probabilities are calibrated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.diagnosis.case import Array, Case
from coterie.diagnosis.finding import Finding, percent, shown
from coterie.fusion.calibration import inner
from coterie.fusion.calibration_error import confidence_and_truth

_DRAWS = 200  # of rows that came out as probabilities say
_FOLDS = 5
_WORTH = 0.01  # share of the log-loss that a temperature must take away to be worth it


def calibration(case: Case) -> Finding:
    """Compare the calibration error with that of perfect probabilities of as many rows."""
    question, chances = "calibrated?", case.answers.chances
    if chances is None or case.codes is None:
        return Finding(question, "unknown", None, "The model gives no probabilities.")
    confidence, right = confidence_and_truth(chances, case.codes)
    error = fusion.calibration_error(chances, case.codes, sample_weight=case.weight)
    noise = _noise(confidence, case.weight)
    usual, most = float(noise.mean()), float(np.quantile(noise, 0.99))
    surplus = case.mean(confidence - right)
    losses, tempered, tau = temperature_losses(chances, case.codes, case.weight)
    before, after = case.mean(losses).value, case.mean(tempered).value
    # One number for all rows is easier to be sure of than a gap in every bin.
    worth = case.mean(losses - tempered).clear and before - after > _WORTH * before
    denied = int((chances[np.arange(len(right)), case.codes] <= 0).sum())
    numbers: dict[str, Any] = {
        "calibration_error": error,
        "noise": usual,
        "noise_99": most,
        "confidence": float(case.shares @ confidence),
        "accuracy": float(case.shares @ right),
        "temperature": tau,
        "log_loss": before,
        "log_loss_tempered": after,
        "impossible": denied,
    }
    words = (
        f"ECE {shown(error)} (if perfectly calibrated: {shown(usual)}, up to {shown(most)}); mean "
        f"confidence {percent(numbers['confidence'])}, accuracy {percent(numbers['accuracy'])}; "
        f"log-loss {shown(before)}, {shown(after)} with temperature {shown(tau)}."
    )
    if error <= most and not worth:
        return Finding(question, "yes", True, words, _denied(denied), numbers)
    sure = surplus.value if abs(surplus.value) > surplus.deviation and not worth else np.log(tau)
    verdict = "over-confident" if sure > 0 else "under-confident"
    return Finding(question, verdict, False, words, _advice(numbers), numbers)


def temperature_losses(
    chances: Array, codes: NDArray[np.intp], weight: Array
) -> tuple[Array, Array, float]:
    """Log-losses of rows, with a temperature learnt from other rows, and that of all rows.

    Examples
    --------
    >>> sure = np.array([[0.99, 0.01]] * 10)
    >>> before, after, tau = temperature_losses(sure, np.array([0, 1] * 5), np.ones(10))
    >>> float(before.mean()), float(after.mean()), tau > 1
    (2.31, 0.77, True)
    """
    logs = np.log(inner(chances))
    fold = np.random.default_rng(0).permutation(len(codes)) % min(_FOLDS, max(2, len(codes)))
    rows = np.arange(len(codes))
    losses = -logs[rows, codes]
    tempered = losses.copy()
    for number in np.unique(fold):
        out = fold == number
        if not weight[~out].any():
            continue
        learnt = fusion.temperature(logs[~out], codes[~out], weight[~out])
        tempered[out] = -np.log(inner(learnt(logs[out])))[np.arange(out.sum()), codes[out]]
    tau = fusion.temperature(logs, codes, weight).tau
    return losses, tempered, float(tau)


def _noise(confidence: Array, weight: Array) -> Array:
    """Calibration errors of rows that came out as their probabilities say."""
    rng = np.random.default_rng(0)
    p = np.clip(confidence, 0.0, 1.0)
    return np.array(
        [
            fusion.calibration_error(p, rng.random(len(p)) < p, sample_weight=weight)
            for _ in range(_DRAWS)
        ]
    )


def _advice(numbers: dict[str, Any]) -> str:
    saved = 1.0 - numbers["log_loss_tempered"] / numbers["log_loss"] if numbers["log_loss"] else 0.0
    error, most = shown(numbers["calibration_error"]), shown(numbers["noise_99"])
    if saved > _WORTH:
        return (
            'Calibrate it: CalibratedEnsembleClassifier(method="temperature") would reduce the '
            f"log-loss by {percent(saved)}."
        )
    return (
        'Calibrate it with CalibratedEnsembleClassifier(method="isotonic"): the ECE of '
        f"{error} is above {most}, and temperature scaling does not help."
    )


def _denied(number: int) -> str:
    """What to do about probabilities of zero that were refuted."""
    if not number:
        return ""
    rows = f"{number} row" + ("" if number == 1 else "s")
    return (
        f"Avoid zero probabilities: {rows} had a true class with probability 0. Try larger leaves "
        "(min_samples_leaf) or CalibratedEnsembleClassifier."
    )

"""Whether predictions are biased, and whether the errors have an even spread."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import spearmanr

from coterie.diagnosis.case import WIDE, Case
from coterie.diagnosis.finding import Finding, shown

_BIASED = 0.05  # share of the residuals' spread that a bias must have to matter
_UNEQUAL = 1.5  # by which the residuals of one third may be larger than those of another


def bias(case: Case) -> Finding:
    """Compare the mean residual with its standard error."""
    rest = case.truth - case.answers.vote
    mean = case.mean(rest)
    spread = float(np.sqrt(case.shares @ (rest - mean.value) ** 2))
    numbers: dict[str, Any] = {
        "bias": mean.value,
        "deviation": mean.deviation,
        "spread": spread,
    }
    words = f"The mean residual is {shown(mean.value)} ± {shown(mean.deviation)}."
    sure = abs(mean.value) > WIDE * mean.deviation and abs(mean.value) > _BIASED * spread
    if not sure:
        return Finding("unbiased?", "yes", True, words, "", numbers)
    way = "low" if mean.value > 0 else "high"
    advice = (
        f"Predictions are too {way} by {shown(abs(mean.value))}. Check whether new rows resemble "
        "the training rows; if they do, StackingRegressor can learn the shift."
    )
    return Finding("unbiased?", f"too {way}", False, words, advice, numbers)


def spread(case: Case) -> Finding:
    """Compare residuals of low and high predictions, and test the trend of their size [1]_.

    References
    ----------
    .. [1] Spearman, "The proof and measurement of association between two things", Am. J.
       Psychol. 15 (1904).
    """
    question, said = "even spread?", case.answers.vote
    off = np.abs(case.truth - said)
    if len(off) < 9 or not np.ptp(said) or not np.ptp(off):
        return Finding(question, "unknown", None, "There are too few distinct predictions.")
    thirds = np.array_split(np.argsort(said, kind="stable"), 3)
    roots = [
        float(np.sqrt(np.average(off[part] ** 2, weights=case.weight[part] + 1e-300)))
        for part in thirds
    ]
    trend = spearmanr(said, off)
    low, high = min(roots), max(roots)
    ratio = high / low if low else float("inf")
    numbers: dict[str, Any] = {
        "rmse_by_third": roots,
        "ratio": ratio,
        "trend": float(trend.statistic),
        "p_value": float(trend.pvalue),
    }
    words = (
        f"RMSE {shown(roots[0])}, {shown(roots[1])}, {shown(roots[2])} in the low, middle and high "
        f"third of the predictions; rank correlation with the prediction {shown(numbers['trend'])}."
    )
    if ratio < _UNEQUAL or numbers["p_value"] > 0.01:
        return Finding(question, "yes", True, words, "", numbers)
    advice = (
        f"The errors in one third are {shown(ratio)} times those in another. "
        "NormalBoostingRegressor or QuantileBoostingRegressor estimate the uncertainty of each "
        "prediction; a log transform of the target may help."
    )
    return Finding(question, "no", False, words, advice, numbers)

"""Whether the ensemble does better on its training rows than on others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.automl.estimators import TableModel
from coterie.diagnosis.case import Array, Case, Estimate
from coterie.diagnosis.ensemble_predictions import opened, outcome_of
from coterie.diagnosis.finding import Finding, shown
from coterie.diagnosis.remedies import Remedy
from coterie.plotting.ballots import ballot_of

_HALF = 0.5  # of the error: what it may be on training rows, if the gap is sure
_LOST = 0.2  # share of the error on unseen training rows that new rows may have on top


@dataclass(frozen=True)
class Training:
    """Errors on the rows of the fit.

    Parameters
    ----------
    seen : Estimate or None
        Of the whole ensemble, on the rows it was fitted to.
    unseen : Estimate or None
        On the same rows, by members that have not seen them.
    source : str
        How the latter is called: "out-of-bag" or "out-of-fold".
    """

    seen: Estimate | None = None
    unseen: Estimate | None = None
    source: str = "out-of-bag"


def training_of(model: Any, case: Case, X: Any = None, y: Any = None) -> Training:
    """What is known of training rows: by the rows themselves, or by what the model kept."""
    if (X is None) != (y is None):
        raise ValueError("Pass both X_train and y_train, or neither.")
    if X is None:
        return _kept(opened(model, None)[0], case)
    learnt = Case.of(outcome_of(model, X), y)
    seen = learnt.mean(learnt.loss(learnt.answers.vote))
    inside, rows = opened(model, X)
    if isinstance(inside, TableModel):
        kept = _kept(inside, case)
        return Training(seen, kept.unseen, kept.source)
    return Training(seen, _out_of_bag(inside, rows, learnt))


def overfitting(
    case: Case, training: Training, attempt: Callable[[], list[Remedy]] | None = None
) -> Finding:
    """Compare errors on training rows and on these, by the standard error of the difference.

    Parameters
    ----------
    case : Case
        What the model says of the rows it is judged by.
    training : Training
        Errors on the rows of the fit.
    attempt : callable, optional
        Measures what regularising would bring, the best way first.
    """
    question = "overfitting?"
    here = case.mean(case.loss(case.answers.vote))
    if training.seen is None and training.unseen is None:
        words = "Unknown without training rows: pass X_train and y_train."
        return Finding(question, "unknown", None, words)
    numbers: dict[str, Any] = {"error": _unit(case, here.value)}
    told = []
    for name, found in (("training", training.seen), (training.source, training.unseen)):
        if found is not None:
            numbers[name.replace("-", "_")] = _unit(case, found.value)
            told.append(f"{name} {shown(_unit(case, found.value))}")
    reference = training.unseen or training.seen
    assert reference is not None
    gap = _gap(here, reference)
    numbers["gap"], numbers["gap_deviation"] = gap.value, gap.deviation
    words = f"{'Error' if case.labels else 'RMSE'} {', '.join(told)}, test "
    words += f"{shown(numbers['error'])}; {_gap_words(case, gap)}."
    if training.unseen is not None:
        return _shifted(numbers, words, gap, training)
    if not gap.clear:
        return Finding(question, "no", True, words, "", numbers)
    verdict = "yes" if reference.value < _HALF * here.value else "a little"
    remedies = attempt() if attempt is not None else []
    if remedies:
        return _treated(case, Finding(question, verdict, False, words, "", numbers), remedies)
    advice = (
        f"Regularise it ({told[0]}, test {shown(numbers['error'])}): larger "
        "min_samples_leaf, smaller max_depth, a lower learning_rate with early stopping, or "
        "a forest of such trees."
    )
    return Finding(question, verdict, False, words, advice, numbers)


def _treated(case: Case, found: Finding, remedies: list[Remedy]) -> Finding:
    """What refits with more regularisation have shown."""
    error = found.numbers["error"]
    tried = [f"{remedy.change} {shown(_unit(case, remedy.error.value))}" for remedy in remedies]
    found.numbers["remedies"] = {r.change: _unit(case, r.error.value) for r in remedies}
    words = f"{found.words} Refits: {', '.join(tried)}."
    best, after = remedies[0], _unit(case, remedies[0].error.value)
    if best.gain.clear:
        unit = "error" if case.labels else "RMSE"
        advice = f"Use {best.change}: in a refit the {unit} was {shown(after)}, not {shown(error)}."
        return replace(found, words=words, advice=advice)
    # A model may know its training rows by heart and be none the worse for it.
    return replace(found, verdict="harmless", fine=True, words=words)


def _shifted(numbers: dict[str, Any], words: str, gap: Estimate, training: Training) -> Finding:
    """With errors of unseen training rows, a gap is not overfitting but another kind of rows."""
    assert training.unseen is not None
    if not gap.clear or gap.value < _LOST * training.unseen.value:
        return Finding("overfitting?", "no", True, words, "", numbers)
    there = numbers[training.source.replace("-", "_")]
    advice = (
        f"The error is higher on these rows ({shown(numbers['error'])}) than on unseen training "
        f"rows ({shown(there)}): check for distribution shift, and whether groups were split."
    )
    return Finding("overfitting?", "different data", False, words, advice, numbers)


def _gap(here: Estimate, there: Estimate) -> Estimate:
    return Estimate(here.value - there.value, float(np.hypot(here.deviation, there.deviation)))


def _gap_words(case: Case, gap: Estimate) -> str:
    if case.labels or not gap.deviation:
        return f"the gap is {shown(gap.value)} ± {shown(gap.deviation)}"
    return f"the gap is {shown(gap.value / gap.deviation)} standard errors"


def _unit(case: Case, error: float) -> float:
    return error if case.labels else float(np.sqrt(error))


def _kept(model: Any, case: Case) -> Training:
    """Errors on unseen training rows that a model remembers."""
    if isinstance(model, TableModel):
        given: Any = model
        said, truth = np.asarray(given.out_of_fold_), np.asarray(given.truth_)
        known = np.isfinite(said.reshape(len(said), -1)).all(axis=1)
        if not known.any():
            return Training()
        wrong = (
            said[known].argmax(axis=1) != truth[known]
            if case.labels
            else (said[known].reshape(-1) - truth[known]) ** 2
        )
        return Training(None, _plain_mean(np.asarray(wrong, dtype=np.float64)), "out-of-fold")
    score = getattr(model, "oob_score_", None)
    if score is None or getattr(model, "oob_score", None) is not True:
        return Training()
    votes = getattr(model, "oob_decision_function_", getattr(model, "oob_prediction_", None))
    size = (
        np.isfinite(np.asarray(votes).reshape(len(votes), -1)[:, 0]).sum()
        if votes is not None
        else 0
    )
    if not size:
        return Training()
    if case.labels:
        error = 1.0 - float(score)
        return Training(None, Estimate(error, float(np.sqrt(error * (1 - error) / size))))
    # Of squared errors only their share of the variance is kept; variances are taken as equal.
    spread = float(case.shares @ case.loss(case.guess()))
    own = case.mean(case.loss(case.answers.vote))
    error = max(0.0, (1.0 - float(score)) * spread)
    return Training(None, Estimate(error, own.deviation * float(np.sqrt(case.size / size))))


def _out_of_bag(model: Any, X: Any, learnt: Case) -> Estimate | None:
    """Error on the training rows by the members that did not see them; None if that is unknown."""
    if hasattr(model, "staged_predict") or not hasattr(model, "estimators_samples_"):
        return None
    ballot, n_rows = ballot_of(model, X), len(learnt.truth)
    bags = [np.asarray(seen) for seen in model.estimators_samples_]
    if any(len(seen) and seen.max() >= n_rows for seen in bags):
        raise ValueError(
            f"Members were fitted to more than the {n_rows} rows of X_train. Pass the training "
            "rows in their original order."
        )
    unseen = np.ones((len(bags), n_rows), dtype=np.bool_)
    for row, seen in zip(unseen, bags, strict=True):
        row[seen] = False
    covered = unseen.any(axis=0)
    if covered.mean() < _HALF:
        return None
    total = np.einsum("tnk,tn->nk", ballot.counted(), unseen.astype(np.float64))[covered]
    if ballot.classes is None:
        said: Any = total[:, 0] / unseen.sum(axis=0)[covered]
        return _plain_mean((said - learnt.truth[covered]) ** 2)
    said = ballot.classes[np.round(total, 9).argmax(axis=1)]
    return _plain_mean(np.asarray(said != learnt.truth[covered], dtype=np.float64))


def _plain_mean(loss: Array) -> Estimate:
    return Estimate(float(loss.mean()), float(loss.std() / np.sqrt(len(loss))))

"""Whether the ensemble is larger than necessary, or not yet large enough."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import counted
from coterie.diagnosis.case import Array, Case, Estimate
from coterie.diagnosis.finding import Finding, percent, shown
from coterie.plotting.ballots import Ballot
from coterie.selection import reduced_error_order, reduced_squares_order

_LARGE = 0.5  # share of the parts that is enough in an oversized ensemble
_SLIGHT = 0.02  # share of the error that does not matter
_LEAST_CHANCE = 1e-7
_FEW = 5  # of which half tells nothing about more
_MANY = 200  # members that are ordered at most, as that takes their number squared
_ROWS = 2000  # rows that they are ordered by at most


def size(case: Case) -> Finding:
    """Follow the error by number of members or rounds; of rounds with probabilities, the log-loss.

    Probabilities become better long after labels have stopped to change.

    The first size will do from which on no error is above that of the whole by more than a
    standard error of the difference, which is taken row by row, and by more than a fiftieth; where
    the whole is clearly worse than the best size, that takes its place.
    """
    question, answers = "oversized?", case.answers
    if answers.stages is None:
        return Finding(question, "unknown", None, answers.why)
    losses, name = _losses(case)
    errors = losses @ case.shares
    sizes, best = answers.stages.sizes, int(errors.argmin())
    past = _past(case, losses, best)
    enough = int(sizes[_enough(case, losses, best if past else len(sizes) - 1)])
    total = int(sizes[-1])
    numbers: dict[str, Any] = {
        "sizes": sizes.tolist(),
        "errors": errors.tolist(),
        "enough": enough,
        "best": int(sizes[best]),
        "past_best": past,
        "share": enough / total,
        "measure": name,
    }
    said = errors if case.labels else np.sqrt(errors)
    if enough == total:
        words = f"The {name} falls up to the last of {counted(total, answers.unit)}"
        return _judged(case, losses, numbers, words)
    at = shown(float(said[np.searchsorted(sizes, enough)]))
    told = f"{name} " if name != "error" else ""
    words = (
        f"{counted(enough, answers.unit)} of {total} would suffice ({told}{at} against "
        f"{shown(float(said[-1]))}), in {percent(enough / total)} of the time"
    )
    return _judged(case, losses, numbers, words)


def _losses(case: Case) -> tuple[Array, str]:
    """The loss of every size and row, and what it is called."""
    stages = case.answers.stages
    assert stages is not None
    if case.codes is None or stages.chances is None or case.answers.unit != "round":
        return case.loss(stages.said), "error"
    own = np.take_along_axis(stages.chances, case.codes[None, :, None], axis=2)[:, :, 0]
    return np.asarray(-np.log(np.maximum(own, _LEAST_CHANCE))), "log-loss"


def _judged(case: Case, losses: Array, numbers: dict[str, Any], words: str) -> Finding:
    question, unit = "oversized?", case.answers.unit
    sizes = np.asarray(numbers["sizes"])
    errors, total = np.asarray(numbers["errors"]), int(sizes[-1])
    half = int(np.searchsorted(sizes, max(1, total // 2)))
    falling = case.mean(losses[half] - losses[-1])
    if unit == "round" and numbers["past_best"]:
        better = shown(float(errors.min()) if case.labels else float(np.sqrt(errors.min())))
        advice = (
            f"Stop at about {counted(numbers['best'], unit)} (best: {better}): early stopping, or "
            "a lower learning_rate."
        )
        return Finding(question, "past its best", False, words + ".", advice, numbers)
    if unit == "member" and total > 2:
        pruned = _pruned(case, numbers)
        if pruned is not None and pruned < numbers["enough"]:
            words += f"; {pruned} well-chosen ones would suffice"
    words += "."
    if numbers["enough"] <= _LARGE * total and total > 1:
        return Finding(question, "yes", False, words, _smaller(case, numbers), numbers)
    if falling.clear and total >= _FEW:
        gone = f"{shown(falling.value)}" if case.labels else percent(falling.value / errors[half])
        name = numbers["measure"]
        advice = f"Add {unit}s: the second half of them still reduced the {name} by {gone}."
        return Finding(question, "no, too small", False, words, advice, numbers)
    return Finding(question, "no", True, words, "", numbers)


def _past(case: Case, losses: Array, best: int) -> bool:
    """Whether all parts are clearly worse than the first of them; the best is so by chance, too."""
    past = case.mean(losses[-1] - losses[best])
    return Estimate(past.value, past.deviation * 1.5).clear


def _enough(case: Case, losses: Array, whole: int) -> int:
    """Position of the first size from which on, up to the whole, none is worse by an error."""
    worse_at = np.flatnonzero(_worse(case, losses, whole)[: whole + 1])
    return int(worse_at[-1]) + 1 if len(worse_at) else 0


def _worse(case: Case, losses: Array, whole: int) -> NDArray[np.bool_]:
    """Whether sizes are worse than another by more than a standard error of the difference."""
    excess = [case.mean(loss - losses[whole]) for loss in losses]
    # Sizes next to each other differ on so few rows that any difference would seem sure: labels
    # get the usual correction of one row.
    slight = _SLIGHT * case.mean(losses[whole]).value + 1e-12
    row = 1.0 / case.size if case.labels and losses.max() <= 1.0 else 0.0
    return np.array([found.value > max(found.deviation + row, slight) for found in excess])


def _smaller(case: Case, numbers: dict[str, Any]) -> str:
    enough, unit = numbers["enough"], case.answers.unit
    if unit == "round":
        less = percent(1 - numbers["share"])
        return f"Use {counted(enough, unit)} if time or memory matters: that is {less} fewer."
    kind = "Classifier" if case.labels else "Regressor"
    kept = min(enough, numbers.get("pruned", enough))
    return (
        f'If time or memory matters, PrunedEnsemble{kind}(order="reduced_error") keeps about '
        f"{kept} of {numbers['sizes'][-1]} members."
    )


def _pruned(case: Case, numbers: dict[str, Any]) -> int | None:
    """How many chosen members will do: ordered by half of the rows, judged by the other.

    Both halves take both parts. None if there are too many members for that, or too few rows.
    """
    ballot = case.answers.ballot
    if ballot is None or len(ballot.said) > _MANY or len(case.truth) < 20:
        return None
    rows = np.random.default_rng(0).permutation(len(case.truth))[:_ROWS]
    losses = np.empty((len(ballot.said), len(rows)))
    halves = (np.arange(0, len(rows), 2), np.arange(1, len(rows), 2))
    for first, second in (halves, halves[::-1]):
        order = _order(case, ballot, rows[first])
        losses[:, second] = _staged_losses(case, ballot, order, rows[second])
    codes = None if case.codes is None else case.codes[rows]
    part = Case(case.answers, case.truth[rows], codes, case.weight[rows])
    errors = losses @ part.shares
    best = int(errors.argmin())
    # Members that are chosen are at their best early, so that the first such size counts.
    numbers["pruned"] = int(_worse(part, losses, best).argmin()) + 1
    at = float(errors[numbers["pruned"] - 1])
    numbers["pruned_error"] = at if case.labels else float(np.sqrt(at))
    return int(numbers["pruned"])


def _order(case: Case, ballot: Ballot, rows: NDArray[np.intp]) -> NDArray[Any]:
    weights = None if ballot.weights is None or (ballot.weights < 0).any() else ballot.weights
    given = {"sample_weight": case.weight[rows], "member_weight": weights}
    if case.codes is None:
        return reduced_squares_order(ballot.labels[:, rows], case.truth[rows], **given)
    return reduced_error_order(ballot.counted()[:, rows], case.codes[rows], **given)


def _staged_losses(
    case: Case, ballot: Ballot, order: NDArray[Any], rows: NDArray[np.intp]
) -> Array:
    """Losses of the first members in an order, shape (members, rows)."""
    weights = None if ballot.weights is None else ballot.weights[order]
    part = Ballot(
        ballot.said[order][:, rows], ballot.vote[rows], ballot.classes, weights, "", ballot.hard
    )
    said = np.stack(list(part.staged()))
    if case.labels:
        return np.asarray(said != case.truth[rows], dtype=np.float64)
    return np.asarray((said - case.truth[rows]) ** 2)

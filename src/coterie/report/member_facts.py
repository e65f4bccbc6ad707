"""Facts of the members: what each is worth, and how much they differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie import diversity
from coterie.report.measures import Array, measured
from coterie.report.plain import cut, plain, thinned

MOST_PAIRS = 200
MOST_MEMBERS = 40


def facts_of_members(
    members: list[Any],
    votes: Array,
    final: Array,
    truth: NDArray[Any],
    metric: str,
    blend: Any = None,
) -> dict[str, Any]:
    """What the ensemble is made of, and the picture of its diversity.

    Parameters
    ----------
    members : list
        Members with ``name``, ``family`` and ``weight``.
    votes : ndarray of shape (members, n, K)
        What each said about rows it had not seen; K is 1 for numbers.
    final : ndarray of shape (n, K) or (n,)
        What the ensemble said.
    truth : ndarray of shape (n,)
        Numbers, or columns of the probabilities.
    metric : str
        Measure by which the ensemble was chosen.
    blend : dataclass, optional
        How members are combined, with ``weights``; called with votes. By default a weighted mean.
    """
    weights = np.array([float(member.weight) for member in members])
    own = weights if blend is None else np.asarray(blend.weights, dtype=np.float64)

    def score(weights: Array) -> float | None:
        said = combined(votes, weights, blend)
        if said is None:
            return None
        return plain(measured(metric, truth, said if final.ndim == 2 else said[:, 0]))

    lone = votes[..., 0] if final.ndim == 1 else votes
    order = np.argsort(-weights, kind="stable")[:MOST_MEMBERS]
    listed = [
        {
            "name": cut(str(members[m].name), 80),
            "family": cut(str(members[m].family), 40),
            "weight": plain(weights[m], 4),
            "score": plain(measured(metric, truth, lone[m])),
            "without": score(np.where(np.arange(len(own)) == m, 0.0, own)),
            "models": len(getattr(members[m], "models", None) or []),
        }
        for m in order
    ]
    return {
        "members": listed,
        "n_members": len(members),
        # Of the same weights as without each, so that the two can be compared; the score of the
        # leaderboard is that of weights which have not seen the rows.
        "together": score(own),
        "diversity": pairs(members, lone, final, truth),
    }


def combined(votes: Array, weights: Array, blend: Any = None) -> Array | None:
    """What the ensemble says if members had these weights; None if all of them are zero.

    Weights are scaled to the sum that they have in `blend`, or to one.
    """
    total = float(weights.sum())
    if total <= 0:
        return None
    if blend is None:
        return np.asarray(np.tensordot(weights / total, votes, axes=1))
    scale = float(np.sum(blend.weights)) / total
    return np.asarray(replace(blend, weights=weights * scale)(votes))


def pairs(
    members: list[Any], votes: Array, final: Array, truth: NDArray[Any]
) -> dict[str, Any] | None:
    """Agreement and mean error of pairs of members, for a picture; None for a single one.

    Classes: κ of the labels that two members give, against their mean error [1]_. Numbers:
    correlation of their errors, against their mean RMSE.

    References
    ----------
    .. [1] Margineantu & Dietterich, "Pruning adaptive boosting", ICML (1997).
    """
    if len(members) < 2:
        return None
    if final.ndim == 2:
        labels = votes.argmax(axis=2)
        agreement = diversity.kappa(labels, zero_division=1.0)
        errors = (labels != truth).mean(axis=1)
        own = float((final.argmax(axis=1) != truth).mean())
        kind, mean = "kappa", diversity.mean_over_pairs(diversity.disagreement(labels)).mean
    else:
        rest = votes - truth
        flat = rest.std(axis=1) == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            agreement = np.corrcoef(rest)
        agreement[flat], agreement[:, flat] = np.nan, np.nan
        errors = np.sqrt((rest**2).mean(axis=1))
        own, kind, mean = float(np.sqrt(((final - truth) ** 2).mean())), "correlation", None
    first, second = np.triu_indices(len(members), 1)
    kept = thinned(len(first), MOST_PAIRS)
    shown = sorted({*first[kept].tolist(), *second[kept].tolist()})
    return {
        "kind": kind,
        "names": {str(m): cut(str(members[m].name), 80) for m in shown},
        "pairs": [
            [int(i), int(j), plain(agreement[i, j], 4), plain((errors[i] + errors[j]) / 2, 4)]
            for i, j in zip(first[kept], second[kept], strict=True)
            if np.isfinite(agreement[i, j])
        ],
        "ensemble_error": plain(own, 4),
        "mean_member_error": plain(errors.mean(), 4),
        "mean_agreement": plain(np.nanmean(agreement[first, second]), 4)
        if np.isfinite(agreement[first, second]).any()
        else None,
        "mean_disagreement": plain(mean, 4),
    }

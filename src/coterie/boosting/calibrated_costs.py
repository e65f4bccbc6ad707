"""AdaBoost whose calibrated probabilities decide at the least expected cost: CGAda and AdaMEC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie import fusion
from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.chosen import Rows, splits
from coterie.core import Pool, repetitions
from coterie.core.boost import Boosted
from coterie.core.rule import Array, State, normalised, share, two_sided
from coterie.data import Target
from coterie.native import elementary

#: Folds that calibration is learnt on, and how many rows speak for AdaBoost's own link.
_FOLDS, _PRIOR = 10, 200.0
_STEEPEST = 10.0  # where no held-out row is missed, any slope could be steeper


@dataclass(frozen=True)
class CalibratedCosts(AdaBoost):
    r"""AdaBoost, whose scores are calibrated and shifted by costs when they are shown.

    Costs may multiply the weights boosting begins with (CGAda) or have no part in it (AdaMEC).

    With two classes the score :math:`F` becomes :math:`a\,2F + b + \ln(c_2/c_1)`, positive where
    the second class has the least expected cost; of many, :math:`a \frac{K-1}{K} F_k + \ln c_k`.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    at_start : bool
        Whether costs multiply the weights boosting begins with.
    log_costs : tuple of float
        The :math:`\ln c_k`; none before a fit.
    maps : tuple of (float, float)
        The :math:`a` and :math:`b` of as many members as the place says; see `learn_maps`.
    """

    at_start: bool = True
    log_costs: tuple[float, ...] = ()
    maps: tuple[tuple[float, float], ...] = ()
    spare_levels: ClassVar[int | None] = 1

    def begin(self, target: Target, weight: Array) -> State:
        """AdaBoost's, under weights times costs."""
        if not self.at_start:
            return super().begin(target, weight)
        return super().begin(target, normalised(weight * self.costs(target)))

    def costs(self, target: Target) -> Array:
        """What a mistake on each row costs."""
        if not self.log_costs:
            return np.ones(target.n_rows)
        return np.asarray(elementary.exp(np.array(self.log_costs))[target.codes[:, 0]])

    def settle(self, raw: Array) -> Array:
        """The log-odds by AdaBoost's link, with the costs in them."""
        n_scores = raw.shape[1]
        odds = (2.0 if n_scores == 1 else (n_scores - 1) / n_scores) * raw
        return np.asarray(odds if self.at_start else odds + self.lean(n_scores))

    def lean(self, n_scores: int) -> Array:
        """What costs add to the scores."""
        costs = np.array(self.log_costs)
        if n_scores > 1:
            return costs if len(costs) else np.zeros(n_scores)
        return costs[1:2] - costs[:1] if len(costs) == 2 else np.zeros(1)

    def shown(self, settled: Array, size: int) -> Array:
        """Calibrated scores, from what `settle` made of the votes of as many members."""
        if not 0 < size <= len(self.maps):
            return settled
        slope, shift = self.maps[size - 1]
        lean = self.lean(settled.shape[1])
        return np.asarray(slope * (settled - lean) + shift + lean)

    def link(self, raw: Array) -> Array:
        """Probabilities of scores as they are shown, which costs do not change."""
        plain = raw - self.lean(raw.shape[1])
        if raw.shape[1] == 1:
            return two_sided(elementary.expit(plain[:, 0]))
        return np.asarray(elementary.softmax(plain))

    def _advance(
        self, state: State, vote: Array, alpha: float, wrong: Any, error: float
    ) -> dict[str, float]:
        facts = super()._advance(state, vote, alpha, wrong, error)
        costs = self.costs(state.target)
        given, costly = state.initial, normalised(state.initial * costs)
        if self.at_start:
            given, costly = normalised(state.initial / costs), state.initial
        missed = self.decide(self.settle(state.raw)) != state.codes
        return {**facts, "train_error": share(given, missed), "train_cost": share(costly, missed)}


def learn_maps(
    rule: CalibratedCosts, fit: Callable[[Rows], Boosted], rows: Rows, n_sizes: int
) -> tuple[tuple[float, float], ...]:
    """How to calibrate the score of 1, 2, ... members, from fits that have not seen the rows.

    With two classes this is Platt's map, of many a temperature, both mixed with AdaBoost's own link
    as if 200 more rows had spoken for it: of few rows they know too little.

    Parameters
    ----------
    rule : CalibratedCosts
        Turns votes into log-odds.
    fit : callable
        From rows to a boosted fit.
    rows : Rows
        To be divided into folds.
    n_sizes : int
        Members at most.

    Returns
    -------
    tuple of (float, float)
        Slope and shift by size; none if no rows can be held out.
    """
    parts = [(fit(learn), held) for learn, held in splits(rows, _FOLDS)]
    parts = [(boosted, held) for boosted, held in parts if boosted.members]
    if not parts:
        return ()
    codes = np.concatenate([held.target.codes[:, 0] for _, held in parts])
    weight = np.concatenate([_weights(held) for _, held in parts])
    if repetitions(rows.weight) is None:  # importances have no unit
        weight = weight / weight.mean()
    raws = [np.zeros((held.table.n_rows, len(boosted.start))) for boosted, held in parts]
    maps: list[tuple[float, float]] = []
    for t in range(n_sizes):
        grew = [t < len(boosted.members) for boosted, _ in parts]
        if not any(grew):
            maps += [maps[-1]] * (n_sizes - t)
            break
        for raw, (boosted, held), more in zip(raws, parts, grew, strict=True):
            if more:
                pool = Pool.of(boosted.members[t : t + 1], cast=rule.vote)
                raw += boosted.alphas[t] * pool.raw(held.table)
        said = np.vstack([rule.settle(raw) - rule.lean(raw.shape[1]) for raw in raws])
        maps.append(_map(said, codes, weight))
    return tuple(maps)


def _weights(rows: Rows) -> Array:
    return np.ones(rows.table.n_rows) if rows.weight is None else rows.weight


def _map(said: Array, codes: Any, weight: Array) -> tuple[float, float]:
    """Slope and shift of log-odds; rounded, as other sums of the same rows differ a little."""
    if said.shape[1] == 1:
        found = fusion.platt(said[:, 0], codes == 1, weight)
        slope, shift = -found.slope, -found.shift
    else:
        slope, shift = 1.0 / fusion.temperature(said, codes, weight).tau, 0.0
    heard = float(weight.sum()) / (float(weight.sum()) + _PRIOR)
    steep = min(slope, _STEEPEST) - 1.0
    return max(0.0, round(1.0 + heard * steep, 5)), round(heard * shift, 5)

"""How members are combined: several ways, compared on rows that none of them has seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from coterie import fusion
from coterie.automl.clock import MOMENT, Clock
from coterie.automl.metrics import Metric
from coterie.combining.meta import as_probabilities
from coterie.fusion.row_losses import own_chance
from coterie.fusion.sums import sum_of_members
from coterie.tags import tagged

Array = NDArray[np.float64]

NOTHING = 1e-12  # below which a probability is zero but for rounding
_FLOOR = 1e-6  # of probabilities whose logarithm is taken
_PENALTY = 1.0  # of the pool of logarithms, for weights far from equal ones
_LEAST_ROWS, _MOST_ROWS = 300, 20_000  # that combinations are learnt from
_PASSES, _SECONDS = 30, 5e-8  # over all that members say, and for a number of it, about
_CALIBRATED = 300  # rows, below which a temperature is a guess
_ENOUGH = {"maxiter": 60}
_WORTH = 1.0  # standard errors by which the best must beat what is simpler, if that is wanted
_TRUSTED = 0.2  # of the chance of what was not seen, see `_doubtful`
_CLEAR = 2.0  # standard errors by which a single member must beat the best combination


@tagged
@dataclass(frozen=True)
class Blend:
    """A way to combine what members say.

    Parameters
    ----------
    name : str
        What it is called.
    weights : ndarray of shape (n_members,)
        Weights of the members.
    logs : bool, default=False
        Whether logarithms of probabilities are averaged rather than these themselves.
    shift : ndarray of shape (n_outputs,), optional
        Added to the sum.
    tau : float, default=1
        What logarithms of the probabilities are divided by in the end.
    floor : float, default=0
        What takes the place of a probability of zero: no finite number of rows makes anything
        impossible, and one such row costs more than all others can gain.
    least : float, default=0
        The least probability there is: who was never wrong so far may still be, and then pays less
        if not too sure.
    """

    name: str
    weights: Array
    logs: bool = False
    shift: Array | None = None
    tau: float = 1.0
    floor: float = 0.0
    least: float = 0.0

    def __call__(self, profile: Array) -> Array:
        """From shape (members, rows, outputs) to (rows, outputs)."""
        mixed = self._mixed(profile)
        if not self.least:
            return mixed
        raised = np.maximum(mixed, self.least)
        return raised / raised.sum(axis=1, keepdims=True)

    def _mixed(self, profile: Array) -> Array:
        used = np.flatnonzero(self.weights)
        parts = profile[used]
        if self.logs:
            raw = sum_of_members(self.weights[used], _logs(parts))
            raw = raw if self.shift is None else raw + self.shift
            return np.asarray(softmax(raw, axis=1))
        mean = sum_of_members(self.weights[used], parts)
        if self.shift is not None:
            mean = mean + self.shift
        if profile.shape[2] == 1:
            return mean
        absent = mean < NOTHING
        mean = as_probabilities(np.where(absent, self.floor, mean))
        if self.tau == 1.0:
            return mean
        cooled = np.asarray(softmax(np.log(np.maximum(mean, _FLOOR)) / self.tau, axis=1))
        raised = np.where(absent, np.maximum(cooled, self.floor), cooled)
        return raised / raised.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class ScoredBlend:
    """A way to combine with what it is worth.

    Parameters
    ----------
    blend : Blend
        Learnt from all rows.
    nested : ndarray of shape (n_rows, n_outputs)
        What it says of rows that neither the members nor it has seen.
    score : float
        The metric of that.
    loss : float
        The same, as something to make small.
    """

    blend: Blend
    nested: Array
    score: float
    loss: float

    @property
    def members(self) -> NDArray[np.intp]:
        """Which members it makes use of."""
        return np.flatnonzero(self.blend.weights)


@dataclass(frozen=True)
class OutOfFold:
    """What all members say of unseen rows, and the truth.

    Parameters
    ----------
    profile : ndarray of shape (members, rows, outputs)
        What they say.
    truth : ndarray of shape (rows,)
        Codes of classes, or numbers.
    metric : Metric
        What is to be good.
    weight : ndarray of shape (rows,) or None
        Weights of the rows.
    """

    profile: Array
    truth: NDArray[Any]
    metric: Metric
    weight: Array | None = None

    def take(self, rows: Any) -> OutOfFold:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, profile=self.profile[:, rows], truth=self.truth[rows], weight=weight)

    def score(self, output: Array) -> float:
        """The metric of an output of shape (rows, outputs)."""
        return self.metric(self.truth, self.shaped(output), self.weight)

    def loss(self, output: Array) -> float:
        """The same, as something to make small."""
        return self.metric.loss(self.truth, self.shaped(output), self.weight)

    def shaped(self, output: Array) -> Array:
        """Numbers without their second axis."""
        return output if self.labels else output[:, 0]

    @property
    def labels(self) -> bool:
        """Whether classes are to be told."""
        return self.profile.shape[2] > 1


Learn = Callable[[OutOfFold], Blend]


def best_single(oof: OutOfFold) -> Blend:
    """The best member."""
    losses = [oof.loss(said) for said in oof.profile]
    return Blend("best single", np.eye(len(losses))[int(np.argmin(losses))])


def greedy(oof: OutOfFold) -> Blend:
    """Ensemble selection [1]_: members are added one by one, in several subsets of them.

    References
    ----------
    .. [1] Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models",
       ICML (2004).
    """
    by_metric = oof.metric.name != "log_loss"

    def loss(y: Any, said: Any) -> float:
        if by_metric:
            return float(oof.metric.loss(y, said, oof.weight))
        return float(np.average(-np.log(np.maximum(said, 1e-15)), weights=oof.weight))

    outputs: Any = oof.profile if oof.labels else oof.profile[:, :, 0]
    if not by_metric:
        # All that matters is the probability of the true class.
        outputs = own_chance(oof.profile, oof.truth)
    n_members = len(oof.profile)
    found = fusion.greedy_selection(
        outputs, oof.truth, loss, n_start=min(3, n_members), max_rounds=40
    )
    weights = found.weights
    if n_members > 4:
        bagged = fusion.bagged_selection(
            outputs, oof.truth, loss, n_bags=5, fraction=0.7, max_rounds=20
        )
        weights = 0.5 * weights + 0.5 * bagged
    return Blend("ensemble selection", weights)


def convex(oof: OutOfFold) -> Blend:
    """The weights, none negative and summing to one, of least log-loss or squared error."""
    if oof.labels:
        weights = fusion.log_loss_weights(
            np.maximum(oof.profile, _FLOOR),
            oof.truth,
            max_iter=1_000,
            sample_weight=oof.weight,
        )
    else:
        weights = fusion.simplex_weights(oof.profile[:, :, 0], oof.truth, sample_weight=oof.weight)
    return Blend("weighted mean", np.where(weights < 1e-4, 0.0, weights))


def stacked(oof: OutOfFold) -> Blend:
    r"""A pool of logarithms of probabilities; for numbers, least squares without negative weights.

    .. math:: p_k \propto \exp\Big(b_k + \sum_t w_t \ln p_{tk}\Big), \qquad w_t \ge 0
    """
    if not oof.labels:
        weights = fusion.nnls_weights(oof.profile[:, :, 0], oof.truth, sample_weight=oof.weight)
        return Blend("stacking", weights)
    logs, n_members = _logs(oof.profile), len(oof.profile)
    share = np.ones(len(oof.truth)) if oof.weight is None else oof.weight
    hot = np.eye(oof.profile.shape[2])[oof.truth]

    def loss(at: Array) -> tuple[float, Array]:
        raw = np.tensordot(at[:n_members], logs, axes=1) + at[n_members:]
        chances = log_softmax(raw, axis=1)
        slope = (np.exp(chances) - hot) * share[:, None]
        away = at - start
        value = -float(share @ own_chance(chances, oof.truth)) + _PENALTY * float(away @ away)
        members = np.tensordot(logs, slope, axes=([1, 2], [0, 1]))
        return value, np.concatenate([members, slope.sum(axis=0)]) + 2 * _PENALTY * away

    n_outputs = oof.profile.shape[2]
    start = np.concatenate([np.full(n_members, 1.0 / n_members), np.zeros(n_outputs)])
    bounds = [(0.0, None)] * n_members + [(None, None)] * n_outputs
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options=_ENOUGH)
    weights = np.where(found.x[:n_members] < 1e-3, 0.0, found.x[:n_members])
    if not weights.any():
        return best_single(oof)
    return Blend("stacking", weights, logs=True, shift=found.x[n_members:])


def tempered(blend: Blend, oof: OutOfFold) -> Blend:
    """The same, with probabilities made more or less sure."""
    logs = np.log(np.maximum(blend(oof.profile), _FLOOR))
    tau = fusion.temperature(logs, oof.truth, oof.weight).tau
    return replace(blend, name=f"{blend.name}, calibrated", tau=tau)


def _doubtful(blend: Blend, oof: OutOfFold) -> Blend:
    """The same, but never surer than so many rows allow, where that matters.

    The chance of what was not seen among them is by the rule of Jeffreys what takes the place of
    zero. Probabilities that members give are trusted down to a share of that.
    """
    if oof.metric.name != "log_loss":
        return blend
    unseen = 0.5 / (len(oof.truth) + 1)
    return replace(blend, floor=unseen, least=_TRUSTED * unseen / oof.profile.shape[2])


#: From the simplest to the most flexible.
WAYS: tuple[Learn, ...] = (best_single, greedy, convex, stacked)


def learn_all(oof: OutOfFold, ways: Sequence[Learn]) -> list[Blend]:
    """All ways to combine, the simplest first, with and without calibration."""
    calibrate = oof.labels and oof.metric.name in ("log_loss", "brier") and ways is WAYS
    blends = []
    for way in ways[:1] if len(oof.profile) == 1 else ways:
        blend = _doubtful(way(oof), oof)
        blends.append(blend)
        if calibrate and way is not stacked:
            blends.append(tempered(blend, oof))
    return blends


def judge(
    oof: OutOfFold, parts: NDArray[np.intp], ways: Sequence[Learn] = WAYS, most: int = 8_000
) -> list[ScoredBlend]:
    """Learn every way to combine, and score it on rows it has not seen.

    Parameters
    ----------
    oof : OutOfFold
        What members say.
    parts : ndarray of int of shape (rows,)
        Each part is scored by what is learnt from the others.
    ways : sequence of callables
        What is tried; those of `WAYS` by default, which are calibrated too.
    most : int, default=8000
        Rows to learn from; of more, some are drawn.

    Returns
    -------
    list of ScoredBlend
        The simplest first.
    """

    def learn(rows: NDArray[np.intp]) -> list[Blend]:
        if len(rows) > most:
            rows = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
        return learn_all(oof.take(rows), ways)

    blends = learn(np.arange(len(parts)))
    nested = np.empty((len(blends), *oof.profile.shape[1:]))
    for part in np.unique(parts):
        inside = parts == part
        for number, blend in enumerate(learn(np.flatnonzero(~inside))):
            nested[number, inside] = blend(oof.profile[:, inside])
    return [
        ScoredBlend(blend, said, oof.score(said), oof.loss(said))
        for blend, said in zip(blends, nested, strict=True)
    ]


def affordable_rows(oof: OutOfFold, ways: Sequence[Learn], clock: Clock, n_parts: int) -> int:
    """How many rows combinations can be learnt from in the time that is left, if any.

    Parameters
    ----------
    oof : OutOfFold
        What members say.
    ways : sequence of callables
        What is tried.
    clock : Clock
        The time that is left.
    n_parts : int
        Parts of the rows, see `judge`.
    """
    n_rows = len(oof.truth)
    least = oof.profile[:, :_LEAST_ROWS].size * (n_parts + 1) * _PASSES * _SECONDS
    if least > max(clock.ending, MOMENT):
        return 0
    if n_rows <= _LEAST_ROWS:
        return n_rows
    before = clock.elapsed
    learn_all(oof.take(np.arange(0, n_rows, n_rows // _LEAST_ROWS)), ways)
    seconds = (clock.elapsed - before) * (n_parts + 1)
    time = max(0.5 * clock.ending, 0.03 * clock.limit)
    return int(np.clip(_LEAST_ROWS * time / max(seconds, 1e-9), _LEAST_ROWS, _MOST_ROWS))


def alone(oof: OutOfFold, member: int, name: str) -> list[ScoredBlend]:
    """One member that was named beforehand; with enough rows, calibrated, too.

    Half of the temperature that its rows ask for is taken, on the scale of logs, as `BoostedTrees*`
    does: one model is less sure of itself than the mean of all is right.
    """
    blends = [_doubtful(Blend(name, np.eye(len(oof.profile))[member]), oof)]
    if oof.labels and oof.metric.name == "log_loss" and len(oof.truth) >= _CALIBRATED:
        cooler = tempered(blends[0], oof)
        blends.append(replace(cooler, tau=float(np.sqrt(cooler.tau))))
    said = [blend(oof.profile) for blend in blends]
    pairs = zip(blends, said, strict=True)
    return [ScoredBlend(blend, one, oof.score(one), oof.loss(one)) for blend, one in pairs]


def expected_loss(one: ScoredBlend, noise: float | Array) -> float:
    r"""The loss that is expected of the mean of all models of each member.

    It was measured with one model of each member. That noise of the models averages out looks like
    a gain from further members, but the final ones have it anyway: of a loss that one model of a
    member has for its noise, members of shares :math:`w_t` have the part :math:`\sum_t w_t^2` here,
    and hardly any of it in the end.

    Parameters
    ----------
    one : ScoredBlend
        A way to combine.
    noise : float, or ndarray of shape (n_members,)
        What a member gains from the mean of its models.
    """
    share = one.blend.weights / one.blend.weights.sum()
    return one.loss - float((share * noise) @ share)


def choose(
    judged: list[ScoredBlend],
    oof: OutOfFold,
    *,
    simple: bool = False,
    noise: float | Array = 0.0,
) -> ScoredBlend:
    """The best, but of several members unless a single one is clearly better.

    Or a simpler one that is as good as rows can tell, if that is wanted.

    Parameters
    ----------
    judged : list of ScoredBlend
        The simplest first.
    oof : OutOfFold
        What members say.
    simple : bool, default=False
        Whether a simpler one is wanted if the best is not clearly better.
    noise : float or ndarray of shape (n_members,), default=0
        See `expected_loss`.
    """
    best = min(judged, key=lambda one: expected_loss(one, noise))
    rows = oof.metric.rows
    if rows is None:
        return best
    if not simple:
        return best if len(best.members) > 1 else _rather_several(judged, best, oof, noise)
    for one in judged:
        if one is best:
            break
        gain = rows(oof.truth, oof.shaped(one.nested))
        gain = gain - rows(oof.truth, oof.shaped(best.nested))
        if gain.mean() <= _WORTH * gain.std() / np.sqrt(len(gain)):
            return one
    return best


def _rather_several(
    judged: Sequence[ScoredBlend], best: ScoredBlend, oof: OutOfFold, noise: float | Array
) -> ScoredBlend:
    """The best combination of several members, unless a single one is clearly better.

    The single one was the luckiest of many, and the errors of several make up for each other.
    """
    several = [one for one in judged if len(one.members) > 1]
    if not several:
        return best
    other = min(several, key=lambda one: expected_loss(one, noise))
    ahead = expected_loss(other, noise) - expected_loss(best, noise)
    return best if ahead > _CLEAR * _error(best, other, oof) else other


def _error(one: ScoredBlend, other: ScoredBlend, oof: OutOfFold) -> float:
    """The standard error of the difference of two losses, by the same rows."""
    metric = oof.metric
    assert metric.rows is not None
    mine = metric.rows(oof.truth, oof.shaped(one.nested))
    apart = metric.rows(oof.truth, oof.shaped(other.nested)) - mine
    step = apart.std() / np.sqrt(len(apart))
    return float(abs(metric.whole(mine.mean() + step) - metric.whole(mine.mean())))


def _logs(profile: Array) -> Array:
    return np.log(np.maximum(profile, _FLOOR))

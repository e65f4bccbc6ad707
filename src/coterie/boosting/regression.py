"""AdaBoost for numbers: what such rules share, and AdaBoost.R2 with its weighted median."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.base import Admitted, RegressorTask, thread_count
from coterie.base.elsewhere import where_rows_are
from coterie.base.scoring import Answers, Measures
from coterie.boosting.booster import BOOSTER, Booster
from coterie.boosting.predictions import StagedScores
from coterie.boosting.running import RunningState
from coterie.core import Allowed, one_of
from coterie.core.rule import Array, Ask, Rule, State, Step, rounding
from coterie.data import Table, Target
from coterie.native import elementary
from coterie.tags import tagged
from coterie.trees import DecisionTreeRegressor


def weighted_median(votes: Array, weights: Array) -> Array:
    """The smallest vote of each row that makes up, with all smaller ones, half of the weight.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_members)
        Numbers.
    weights : ndarray of shape (n_members,)
        Their weights.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> weighted_median(np.array([[3.0, 1.0, 2.0]]), np.array([1.0, 1.0, 3.0]))
    array([2.])
    """
    order = np.argsort(votes, axis=1, kind="stable")
    return middle(votes, order, weights)


def middle(votes: Array, order: NDArray[np.intp], weights: Array) -> Array:
    """The weighted median of votes that are in ascending `order` already, row by row."""
    total = np.cumsum(weights[order], axis=1)
    at = (total >= 0.5 * total[:, -1:]).argmax(axis=1)
    rows = np.arange(len(votes))
    return np.asarray(votes[rows, order[rows, at]])


@tagged
@dataclass
class RunningMedian:
    """The weighted median of votes while members are added, which takes every one of them."""

    file_tag: ClassVar[str] = "MedianLoss"

    last: Array | None = None
    votes: list[Array] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)

    def __call__(self, raw: Array) -> Array:
        """The median of all votes so far, one column; `raw` holds their weighted sum."""
        step = raw if self.last is None else raw - self.last
        self.last = raw.copy()
        self.alphas.append(float(step[0, 1]))
        self.votes.append(step[:, 0] / step[0, 1])
        return weighted_median(np.stack(self.votes, axis=1), np.array(self.alphas))[:, np.newaxis]


Loss = Literal["linear", "square", "exponential"]

_LOSSES: dict[str, Callable[[Array], Array]] = {
    "linear": lambda share: share,
    "square": np.square,
    "exponential": lambda share: -elementary.expm1(-share),
}
# The mean loss a member without error is counted with. Not a matter of the number of rows: a row
# of weight three must count as three rows.
_FLAWLESS = 1e-10
_ROUNDING = 16 * float(np.finfo(np.float64).eps)
_BLOCK = 1 << 22  # votes held at a time


@dataclass(frozen=True)
class BoostNumbers(Rule):
    """What the rules for numbers share.

    A vote is the predicted number and a one, so that scores are the sums of weighted predictions
    and of weights.

    Parameters
    ----------
    learning_rate : float
        Factor that multiplies the weight of every member.
    """

    learning_rate: float = 1.0
    gives: ClassVar[Literal["label", "proba", "score"]] = "score"

    def begin(self, target: Target, weight: Array) -> State:
        """No predictions yet."""
        return RunningState.start(target, weight, 2)

    def ask(self, state: State) -> Ask:
        """The numbers, under the current weights at mean one."""
        return Ask(state.target, state.weight * len(state.weight))

    def vote(self, output: Array) -> Array:
        """The prediction, and a one."""
        return np.column_stack([output[:, 0], np.ones(len(output))])

    def _refuse(self, state: State, vote: Array, error: float) -> Step:
        """A member that is too weak: boosting ends, and only the first member is kept."""
        facts = {"error": error, "alpha": 1.0}
        if state.raw[:, 1].any():
            return Step(0.0, facts, keep=False, stop="too_weak")
        state.raw = state.raw + vote
        return Step(1.0, facts, stop="too_weak")

    def _accept(self, state: State, vote: Array, right: Array, step: Step) -> Step:
        r"""Multiply the weights by :math:`e^{-\alpha\,\text{right}}` and add the vote."""
        state.raw = state.raw + step.alpha * vote
        RunningState.of(state).multiply(-step.alpha * right)
        return step


@dataclass(frozen=True)
class AdaBoostR2(BoostNumbers):
    r"""AdaBoost.R2: row weights grow with the error relative to the largest error.

    With :math:`L_i` the loss of :math:`|y_i - f(x_i)| / \max_j |y_j - f(x_j)|`, its mean
    :math:`\bar L = \sum_i D_i L_i` and :math:`\beta = \bar L / (1 - \bar L)`, weights are
    multiplied by :math:`\beta^{1 - L_i}` and the member gets the weight :math:`\ln(1/\beta)`.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\ln(1/\beta)`, in the weights of rows and members alike.
    loss : {"linear", "square", "exponential"}
        :math:`L` as a function of the relative error.
    """

    loss: Loss = "linear"

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by its mean loss."""
        values = state.target.values[:, 0]
        error = np.abs(values - vote[:, 0])
        largest = float(error[state.weight > 0].max())
        if largest <= _ROUNDING * np.abs(values).max():
            alpha = self.learning_rate * float(elementary.log(1 / _FLAWLESS))
            facts = {"error": 0.0, "alpha": alpha, "largest": largest}
            right = np.ones(len(error))
            return self._accept(state, vote, right, Step(alpha, facts, stop="perfect"))
        loss = _LOSSES[self.loss](np.minimum(error / largest, 1.0))
        mean = float(np.sum(state.weight * loss))
        if mean >= 0.5 - rounding(state):
            return self._refuse(state, vote, mean)
        counted = max(mean, _FLAWLESS)
        alpha = self.learning_rate * float(elementary.log((1 - counted) / counted))
        facts = {"error": mean, "alpha": alpha, "largest": largest}
        return self._accept(state, vote, 1.0 - loss, Step(alpha, facts))


@dataclass(eq=False, repr=False, kw_only=True)
class BoostedRegressor(StagedScores, RegressorTask, Booster):
    """Scores hold the weighted sum of the predictions, and the sum of the weights."""

    def _member(self, gives: str, target: Target) -> Any:
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    def _answers(self, rule: Rule, target: Target) -> Answers:
        return Answers(self._answer)

    def _answer(self, raw: Array) -> Array:
        return np.asarray(raw[:, 0] / raw[:, 1])


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostRegressor(BoostedRegressor):
    r"""AdaBoost.R2, a drop-in replacement for ``sklearn.ensemble.AdaBoostRegressor``.

    Each round fits a member with weights that increase for rows with large errors so far; the
    prediction is the weighted median of the members. Members that accept weights are fitted with
    weights, which needs no random numbers; ``weighting="resample"`` fits them on rows drawn by
    weight, as Drucker did and scikit-learn does. Neither is generally better on real data sets.

    Parameters
    ----------
    estimator : estimator, default=None
        The base learner; by default a `DecisionTreeRegressor` of depth 3.
    loss : {"linear", "square", "exponential"}, default="linear"
        The loss of a row's error, relative to the largest error.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\ln(1/\beta_t)`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Mean loss of each member in its round.
    trace_ : Trace
        Mean loss, weight and largest error by round.
    stop_reason_ : str
        Why boosting stopped.

    References
    ----------
    .. [1] Drucker, "Improving regressors using boosting techniques", ICML (1997).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AdaBoostRegressor(n_estimators=30).fit(X, y)
    >>> 0.5 < model.score(X, y) < 0.7
    True
    """

    loss: Loss = "linear"

    allowed: ClassVar[Mapping[str, Allowed]] = {**BOOSTER, "loss": one_of(*_LOSSES)}

    def _rule(self) -> AdaBoostR2:
        return AdaBoostR2(float(self.learning_rate), self.loss)

    def _measures(self, rule: Rule, learn: Admitted, watch: Admitted | None) -> Measures | None:
        measures = super()._measures(rule, learn, watch)
        if measures is None:
            return None
        return replace(measures, answers=Answers(_only), reading=RunningMedian())

    def _votes(self, table: Table) -> Array:
        """What each member predicts, shape (n_rows, n_members)."""
        votes = self.pool_.votes(table, n_threads=thread_count(self.n_jobs))
        return np.ascontiguousarray(votes[:, :, 0].T)

    @where_rows_are
    def predict(self, X: Any) -> Array:
        """The weighted median of the members' predictions.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        table = this._admit(X)
        size = max(1, _BLOCK // len(this.pool_))
        blocks = [slice(start, start + size) for start in range(0, table.n_rows, size)]
        parts = [
            weighted_median(this._votes(table.take(block)), this.pool_.weights) for block in blocks
        ]
        return np.concatenate(parts)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round; the predictions of all members are kept in memory."""
        this = self._settled()
        votes = this._votes(this._admit(X))
        order = np.argsort(votes, axis=1, kind="stable")
        for size in range(1, votes.shape[1] + 1):
            known = np.where(np.arange(votes.shape[1]) < size, this.pool_.weights, 0.0)
            yield middle(votes, order, known)


def _only(raw: Array) -> Array:
    return raw[:, 0]

"""AnyBoost: coordinate descent on any loss of the margin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from sklearn.utils.metaestimators import available_if

from coterie.base.elsewhere import where_rows_are
from coterie.boosting.additive import Additive, as_columns, fit_weight, pair_signs, pair_sum
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.line_search import Line
from coterie.boosting.steps import OwnStep
from coterie.core import Allowed, a_function, instance_of, one_of
from coterie.core.rule import (
    Array,
    Ask,
    State,
    Step,
    majority,
    rounding,
    smallest_error,
    two_sided,
)
from coterie.data import Target
from coterie.losses import MARGIN_LOSSES, Exponential, FunctionLoss, MarginLoss
from coterie.native import elementary

#: Where the loss still falls so far along a member, it is taken to fall for ever.
_LARGEST = 10.0
#: What a member without error is counted with.
_LEAST_ERROR = 1e-3
#: A smaller relative decrease of the loss is none.
_SMALLEST_DECREASE = 1e-7


@dataclass(frozen=True)
class AnyBoost(Additive):
    r"""Coordinate descent on :math:`\sum_i D_0(i)\, \phi(y_i F(x_i))`.

    A member is fitted with weights :math:`|\phi'(y_i F(x_i))|`, with labels flipped where the loss
    increases with the margin, and its weight is found by a line search. With many classes there is
    one member per class and round, on all pairs of row and class, with a common weight.

    Parameters
    ----------
    learning_rate : float
        Factor of every weight.
    loss : MarginLoss
        The :math:`\phi`.
    step : StepRule
        Step size along a member; by default a line search.
    """

    learning_rate: float = 1.0
    loss: MarginLoss = field(default_factory=Exponential)
    gives: ClassVar[Literal["label", "proba", "score"]] = "label"

    def begin(self, target: Target, weight: Array) -> State:
        """Scores zero, and weights by the slope of the loss there."""
        state = super().begin(target, weight)
        state.weight = np.abs(self._pull(state)).reshape(state.weight.shape)
        if not np.isclose(state.weight.sum(), 1.0):
            raise ValueError(
                f"The slope of the loss {self.loss!r} at margin 0 must be finite and not zero; "
                "otherwise boosting cannot start. Use a loss that decreases there."
            )
        return state

    def ask(self, state: State) -> Ask:
        """The labels that lower the loss, under the current weights at mean one."""
        n_scores = state.raw.shape[1]
        signs = pair_signs(state.codes, n_scores)
        # A negative pull is a loss that rises with the margin: the other label lowers it.
        second = (signs > 0) == (self._pull(state) >= 0)
        classes = state.target.classes if n_scores == 1 else (np.arange(2),) * n_scores
        return Ask(Target("labels", second.astype(np.int32), classes), fit_weight(state.weight))

    def vote(self, output: Array) -> Array:
        """-1 or +1."""
        return np.where(majority(output) == 1, 1.0, -1.0)[:, None]

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Find the member's weight by a line search, and weigh the rows anew."""
        signs = pair_signs(state.codes, vote.shape[1])
        right, margin = signs * vote, signs * state.raw
        pull = self._pull(state)
        edge = float((pull * right).sum())
        error = float(np.abs(pull)[pull * right < 0].sum())
        if not edge > 2 * rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        perfect = bool((right > 0).all()) and self.gives == "label"
        alpha = self.learning_rate * self._reach(state, vote, error)
        if alpha <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        before = self._loss(state, margin)
        state.raw = state.raw + alpha * vote
        after = self._loss(state, signs * state.raw)
        facts = {
            "error": error,
            "edge": edge,
            "alpha": alpha,
            "loss": after,
            "train_error": self.train_error(state),
        }
        following = np.abs(self._pull(state))
        settled = not following.any()  # no row would gain from a change
        if not settled:
            state.weight = following.reshape(state.weight.shape)
        stuck = not before - after > _SMALLEST_DECREASE * abs(before)
        stop = "perfect" if perfect else "no_improvement" if stuck or settled else ""
        return Step(alpha, facts, stop=stop)

    def _pull(self, state: State) -> Array:
        """Minus the slope of the loss at every pair; absolute values sum to one, if any."""
        n_scores = state.raw.shape[1]
        margin = pair_signs(state.codes, n_scores) * state.raw
        if isinstance(self.loss, Exponential):
            return as_columns(pair_sum(state.initial, -margin)[0], n_scores)
        pull = -state.initial[:, None] * self.loss.slope(margin)
        return np.asarray(pull / (np.abs(pull).sum() or 1.0))

    def line(self, state: State, vote: Array) -> Line:
        """The loss along a vote, over all pairs of row and score."""
        return replace(super().line(state, vote), loss=self.loss)

    def _reach(self, state: State, vote: Array, error: float) -> float:
        """How far to go along a member; other steps than its own begin at one."""
        if isinstance(self.step, OwnStep):
            return self._length(state, self.line(state, vote), error)
        return self.length(state, vote, 1.0)

    def _length(self, state: State, line: Line, error: float) -> float:
        """Where the loss is least along a member of this error.

        A loss that falls for ever gives it the weight of AdaBoost for its error.
        """
        closed = isinstance(self.loss, Exponential)
        found = None if closed else line.first_minimum(_LARGEST)
        if found is not None:
            return found
        if closed and state.raw.shape[1] == 1:
            error = max(error, smallest_error(state))  # as in AdaBoost
        elif error <= rounding(state):
            error = _LEAST_ERROR
        return 0.5 * float(elementary.log((1 - error) / error))

    def _loss(self, state: State, margin: Array) -> float:
        """The loss of the training rows, averaged over the classes."""
        return elementary.dot(state.initial, self.loss.value(margin).mean(axis=1))

    def fallback(self, state: State) -> Array:
        """The best constant score of each class."""
        signs = pair_signs(state.codes, state.raw.shape[1])
        sides = np.where((state.initial[:, None] * signs).sum(axis=0) >= 0, 1.0, -1.0)
        none = np.zeros(len(signs))
        errors = (state.initial[:, None] * (signs * sides < 0)).sum(axis=0)
        return np.array(
            [
                side * self._length(state, Line(self.loss, none, right, state.initial), error)
                for side, right, error in zip(sides, (signs * sides).T, errors, strict=True)
            ]
        )

    def link(self, raw: Array) -> Array:
        """That of the loss; with many classes, one of these each, divided by their sum."""
        chance = self.loss.link(raw)
        if chance is None:
            raise ValueError(
                f"The loss {self.loss!r} does not provide probabilities. Use predict or "
                "decision_function, or another loss."
            )
        if raw.shape[1] == 1:
            return two_sided(chance[:, 0])
        total = chance.sum(axis=1, keepdims=True)
        even = np.full(chance.shape, 1 / raw.shape[1])
        return np.divide(chance, total, out=even, where=total > 0)


@dataclass(frozen=True)
class AnyBoostGradient(AnyBoost):
    r"""AnyBoost whose members are regressions of the negative gradient.

    A member is fitted by least squares to :math:`-y\phi'(yF)`, and its weight is found by a line
    search: the vote is a number, so a member can say how steep the loss is as well as where.

    Parameters
    ----------
    learning_rate, loss, step : see AnyBoost
        As documented there.
    """

    gives: ClassVar[Literal["label", "proba", "score"]] = "score"

    def ask(self, state: State) -> Ask:
        """The negative gradient, under the initial weights at mean one."""
        n_scores = state.raw.shape[1]
        signs = pair_signs(state.codes, n_scores)
        response = -signs * self.loss.slope(signs * state.raw)
        weight = np.repeat(state.initial[:, None], n_scores, axis=1)
        return Ask(Target("values", response), fit_weight(weight.reshape(state.weight.shape)))

    def vote(self, output: Array) -> Array:
        """The regression itself."""
        return output

    def _length(self, state: State, line: Line, error: float) -> float:
        """Where the loss is least; if it falls for ever, as far as a member of -1 and +1 goes."""
        largest = float(np.abs(line.direction).max())
        found = line.first_minimum(_LARGEST / largest)
        if found is not None:
            return found
        error = max(error, _LEAST_ERROR)
        return 0.5 * float(elementary.log((1 - error) / error)) / largest


DIRECTIONS: dict[str, type[AnyBoost]] = {"classify": AnyBoost, "gradient": AnyBoostGradient}

Function = Callable[[Array], Array]
a_pair_of_functions = Allowed(
    lambda v: isinstance(v, tuple) and len(v) == 2 and all(map(callable, v)),
    "a pair of functions (loss, slope)",
)


def margin_loss(loss: Any) -> MarginLoss:
    """The loss of a name, an object, a function, or a function and its slope."""
    if isinstance(loss, str):
        return MARGIN_LOSSES[loss]
    if isinstance(loss, MarginLoss):
        return loss
    return FunctionLoss(*loss) if isinstance(loss, tuple) else FunctionLoss(loss)


def _has_probabilities(model: Any) -> bool:
    return margin_loss(model.loss).link(np.zeros(1)) is not None


@dataclass(eq=False, repr=False, kw_only=True)
class AnyBoostClassifier(BoostedClassifier):
    r"""Boosting of any margin loss by coordinate descent with a line search.

    Each round fits a member with weights :math:`D_0 |\phi'(yF)|`, largest where the loss
    :math:`\phi` is steepest, and adds it with the weight :math:`\alpha` at which :math:`\sum_i
    D_0(i)\, \phi(y_i(F(x_i) + \alpha h(x_i)))` is smallest: the loss never increases, and under the
    next weights the member has no edge. The exponential loss gives AdaBoost. With many classes
    there is one member per class and round; see `AnyBoost`.

    Parameters
    ----------
    loss : str, MarginLoss, function or pair of functions, default="logistic"
        "exponential", "logistic", "logistic1", "madaboost", "squared_hinge", "squared",
        "sigmoid", "savage" or "tangent"; an object of `coterie.losses`; or a function of an
        array of margins :math:`yF`, alone or in a tuple with its derivative. "sigmoid" and
        functions have no `predict_proba`.
    direction : {"classify", "gradient"}, default="classify"
        What members fit: labels, with weights; or the negative gradient :math:`-y\phi'(yF)` by
        least squares, which needs regressors as members.

    Attributes
    ----------
    estimators_ : sequence of estimators
        The members.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each member in its round.
    trace_ : Trace
        Error, edge, alpha, loss and training error by round.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Mason, Baxter, Bartlett & Frean, "Boosting algorithms as gradient descent", NIPS 12
       (2000).
    .. [2] Masnadi-Shirazi & Vasconcelos, "On the design of loss functions for classification:
       theory, robustness to outliers, and SavageBoost", NIPS 21 (2008).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AnyBoostClassifier(n_estimators=20, loss="savage").fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    loss: str | MarginLoss | Function | tuple[Function, Function] = "logistic"
    direction: Literal["classify", "gradient"] = "classify"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "loss": one_of(*MARGIN_LOSSES) | instance_of(MarginLoss) | a_function | a_pair_of_functions,
        "direction": one_of(*DIRECTIONS),
    }

    def _rule(self) -> AnyBoost:
        rule = DIRECTIONS[self.direction]
        return rule(float(self.learning_rate), margin_loss(self.loss))

    @available_if(_has_probabilities)
    @where_rows_are
    def predict_proba(self, X: Any) -> Array:
        """Class probabilities by the link of the loss.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    @available_if(_has_probabilities)
    @where_rows_are
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_log_proba(X)

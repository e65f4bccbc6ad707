"""AdaBoost.MH: one yes-or-no question per class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.base import Admitted, split_outputs
from coterie.boosting.booster import BoostedClassifier
from coterie.boosting.line_search import Line
from coterie.boosting.steps import Steered
from coterie.core.rule import (
    Array,
    Ask,
    Rule,
    State,
    Step,
    exponential_weight,
    majority,
    rounding,
    smallest_error,
    two_sided,
)
from coterie.data import Target
from coterie.losses import Exponential
from coterie.native import elementary


@dataclass(frozen=True)
class AdaBoostMH(Steered, Rule):
    r"""Stagewise descent on :math:`\sum_{i,k} D_1(i,k) e^{-Y_{ik} F_k(x_i)}`.

    :math:`Y_{ik}` is +1 where k is the class of row i and -1 elsewhere, and :math:`D_1(i,k) =
    D_0(i)/K`. A round fits one member :math:`h_k = \pm 1` per class; together they have the edge
    :math:`r = \sum_{i,k} D(i,k) Y_{ik} h_k(x_i)` and weigh :math:`\alpha = \frac12
    \ln\frac{1+r}{1-r}`. With two classes both questions are the same, and the one about the second
    class is boosted: AdaBoost. Of several outputs, such as the columns of an indicator matrix, the
    questions of all are asked side by side.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    n_classes : tuple of int or None
        Classes of each output; None for one output, whose scores tell it.
    """

    learning_rate: float = 1.0
    n_classes: tuple[int, ...] | None = None
    gives: ClassVar[Literal["label", "proba", "score"]] = "label"

    def for_target(self, target: Target) -> Self:
        """Knows which scores belong to which of several outputs."""
        return self if target.n_outputs == 1 else replace(self, n_classes=target.n_classes)

    def begin(self, target: Target, weight: Array) -> State:
        """Scores zero, and the weight of a row in equal parts on all questions."""
        scores = sum(_questions(size) for size in target.n_classes)
        pairs = np.repeat(weight[:, None] / scores, scores, axis=1)
        return State(target, weight, pairs, np.zeros(pairs.shape))

    def ask(self, state: State) -> Ask:
        """Whether each row is of class k, for every k, under weights at mean one."""
        n_rows, scores = state.weight.shape
        if scores == 1:
            return Ask(state.target, state.weight[:, 0] * n_rows)
        yes = (_answers(state) > 0).astype(np.int32)
        questions = Target("labels", yes, (np.array([0, 1]),) * scores, flat=False)
        # The weight of a class that has long been right may underflow: then the first weights do.
        weight = np.repeat(state.initial[:, None] * n_rows, scores, axis=1)
        mean = state.weight.mean(axis=0)
        return Ask(questions, np.divide(state.weight, mean, out=weight, where=mean > 0))

    def vote(self, output: Array) -> Array:
        """+1 for yes and -1 for no."""
        return np.where(majority(output) == 1, 1.0, -1.0)[:, None]

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the members by their joint edge and move weight to their wrong answers."""
        error = float(state.weight[vote != _answers(state)].sum())
        if error >= 0.5 - rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        counted = max(error, smallest_error(state))
        own = float(elementary.log((1 - counted) / counted)) / 2
        alpha = self.learning_rate * self.length(state, vote, own)
        if alpha <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        grown = float(elementary.exp(alpha))
        normaliser = (1 - error) / grown + error * grown
        facts = {"error": error, "edge": 1 - 2 * error, "alpha": alpha, "normaliser": normaliser}
        facts |= self._advance(state, alpha * vote)
        return Step(alpha, facts, stop="perfect" if error <= rounding(state) else "")

    def line(self, state: State, vote: Array) -> Line:
        """The loss along a vote, over all pairs of row and question."""
        right, scores = _answers(state), vote.shape[1]
        weight = np.repeat(state.initial / scores, scores)
        return Line(Exponential(), (right * state.raw).ravel(), (right * vote).ravel(), weight)

    def _advance(self, state: State, step: Array) -> dict[str, float]:
        """Add the weighted vote, and take the distribution from the scores anew."""
        state.raw = state.raw + step
        first = self.begin(state.target, state.initial).weight
        margin = _answers(state) * state.raw
        state.weight = exponential_weight(first, -margin)
        loss = float(np.sum(first * elementary.exp(-margin)))
        codes = state.target.codes
        wrong = self.decide(state.raw).reshape(codes.shape) != codes
        return {
            "loss": loss,
            "hamming": float(first[margin <= 0].sum()),
            "train_error": float(state.initial @ wrong.mean(axis=1)),
            "bound": self._bound(state) * loss,
        }

    def _bound(self, state: State) -> float:
        """What the loss is to be multiplied by to bound the training error.

        Where a wrong class leads, exp(-F_y) + exp(F_k) >= 2 of the terms of an output; the one
        term of an output of two classes is at least 1 when it is wrong.
        """
        sizes = state.target.n_classes
        most = max(1.0 if size <= 2 else 0.5 for size in sizes)
        return most * state.raw.shape[1] / len(sizes)

    def fallback(self, state: State) -> Array:
        """Half the log-odds of every class against the others."""
        yes = (state.initial[:, None] * (_answers(state) > 0)).sum(axis=0)
        low = smallest_error(state)
        share = np.clip(yes, low, 1 - low)
        return np.asarray(elementary.log(share / (1 - share)) / 2)

    def decide(self, raw: Array) -> NDArray[np.integer]:
        """Class codes of scores, one column for each of several outputs."""
        if self.n_classes is None:
            return super().decide(raw)
        decided = [AdaBoostMH.decide(_LONE, part) for part in self._outputs(raw)]
        return np.stack(decided, axis=1)

    def link(self, raw: Array) -> Array:
        r""":math:`1/(1+e^{-2F_k})`, the minimiser of the loss, divided by the sum over classes.

        Several outputs are side by side.
        """
        if self.n_classes is not None:
            parts = zip(self._outputs(raw), self.n_classes, strict=True)
            links = [np.ones((len(raw), 1)) if n == 1 else _LONE.link(part) for part, n in parts]
            return np.hstack(links)
        if raw.shape[1] == 1:
            return two_sided(elementary.expit(2 * raw[:, 0]))
        return np.asarray(elementary.softmax(elementary.log_expit(2 * raw)))

    def _outputs(self, raw: Array) -> list[Array]:
        """The scores of each output."""
        ends = np.cumsum([0, *(_questions(size) for size in self.n_classes or ())])
        return [raw[:, start:end] for start, end in pairwise(ends)]


#: One output by itself.
_LONE = AdaBoostMH()


def _questions(n_classes: int) -> int:
    """How many questions are asked of a row; of two classes one."""
    return 1 if n_classes <= 2 else n_classes


def _answers(state: State) -> Array:
    """The right answers as -1 and +1, shape (n_rows, n_questions)."""
    own = [np.arange(size) if size > 2 else np.ones(1) for size in state.target.n_classes]
    columns = [
        np.where(state.target.codes[:, k : k + 1] == asked, 1.0, -1.0)
        for k, asked in enumerate(own)
    ]
    return columns[0] if len(columns) == 1 else np.hstack(columns)


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostMHClassifier(BoostedClassifier):
    r"""AdaBoost.MH, for multi-class and multilabel targets.

    Each round fits one binary member per class ("does the row belong to it?"), all with the same
    weight. The weights are on pairs of a row and a class, so the members of a class concentrate on
    the rows that are still wrong. With two classes this is AdaBoost.

    ``y`` may have several columns, such as a multilabel indicator matrix: then the binary problems
    of all columns are boosted together, and the bound is on the Hamming loss.

    Attributes
    ----------
    estimators_ : sequence
        The members of each round.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The :math:`\alpha_t`; ``decision_function`` is
        :math:`F_k = \sum_t \alpha_t h_{tk}` with :math:`h_{tk} = \pm 1`.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Weighted error of each round.
    trace_ : Trace
        Error, edge, alpha, normaliser, loss, Hamming loss, training error and its bound by round.
        The loss, which is the product of the normalisers, bounds the Hamming loss, and K/2 times
        the loss bounds the training error.
    stop_reason_ : str
        Why boosting stopped.
    classes_ : ndarray of shape (n_classes,), or list of them
        Class labels; for several columns, those of each. For an indicator matrix, the column
        numbers, as in scikit-learn; `predict_proba` then has one column per label.

    See Also
    --------
    AdaBoostM2Classifier : One member per round that weighs all classes.
    AdaBoostClassifier : Members that name one class.

    References
    ----------
    .. [1] Schapire & Singer, "Improved boosting algorithms using confidence-rated predictions",
       Mach. Learn. 37 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostMHClassifier(n_estimators=10).fit(X, y)
    >>> model.decision_function(X).shape
    (150, 3)
    >>> bool(model.trace_["train_error"][-1] <= model.trace_["bound"][-1])
    True
    """

    multi_output: ClassVar[bool] = True

    def _rule(self) -> AdaBoostMH:
        return AdaBoostMH(float(self.learning_rate))

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        super()._describe_target(draft, admitted)
        if _is_indicator(admitted.target):
            draft.classes_ = np.arange(admitted.target.n_outputs)

    def _link(self, raw: Array, size: int) -> Any:
        if self.target_.n_outputs == 1:
            return super()._link(raw, size)
        if _is_indicator(self.target_):
            return elementary.expit(2 * raw)
        return split_outputs(self.target_, self.rule_.link(raw))


def _is_indicator(target: Target) -> bool:
    """Whether every column says of a label whether a row has it, by 0 and 1."""
    return target.n_outputs > 1 and all(set(c.tolist()) <= {0, 1} for c in target.classes)

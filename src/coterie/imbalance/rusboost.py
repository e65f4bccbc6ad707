"""RUSBoost: boosting on balanced samples."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator

from coterie.base import Admitted
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.boosting.m2 import AdaBoostM2
from coterie.boosting.running import RunningState
from coterie.core import Allowed, one_of
from coterie.core.class_draw import resize_classes
from coterie.core.rows import Resample, RowSampler, every_row
from coterie.core.rule import Array, Rule, State, Step, rounding, smallest_error
from coterie.core.train import Trainer
from coterie.data import Table, Target
from coterie.imbalance.undersample import Undersampled, Units, a_strategy
from coterie.native import elementary


@dataclass(frozen=True)
class RUSBoost(AdaBoostM2):
    r"""AdaBoost.M2 with weights on rows instead of on pairs of a row and a wrong class.

    With the plausibilities P of a member, its pseudo-loss is
    :math:`\epsilon = \frac12 \sum_i D_i (1 - P(x_i, y_i) + \bar P_i)`, where :math:`\bar P_i` is
    the mean over the wrong classes; it weighs
    :math:`\alpha = \frac12 \ln\frac{1-\epsilon}{\epsilon}`, and :math:`D_i` is multiplied by the
    mean of :math:`e^{-\alpha (1 + P(x_i, y_i) - P(x_i, k))}` over the wrong classes.

    Parameters
    ----------
    learning_rate : float
        Factor of every :math:`\alpha`.
    """

    # M2 narrows its state to pairs of row and class; here rows are enough.
    def begin(self, target: Target, weight: Array) -> State:  # type: ignore[override]
        """Scores zero: one for two classes, otherwise one per class."""
        n_classes = target.n_classes[0]
        return RunningState.start(target, weight, 1 if n_classes <= 2 else n_classes)

    def tell(self, state: State, vote: Array, rng: Generator) -> Step:
        """Weigh the member by its pseudo-loss and move weight to the rows it confuses."""
        lead = _leads(vote, state)
        error = float(np.sum(state.weight * (1 - lead.mean(axis=1))) / 2)
        if error >= 0.5 - rounding(state):
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        perfect = error <= rounding(state)
        counted = smallest_error(state) if perfect else error
        own = float(elementary.log((1 - counted) / counted)) / 2
        alpha = self.learning_rate * self.length(state, vote, own)
        if alpha <= 0:
            return Step(0.0, {"error": error}, keep=False, stop="too_weak")
        state.raw = state.raw + alpha * vote
        RunningState.of(state).multiply(elementary.logsumexp(-alpha * lead))
        wrong = self.decide(state.raw) != state.codes
        facts = {"error": error, "edge": 1 - 2 * error, "alpha": alpha}
        facts["train_error"] = float(state.initial[wrong].sum())
        return Step(alpha, facts, stop="perfect" if perfect else "")


def _leads(vote: Array, state: State) -> Array:
    """By how much the right class leads every wrong one, shape (n_rows, n_classes - 1)."""
    if vote.shape[1] == 1:
        return state.signs[:, None] * vote
    right = np.zeros(vote.shape, dtype=bool)
    right[np.arange(len(vote)), state.codes] = True
    return vote[right][:, None] - vote[~right].reshape(len(vote), -1)


@dataclass(eq=False, repr=False, kw_only=True)
class RUSBoostClassifier(BoostedClassifier):
    r"""RUSBoost: boosting on balanced samples; a drop-in replacement for imbalanced-learn's.

    Each round draws as many rows of each class as the smallest one has, and fits a member on them.
    Errors and weights come from all rows, as in `AdaBoostM2Classifier`. Draws depend on the
    content of the rows, so their order does not matter, and a row of weight 3 counts as three rows.

    Parameters
    ----------
    sampling_strategy : str, float, dict of label to int or callable, default="auto"
        How many rows of each class are drawn, see `BalancedBaggingClassifier`.
    replacement : bool, default=False
        Whether rows are drawn with replacement; otherwise only if there are too few.
    algorithm : {"deprecated", "SAMME", "SAMME.R"}, default="deprecated"
        Ignored; a former parameter of imbalanced-learn.
    weighting : {"auto", "reweight", "resample"}, default="auto"
        "reweight" draws the rows of a class with equal probability and fits members with weights,
        as in the paper; "resample" draws rows by their weights and fits members without weights,
        which adds nothing new if all rows are drawn; "auto" uses weights if members accept them.
    subsample : float, default=1.0
        Share of those rows that is drawn.

    Attributes
    ----------
    estimators_, estimator_weights_, stop_reason_, classes_ : see AdaBoostM2Classifier
        As documented there.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Pseudo-loss of each member in its round, on all rows.
    trace_ : Trace
        Pseudo-loss, edge, alpha and training error by round.

    References
    ----------
    .. [1] Seiffert, Khoshgoftaar, Van Hulse & Napolitano, "RUSBoost: a hybrid approach to
       alleviating class imbalance", IEEE Trans. Syst. Man Cybern. A 40 (2010).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> X, y = make_classification(2000, weights=[0.97], random_state=0)
    >>> model = RUSBoostClassifier(random_state=0).fit(X, y)
    >>> balanced_accuracy_score(y, model.predict(X)) > 0.85
    True
    """

    sampling_strategy: Any = "auto"
    replacement: bool = False
    algorithm: str = "deprecated"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BOOSTER,
        "sampling_strategy": a_strategy,
        "replacement": one_of(True, False),
        "algorithm": one_of("deprecated", "SAMME", "SAMME.R"),
    }

    def _rule(self) -> RUSBoost:
        return RUSBoost(float(self.learning_rate))

    def _depth(self, target: Target) -> int:
        return 1  # as in imbalanced-learn

    def _train(self, draft: Self, admitted: Admitted, n_samples: int, **given: Any) -> None:
        if self.algorithm != "deprecated":
            warnings.warn(
                "`algorithm` parameter is deprecated in 0.12 and will be removed in "
                "imbalanced-learn 0.14. It has no effect here; omit it.",
                FutureWarning,
                stacklevel=4,
            )
        super()._train(draft, admitted, n_samples, **given)

    def _learner(
        self, member: Any, rule: Rule, rows: tuple[Table, Target, Array | None]
    ) -> Trainer:
        trainer, target = super()._learner(member, rule, rows), rows[1]
        units = Units.lay(*rows)
        sizes, drawn = resize_classes(self.sampling_strategy, units.counts, target.classes[0])
        part = np.ceil(self.subsample * sizes).astype(np.int64)
        weighted = not isinstance(super()._rows(member), Resample)
        again = drawn if self.replacement else None
        return Undersampled(trainer, units, part, weighted, again)

    def _rows(self, member: Any) -> RowSampler:
        return every_row  # the trainer draws

"""What boosters share that go down the slope of a loss of raw scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator

from coterie.base import Admitted
from coterie.base.scoring import OWN, Answers, Measures, Validation, a_scoring, mean_loss
from coterie.boosting.booster import BOOSTER, Booster, rule_answers
from coterie.boosting.descent import Descent, LeafTrainer, LineSearch, as_numbers
from coterie.boosting.predictions import StagedScores
from coterie.core import Allowed, Foreign, draw_entropy, one_of
from coterie.core.boost import Boosted
from coterie.core.rows import Resample, RowSampler, every_row
from coterie.core.rule import Array, Ask, Rule
from coterie.core.train import Trainer
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.losses import PointwiseLoss, SquaredError
from coterie.tags import tagged
from coterie.trees import DecisionTreeRegressor
from coterie.trees.single import is_native

DESCENDER: dict[str, Allowed] = {
    **BOOSTER,
    "scoring": a_scoring(*OWN),
    "line_search": one_of("auto", "leaf", "round", None),
}


@tagged
@dataclass(frozen=True)
class Origin:
    """The scores before the first round.

    Parameters
    ----------
    loss : PointwiseLoss
        Turns predictions into scores.
    constant : ndarray of shape (n_scores,)
        The same for every row.
    member : fitted member, optional
        Predicts them, instead.
    """

    loss: PointwiseLoss
    constant: Array
    member: Foreign | None = None

    def raw(self, table: Table) -> Array:
        """The scores of every row, shape (n_rows, n_scores)."""
        if self.member is None:
            return np.repeat(self.constant[np.newaxis], table.n_rows, axis=0)
        return self.loss.unlink(self.member.predict(table))


@dataclass(frozen=True)
class WhereUnequal:
    """Draws rows for members that take no weights, but only where weights differ."""

    sampler: RowSampler

    def __call__(self, ask: Ask, rng: Generator) -> Ask:
        """What was asked for if all its rows weigh the same, else a draw."""
        weight = ask.weight[ask.weight > 0]
        return ask if (weight == weight[0]).all() else self.sampler(ask, rng)


@dataclass(eq=False, repr=False, kw_only=True)
class Descender(Booster):
    """What boosters share whose members go down the slope of a loss.

    Parameters
    ----------
    estimator : estimator, default=None
        A regressor, the member; by default a `DecisionTreeRegressor` of depth 3.
    n_estimators : int, default=100
        Maximum number of rounds.
    learning_rate : float, default=0.1
        Factor of every step.
    subsample : float, default=1.0
        Share of the rows drawn each round, without replacement; the others measure the out-of-bag
        improvement of the round.
    scoring : str, callable, None or list, default="error"
        The score on held-out rows, see `AdaBoostClassifier`; "error" and "loss" are the mean loss.
    line_search : {"auto", "leaf", "round"} or None, default="auto"
        Step size: "leaf" optimises the loss separately for every leaf of a native tree, "round"
        finds the factor of a member that minimises the loss, and None uses a step of one. "auto" is
        "leaf" for native trees without `monotonic_cst` and "round" for other members.
    """

    n_estimators: int = 100
    learning_rate: float = 0.1
    line_search: Literal["auto", "leaf", "round"] | None = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = DESCENDER

    def _rule(self) -> Rule:
        return Descent(SquaredError())

    def _loss(self, target: Target, weight: Array | None) -> PointwiseLoss:
        """The loss for this target."""
        raise NotImplementedError

    def _member(self, gives: str, target: Target) -> Any:
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    def _origin(
        self, loss: PointwiseLoss, rows: tuple[Table, Target, Array | None], entropy: int
    ) -> Origin:
        """Where boosting starts."""
        table, target, weight = rows
        count = np.ones(table.n_rows) if weight is None else weight
        return Origin(loss, loss.start(as_numbers(target), count))

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        *,
        validation: Validation | None = None,
    ) -> None:
        earlier = self._earlier()
        entropy = self.entropy_ if earlier is not None else draw_entropy(self.random_state)
        loss = self._loss(admitted.target, admitted.weight)
        learn, watch = self._hold_out(admitted, entropy, validation)
        y, rows = as_numbers(learn.target), learn[:3]
        loss.check(y)
        if watch is not None:
            # Checked together: some rows may be all alike.
            loss.check(np.append(as_numbers(watch.target), y))
        origin = self.origin_ if earlier is not None else self._origin(loss, rows, entropy)
        member = self._member("score", learn.target)
        rule = self._descent(loss, member, entropy)
        held = _from(origin, self._measures(rule, learn, watch))
        begun = replace(rule, origin=origin.raw(learn.table))
        boosted = self._boost(begun, member, rows, held, entropy, earlier)
        draft.entropy_, draft.rule_ = entropy, rule
        draft.loss_, draft.origin_ = loss, origin
        self._publish(draft, boosted)

    def _answers(self, rule: Rule, target: Target) -> Answers:
        assert isinstance(rule, Descent), "members of a Descender go down a slope"
        return rule_answers(rule, target) if target.kind == "labels" else Answers(rule.loss.point)

    def _descent(self, loss: PointwiseLoss, member: Any, entropy: int) -> Descent:
        native = is_native(member)
        bound = native and member.monotonic_cst is not None
        search = self._search(free_leaves=native and not bound)
        if search == "leaf" and not native:
            raise ValueError(
                f"line_search='leaf' needs coterie's trees as members, not "
                f"{type(member).__name__}. Use line_search='round' or 'auto'."
            )
        if search == "leaf" and bound:
            raise ValueError(
                "line_search='leaf' fits every leaf separately, which could break monotonic_cst. "
                "Use line_search='round' or 'auto'."
            )
        shared = native and not bound and self._shares()
        rate, share = float(self.learning_rate), float(self.subsample)
        return Descent(loss, rate, search, share, entropy, shared)

    def _shares(self) -> bool:
        """Whether all scores share a tree per round."""
        return False

    def _search(self, *, free_leaves: bool) -> LineSearch:
        """What is fitted anew after a member; `free_leaves` says whether leaves may be."""
        if self.line_search == "auto":
            return "leaf" if free_leaves else "round"
        return self.line_search

    def _learner(
        self, member: Any, rule: Rule, rows: tuple[Table, Target, Array | None]
    ) -> Trainer:
        if is_native(member) and member.criterion == "poisson":
            raise ValueError(
                "Members fit residuals, which may be negative, so criterion='poisson' cannot be "
                "used. Keep the default criterion, and set loss='poisson' on the booster."
            )
        learner = super()._learner(member, rule, rows)
        assert isinstance(rule, Descent), "members of a Descender go down a slope"
        if rule.line_search == "leaf" and isinstance(learner, TreeLearner):
            return LeafTrainer(learner)
        return learner

    def _rows(self, member: Any) -> RowSampler:
        # The rule draws rows itself, since it has to know which are left out.
        sampler = super()._rows(member)
        if not isinstance(sampler, Resample):
            return every_row
        return sampler if self.weighting == "resample" else WhereUnequal(sampler)

    def _publish(self, draft: Self, boosted: Boosted) -> None:
        super()._publish(draft, boosted)
        draft.start_ = draft.origin_.constant

    @property
    def estimator_errors_(self) -> Array:
        """Mean loss of the training rows after each round."""
        return self._settled().trace_["loss"]

    @property
    def train_score_(self) -> Array:
        """Mean loss of the training rows after each round."""
        return self._settled().trace_["loss"]

    @property
    def oob_scores_(self) -> Array:
        """Mean loss after each round, on the rows that it left out."""
        return self._left_out("oob_score")

    @property
    def oob_improvement_(self) -> Array:
        """Decrease of the mean loss in each round, on the rows that it left out."""
        return self._left_out("oob_improvement")

    def _left_out(self, fact: str) -> Array:
        trace = self._settled().trace_
        if fact not in trace.names:
            raise AttributeError("Out-of-bag rows exist only with subsample < 1.0.")
        return trace[fact]


class OriginScores(StagedScores):
    """Scores that start from an origin, which may differ from row to row."""

    origin_: Origin
    loss_: PointwiseLoss

    def _start(self, table: Table) -> Array:
        return self.origin_.raw(table)


def _from(origin: Origin, held: Measures | None) -> Measures | None:
    """Measures of scores that are counted from the origin, and of the loss."""
    if held is None:
        return None
    table, target, weight, _ = held.rows
    y, start = as_numbers(target), origin.raw(table)
    loss = origin.loss.settle(y, start, np.ones(len(y)) if weight is None else weight)
    mean = partial(mean_loss, loss, y, weight)
    return replace(held, own=dict.fromkeys(OWN, mean), reading=start.__add__)

"""ASSEMBLE: boosting that counts its own opinion of unlabelled rows as their class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from coterie.bagging.coordinates import Coordinates, settle_rows
from coterie.base import thread_count
from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.learner import class_depth, member_learner
from coterie.core import Allowed, Cast, at_least, between, one_of
from coterie.core.boost import Boosted, Settings, boost
from coterie.core.rows import Resample
from coterie.core.rule import Array, State
from coterie.data import Table
from coterie.forests import RandomForestClassifier
from coterie.learners import ConstantMember
from coterie.semisupervised.lessons import BinnedLearner, Codes, Scene, Taught
from coterie.semisupervised.unlabelled import AN_ESTIMATOR, UNLABELLED, UnlabelledClassifier
from coterie.trees import DecisionTreeClassifier


@dataclass(frozen=True)
class Assemble(AdaBoost):
    r"""AdaBoost on labels, some of which are the ensemble's own.

    After each round, the class of an unlabelled row is what the ensemble says, so that its weight
    is :math:`\propto \alpha_i e^{-|F(x_i)|}`.

    Parameters
    ----------
    free : ndarray of bool
        Rows without labels of their own.
    forgetful : bool
        Whether weights before the first round are forgotten after it: all :math:`\alpha_i = 1`.
    """

    free: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    forgetful: bool = False

    def _advance(
        self, state: State, vote: Array, alpha: float, wrong: Any, error: float
    ) -> dict[str, float]:
        if self.forgetful:
            state.initial = np.full(len(self.free), 1.0 / len(self.free))
        codes = state.target.encoded.copy()
        said = self.decide(state.raw + alpha * vote)
        codes[self.free, 0] = said[self.free]
        state.target = replace(state.target, encoded=codes)
        state._signs = None
        return super()._advance(state, vote, alpha, wrong, error)


@dataclass(eq=False, repr=False, kw_only=True)
class AssembleClassifier(UnlabelledClassifier):
    r"""ASSEMBLE.AdaBoost: boosting in which :math:`|F(x)|` is the margin of an unlabelled row.

    Initially, labelled rows share the weight :math:`\beta`, and unlabelled rows share the rest,
    with the class of the nearest labelled row. Then AdaBoost proceeds as usual, but the class of an
    unlabelled row is the ensemble's prediction: rows near the boundary get more weight, and the
    boundary moves to regions with few rows.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The base learner; by default a tree of one split or, with three or more classes, one deep
        enough for a leaf per class, with a level to spare.
    n_estimators : int, default=100
        Maximum number of rounds.
    learning_rate : float, default=1.0
        Factor that multiplies the weight of every member.
    beta : float, default=0.9
        Initial share of the weight of the labelled rows.
    alpha : {"initial", "equal"}, default="initial"
        Whether the initial weights remain factors of later ones, as in the cost function, or all
        rows count equally after the first round, as published.
    start : {"1nn", "majority", "forest"}, default="1nn"
        Initial classes of unlabelled rows: that of the nearest labelled row, the most frequent
        class, or the prediction of a forest.
    weighting : {"reweight", "resample"}, default="reweight"
        Whether members are fitted with weights, or on rows drawn by weight, as many as are
        labelled.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    estimators_ : sequence of estimators
        The members.
    trace_ : Trace
        Error, weight and loss by round.

    References
    ----------
    .. [1] Bennett, Demiriz & Maclin, "Exploiting unlabeled data in ensemble methods", KDD (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> known = np.where(np.arange(len(y)) % 10 == 0, y, -1)
    >>> model = AssembleClassifier(n_estimators=20, random_state=0, n_folds=None).fit(X, known)
    >>> model.score(X, y) > 0.9
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = UNLABELLED | {
        "estimator": AN_ESTIMATOR,
        "n_estimators": at_least(1),
        "learning_rate": between(0.0, np.inf, closed="neither"),
        "beta": between(0.0, 1.0, closed="neither"),
        "alpha": one_of("initial", "equal"),
        "start": one_of("1nn", "majority", "forest"),
        "weighting": one_of("reweight", "resample"),
    }

    estimator: Any = None
    n_estimators: int = 100
    learning_rate: float = 1.0
    beta: float = 0.9
    alpha: Literal["initial", "equal"] = "initial"
    start: Literal["1nn", "majority", "forest"] = "1nn"
    weighting: Literal["reweight", "resample"] = "reweight"

    def _member(self, n_classes: int = 2) -> Any:
        if self.estimator is not None:
            return self.estimator
        return DecisionTreeClassifier(max_depth=class_depth(n_classes, 1))

    def _teach(self, scene: Scene) -> Taught:
        own = AdaBoost(float(self.learning_rate))
        first = self._boost(scene, own, scene.labelled, scene.codes, scene.weight, 1.0)
        free = scene.codes < 0
        rounds = np.where(free, -1, 0).astype(np.int16)
        boosted, reason = first, "all_labeled"
        if free.any():
            rule = Assemble(float(self.learning_rate), free=free, forgetful=self.alpha == "equal")
            codes = start_classes(scene, self.start)
            every = np.arange(len(free))
            weight = start_weights(scene, self.beta)
            share = 1.0 if self.weighting == "reweight" else (~free).mean()
            boosted = self._boost(scene, rule, every, codes, weight, share)
            rounds[free] = max(1, len(boosted.members))
            reason = _REASONS.get(boosted.trace.reason, boosted.trace.reason)
        members, weights = _kept(boosted, own)
        facts = {"first": _kept(first, own)[1]}
        trace, n_rounds = boosted.trace, max(1, len(boosted.members))
        return Taught(
            _kept(first, own)[0], members, weights, rounds, reason, n_rounds, trace, facts
        )

    def _boost(
        self,
        scene: Scene,
        rule: AdaBoost,
        rows: NDArray[np.intp],
        codes: Codes,
        weight: Array | None,
        share: float,
    ) -> Boosted:
        """Boost some rows."""
        table = scene.take(rows)
        target = replace(scene.target, encoded=np.ascontiguousarray(codes[rows, None]))
        member = self._member(int(target.n_classes[0]))
        learner = member_learner(
            type(self).__name__, member, "label", table, target, scene.n_threads
        )
        weight = None if weight is None else weight[rows]
        settings = Settings(rows=Resample(share)) if share < 1.0 else Settings()
        seeds = scene.seeds(self.n_estimators)
        return boost(rule, learner, table, target, weight, seeds=seeds, settings=settings)

    def _seat(self, scene: Scene, taught: Taught, members: list[Any], weights: Any = None) -> None:
        super()._seat(scene, taught, members, taught.facts["first"] if weights is None else weights)

    def _cast(self) -> Cast:
        return AdaBoost().vote

    def _answer(self, table: Table) -> Array:
        return AdaBoost().link(self.pool_.raw(table, n_threads=thread_count(self.n_jobs)))


_REASONS = {"max_rounds": "max_iter", "perfect": "no_change"}


def _kept(boosted: Boosted, rule: AdaBoost) -> tuple[list[Any], Array]:
    """Members and weights; a constant if no member is of use."""
    if boosted.members:
        return boosted.members, np.array(boosted.alphas)
    assert boosted.state is not None
    shares = rule.link(boosted.start[None, :])
    return [ConstantMember(shares[0])], np.array([1e-3])


def start_weights(scene: Scene, beta: float) -> Array:
    """A share of the weight for labelled rows, the rest for the others.

    Parameters
    ----------
    scene : Scene
        The rows.
    beta : float
        The share.
    """
    weight = np.ones(scene.table.n_rows) if scene.weight is None else scene.weight.copy()
    for rows, share in ((scene.labelled, beta), (scene.unlabelled, 1.0 - beta)):
        weight[rows] *= share / weight[rows].sum()
    return weight


def start_classes(scene: Scene, start: str) -> Codes:
    """Classes of all rows, those of unlabelled ones by a simple guess.

    Parameters
    ----------
    scene : Scene
        The rows.
    start : {"1nn", "majority", "forest"}
        How to guess.
    """
    codes, rows = scene.codes.copy(), scene.unlabelled
    given = scene.given()
    if start == "majority":
        mass = np.bincount(given.codes, weights=given.weight, minlength=scene.n_classes)
        codes[rows] = mass.argmax()
    elif start == "forest":
        learner = BinnedLearner(RandomForestClassifier(100))
        (forest,) = scene.fit([learner], [given], [int(scene.seeds(1)[0])])
        codes[rows] = scene.votes(forest, rows).argmax(axis=1)
    else:
        codes[rows] = given.codes[nearest_labelled(scene)]
    return codes


def nearest_labelled(scene: Scene) -> NDArray[np.intp]:
    """For every unlabelled row the nearest labelled one, by its place; of equals the lower class.

    The order of rows does not matter then.
    """
    places = Coordinates.learn(
        settle_rows(scene.table, scene.target, scene.weight), scene.table.schema, 100
    )
    order = np.argsort(scene.codes[scene.labelled], kind="stable")
    known = places(scene.take(scene.labelled[order]))
    unknown = places(scene.take(scene.unlabelled))
    distinct, first = np.unique(known, axis=0, return_index=True)
    tree = cKDTree(distinct)
    reach = tree.query(unknown)[0] * (1.0 + 1e-12)  # equal but for rounding is equal
    tied = tree.query_ball_point(unknown, reach)
    return order[[first[near].min() for near in tied]].astype(np.intp)

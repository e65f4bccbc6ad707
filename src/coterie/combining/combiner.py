"""What all combiners share: members by name, one out-of-fold pass, and how they are published.

Steps of a fit:

1. `Committee` reads ``X``, ``y`` and weights.
2. Members are read from `estimators`; those without a seed of their own get one, if the combiner
   has one.
3. The pass of `folds` fits them, and asks them about unseen rows if the combiner learns from that.
4. The combiner learns (`_combine`) and publishes; ``pool_`` holds the members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, process_routing

from coterie.base import Admitted, Committee, JoblibExecutor
from coterie.base.routing import check_routing, members_router, routing_is_on
from coterie.combining.folds import Pass, Rowset, Unseen, a_memory
from coterie.combining.named_members import (
    Composition,
    Named,
    adapt_member,
    check_prefit,
    pick_method,
    read_members,
    without_dropped,
)
from coterie.combining.splits import a_cv, make_splits
from coterie.combining.usual_members import usual_members
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    a_list,
    a_random_state,
    at_least,
    draw_entropy,
    member_seeds,
    one_of,
)
from coterie.data import DataError, Table, Target, open_texts
from coterie.learners import Method, cut_params, seeded, takes_weight
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

#: What parameters of every combiner may be.
COMBINER: dict[str, Allowed] = {
    "estimators": a_list | one_of(None),
    "cv": a_cv,
    "refit": one_of("full", "folds"),
    "memory": a_memory,
    "random_state": a_random_state,
    "verbose": at_least(0) | one_of(True, False),
    **{name: SHAPE[name] for name in ("n_jobs", "max_bins", "categorical_features")},
}


@dataclass(eq=False, repr=False)
class Combiner(Composition, Committee):
    """A committee of members that the user chose.

    Parameters
    ----------
    estimators : list of (str, estimator) tuples, default=None
        Members and their names. A member may be "drop", which leaves it out. By default a random
        forest and extremely randomised trees, of 50 trees each, and gradient boosting, of 100 small
        ones; with several outputs only the first two. Native trees, forests and gradient boosting
        share bins, whose edges come from all rows of ``X``, unless there are weights.
    cv : None, int, "loo", "oob", "prefit", splitter or list of splits, default=None
        How out-of-fold predictions are made. None means five folds, stratified for classification;
        "loo" is leave-one-out. Splits need not be a partition of the rows: rows tested several
        times get the mean of their predictions, and rows never tested are left out. "oob" uses the
        out-of-bag predictions of members that have them, and folds for the others. "prefit":
        members are already fitted, to other rows than those passed to `fit`.
    refit : {"full", "folds"}, default="full"
        Whether members are refitted on all rows, or the models of the folds are kept and their
        predictions averaged.
    memory : str or joblib.Memory, default=None
        Where fitted members are cached on disk, so that other combiners of the same members and
        data need not refit them.
    random_state : int, RandomState, Generator or None, default=None
        Seed for members whose own ``random_state`` is None. With None, members keep their settings.
    n_jobs : int, default=None
        Number of members fitted in parallel.
    verbose : int or bool, default=0
        Report progress.
    max_bins : int, default=255
        Maximum number of bins per column for the default members.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns that the default members treat as categorical.
    """

    estimators: Any = None
    _: KW_ONLY
    cv: Any = None
    refit: Literal["full", "folds"] = "full"
    memory: Any = None
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: Any = 0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    #: What members must be: "classifier", "regressor" or "any".
    member_kind: ClassVar[str]
    multi_output: ClassVar[bool] = False
    #: Under which name progress is told member by member; None tells how many fits are done.
    tells_as: ClassVar[str | None] = None
    #: Whether members that take no weights get rows drawn by them; otherwise they are refused.
    draws_by_weight: ClassVar[bool] = True

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Fit the members, and learn how to combine them.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, passed to the members unchanged. A list, array or series of texts is allowed
            if all members accept one, such as pipelines that begin with a vectoriser.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0, for the members and for the combination; a row with weight 0 is ignored.
            With scikit-learn's metadata routing they are passed to members that request them.
        groups : array-like of shape (n_samples,), optional
            Passed to the splitter in `cv`.
        **fit_params : dict
            Metadata for members, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        self
        """
        check_routing(type(self).__name__, fit_params)
        return self._fit(open_texts(X), y, sample_weight, groups=groups, metadata=fit_params)

    def _admit(self, X: Any) -> Table:
        return super()._admit(open_texts(X))

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        groups: Any = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        named = self._members(admitted.target)
        members = without_dropped(named)
        prefit = self._prefit
        if prefit:
            check_prefit(members)
            admitted = admitted._replace(target=wider(admitted.target, members))
            self._describe_target(draft, admitted)
        params = self._routed(members, metadata or {}, admitted, n_samples)
        rows = Rowset(
            admitted.table,
            admitted.target,
            admitted.weight,
            params or {},
            routed=params is not None,
            entropy=self._drawing_entropy(members, admitted.weight),
        )
        methods = self._methods(members)
        if prefit:
            seats, unseen = _fitted(rows, members, methods, asked=self._learns)
        else:
            splits = self._splits(admitted, groups, n_samples)
            seats, unseen = self._pass().run(rows, members, methods, splits)
        draft.estimators_ = [seat.estimator for seat in seats]
        fitted = dict(zip([member.name for member in members], draft.estimators_, strict=True))
        draft.named_estimators_ = Bunch(**{n: fitted.get(n, "drop") for n, _ in named})
        draft.pool_ = Pool(tuple(seats), np.ones(len(seats)))
        self._combine(draft, rows, unseen)

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        """Learn from what members say of unseen rows; set the results on the draft."""

    @property
    def named_estimators(self) -> Bunch:
        """The members as they were given, by name."""
        return Bunch(**dict(self._pairs()))

    @property
    def _learns(self) -> bool:
        """Whether members must be asked about unseen rows."""
        return True

    @property
    def _members_read(self) -> bool:
        return self.estimators is not None

    def _tag_members(self) -> list[Any]:
        return list(self._given().values())

    @property
    def _prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _methods(self, members: Sequence[Named]) -> list[Method]:
        """The method that is called on each member."""
        return [pick_method(member, "predict") for member in members]

    def _pass(self) -> Pass:
        oob = isinstance(self.cv, str) and self.cv == "oob"
        told = self.tells_as if self.verbose else None
        executor = JoblibExecutor(self.n_jobs, int(self.verbose) if told is None else 0)
        return Pass(executor, self.refit, oob, self.memory, told)

    def _splits(self, admitted: Admitted, groups: Any, n_samples: int) -> Any:
        if not self._learns and self.refit == "full":
            return None
        kept = admitted.kept
        if groups is not None:
            groups = np.asarray(groups)
            if groups.shape != (n_samples,):
                raise DataError(
                    f"groups has shape {groups.shape}, expected {(n_samples,)}: pass one label "
                    "per row of X."
                )
            groups = groups if kept is None else groups[kept]
        return make_splits(self.cv, admitted.table, admitted.target, groups, kept)

    def _members(self, target: Target) -> list[Named]:
        """Members with seeds of their own, dropped ones still among them."""
        if self.estimators is None:
            settings = {"max_bins": self.max_bins}
            settings["categorical_features"] = self.categorical_features
            members = usual_members(self.task, target, settings)
        else:
            taken = self.get_params(deep=False)
            members = read_members(
                self.estimators, type(self).__name__, list(taken), self.member_kind
            )
        if self.random_state is None or self._prefit:
            return members
        seeds = member_seeds(draw_entropy(self.random_state), 0, len(members)).tolist()
        return [seed_member(member, seed) for member, seed in zip(members, seeds, strict=True)]

    def _drawing_entropy(self, members: Sequence[Named], weight: Array | None) -> int:
        """Seeds the draws of rows for those that take no weights; 0 if there are none to make."""
        fitted = [*(m.estimator for m in members), getattr(self, "final_estimator", None)]
        unable = [e for e in fitted if hasattr(e, "fit") and not takes_weight(e)]
        if weight is None or self._prefit or not unable:
            return 0
        if not self.draws_by_weight and not routing_is_on():
            raise TypeError(
                f"Underlying estimator {type(unable[0]).__name__} does not support sample weights."
            )
        return draw_entropy(self.random_state)

    def _routed(
        self,
        members: Sequence[Named],
        metadata: Mapping[str, Any],
        admitted: Admitted,
        n_samples: int,
    ) -> dict[str, dict[str, Any]] | None:
        """What the `fit` of each member requests, weights included; None without routing."""
        if not routing_is_on():
            return None
        if not self._given():
            if metadata:
                raise TypeError(
                    "The default members do not accept metadata, but fit got {sorted(metadata)}."
                )
            return None
        if admitted.weight is not None:
            metadata = {**metadata, "sample_weight": admitted.weight}
        routed = process_routing(self, "fit", **metadata)
        return {m.name: cut_params(routed[m.name].fit, admitted.kept, n_samples) for m in members}

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata are routed to the members' `fit`.

        Returns
        -------
        MetadataRouter
        """
        return members_router(self, self._given())

    def _given(self) -> dict[str, Any]:
        """The members as they were given, dropped ones left out; none if they are the default."""
        return {name: member for name, member in self._pairs() if hasattr(member, "fit")}

    @property
    def _seats(self) -> tuple[Any, ...]:
        """The fitted members, on their seats."""
        members = self.pool_.members
        assert isinstance(members, tuple), "members of a combiner are on seats"
        return members

    def _profile(self, X: Any) -> Array:
        """What all members say, shape (members, samples, outputs)."""
        return self.pool_.votes(self._admit(X))


def seed_member(member: Named, seed: int) -> Named:
    """The member with seeds for all its parameters named ``random_state`` that are None."""
    if not hasattr(member.estimator, "get_params"):  # it was dropped
        return member
    return Named(member.name, seeded(member.estimator, np.random.SeedSequence(seed), keep=True))


def wider(target: Target, members: Sequence[Named]) -> Target:
    """The target with the classes that fitted members know besides."""
    if target.kind != "labels" or target.n_outputs > 1:
        return target
    known = [np.asarray(m.estimator.classes_) for m in members if hasattr(m.estimator, "classes_")]
    return target.among(np.concatenate([target.classes[0], *known]))


def _fitted(
    rows: Rowset, members: Sequence[Named], methods: Sequence[Method], *, asked: bool
) -> tuple[list[Any], Unseen | None]:
    """Seats of members that were fitted elsewhere, to which all rows are new."""
    pairs = zip(members, methods, strict=True)
    seats = [adapt_member(m.estimator, rows.classes, method, m.name) for m, method in pairs]
    if not asked:
        return seats, None
    values = tuple(seat.predict(rows.table) for seat in seats)
    return seats, Unseen(values, np.ones(rows.table.n_rows, dtype=bool))

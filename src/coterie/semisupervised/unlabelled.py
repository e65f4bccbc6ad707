"""What all semi-supervised classifiers share: labels that may be unknown, and an honest report."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coterie.bagging.bag_members import MembersShown
from coterie.base import (
    Admitted,
    ClassifierTask,
    Committee,
    JoblibExecutor,
    admit_fit,
    thread_count,
)
from coterie.core import (
    Allowed,
    Bags,
    Cast,
    Pool,
    RandomLike,
    at_least,
    content_order,
    draw_entropy,
    has,
    instance_of,
    one_of,
)
from coterie.core.trace import Trace
from coterie.data import DataError, Table, Target
from coterie.semisupervised.lessons import Method, Positions, Scene, Taught, teach
from coterie.trees import DecisionTreeClassifier
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

AN_ESTIMATOR = has("fit", "predict", "get_params") | one_of(None)
UNLABELLED: dict[str, Allowed] = {
    "n_folds": at_least(2) | one_of(None),
    "unlabeled": one_of(None) | instance_of(str) | at_least(-(10**18)),
    **{name: SHAPE[name] for name in ("n_jobs", "random_state", "max_bins")},
    "categorical_features": SHAPE["categorical_features"],
}
#: Of those that teach round by round.
TAUGHT = UNLABELLED | {"max_iter": at_least(1)}


class Learnt:
    """What fits set; declared here, as dataclasses take declarations for fields."""

    codes_: NDArray[np.int16]
    labeled_iter_: NDArray[np.int16]
    termination_condition_: str
    n_iter_: int
    trace_: Trace
    supervised_score_: float
    score_: float
    bags_: Bags


@dataclass(eq=False, repr=False, kw_only=True)
class UnlabelledClassifier(Learnt, MembersShown, ClassifierTask, Committee):
    """A classifier that learns from rows without labels too. A subclass says how (`_method`).

    Parameters
    ----------
    n_folds : int or None, default=3
        Number of folds of labelled rows for the comparison with the supervised ensemble: the labels
        of a fold are hidden, and both ensembles are evaluated on them. None skips this.
    unlabeled : int, str or None, default=-1
        Marker of unlabelled rows, in addition to missing values; with None, only missing values
        mark them.
    n_jobs : int, default=None
        Number of members fitted in parallel; results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    max_bins : int, default=65535
        Maximum number of bins per column in native trees; columns are binned once for all rounds.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    """

    unlabelled = True
    multi_output = False
    min_classes = 2
    allowed: ClassVar[Mapping[str, Allowed]] = UNLABELLED

    n_folds: int | None = 3
    unlabeled: Any = -1
    n_jobs: int | None = None
    random_state: RandomLike = None
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"

    # What a subclass says.

    def _method(self, scene: Scene) -> Method:
        """The algorithm; a subclass that is no loop of lessons writes `_teach` instead."""
        raise NotImplementedError

    def _teach(self, scene: Scene) -> Taught:
        """Members of the supervised ensemble, and of the taught one."""
        return teach(scene, self._method(scene), getattr(self, "max_iter", 1))

    def _cast(self) -> Cast | None:
        """What turns a member's answer into its vote."""
        return None

    def _member(self) -> Any:
        """The estimator to fit."""
        own = getattr(self, "estimator", None)
        return DecisionTreeClassifier() if own is None else own

    def _answer(self, table: Table) -> Array:
        """Probabilities of the classes."""
        raw = self.pool_.raw(table, n_threads=thread_count(self.n_jobs))
        return np.asarray(raw / self.pool_.weights.sum())

    def _seat(self, scene: Scene, taught: Taught, members: list[Any], weights: Any = None) -> None:
        """Make members those of this estimator."""
        self.pool_ = Pool.of(members, weights, cast=self._cast())
        self.bags_ = Bags(scene.seeds(len(members)), None, scene.table.n_rows)

    # What follows.

    def _admit_fit(self, X: Any, y: Any, sample_weight: Any) -> Admitted:
        admitted = admit_fit(
            self,
            X,
            y,
            sample_weight,
            task=self.task,
            categorical=self.categorical_features,
            multi_output=False,
        )
        _check_classes(admitted.target, self.unlabeled)
        return admitted

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        scene = Scene(
            admitted.table.bin(
                weight=admitted.weight,
                max_bins=self.max_bins,
                n_threads=thread_count(self.n_jobs),
            ),
            admitted.target,
            admitted.weight,
            draw_entropy(self.random_state),
            JoblibExecutor(self.n_jobs),
            thread_count(self.n_jobs),
        )
        if self.unlabeled != -1 and self.unlabeled is not None and not len(scene.unlabelled):
            warnings.warn(
                f"No row is marked with unlabeled={self.unlabeled!r}, so all rows are treated as "
                "labelled.",
                UserWarning,
                stacklevel=4,
            )
        taught = self._teach(scene)
        draft._seat(scene, taught, taught.members, taught.weights)
        self._report(draft, scene, taught, admitted, n_samples)
        if len(scene.unlabelled) and self.n_folds is not None:
            self._compare(draft, scene)

    def _report(
        self, draft: Self, scene: Scene, taught: Taught, admitted: Admitted, n_samples: int
    ) -> None:
        """Set what is known of the rows and rounds on the draft; of dropped rows nothing is."""
        kept = slice(None) if admitted.kept is None else admitted.kept
        codes = scene.codes.astype(np.int16)
        if len(scene.unlabelled):
            answer = draft._answer(scene.take(scene.unlabelled))
            codes[scene.unlabelled] = answer.argmax(axis=1)
        draft.codes_ = np.full(n_samples, -1, dtype=np.int16)
        draft.labeled_iter_ = np.full(n_samples, -1, dtype=np.int16)
        draft.codes_[kept], draft.labeled_iter_[kept] = codes, taught.rounds
        draft.termination_condition_, draft.n_iter_ = taught.reason, taught.n_rounds
        draft.trace_ = taught.trace
        draft.supervised_score_ = draft.score_ = np.nan

    def _compare(self, draft: Self, scene: Scene) -> None:
        """Judge both ensembles by labels that were hidden from them, and warn of harm."""
        right = np.zeros(2)
        folds = label_folds(scene, self.n_folds or 2)
        for rows in folds:
            hidden = scene.hide(rows)
            taught = self._teach(hidden)
            truth, table = scene.codes[rows], scene.take(rows)
            weight = np.ones(len(rows)) if scene.weight is None else scene.weight[rows]
            for place, (members, weights) in enumerate(
                [(taught.first, None), (taught.members, taught.weights)]
            ):
                twin = draft._copy()
                twin._seat(hidden, taught, members, weights)
                right[place] += weight @ (twin._answer(table).argmax(axis=1) == truth)
        if not folds:
            return
        judged = np.concatenate(folds)
        total = len(judged) if scene.weight is None else scene.weight[judged].sum()
        draft.supervised_score_, draft.score_ = (float(part / total) for part in right)
        if draft.score_ < draft.supervised_score_:
            warnings.warn(
                "The unlabelled rows reduce the accuracy: on hidden labels it is "
                f"{draft.score_:.3f} "
                f"with them and {draft.supervised_score_:.3f} without them. Fit the supervised "
                "ensemble to the labelled rows instead.",
                UserWarning,
                stacklevel=5,
            )

    @property
    def transduction_(self) -> NDArray[Any]:
        """Labels of the training rows: those given, and predictions for the others."""
        this = self._settled()
        labels = this.target_.decode(np.maximum(this.codes_, 0))
        if (this.codes_ < 0).any():  # rows of weight zero
            labels = labels if labels.dtype.kind == "i" else labels.astype(object)
            labels[this.codes_ < 0] = -1 if labels.dtype.kind == "i" else None
        return labels

    def _mean_vote(self, X: Any) -> Array:
        return self._answer(self._admit(X))


def label_folds(scene: Scene, n_folds: int) -> list[Positions]:
    """Labelled rows in folds, the classes in turn; none if every class has one row only.

    Parameters
    ----------
    scene : Scene
        The rows.
    n_folds : int
        Most folds; there are no more than rows of the smallest class that has two.
    """
    rows = scene.labelled
    order = rows[content_order(scene.take(rows), scene.target.take(rows), scene.weighing(rows))]
    codes = scene.codes[order]
    fold = np.zeros(len(order), dtype=np.int64)
    for code in range(scene.n_classes):
        own = np.flatnonzero(codes == code)
        # A class of one row is in no fold: without it, nobody could learn it.
        fold[own] = np.arange(len(own)) % n_folds if len(own) > 1 else -1
    parts = [np.sort(order[fold == number]) for number in range(n_folds)]
    return [part for part in parts if len(part)]


def _check_classes(target: Target, mark: Any) -> None:
    """Refuse labels of one class only."""
    known = target.classes[0].tolist()
    if len(known) > 1:
        return
    if known == [1] and mark == -1 and (target.codes < 0).any():
        raise DataError(
            "y contains only -1 and 1, but -1 marks unlabelled rows here. Recode the classes, or "
            "pass unlabeled=None and mark missing labels with NaN."
        )
    few = " There is only 1 sample." if target.n_rows == 1 else ""
    raise DataError(f"Only class {known[0]!r} has labels; a classifier needs two classes.{few}")

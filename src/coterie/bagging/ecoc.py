"""Error-correcting output codes: many classes by many two-class members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from coterie.bagging.bag import BAG, TreeEffort, tree_learner
from coterie.bagging.bag_members import Members, MembersShown
from coterie.bagging.ecoc_codes import CODES, Code, make_code
from coterie.bagging.ecoc_decoding import LOSSES, hamming, probability, reliability, weighted
from coterie.base import (
    Admitted,
    ClassifierTask,
    Committee,
    JoblibExecutor,
    thread_count,
    worker_count,
)
from coterie.core import (
    Allowed,
    Bags,
    Learner,
    Member,
    Pool,
    RandomLike,
    View,
    a_list,
    at_least,
    draw_entropy,
    growing_stream,
    member_seeds,
    one_of,
)
from coterie.core.learner import numbered
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, ForeignMember
from coterie.native import Forest
from coterie.tags import tagged
from coterie.trees import DecisionTreeClassifier
from coterie.trees.single import SingleTree

Array = NDArray[np.float64]

_SIDES = (np.array([-1, 1]),)


@tagged
def side_score(output: Array) -> Array:
    """Twice the probability of the side of +1, less one: a score from -1 to 1."""
    return output[:, 1:] - output[:, :1]


@dataclass(eq=False, repr=False)
class ECOCClassifier(MembersShown, ClassifierTask, Committee):
    r"""Error-correcting output codes: each member learns to tell some classes from others.

    A code gives every class a row of signs, one column per member: member s tells the classes
    with +1 from those with -1 and does not see those with 0. Together the members answer with a
    row of scores, and the class with the closest row is the prediction. If rows differ in d
    columns, any :math:`\lfloor (d-1)/2 \rfloor` members may err.

    Parameters
    ----------
    estimator : classifier, default=None
        What learns a column: by default a native tree, grown in full. Scores are :math:`2p - 1`
        where members give probabilities p, else their decision function, else their labels.
    code : str or array-like of shape (n_classes, n_columns), default="dense"
        "one-vs-rest"; "one-vs-one"; "exhaustive" has all :math:`2^{K-1} - 1` ways to part K
        classes in two (up to 11 classes); "dense" and "sparse" are random, of :math:`10 \log_2 K`
        signs, or of :math:`15 \log_2 K` entries of which half are zeros; "bch" takes words of an
        algebraic code, which are farther apart for many classes. Columns that are constant or
        repeat another are dropped, so there may be fewer. Or a matrix of -1, 0 and 1.
    decoding : {"loss", "hamming", "weighted", "probability"}, default="loss"
        How far a class is: total loss of the scores (:math:`\sum_s \ell(M_{ks} f_s)`); number of
        signs that differ; loss with columns weighted by how often they are right about a class in
        training, zeros left out (which is all alike if members fit their rows perfectly); minus
        the log-probability of the signs.
    loss : {"exponential", "logistic", "hinge", "squared", "linear"}, default="exponential"
        :math:`\ell` of "loss" and "weighted": :math:`e^{-z}`, :math:`\log(1 + e^{-2z})`,
        :math:`\max(0, 1 - z)`, :math:`(1 - z)^2` or :math:`-z`.
    n_candidates : int, default=1000
        Random codes drawn, of which the one with the farthest rows is taken; fewer if there are
        very many classes.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    n_jobs : int, default=None
        Members fitted at a time.
    verbose : int, default=0
        Progress messages.
    max_bins : int, default=65535
        Groups a column is cut into for native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of numbers to be taken as categories, besides those of text or a categorical type.

    Attributes
    ----------
    code_ : ndarray of shape (n_classes, n_columns)
        The code.
    estimators_ : sequence of classifiers
        The members, of labels -1 and 1.
    pool_ : Pool
        The members.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    column_weights_ : ndarray of shape (n_classes, n_columns)
        Weights of "weighted" decoding; not there otherwise.

    Notes
    -----
    Codes pay for many classes: three have only 3 different columns and four have 7, which leaves
    little room to mend errors, and two are one problem.

    `predict_proba` is the softmax of minus the distances. It ranks classes as `predict` does, but
    is not calibrated: with many columns it is too sure of itself.

    References
    ----------
    .. [1] Dietterich & Bakiri, "Solving multiclass learning problems via error-correcting output
       codes", J. Artif. Intell. Res. 2 (1995).
    .. [2] Allwein, Schapire & Singer, "Reducing multiclass to binary", J. Mach. Learn. Res. 1
       (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ECOCClassifier(random_state=0).fit(X[::2], y[::2])
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > tree.score(X[1::2], y[1::2]) + 0.05
    True
    """

    estimator: Any = None
    _: KW_ONLY
    code: Any = "dense"
    decoding: Literal["loss", "hamming", "weighted", "probability"] = "loss"
    loss: Literal["exponential", "logistic", "hinge", "squared", "linear"] = "exponential"
    n_candidates: int = 1000
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: int = 0
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **{name: BAG[name] for name in ("estimator", "random_state", "n_jobs", "verbose")},
        **{name: BAG[name] for name in ("max_bins", "categorical_features")},
        "code": one_of(*CODES) | a_list,
        "decoding": one_of("loss", "hamming", "weighted", "probability"),
        "loss": one_of(*LOSSES),
        "n_candidates": at_least(1),
    }

    def _member(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        threads = thread_count(self.n_jobs)
        table = table.bin(weight=weight, max_bins=self.max_bins, n_threads=threads)
        entropy = draw_entropy(self.random_state)
        chance = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(2**31,)))
        code = make_code(self.code, draft.n_classes_, chance, self.n_candidates)
        executor = JoblibExecutor(self.n_jobs, self.verbose)
        sides = Target("labels", np.zeros((target.n_rows, 1), dtype=np.int32), _SIDES)
        within = max(1, min(threads, worker_count(self.n_jobs)) // code.shape[1])
        learner = self._learner(View(table, sides), TreeEffort(within, executor.stop))
        fit = partial(_fit_column, learner, View(table, target, weight))
        seeds = member_seeds(entropy, 0, code.shape[1]).tolist()
        members = executor.map(fit, list(zip(range(code.shape[1]), code.T, seeds, strict=True)))
        draft.code_, draft.pool_ = code, Pool.of(members, cast=side_score)
        draft.bags_ = Bags(np.array(seeds), None, n_samples, admitted.kept)
        if self.decoding == "weighted":
            scores = draft._scores(table)
            draft.column_weights_ = reliability(code, _hits(code, scores, target, weight))

    def _learner(self, view: View, effort: TreeEffort) -> Learner:
        member = self._member()
        if isinstance(member, SingleTree):
            return tree_learner(self, member, view, None, effort)
        return ForeignLearner(member)

    def _scores(self, table: Table) -> Array:
        """What every column says of every row, shape (n_rows, n_columns)."""
        pool, threads = self.pool_, thread_count(self.n_jobs)
        ask = partial(_score, table, n_threads=threads if isinstance(pool.members, Forest) else 1)
        parts = [pool[s : s + 1] for s in range(len(pool))]
        if isinstance(pool.members, Forest):
            return np.column_stack([ask(part) for part in parts])
        return np.column_stack(JoblibExecutor(self.n_jobs).map(ask, parts))

    def _distances(self, X: Any) -> Array:
        """How far the row of every class is, shape (n_rows, n_classes)."""
        scores = self._scores(self._admit(X))
        if self.decoding == "hamming":
            return hamming(self.code_, scores)
        if self.decoding == "probability":
            return probability(self.code_, scores)
        weights = self.column_weights_ if self.decoding == "weighted" else np.ones(self.code_.shape)
        return weighted(self.code_, scores, weights, self.loss)

    def _mean_vote(self, X: Any) -> Array:
        return np.asarray(softmax(-self._distances(X), axis=1))

    def decision_function(self, X: Any) -> Array:
        """Minus the distance of each class; for two classes by how much the second is closer.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        distances = self._settled()._distances(X)
        if distances.shape[1] == 2:
            return np.asarray(distances[:, 0] - distances[:, 1])
        return -distances

    @property
    def estimators_(self) -> Members:
        """The fitted members, native trees made when asked for."""
        return _Columns(self._settled())


def _fit_column(learner: Learner, view: View, column: tuple[int, Code, int]) -> Member:
    """The member of one column of the code."""
    number, signs, seed = column
    side = signs[view.target.codes[:, 0]]
    weight = view.weight
    if not side.all():
        weight = np.where(side == 0, 0.0, 1.0 if weight is None else weight)
    sides = Target("labels", (side > 0).astype(np.int32)[:, None], _SIDES)
    stream = growing_stream(seed)
    return numbered(learner, number).fit(view.table, sides, weight, stream)


def _score(table: Table, part: Pool, *, n_threads: int = 1) -> Array:
    """What one column says of every row."""
    member = part.member(0)
    if isinstance(member, ForeignMember):
        estimator = member.estimator
        if not hasattr(estimator, "predict_proba") and hasattr(estimator, "decision_function"):
            return replace(member, method="decision_function").predict(table)[:, 0]
    return part.raw(table, n_threads=n_threads)[:, 0]


def _hits(code: Code, scores: Array, target: Target, weight: Array | None) -> Array:
    """Share of right answers by class and column, shape (n_classes, n_columns)."""
    codes = target.codes[:, 0]
    right = np.sign(scores) == code[codes]
    weight = np.ones(len(codes)) if weight is None else weight
    member_of = np.eye(len(code))[codes] * weight[:, None]
    return np.asarray(member_of.T @ right / member_of.sum(axis=0)[:, None])


class _Columns(Members):
    """Members whose labels are the two sides of a column."""

    def _tree(self, forest: Forest, number: int) -> SingleTree:
        tree = super()._tree(forest, number)
        tree.target_ = Target("labels", np.empty((0, 1), dtype=np.int32), _SIDES)
        tree.classes_, tree.n_classes_, tree.n_outputs_ = _SIDES[0], 2, 1
        return tree

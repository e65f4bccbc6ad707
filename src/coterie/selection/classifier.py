"""Dynamic selection of classifiers and of ensembles of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask, JoblibExecutor, thread_count
from coterie.base.elsewhere import where_rows_are
from coterie.core import Allowed, a_function, one_of
from coterie.forests import RandomForestClassifier
from coterie.fusion.votes import winners
from coterie.native import cell_hashes
from coterie.selection.dynamic import DYNAMIC, DynamicSelection
from coterie.selection.meta_des import MOST_PAIRS
from coterie.selection.methods import METHODS
from coterie.selection.reference_set import Array, Ints, ReferenceSet
from coterie.selection.regions import Region, frienemies
from coterie.tags import tagged

_WHOLE = 2.0**30  # steps in which confidence is compared, so that rounding makes no difference


class Said(NamedTuple):
    """What members say of queries, and where these lie."""

    chances: Array
    labels: Ints
    places: Array


@tagged
@dataclass(frozen=True)
class Verdicts:
    """What members say of the judged rows.

    Attributes
    ----------
    labels : ndarray of int of shape (members, samples)
        Classes they give.
    chances : ndarray of shape (members, samples, classes) or None
        Probabilities, for methods that need them.
    profiles : ReferenceSet or None
        The judged rows by what is said of them, for methods that need it.
    """

    labels: NDArray[np.integer[Any]]
    chances: Array | None = None
    profiles: ReferenceSet | None = field(default=None, repr=False)


def profile(chances: Array) -> Array:
    """Members' probabilities side by side, one column per member for two classes."""
    used = chances[:, :, 1:] if chances.shape[2] == 2 else chances
    return np.ascontiguousarray(used.transpose(1, 0, 2).reshape(chances.shape[1], -1))


@dataclass(eq=False, repr=False, kw_only=True)
class DynamicSelectionClassifier(ClassifierTask, DynamicSelection):
    r"""Dynamic selection: for every query, the members that did well on its neighbours.

    Part of the rows is set aside as a reference set (DSEL). Members are evaluated on the rows of it
    that are nearest to the query, its region of competence; the best one, or all good ones, decide.
    This helps where members are good in different regions, as those of bags and random subspaces
    are.

    =================  ===========================================================================
    `method`           which members decide
    =================  ===========================================================================
    "ola"              the member that is right about most neighbours
    "lca", "mla"       the one most often right where it predicts the same class as for the
                       query; "mla" weights by distance
    "rank"             the one with most neighbours right before its first mistake
    "mcb"              the best on neighbours for which the members' predictions are similar
    "a_priori"         the one that assigns the most probability to the neighbours' classes
    "a_posteriori"     the same where it predicts the same class as for the query
    "knora_e"          all that are right about the nearest neighbours, as many as possible
    "knora_u"          all, with a vote for each neighbour they are right about; "knora_w" counts
                       near neighbours more
    "knop"             as "knora_u", with neighbours for which the members' predictions are similar
    "des_p"            all that beat guessing, by how much they do
    "des_knn"          the most diverse of the most accurate
    "des_mi"           the most accurate, where neighbours of rare classes count more
    "rrc"              all that beat a randomised reference classifier
    "meta_des"         all that a learnt model of competence trusts
    =================  ===========================================================================

    Parameters
    ----------
    method : str or callable, default="knora_e"
        A name of the table; or a function from a `coterie.selection.Region` to weights of shape
        (members, queries), such as ``LocalClassAccuracy(subset="true")``.
    voting : {"hard", "soft"}, default="hard"
        Whether the selected members vote by label or by probability.
    ties : {"first", "confidence", "random"}, default="first"
        How ties are broken: the first class, the one with the largest sum of all members'
        probabilities, or a random one that depends on the content of the row.
    frienemy_pruning : bool, default=False
        Whether to exclude members that cannot separate classes near the query, if some can, see
        `coterie.selection.frienemies`.
    agreement_shortcut : bool, default=True
        Whether to skip the selection where all members predict the same class. With hard votes this
        only saves time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_, estimators_ : Pool, list of models
        The members.
    ensemble_ : fitted ensemble or list of models
        The pool as a whole.
    ground_, verdicts_ : ReferenceSet, Verdicts
        The reference set, with the members' predictions.

    References
    ----------
    .. [1] Cruz, Sabourin & Cavalcanti, "Dynamic classifier selection: recent advances and
       perspectives", Information Fusion 41 (2018).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(600, noise=0.2, random_state=0)
    >>> model = DynamicSelectionClassifier(method="knora_u", random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    method: Any = "knora_e"
    voting: Literal["hard", "soft"] = "hard"
    ties: Literal["first", "confidence", "random"] = "first"
    frienemy_pruning: bool = False
    agreement_shortcut: bool = True

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **DYNAMIC,
        "method": one_of(*METHODS) | a_function,
        "voting": one_of("hard", "soft"),
        "ties": one_of("first", "confidence", "random"),
        "frienemy_pruning": one_of(True, False),
        "agreement_shortcut": one_of(True, False),
    }

    def _default_pool(self) -> Any:
        return RandomForestClassifier(
            draw="repeats",
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
        )

    def _judge(self, draft: Self, votes: Array) -> None:
        chooser = METHODS[self.method] if isinstance(self.method, str) else self.method
        needs = getattr(
            chooser, "needs", frozenset() if isinstance(self.method, str) else {"chances"}
        )
        labels = votes.argmax(axis=2)
        small = labels.astype(np.min_scalar_type(votes.shape[2]))
        profiles = draft.ground_.among(profile(votes)) if "profiles" in needs else None
        draft.verdicts_ = Verdicts(small, votes if "chances" in needs else None, profiles)
        if hasattr(chooser, "learn"):
            n_taught = min(len(draft.ground_.points), max(1, MOST_PAIRS // len(votes)))
            taught = np.arange(n_taught)
            said = Said(votes[:, taught], labels[:, taught], draft.ground_.points[taught])
            region = draft._region(said, taught)
            chooser = chooser.learn(region, draft.ground_.counts[taught])
        draft.chooser_ = chooser

    def _region(self, said: Said, itself: Ints | None = None) -> Region:
        """All that is known near the queries."""
        ground, verdicts = self.ground_, self.verdicts_
        near = ground.near(said.places, self.n_neighbors, itself)
        alike = None
        if verdicts.profiles is not None:
            places = profile(said.chances)
            alike = verdicts.profiles.near(places, self.n_neighbors, itself).neighbours
        y = ground.encoded.astype(np.intp)
        hits = verdicts.labels == y
        able = frienemies(hits, near.neighbours, y) if self.frienemy_pruning else None
        return Region(
            hits,
            y,
            verdicts.labels,
            verdicts.chances,
            len(self.classes_),
            *near,
            alike,
            said.labels,
            said.chances,
            able,
        )

    def _said(self, X: Any) -> Said:
        table = self._admit(X)
        chances = self.panel_.votes(table, thread_count(self.n_jobs))
        return Said(chances, chances.argmax(axis=2), self.ground_.place(table))

    def _weigh(self, said: Said) -> Array:
        """Weights of the members for each query, shape (members, queries)."""
        weights: Array = np.ones(said.labels.shape)
        n_asked, asked = said.labels.shape[1], None
        if self.agreement_shortcut:
            asked = np.flatnonzero((said.labels != said.labels[0]).any(axis=0))
            n_asked = len(asked)
        width = 3 * min(self.n_neighbors, len(self.ground_.points))

        def weigh(block: slice) -> None:
            rows: Any = block if asked is None else asked[block]
            region = self._region(
                Said(said.chances[:, rows], said.labels[:, rows], said.places[rows])
            )
            weights[:, rows] = checked(self.chooser_(region), region.said.shape)

        JoblibExecutor(self.n_jobs).map(weigh, list(self._near_blocks(width, n_asked)))
        return weights

    def _count(self, said: Said) -> Array:
        """Votes, or probabilities, for each class, shape (queries, classes)."""
        weights = self._weigh(said)
        if self.voting == "soft":
            return np.asarray(np.einsum("tq,tqk->qk", weights, said.chances))
        n_queries, n_classes = said.chances.shape[1:]
        spot = np.arange(n_queries) * n_classes + said.labels
        counted: Any = np.bincount(spot.ravel(), weights.ravel(), n_queries * n_classes)
        return np.asarray(counted.reshape(n_queries, n_classes), dtype=np.float64)

    def _mean_vote(self, X: Any) -> Array:
        counted = self._count(self._said(X))
        return np.asarray(counted / counted.sum(axis=1, keepdims=True))

    @where_rows_are
    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes of the selected members.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        said = this._said(X)
        counted = this._count(said)
        ties: Any = this.ties
        if ties == "confidence":
            ties = np.round(said.chances.sum(axis=0) * _WHOLE)
        keys = cell_hashes(said.places) >> np.uint64(1)
        codes = winners(counted, ties, this.entropy_, keys)
        return np.asarray(this.classes_[codes])

    def member_weights(self, X: Any) -> Array:
        """Weight of each member for each row: who is selected.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (members, n_samples)
            All ones where the members agree and the selection was skipped.
        """
        this = self._settled()
        return this._weigh(this._said(X))

    def oracle_score(self, X: Any, y: Any) -> float:
        """Share of the rows that at least one member gets right: the upper bound for selection.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        float
        """
        this = self._settled()
        right = this.classes_[this._said(X).labels] == np.asarray(y)
        return float(right.any(axis=0).mean())


def checked(weights: Any, shape: tuple[int, ...]) -> Array:
    """Weights that a method gave, if they can be used."""
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != shape:
        raise ValueError(f"The method returned weights of shape {given.shape}, expected {shape}.")
    if not np.isfinite(given).all() or (given < 0).any() or not (given.sum(axis=0) > 0).all():
        raise ValueError(
            "The method must return non-negative weights for each query, not all of them zero."
        )
    return given

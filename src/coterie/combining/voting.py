"""Votes and averages of any members: scikit-learn's, with more rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.metaestimators import available_if

from coterie import fusion
from coterie.base import ClassifierTask
from coterie.base.elsewhere import where_rows_are
from coterie.base.signature import own_first
from coterie.combining.combiner import COMBINER, Combiner
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.named_members import Named, pick_method
from coterie.combining.reject_option import RejectingVotes, a_reject_label, check_mark
from coterie.combining.weighing import VOTE_WEIGHTS, read_weights
from coterie.core import Allowed, a_function, a_list, between, draw_entropy, one_of
from coterie.core.axis import cell_keys
from coterie.data import Table
from coterie.fusion.votes import winners
from coterie.learners import Method

if TYPE_CHECKING:
    Mixin = Combiner
else:
    Mixin = object

Array = NDArray[np.float64]

# The rules that have a place for weights.
_WEIGHTED = ("hard", "soft", "mean", "sum", "borda")

a_rule = one_of("hard", "soft", *fusion.RULES) | a_function


def _is_soft(voter: Any) -> bool:
    if isinstance(voter.voting, str) and voter.voting == "hard":
        raise AttributeError("predict_proba is not available when voting='hard'")
    return True


class Voting(TransformerMixin, Mixin):
    """What voting of classifiers and of regressors share.

    Parameters
    ----------
    weights : array-like of shape (n_estimators,), str or None, default=None
        Weights of the members; equal by default.
    """

    tells_as = "Voting"
    draws_by_weight = False

    weights: Any

    @property
    def _learns(self) -> bool:
        return isinstance(self.weights, str)

    def _given_weights(self, n_members: int) -> Array:
        """Weights that the user gave, or ones."""
        dropped = [isinstance(member, str) for _, member in self._pairs()]
        given = read_weights(self.weights, dropped or [False] * n_members)
        return np.ones(n_members) if given is None else given

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : ignored
            Present for compatibility with scikit-learn.

        Returns
        -------
        ndarray of str
        """
        this = self._settled()
        prefix = type(self).__name__.lower()
        names = [n for n, e in this.named_estimators_.items() if not isinstance(e, str)]
        width = this._columns_each()
        if width == 1:
            return np.array([f"{prefix}_{name}" for name in names], dtype=object)
        columns = [f"{prefix}_{name}{k}" for name in names for k in range(width)]
        return np.array(columns, dtype=object)

    def _columns_each(self) -> int:
        return 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class VotingClassifier(RejectingVotes, ClassifierTask, Voting, Combiner):
    r"""Members vote by labels or by probabilities, or are combined by any other rule.

    .. math:: H(x) = c_{k^*}, \quad k^* = \arg\max_k \sum_t w_t h_t^k(x)

    where :math:`h_t^k(x)` is 1 if member t names class k ("hard"), or its probability ("soft"). All
    parameters of scikit-learn's class of this name mean the same. In addition there are prefitted
    members (``cv="prefit"``), other rules than the sum, weights learnt from held-out rows, votes
    that abstain, and a choice of tie-breaking rules.

    Parameters
    ----------
    voting : {"hard", "soft"}, name of a rule or callable, default="hard"
        "hard" counts labels, "soft" (or "mean") averages probabilities. Rules on probabilities
        are "product", "geometric", "min", "max", "median", "trimmed" and "borda", as in
        `coterie.fusion`; a callable takes probabilities of shape (members, samples, classes) and
        returns support of shape (samples, classes).
    weights : array-like of shape (n_estimators,), str or None, default=None
        Weights of the members, for "hard", "soft" and "borda". Or how to learn them from held-out
        rows (see `cv`): "accuracy"; "log_odds", optimal for independent members, with the classes'
        log-priors, for hard votes; "inverse_error"; "log_loss" and "simplex", which minimise the
        loss or the Brier score of averaged probabilities.
    flatten_transform : bool, default=True
        Whether `transform` puts the probabilities of all members side by side.
    ties : {"first", "random", "confidence", "prior"}, default="first"
        Which of equally supported classes is chosen: the first; one at random, always the same for
        the same row; the one with the largest summed probability; the most frequent.
    reject : bool, default=False
        Whether to abstain where no class has more than the share `threshold` of the support.
    threshold : float, default=0.5
        Share that a class must exceed, from one half to below one.
    reject_label : object, default="auto"
        What `predict` returns for rejected rows: by default None for text, -1 for integers and NaN
        for floats. It must not be a class.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members that are not dropped, fitted to the labels as given.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    weights_ : ndarray of shape (n_members,)
        Weights of the members.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Kittler, Hatef, Duin & Matas, "On combining classifiers", IEEE Trans. Pattern Anal.
       Mach. Intell. 20 (1998).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie import RandomForestClassifier, VotingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [
    ...     ("linear", LogisticRegression(max_iter=1000)),
    ...     ("bayes", GaussianNB()),
    ...     ("forest", RandomForestClassifier(20, random_state=0)),
    ... ]
    >>> model = VotingClassifier(members, voting="soft").fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> model.set_params(bayes="drop").fit(X, y).transform(X).shape
    (150, 6)
    """

    voting: Any = "hard"
    weights: Any = None
    n_jobs: int | None = None
    flatten_transform: bool = True
    verbose: Any = False
    ties: Literal["first", "random", "confidence", "prior"] = "first"
    reject: bool = False
    threshold: float = 0.5
    reject_label: Any = "auto"

    member_kind: ClassVar[str] = "classifier"
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **COMBINER,
        "voting": a_rule,
        "weights": one_of(None, *VOTE_WEIGHTS) | a_list,
        "flatten_transform": one_of(True, False),
        "ties": one_of("first", "random", "confidence", "prior"),
        "reject": one_of(True, False),
        "threshold": between(0.5, 1.0, closed="left"),
        "reject_label": a_reject_label,
    }

    def _methods(self, members: Sequence[Named]) -> list[Method]:
        wanted = "predict" if self._hard else "predict_proba"
        return [pick_method(member, wanted) for member in members]

    @property
    def _hard(self) -> bool:
        return isinstance(self.voting, str) and self.voting == "hard"

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        codes = rows.target.codes[:, 0]
        counts = np.bincount(codes, weights=rows.weight, minlength=len(draft.classes_))
        draft.priors_ = counts / counts.sum()
        draft.entropy_ = draw_entropy(self.random_state) if self.ties == "random" else 0
        draft.start_ = None
        if self.reject:
            check_mark(draft.classes_, self.reject_label)
        if self.weights is not None and not (callable(self.voting) or self.voting in _WEIGHTED):
            raise ValueError(f"voting={self.voting!r} does not use weights; omit them.")
        if unseen is None or not self._learns:  # folds may be there for their models alone
            draft.weights_ = self._given_weights(len(draft.pool_))
            return
        if self.weights == "log_odds" and not self._hard:
            raise ValueError('weights="log_odds" requires voting="hard".')
        seen = unseen.covered
        weight = None if rows.weight is None else rows.weight[seen]
        draft.weights_ = VOTE_WEIGHTS[self.weights](unseen.profile, codes[seen], weight)
        if self.weights == "log_odds":
            with np.errstate(divide="ignore"):
                draft.start_ = np.maximum(np.log(draft.priors_), -1e3)

    def _support(self, table: Table) -> Array:
        """Support of each class by the rule, shape (samples, classes)."""
        profile = self.pool_.votes(table)
        if self._hard:
            return fusion.tally(profile, self.weights_, start=self.start_).votes
        if callable(self.voting):
            return np.asarray(self.voting(profile), dtype=np.float64)
        rule = fusion.RULES["mean" if self.voting == "soft" else self.voting]
        if self.voting in _WEIGHTED:
            return rule(profile, self.weights_)
        return rule(profile)

    def _mean_vote(self, X: Any) -> Array:
        support = self._support(self._admit(X))
        total = support.sum(axis=1, keepdims=True)
        even = np.full_like(support, 1.0 / support.shape[1])
        return np.divide(support, total, out=even, where=total > 0)

    @where_rows_are
    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most support, or the reject label.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels; see `reject_label` for rejects.
        """
        this = self._settled()
        table = this._admit(X)
        support = this._support(table)
        return this._marked(this.classes_[this._winners(table, support)], support)

    def _winners(self, table: Table, support: Array) -> NDArray[np.intp]:
        if self.ties == "random":
            return winners(support, "random", self.entropy_, cell_keys(table))
        if self.ties == "prior":
            return winners(support, self.priors_, 0, None)
        if self.ties == "confidence":
            return winners(support, self._confidence(table), 0, None)
        return winners(support, "first", 0, None)

    def _confidence(self, table: Table) -> Array:
        """Summed probabilities, of members that give them."""
        X, total = table.given(), np.zeros((table.n_rows, len(self.classes_)))
        for seat in self._seats:
            for part in getattr(seat, "seats", (seat,)):
                if hasattr(part.estimator, "predict_proba"):
                    total += replace(part, method="predict_proba").ask(X)
        return total

    @available_if(_is_soft)
    @where_rows_are
    def predict_proba(self, X: Any) -> Array:
        """Support of the classes, made to sum to one; not there for hard votes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.asarray(super().predict_proba(X))

    @available_if(_is_soft)
    @where_rows_are
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithm of `predict_proba`; not there for hard votes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.asarray(super().predict_log_proba(X))

    @where_rows_are
    def transform(self, X: Any) -> NDArray[Any]:
        """The predictions of every member.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray
            For hard votes the positions in ``classes_`` of the labels, shape (n_samples,
            n_members); otherwise probabilities, shape (n_samples, n_members * n_classes), or
            (n_members, n_samples, n_classes) without `flatten_transform`.
        """
        this = self._settled()
        profile = this._profile(X)
        if this._hard:
            return profile.argmax(axis=2).T
        return np.hstack(list(profile)) if this.flatten_transform else profile

    def _columns_each(self) -> int:
        if not self._hard and not self.flatten_transform:
            raise ValueError(
                "get_feature_names_out is not supported when `voting='soft'` and "
                "`flatten_transform=False`"
            )
        return 1 if self._hard else len(self.classes_)

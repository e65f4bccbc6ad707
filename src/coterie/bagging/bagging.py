"""Bagging."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import process_routing

from coterie.bagging.bag import BAG, TRUTH, VOTING, Bag, BagClassifierTask
from coterie.bagging.bag_members import Members
from coterie.bagging.refine import REFINEMENTS
from coterie.base import Admitted, RegressorTask
from coterie.base.bagged import check_draw
from coterie.base.elsewhere import where_rows_are
from coterie.base.routing import asks_weight, check_routing, members_router
from coterie.core import (
    Allowed,
    BagSampler,
    BootstrapSampler,
    Columns,
    Draw,
    Learner,
    Reserve,
    SubsetSampler,
    View,
    WeightSampler,
    a_sampler,
    as_sampler,
    at_least,
    fraction,
    has,
    one_of,
)
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, cut_params
from coterie.trees.single import is_native

#: What a bag is asked for, each time by asking its members in one way.
_ANSWERS = ("predict", "predict_proba", "predict_log_proba")

BAGGING: dict[str, Allowed] = BAG | {
    "max_samples": at_least(1) | fraction() | one_of(None),
    "max_features": at_least(1) | fraction(),
    "bootstrap": TRUTH,
    "bootstrap_features": TRUTH,
    "wagging": one_of(None, "exponential", "poisson", "gaussian"),
    "oob_use": one_of(None, *REFINEMENTS) | has("around"),
    "oob_split": fraction(),
    "draw": a_sampler,
}


@dataclass(eq=False, repr=False)
class Drawn(Bag):
    r"""Draws rows with or without replacement, and columns.

    Parameters
    ----------
    max_samples : int, float or None, default=None
        Rows drawn per member: as many as there are (None), a number, or a fraction of them, or of
        their total weight.
    max_features : int or float, default=1.0
        Columns drawn per member: a number, or a fraction of them.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement. A column drawn twice counts once in native trees
        and in data frames, where columns are identified by name.
    wagging : {"exponential", "poisson", "gaussian"} or None, default=None
        Give all rows random weights instead of sampling: :math:`-\ln U`, Poisson counts, or
        :math:`\max(0, 1 + 2 N(0, 1))`. Members must accept weights. With "exponential" no weight is
        zero, so there are no out-of-bag rows.
    oob_use : {"prune", "posterior", "stop"}, refinement or None, default=None
        How a member uses its out-of-bag rows: a native tree prunes the branches that do not help on
        these rows ("prune"), or re-estimates its leaf values from them ("posterior"); a member that
        learns in epochs stops at its best score on them ("stop"). For more settings, pass a
        `coterie.bagging.Pruning`, `Posteriors` or `EarlyStopping` object.
    oob_split : float, default=0.5
        Share of the out-of-bag rows that `oob_use` may use. Only the others remain for evaluation;
        with 1.0 there is no out-of-bag estimate.
    draw : str, BagSampler or None, default=None
        How bags are drawn, in place of `bootstrap`, `max_samples` and `wagging`: "bootstrap";
        "repeats", a bootstrap in which integer weights are equivalent to repeated rows; "half" of
        the rows, without replacement; "blocks" of consecutive rows; random weights ("exponential",
        "poisson", "gaussian"); or balanced classes ("under", "balanced", "rough", "over", see
        `BalancedBaggingClassifier`). `coterie.bagging` provides these as objects with settings
        (`BlockSampler` and others); you can also pass your own `BagSampler`.
    """

    _: KW_ONLY
    max_samples: float | None = None
    max_features: float = 1.0
    bootstrap: bool = True
    bootstrap_features: bool = False
    wagging: Literal["exponential", "poisson", "gaussian"] | None = None
    oob_use: Any = None
    oob_split: float = 0.5
    draw: Any = None

    allowed: ClassVar[Mapping[str, Allowed]] = BAGGING
    keeps_classes: ClassVar[bool] = True

    #: What the `fit` of foreign members is handed besides; set on the copy that fits.
    _handed: ClassVar[Mapping[str, Any]] = {}

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored. With scikit-learn's metadata routing,
            foreign members that do not request weights get rows drawn by them.
        groups : array-like of shape (n_samples,), optional
            Rows of one group are in a bag together or not at all, so that out-of-bag rows belong to
            groups that the member has not seen. Draws then count groups, not rows.
        **fit_params : dict
            Metadata for members from other packages, if scikit-learn's metadata routing is enabled;
            arrays with one value per row are restricted to the rows of a bag.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups=groups, metadata=fit_params)

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        groups: Any = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        this = self
        if metadata:
            check_routing(type(self).__name__, metadata)
            if is_native(self._member()):
                raise TypeError(
                    f"Native trees do not accept metadata, but fit got {sorted(metadata)}."
                )
            routed = process_routing(self, "fit", **metadata).estimator.fit
            this = self._copy()
            this._handed = cut_params(routed, admitted.kept, n_samples)
        super(Drawn, this)._train(draft, admitted, n_samples, groups)

    def get_metadata_routing(self) -> Any:
        """The metadata that members from other packages request, or that the ensemble requests.

        Returns
        -------
        MetadataRouter or MetadataRequest
        """
        member = self._member()
        if is_native(member):
            return super().get_metadata_routing()
        asked = asked_for(member, getattr(self, "voting", "auto"))
        return members_router(self, {"estimator": member}, dict.fromkeys(_ANSWERS, asked))

    def _handing(self, caller: str, metadata: Mapping[str, Any]) -> Self:
        """The bag itself or, with metadata, a copy whose members are handed what they request."""
        if not metadata:
            return self
        check_routing(type(self).__name__, metadata, caller)
        this = self._settled()
        if not isinstance(this.pool_.members, tuple):
            raise TypeError(
                f"Native trees do not accept metadata, but {caller} got {sorted(metadata)}."
            )
        routed = process_routing(this, caller, **metadata).estimator
        twin = this._copy()
        twin.pool_ = replace(
            this.pool_,
            members=tuple(
                replace(member, estimator=Handed(member.estimator, routed))
                for member in this.pool_.members
            ),
        )
        return twin

    @property
    def estimators_(self) -> Members:
        """The fitted members, with native trees created on access; predictions follow changes."""
        return Members(self._settled())

    @estimators_.setter
    def estimators_(self, members: Iterable[Any]) -> None:
        self._seat(members)

    @property
    def _members_read(self) -> bool:
        return not is_native(self._member())

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        check_draw(self, ("max_samples", "wagging"))
        how = "wagging" if self.draw is None else "draw"
        sampler, member = self._sampler(), self._member()
        if sampler is None or not sampler.weighs:
            return
        if self.max_samples not in (None, 1.0):
            raise ValueError(
                f"max_samples={self.max_samples} cannot be combined with "
                f"wagging={self.wagging!r}, which weights all rows. Set only one of them."
            )
        if not is_native(member) and not asks_weight(member):
            raise ValueError(
                f"{how}={getattr(self, how)!r} needs members whose fit accepts sample_weight, "
                f"but {type(member).__name__}.fit does not. Set {how}=None to draw rows instead."
            )

    def _sampler(self) -> BagSampler | None:
        if self.draw is not None:
            return as_sampler(self.draw)
        if self.wagging is not None:
            return WeightSampler(self.wagging)
        return (BootstrapSampler if self.bootstrap else SubsetSampler)(self.max_samples)

    def _rows(
        self,
        table: Table,
        target: Target,
        weight: NDArray[np.float64] | None,
        groups: NDArray[np.int32] | None,
    ) -> tuple[View, Draw | None]:
        view, draw = super()._rows(table, target, weight, groups)
        if self.oob_use is None:
            return view, draw
        if draw is None or not draw.spares:
            raise ValueError(
                f"oob_use={self.oob_use!r} needs out-of-bag rows, but every member sees every "
                "row. Set bootstrap=True or a smaller max_samples."
            )
        return view, Reserve(draw, self.oob_split)

    def _learner(
        self, member: Any, view: View, choice: Columns | None, n_threads: int, stop: Any
    ) -> Learner:
        learner = super()._learner(member, view, choice, n_threads, stop)
        if isinstance(learner, ForeignLearner):
            learner = replace(learner, weighs=asks_weight(member), params=self._handed)
        use = REFINEMENTS.get(self.oob_use) if isinstance(self.oob_use, str) else self.oob_use
        if use is not None and self._handed:
            raise ValueError(
                f"oob_use={self.oob_use!r} cannot be combined with metadata for members, but fit "
                f"got {sorted(self._handed)}. Use only one of them."
            )
        return learner if use is None else use.around(learner, member)

    def _choose(self, n_columns: int) -> Columns | None:
        sampler = self._sampler()
        chosen = None if sampler is None else sampler.choose(n_columns)
        if chosen is not None:
            return chosen
        n_draws = resolve_columns(self.max_features, n_columns)
        if n_draws == n_columns and not self.bootstrap_features:
            return None
        return Columns(n_columns, n_draws, bool(self.bootstrap_features))


class Handed:
    """A fitted estimator whose answers are asked for with metadata besides the rows.

    Parameters
    ----------
    estimator : estimator
        What is asked.
    routed : mapping of str to dict
        What each of its methods is handed.
    """

    def __init__(self, estimator: Any, routed: Mapping[str, Mapping[str, Any]]) -> None:
        self._estimator, self._routed = estimator, routed

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._estimator, name)
        return partial(found, **self._routed[name]) if name in self._routed else found


def asked_for(member: Any, voting: str) -> str:
    """The method by which a bag asks a member."""
    soft = voting != "hard" and hasattr(member, "predict_proba")
    return "predict_proba" if soft else "predict"


def resolve_columns(value: float, n_columns: int) -> int:
    """Columns drawn per member, at least one.

    Examples
    --------
    >>> resolve_columns(3, 10), resolve_columns(0.25, 10), resolve_columns(0.01, 10)
    (3, 2, 1)
    """
    if isinstance(value, Integral):
        if value > n_columns:
            raise ValueError(
                f"max_features must be <= n_features, but max_features={value} and X has "
                f"{n_columns} columns."
            )
        return int(value)
    return max(1, int(value * n_columns))


@dataclass(eq=False, repr=False)
class BaggingClassifier(BagClassifierTask, Drawn):
    r"""Bagging, a drop-in replacement for ``sklearn.ensemble.BaggingClassifier``.

    Every member is fitted on a bootstrap sample: as many rows as there are, drawn with replacement.
    The probability that a row is in a bag of :math:`n'` draws is :math:`1 - (1 - 1/n)^{n'}`, 63.2 %
    for large :math:`n' = n`; the other rows are out of bag and serve to evaluate the member.
    Unstable members (fully grown trees) gain most, because averaging reduces variance. Without
    replacement this is pasting; with sampled columns, random subspaces and patches. Members vote
    with probabilities if they have them, otherwise with labels. The same seed gives the same
    ensemble whatever the order of the rows and whatever `n_jobs`. As in scikit-learn, rows are
    drawn by their weights; members without bags get the weights themselves. With ``draw="repeats"``
    integer weights are equivalent to repeated rows.

    Parameters
    ----------
    voting : {"auto", "soft", "hard"}, default="auto"
        Average probabilities if members have them ("auto"), require them ("soft"), or count one
        vote per member, as in the original algorithm ("hard").

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    estimators_, estimators_samples_, estimators_features_ : sequence of estimators, of ndarray
        The members, the rows in their bags and the columns they use; created on access.
    pool_ : Pool
        All members; ``pool_[:t]`` is the ensemble of the first t.
    oob_score_, oob_coverage_ : float
        Out-of-bag score, and the share of rows that have an out-of-bag vote.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag probabilities, NaN for rows without a vote or of weight zero.
    oob_curve_ : OobCurve
        Out-of-bag error by number of members.

    References
    ----------
    .. [1] Breiman, "Bagging predictors", Machine Learning 24 (1996).
    .. [2] Breiman, "Pasting small votes for classification in large databases and on-line",
       Machine Learning 36 (1999).
    .. [3] Webb, "MultiBoosting: a technique for combining boosting and wagging", Machine
       Learning 40 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BaggingClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> 0.92 < model.oob_score_ < 0.97
    True
    """

    _: KW_ONLY
    voting: Literal["auto", "soft", "hard"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = BAGGING | VOTING

    @where_rows_are
    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """The class with the most votes; in case of ties, the first in ``classes_``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        **params : dict
            Metadata for members from other packages, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return super(BaggingClassifier, self._handing("predict", params)).predict(X)

    @where_rows_are
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Mean of the members' votes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        **params : dict
            Metadata for members from other packages, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of such arrays
        """
        return super(BaggingClassifier, self._handing("predict_proba", params)).predict_proba(X)

    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        **params : dict
            Metadata for members from other packages, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of such arrays
        """
        this = self._handing("predict_log_proba", params)
        return super(BaggingClassifier, this).predict_log_proba(X)


@dataclass(eq=False, repr=False)
class BaggingRegressor(RegressorTask, Drawn):
    """Bagging, a drop-in replacement for ``sklearn.ensemble.BaggingRegressor``.

    Every member is fitted on a bootstrap sample of the rows, and their predictions are averaged;
    sampling and weights work as in `BaggingClassifier`.

    Attributes
    ----------
    estimators_, estimators_samples_, estimators_features_, pool_ : see BaggingClassifier
        As documented there.
    oob_score_, oob_coverage_, oob_curve_ : see BaggingClassifier
        As documented there.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Out-of-bag predictions, NaN for rows without a vote or of weight zero.

    References
    ----------
    .. [1] Breiman, "Bagging predictors", Machine Learning 24 (1996).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggingRegressor(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> 0.35 < model.oob_score_ < 0.5
    True
    """

    @where_rows_are
    def predict(self, X: Any, **params: Any) -> NDArray[np.float64]:
        """The mean of the members' predictions.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        **params : dict
            Metadata for members from other packages, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return super(BaggingRegressor, self._handing("predict", params)).predict(X)

"""Bagging and forests whose bags hold balanced classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import clone

from coterie.bagging.bag import VOTING, BagClassifierTask
from coterie.bagging.bagging import BAGGING, Drawn
from coterie.base import Admitted
from coterie.core import (
    Allowed,
    BagSampler,
    BalancedSampler,
    BootstrapSampler,
    RebalancedSampler,
    has,
    one_of,
)
from coterie.core.class_draw import Array, Method, correct_prior
from coterie.data import Target
from coterie.forests.forest import RandomForestClassifier
from coterie.imbalance.resampling import RowSampler, SampledPipeline
from coterie.imbalance.undersample import a_strategy

_BALANCED: dict[str, Allowed] = {
    "sampling_strategy": a_strategy,
    "replacement": one_of(True, False),
    "prior_correction": one_of(True, False),
}


class BalancedVotes:
    """Takes back, if asked, that balanced bags make rare classes seem frequent.

    Parameters
    ----------
    sampling_strategy : str, float, dict of label to int or callable
        Number of rows of each class in a bag. A string selects the classes that are undersampled to
        the size of the smallest: "all" of them, the "majority", "not majority", or "not minority",
        which is "auto". A float is the size of the smallest class divided by that of the others. A
        dict maps labels to numbers of rows, and a callable returns such a dict for the labels of a
        bag; other classes keep their size.
    prior_correction : bool, default=False
        Whether to convert probabilities back to the class frequencies of the training rows. Without
        it a rare class is predicted more often and its probabilities are too large.
    """

    prior_correction: bool

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        super()._describe_target(draft, admitted)  # type: ignore[misc]  # that of the task
        codes, n_classes = admitted.target.codes[:, 0], admitted.target.n_classes[0]
        totals = np.bincount(codes, weights=admitted.weight, minlength=n_classes)
        draft.class_prior_ = totals / totals.sum()

    def _mean_vote(self, X: Any) -> Array:
        votes = super()._mean_vote(X)  # type: ignore[misc]  # that of the committee
        if not self.prior_correction:
            return votes
        return correct_prior(votes, self.bags_.draw.shares, self.class_prior_)  # type: ignore[attr-defined]


@dataclass(eq=False, repr=False)
class BalancedBaggingClassifier(BalancedVotes, BagClassifierTask, Drawn):
    r"""Bagging for imbalanced classes, a drop-in replacement for imbalanced-learn's.

    A bag is drawn as in `BaggingClassifier`, and then its larger classes are cut down to the size
    of the smallest. Each member gives the rare class as much weight as the others, and all members
    together use far more of the large classes than one balanced sample would.

    Parameters
    ----------
    replacement : bool, default=False
        Whether the rows of a class are drawn with replacement.
    sampler : object with a method `fit_resample`, default=None
        A sampler of imbalanced-learn that balances each bag instead; it receives
        `sampling_strategy` if it has such a parameter. Members are then pipelines of
        imbalanced-learn with the steps "sampler" and "classifier".
    method : {"under", "balanced", "rough", "over"} or None, default=None
        Draw rows of every class from the whole table instead, regardless of `bootstrap`,
        `max_samples` and `replacement`. "under" (UnderBagging): all rows of the smallest class, and
        as many of every other without replacement. "balanced": the same numbers with replacement,
        also of the smallest class. "rough" (roughly balanced bagging): as "balanced", but of the
        larger classes a random number of rows, negative binomial with the same mean, so that class
        shares vary as they would in a bootstrap of balanced data. "over" (OverBagging): every class
        is drawn with replacement up to the size of the largest.
    voting : {"auto", "soft", "hard"}, default="auto"
        Average probabilities where members have them ("auto"), require them ("soft"), or count one
        vote per member ("hard").

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
        Class labels, and their shares in the training rows.
    estimators_, estimators_samples_ : sequence of members, list of ndarray
        The members, and the rows in their bags.
    pool_ : Pool
        The members; ``pool_[:t]`` is the ensemble of the first t.

    Notes
    -----
    With ``method="under"``, rows of the smallest class are in every bag: out-of-bag scores would
    say nothing about it. Use another method for those. Rows of a bag that were left out when it was
    balanced are out of bag too, and ``estimators_samples_`` has the others; both are those of the
    bag before it was balanced in imbalanced-learn.

    References
    ----------
    .. [1] Hido, Kashima & Takahashi, "Roughly balanced bagging for imbalanced data", Statistical
       Analysis and Data Mining 2 (2009).
    .. [2] Wang & Yao, "Diversity analysis on imbalanced data sets by using ensemble models", CIDM
       (2009).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> X, y = make_classification(4000, weights=[0.97], random_state=0)
    >>> model = BalancedBaggingClassifier(n_estimators=30, random_state=0).fit(X[::2], y[::2])
    >>> balanced_accuracy_score(y[1::2], model.predict(X[1::2])) > 0.75
    True
    """

    _: KW_ONLY
    sampling_strategy: Any = "auto"
    replacement: bool = False
    sampler: Any = None
    method: Method | None = None
    prior_correction: bool = False
    voting: Literal["auto", "soft", "hard"] = "auto"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BAGGING,
        **VOTING,
        **_BALANCED,
        "sampler": has("fit_resample") | one_of(None),
        "method": one_of("under", "balanced", "rough", "over", None),
    }

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        ways = {"sampler": self.sampler, "method": self.method, "draw": self.draw}
        given = [name for name, way in ways.items() if way is not None]
        if len(given) > 1:
            raise ValueError(
                f"{' and '.join(given)} both define how bags are balanced. Set only one of them."
            )
        if self.sampler is not None and self.prior_correction:
            raise ValueError(
                "prior_correction=True needs the class frequencies in the bags, which are "
                "unknown if a sampler is given. Set prior_correction=False, or balance with "
                "sampling_strategy."
            )

    def _member(self) -> Any:
        classifier = super()._member()
        if self.sampler is None:
            return classifier
        pipeline = require_imblearn("pipeline").Pipeline
        sampler = clone(self.sampler)
        if "sampling_strategy" in sampler.get_params(deep=False):
            sampler.set_params(sampling_strategy=self.sampling_strategy)
        return pipeline([("sampler", sampler), ("classifier", clone(classifier))])

    def _sampler(self) -> BagSampler | None:
        if self.method is not None:
            return BalancedSampler(self.method, self.sampling_strategy)
        bag = super()._sampler()
        if self.sampler is not None or self.draw is not None:
            return bag
        return RebalancedSampler(self.sampling_strategy, self.replacement, bag)


def require_imblearn(part: str) -> Any:
    """A module of imbalanced-learn, or an error that says what to install."""
    try:
        return import_module(f"imblearn.{part}")
    except ImportError as error:
        raise ImportError(
            "sampler= needs imbalanced-learn: pip install imbalanced-learn."
        ) from error


@dataclass(eq=False, repr=False)
class BalancedRandomForestClassifier(BalancedVotes, RandomForestClassifier):
    r"""A random forest for imbalanced classes, a drop-in replacement for imbalanced-learn's.

    For every tree, as many rows as the smallest class has are drawn of each class, with
    replacement; otherwise it is a `RandomForestClassifier`.

    Parameters
    ----------
    replacement : bool, default=True
        Whether rows are drawn with replacement. Otherwise, a class that is no larger than required
        is in every bag as a whole, and never out of bag, unless `bootstrap` is true.
    bootstrap : bool, default=False
        Whether a tree sees a bootstrap sample of the drawn rows instead of the rows themselves.
    max_samples : int or float, default=None
        Rows of that bootstrap; a float is a fraction of the rows that were drawn.

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
        Class labels, and their shares in the training rows.
    estimators_, estimators_samples_, pool_, feature_importances_ : see RandomForestClassifier
        As documented there.
    samplers_, pipelines_ : list of samplers, list of pipelines
        The sampler of each tree's rows, and a pipeline of sampler and tree, as in imbalanced-learn.
    oob_score_, oob_decision_function_ : see RandomForestClassifier
        As documented there; out-of-bag probabilities are those of balanced classes.

    References
    ----------
    .. [1] Chen, Liaw & Breiman, "Using random forest to learn imbalanced data", Technical Report
       666, University of California, Berkeley (2004).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> X, y = make_classification(4000, weights=[0.97], random_state=0)
    >>> forest = BalancedRandomForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> balanced_accuracy_score(y[1::2], forest.predict(X[1::2])) > 0.75
    True
    """

    _: KW_ONLY
    bootstrap: bool = False
    sampling_strategy: Any = "all"
    replacement: bool = True
    prior_correction: bool = False

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **RandomForestClassifier.allowed,
        **_BALANCED,
    }

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        if self.draw is not None:
            raise ValueError(
                f"{type(self).__name__} draws balanced bags. Set draw=None, and use "
                "sampling_strategy to change their size."
            )

    @property
    def samplers_(self) -> list[RowSampler]:
        """The sampler of each tree's rows, before `bootstrap` and without weights."""
        this = self._settled()
        settings = (self.sampling_strategy, self.replacement, self.max_bins)
        return [RowSampler(*settings, this.bags_.seed(t)) for t in range(len(this.pool_))]

    @property
    def pipelines_(self) -> list[SampledPipeline]:
        """Each sampler and its tree as a pipeline."""
        names = "randomundersampler", self.member_class.__name__.lower()
        pairs = zip(self.samplers_, self.estimators_, strict=True)
        return [SampledPipeline(list(zip(names, pair, strict=True))) for pair in pairs]

    def _sampler(self) -> BagSampler | None:
        again = BootstrapSampler(self.max_samples) if self.bootstrap else None
        return RebalancedSampler(self.sampling_strategy, self.replacement, again=again)

"""Bagging and forests whose bags hold balanced classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from coterie.bagging.bag import BAG, VOTING, Bag, BagClassifierTask
from coterie.base import Admitted
from coterie.core import Allowed, BagSampler, BalancedSampler, one_of
from coterie.core.class_draw import Array, Method, correct_prior
from coterie.data import Target
from coterie.forests.forest import RandomForestClassifier
from coterie.imbalance.undersample import a_strategy

_BALANCED: dict[str, Allowed] = {
    "sampling_strategy": a_strategy,
    "prior_correction": one_of(True, False),
}


class BalancedVotes:
    """Takes back, if asked, that balanced bags make rare classes seem frequent.

    Parameters
    ----------
    sampling_strategy : "auto", float or dict of label to int, default="auto"
        How many rows of each class a bag holds: as many as the smallest class has; a float is the
        size of the smallest class divided by that of the others; a dict gives numbers, and classes
        not in it keep their size.
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


@dataclass(eq=False, repr=False, kw_only=True)
class BalancedBaggingClassifier(BalancedVotes, BagClassifierTask, Bag):
    r"""Bagging for imbalanced classes: every bag holds balanced classes.

    Each member gives the rare class as much weight as the others, and all members together use far
    more of the large classes than one balanced sample would.

    Parameters
    ----------
    method : {"under", "balanced", "rough", "over"}, default="under"
        How a bag is drawn. "under" (UnderBagging): all rows of the smallest class, and as many of
        every other without replacement. "balanced": the same numbers with replacement, also of the
        smallest class. "rough" (roughly balanced bagging): as "balanced", but of the larger
        classes a random number of rows, negative binomial with the same mean, so that class shares
        vary as they would in a bootstrap of balanced data. "over" (OverBagging): every class is
        drawn with replacement up to the size of the largest.
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
    With "under", rows of the smallest class are in every bag: out-of-bag scores would say nothing
    about it. Use another method for those.

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

    method: Method = "under"
    sampling_strategy: Any = "auto"
    prior_correction: bool = False
    voting: Literal["auto", "soft", "hard"] = "auto"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BAG,
        **VOTING,
        **_BALANCED,
        "method": one_of("under", "balanced", "rough", "over"),
    }

    def _sampler(self) -> BagSampler | None:
        return BalancedSampler(self.method, self.sampling_strategy)


@dataclass(eq=False, repr=False, kw_only=True)
class BalancedRandomForestClassifier(BalancedVotes, RandomForestClassifier):
    r"""A random forest for imbalanced classes: every tree is grown on balanced classes.

    For every tree, as many rows as the smallest class has are drawn of each class, with
    replacement; otherwise it is a `RandomForestClassifier`.

    Parameters
    ----------
    replacement : bool, default=True
        Whether rows are drawn with replacement. Without it, a class that is no larger than asked
        for is in every bag as a whole, and never out of bag.
    bootstrap, max_samples, draw : bool, int or float, str or BagSampler
        Not to be changed: `sampling_strategy` decides how bags are drawn.

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
        Class labels, and their shares in the training rows.
    estimators_, estimators_samples_, pool_, feature_importances_ : see RandomForestClassifier
        The same as there.
    oob_score_, oob_decision_function_ : see RandomForestClassifier
        The same as there; out-of-bag probabilities are those of balanced classes.

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

    sampling_strategy: Any = "auto"
    replacement: bool = True
    prior_correction: bool = False

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **RandomForestClassifier.allowed,
        **_BALANCED,
        "replacement": one_of(True, False),
    }

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        if not self.bootstrap or self.max_samples is not None or self.draw is not None:
            raise ValueError(
                f"{type(self).__name__} draws balanced bags: leave bootstrap=True, draw=None and "
                "max_samples=None, and set sampling_strategy to change their size."
            )

    def _sampler(self) -> BagSampler | None:
        return BalancedSampler("balanced" if self.replacement else "under", self.sampling_strategy)

"""EasyEnsemble: boosters on independent balanced bags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from coterie.base import Admitted, JoblibExecutor
from coterie.base.bagged import warn_no_more
from coterie.boosting.booster import BOOSTER, BoostedClassifier
from coterie.core import (
    Allowed,
    Pool,
    View,
    at_least,
    draw_entropy,
    gather,
    has,
    member_seeds,
    one_of,
)
from coterie.core.class_draw import Counts, resize_classes
from coterie.core.rule import Array, Rule, two_sided
from coterie.imbalance.bagged_boosters import BAGS, BaggedBoosters, BagLearner
from coterie.imbalance.undersample import Units, a_strategy
from coterie.learners import ForeignLearner


@dataclass(frozen=True)
class Thin:
    """A shake that draws rows of every class without replacement.

    Parameters
    ----------
    units : Units
        The units to draw from.
    sizes : ndarray of shape (n_classes,)
        Units drawn of each class.
    again : ndarray of bool of shape (n_classes,), optional
        Classes drawn with replacement.
    """

    units: Units
    sizes: Counts
    again: NDArray[np.bool_] | None = None

    def __call__(self, view: View, rng: Generator) -> View:
        """The rows that were drawn."""
        return self.units.bag(view, self.units.draw(self.sizes, rng, again=self.again))


@dataclass(frozen=True)
class MeanVote(Rule):
    """Members vote with probabilities; a score of two classes is their difference."""

    def vote(self, output: Array) -> Array:
        """Probabilities, or by how much that of the second of two classes is larger."""
        return output[:, 1:] - output[:, :1] if output.shape[1] == 2 else output

    def link(self, raw: Array) -> Array:
        """Probabilities of mean votes."""
        return two_sided((1 + raw[:, 0]) / 2) if raw.shape[1] == 1 else raw


@dataclass(eq=False, repr=False)
class EasyEnsembleClassifier(BaggedBoosters):
    r"""EasyEnsemble: boosters on balanced bags; a drop-in replacement for imbalanced-learn's.

    Every bag holds as many rows of each class as the smallest class has, drawn without replacement.
    A booster is fitted on each, and the scores of all members of all bags are added: one large
    ensemble that uses most of the rows, although each booster is fitted to balanced classes only.
    Bags are independent of one another; they depend on the content of the rows, so their order does
    not matter, and a row of weight 3 counts as three rows.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of bags.
    estimator : classifier, default=None
        What is fitted on every bag; by default an `AdaBoostClassifier`. For coterie's boosters
        (except GradientBoosting), scores are added, and `random_state`, `warm_start`, `max_bins`
        and `categorical_features` are ignored; for others, probabilities are averaged, or votes if
        there are none.
    sampling_strategy : str, float, dict of label to int or callable, default="auto"
        How many rows of each class a bag contains; see `BalancedBaggingClassifier`.
    replacement : bool, default=False
        Whether rows are drawn with replacement.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; bag t depends only on it and on t.
    warm_start : bool, default=False
        Keep the bags of the last fit and add to them.
    verbose : int, default=0
        Report progress.
    n_jobs : int, default=None
        Number of bags fitted in parallel.
    max_bins : int, default=255
        Maximum number of bins per column for native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members, one per bag.
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the columns in the decrease of impurity, where members are native trees.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        All bags; ``pool_[:t]`` is the ensemble of the first t.

    References
    ----------
    .. [1] Liu, Wu & Zhou, "Exploratory undersampling for class-imbalance learning", IEEE Trans.
       Syst. Man Cybern. B 39 (2009).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.metrics import balanced_accuracy_score
    >>> X, y = make_classification(2000, weights=[0.97], random_state=0)
    >>> model = EasyEnsembleClassifier(random_state=0).fit(X, y)
    >>> balanced_accuracy_score(y, model.predict(X)) > 0.8
    True
    """

    n_estimators: int = 10
    estimator: Any = None
    _: KW_ONLY
    sampling_strategy: Any = "auto"
    replacement: bool = False
    warm_start: bool = False
    verbose: int = 0

    default_rounds: ClassVar[int] = 50
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BAGS,
        "estimator": has("fit", "predict", "get_params") | one_of(None),
        "replacement": one_of(True, False),
        "n_estimators": at_least(1),
        "sampling_strategy": a_strategy,
        **{name: BOOSTER[name] for name in ("warm_start", "verbose")},
    }

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        member, earlier = self._member(), self._earlier()
        entropy = draw_entropy(self.random_state) if earlier is None else self.entropy_
        table, target = self._bin(admitted), admitted.target
        units = Units.lay(table, target, admitted.weight)
        sizes, drawn = resize_classes(self.sampling_strategy, units.counts, target.classes[0])
        own = isinstance(member, BoostedClassifier)
        bags = gather(
            BagLearner(member) if own else ForeignLearner(member),
            View(table, target),
            seeds=member_seeds(entropy, 0 if earlier is None else len(earlier), self.n_estimators),
            shake=Thin(units, sizes, drawn if self.replacement else None),
            executor=JoblibExecutor(self.n_jobs, self.verbose),
        )
        draft.entropy_ = entropy
        rule: Rule = member._rule() if own else MeanVote()
        if bags:
            pool = Pool.of(bags, cast=None if own else rule.vote)
            earlier = pool if earlier is None else earlier + pool
        self._publish(draft, rule, cast(Pool, earlier))

    def _member(self) -> Any:
        """What is fitted on every bag."""
        own = self.estimator is None or isinstance(self.estimator, BoostedClassifier)
        return self._booster() if own else self.estimator

    def _earlier(self) -> Pool | None:
        """The bags of the last fit, if they are to be kept."""
        if not self.warm_start or not hasattr(self, "pool_"):
            return None
        if self.n_estimators < len(self.pool_):
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={len(self.pool_)} when warm_start==True"
            )
        if self.n_estimators == len(self.pool_):
            warn_no_more()
        return self.pool_

    @property
    def estimator_(self) -> Any:
        """The unfitted classifier that members are clones of."""
        return self._member()

    def __len__(self) -> int:
        """Number of fitted members."""
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        """One of the fitted members."""
        return self.estimators_[index]

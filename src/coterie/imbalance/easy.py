"""EasyEnsemble: boosters on independent balanced bags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from numpy.random import Generator

from coterie.base import Admitted, JoblibExecutor
from coterie.boosting.booster import BOOSTER
from coterie.core import Allowed, Pool, View, at_least, draw_entropy, gather, member_seeds
from coterie.core.class_draw import Counts, class_sizes
from coterie.imbalance.bagged_boosters import BAGS, BaggedBoosters, BagLearner
from coterie.imbalance.undersample import Units, a_strategy


@dataclass(frozen=True)
class Thin:
    """A shake that draws rows of every class without replacement.

    Parameters
    ----------
    units : Units
        What is drawn from.
    sizes : ndarray of shape (n_classes,)
        Units drawn of each class.
    """

    units: Units
    sizes: Counts

    def __call__(self, view: View, rng: Generator) -> View:
        """The rows that were drawn."""
        return self.units.bag(view, self.units.draw(self.sizes, rng))


@dataclass(eq=False, repr=False, kw_only=True)
class EasyEnsembleClassifier(BaggedBoosters):
    r"""EasyEnsemble: boosters on balanced bags, whose scores are added.

    Every bag holds as many rows of each class as the smallest class has, drawn without replacement.
    A booster is fitted on each, and the scores of all members of all bags are added: one large
    ensemble that uses most of the rows, although each booster is fitted to balanced classes only.
    Bags are independent of one another; they depend on the content of the rows, so their order does
    not matter, and a row of weight 3 counts as three rows.

    Parameters
    ----------
    estimator : booster, default=None
        One of coterie's boosters, fitted on every bag; by default
        ``AdaBoostClassifier(n_estimators=10)``. Its `random_state`, `warm_start`, `max_bins` and
        `categorical_features` are not used.
    n_estimators : int, default=10
        Number of bags.
    sampling_strategy : "auto", float or dict of label to int, default="auto"
        How many rows of each class a bag holds, see `RUSBoostClassifier`.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; bag t depends on it and on t only.
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
    estimators_ : list of boosters
        The fitted boosters, one per bag.
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
    sampling_strategy: Any = "auto"
    warm_start: bool = False
    verbose: int = 0

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BAGS,
        "n_estimators": at_least(1),
        "sampling_strategy": a_strategy,
        **{name: BOOSTER[name] for name in ("warm_start", "verbose")},
    }

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        booster, earlier = self._booster(), self._earlier()
        entropy = draw_entropy(self.random_state) if earlier is None else self.entropy_
        table, target = self._bin(admitted), admitted.target
        units = Units.lay(table, target, admitted.weight)
        sizes = class_sizes(self.sampling_strategy, units.counts, target.classes[0])
        view = View(table, target)
        bags = gather(
            BagLearner(booster),
            view,
            seeds=member_seeds(entropy, 0 if earlier is None else len(earlier), self.n_estimators),
            shake=Thin(units, sizes),
            executor=JoblibExecutor(self.n_jobs, self.verbose),
        )
        draft.entropy_ = entropy
        pool = Pool.of(bags)
        self._publish(draft, booster, pool if earlier is None else earlier + pool)

    def _earlier(self) -> Pool | None:
        """The bags of the last fit, if they are to be kept."""
        if not self.warm_start or not hasattr(self, "pool_"):
            return None
        if self.n_estimators < len(self.pool_):
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={len(self.pool_)} when warm_start==True"
            )
        return self.pool_

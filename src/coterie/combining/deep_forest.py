"""Deep forests: cascades of forests, as a classifier and as a regressor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from coterie.base import (
    Admitted,
    ClassifierTask,
    Committee,
    JoblibExecutor,
    RegressorTask,
    thread_count,
)
from coterie.base.scoring import Answers, Measures, a_scoring, read_scoring
from coterie.boosting import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.combining.cascade import (
    Cascade,
    Grown,
    Growth,
    LevelFit,
    Stand,
    fit_one,
    grow,
)
from coterie.combining.splits import RowFolds, Split, a_splitter, make_splits
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    at_least,
    draw_entropy,
    fraction,
    one_of,
)
from coterie.core.params import a_list
from coterie.data import Target
from coterie.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

_TRUTH = one_of(True, False)


class Learnt:
    """What fits set; declared here, as dataclasses take declarations for fields."""

    n_layers_: int
    layer_scores_: list[float]


@dataclass(eq=False, repr=False, kw_only=True)
class DeepForest(Learnt, Committee):
    """What both tasks share.

    Parameters
    ----------
    n_forests : int, default=4
        Forests of a level: half of them random forests, half completely random ones, whose nodes
        split a random column at a random value.
    n_trees : int, default=100
        Trees of a forest.
    estimators : list of (str, estimator) or None, default=None
        Any ensembles in place of these forests. Those that are not coterie's see categories as
        codes.
    vectors : {"oob", "kfold"}, default="oob"
        Where the predictions that a level passes on come from: out-of-bag predictions of one fit,
        or out-of-fold predictions of `cv` fits, which are averaged for new rows. Ensembles without
        bags always use folds.
    cv : int, splitter or list of splits, default=3
        The folds.
    max_layers : int, default=20
        Maximum number of levels.
    patience : int, default=2
        Number of further levels to try when one has not improved.
    tol : float, default=0.0
        Smallest improvement that counts.
    scoring : str, callable or None, default=None
        The score that must improve: the name of a scorer of scikit-learn, with or without its
        ``neg_``, or a function ``(estimator, X, y) -> float``; None is the accuracy, or R².
    validation_fraction : float or None, default=None
        Share of the held-out rows to choose the number of levels, as in the paper, before the
        levels are fitted to all rows; None uses the out-of-bag or out-of-fold predictions of all
        training rows.
    predictor : {"gradient"} or None, default=None
        Whether a gradient booster makes the final prediction in place of the last level.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf.
    max_bins : int, default=65535
        Maximum number of bins per column; the bins are shared by all levels.
    n_jobs : int, default=None
        Number of threads; results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    """

    multi_output = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        "n_forests": at_least(1),
        "n_trees": at_least(1),
        "estimators": a_list | one_of(None),
        "vectors": one_of("oob", "kfold"),
        "cv": at_least(2) | a_splitter | a_list,
        "max_layers": at_least(1),
        "patience": at_least(1),
        "tol": at_least(0.0),
        "scoring": a_scoring("error", several=False),
        "validation_fraction": fraction("neither") | one_of(None),
        "predictor": one_of("gradient", None),
        **{name: SHAPE[name] for name in ("min_samples_leaf", "max_bins", "n_jobs")},
        **{name: SHAPE[name] for name in ("random_state", "categorical_features")},
    }

    n_forests: int = 4
    n_trees: int = 100
    estimators: Any = None
    vectors: Literal["oob", "kfold"] = "oob"
    cv: Any = 3
    max_layers: int = 20
    patience: int = 2
    tol: float = 0.0
    scoring: Any = None
    validation_fraction: float | None = None
    predictor: Literal["gradient"] | None = None
    min_samples_leaf: float = 1
    max_bins: int = 65_535
    n_jobs: int | None = None
    random_state: RandomLike = None
    categorical_features: Any = "from_dtype"

    #: A random forest, a completely random one, and a booster.
    kinds: ClassVar[tuple[type, type, type]]

    def _score(self, stand: Stand, honest: Array) -> float:
        raise NotImplementedError

    def _answers(self, target: Target) -> Answers:
        raise NotImplementedError

    def _judge(self, stand: Stand, answers: Callable[[Array, Cascade], Array]) -> dict[str, Any]:
        """How levels are scored on rows, by what is said of these."""

        def own(honest: Array, cascade: Cascade) -> float:
            return self._score(stand, answers(honest, cascade))

        if self.scoring is None:
            return {"score": own}
        scorings = read_scoring(self.scoring, stand.target.kind)
        rows = Admitted(stand.table, stand.target, stand.weight, stand.kept)
        measures = Measures(scorings, self._answers(stand.target), rows)

        def score(honest: Array, cascade: Cascade) -> float:
            (value,) = measures(answers(honest, cascade)).values()
            return self._sign(stand.target) * value

        return {"score": score, "accuracy": own}

    def _sign(self, target: Target) -> float:
        """Minus one if smaller scores are better."""
        return 1.0 if read_scoring(self.scoring, target.kind)[0].larger else -1.0

    @property
    def _screens(self) -> bool:
        return getattr(self, "screening", False)

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table = admitted.table.bin(
            weight=admitted.weight, max_bins=self.max_bins, n_threads=thread_count(self.n_jobs)
        )
        stand = Stand(table, admitted.target, admitted.weight, admitted.kept)
        entropy = draw_entropy(self.random_state)
        growth = Growth(
            self.max_layers, self.patience, float(self.tol), self._screens, self.max_bins
        )
        if self.validation_fraction is not None:
            n_layers, scores = self._measure(stand, growth, entropy)
            growth = replace(growth, max_layers=n_layers, patience=n_layers + 1, tol=-np.inf)
        grown = self._grow(stand, growth, entropy)
        scores = grown.scores if self.validation_fraction is None else scores
        draft.layer_scores_ = [self._sign(stand.target) * score for score in scores]
        cascade = grown.cascade
        if self.predictor is not None:
            booster = self.kinds[2](max_bins=min(self.max_bins, 255))
            own = fit_one("predictor", booster, grown.last, _stream(entropy, 1))
            cascade = replace(cascade, predictor=own)
        draft.pool_ = Pool.of([cascade])
        draft.n_layers_ = len(cascade.levels)
        self._publish_oob(draft, _spread(grown.honest, admitted, n_samples))

    def _grow(self, stand: Stand, growth: Growth, entropy: int) -> Grown:
        return grow(
            stand,
            self._level_fit(stand),
            growth,
            _stream(entropy, 0),
            **self._judge(stand, lambda honest, _: honest),
        )

    def _measure(self, stand: Stand, growth: Growth, entropy: int) -> tuple[int, list[float]]:
        """The number of levels that is best on held-out rows."""
        share = float(self.validation_fraction or 0.0)
        n_parts = max(2, round(1 / share))
        (train, test), *_ = RowFolds(n_parts).split(stand.table.given(), _labels(stand))
        held, rest = stand.take(test), stand.take(train)
        grown = grow(
            rest,
            self._level_fit(rest),
            growth,
            _stream(entropy, 0),
            **self._judge(held, lambda _, cascade: cascade.predict(held.table)),
        )
        return len(grown.cascade.levels), grown.scores

    def _level_fit(self, stand: Stand) -> LevelFit:
        """How levels are fitted to rows."""
        bags = self.vectors == "oob"
        return LevelFit(self._ensembles(), self._splits(stand), bags, JoblibExecutor(self.n_jobs))

    def _splits(self, first: Stand) -> Any:
        """What makes folds."""
        given = np.arange(first.table.n_columns)

        def split(stand: Stand) -> list[Split]:
            if stand.table.n_rows < 2:
                return []
            folds = RowFolds(self.cv) if isinstance(self.cv, int) else self.cv
            # By the columns that were given: answers beside them must not change the folds.
            return make_splits(folds, stand.table[:, given], stand.target, kept=stand.kept)

        return split

    def _ensembles(self) -> list[tuple[Any, Any]]:
        """What a level holds, by name."""
        if self.estimators is not None:
            return [tuple(pair) for pair in self.estimators]
        bags = self.vectors == "oob"
        common = {"max_bins": self.max_bins, "min_samples_leaf": self.min_samples_leaf}
        found = []
        for number in range(self.n_forests):
            if number < (self.n_forests + 1) // 2:
                forest = self.kinds[0](self.n_trees, max_features="sqrt", draw="repeats", **common)
            else:
                draw = "repeats" if bags else None
                forest = self.kinds[1](
                    self.n_trees, max_features=1, bootstrap=bags, draw=draw, **common
                )
            found.append((number, forest))
        return found

    def _mean_vote(self, X: Any) -> Array:
        cascade: Any = self.pool_.member(0)
        found: Array = cascade.predict(self._admit(X), thread_count(self.n_jobs))
        return found

    @property
    def layers_(self) -> list[list[Any]]:
        """The fitted ensembles of each level; with folds, one after the other."""
        cascade: Any = self._settled().pool_.member(0)
        return [
            [member.estimator for own in level.members for member in own]
            for level in cascade.levels
        ]

    @property
    def feature_importances_(self) -> Array:
        """Mean over the ensembles of the first level of each column's share in the splits."""
        first = self.layers_[0]
        return np.mean([ensemble.feature_importances_ for ensemble in first], axis=0)


def _stream(entropy: int, number: int) -> np.random.Generator:
    return np.random.default_rng(SeedSequence(entropy, spawn_key=(number,)))


def _labels(stand: Stand) -> Any:
    return stand.target.codes[:, 0] if stand.target.kind == "labels" else None


def _spread(honest: Array, admitted: Admitted, n_samples: int) -> Array:
    """Answers for all rows, NaN for those of weight zero."""
    if admitted.kept is None:
        return honest
    spread = np.full((n_samples, honest.shape[1]), np.nan)
    spread[admitted.kept] = honest
    return spread


@dataclass(eq=False, repr=False, kw_only=True)
class DeepForestClassifier(ClassifierTask, DeepForest):
    r"""A deep forest: levels of forests that see the class probabilities of the previous level.

    Each level has some random forests and some completely random ones. They are fitted to the
    columns of the table and to the probabilities predicted by the previous level, using only trees
    that did not see the row. Levels are added as long as the accuracy of these predictions
    improves; the last level makes the final prediction. The standard error of this accuracy is
    often larger than the differences between levels, so expect little more than from a forest of as
    many trees.

    Parameters
    ----------
    screening : bool, default=False
        Whether rows that a level predicts with high confidence leave the cascade: those above the
        confidence at which only a third of the usual mistakes are made. This saves most of the time
        on easy tables.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    layers_ : list of lists of ensembles
        The fitted ensembles of each level.
    n_layers_ : int
        Levels that were kept.
    layer_scores_ : list of float
        Out-of-bag or out-of-fold accuracy, or `scoring`, of all fitted levels.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag or out-of-fold probabilities of the training rows in the last level.
    feature_importances_ : ndarray of shape (n_features,)
        Importances in the first level.
    pool_ : Pool
        The cascade, alone.

    References
    ----------
    .. [1] Zhou & Feng, "Deep forest: towards an alternative to deep neural networks", IJCAI (2017).
    .. [2] Pang, Ting, Zhao & Zhou, "Improving deep forest by confidence screening", ICDM (2018).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DeepForestClassifier(n_trees=20, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.93
    True
    """

    kinds = (RandomForestClassifier, ExtraTreesClassifier, HistGradientBoostingClassifier)
    allowed: ClassVar[Mapping[str, Allowed]] = {**DeepForest.allowed, "screening": _TRUTH}

    screening: bool = False

    def _score(self, stand: Stand, honest: Array) -> float:
        right = honest.argmax(axis=1) == stand.target.codes[:, 0]
        return float(np.average(right, weights=stand.weight))

    def _answers(self, target: Target) -> Answers:
        classes = target.classes[0]
        return Answers(lambda raw: classes[raw.argmax(axis=1)], lambda raw: raw, classes=classes)


@dataclass(eq=False, repr=False, kw_only=True)
class DeepForestRegressor(RegressorTask, DeepForest):
    """A deep forest for regression: forests that see the predictions of the previous level.

    It works like `DeepForestClassifier`, with R² in place of the accuracy.

    Attributes
    ----------
    layers_, n_layers_, feature_importances_, pool_ : see DeepForestClassifier
        As documented there.
    layer_scores_ : list of float
        Out-of-bag or out-of-fold R², or `scoring`, of all fitted levels.
    oob_prediction_ : ndarray of shape (n_samples,)
        Out-of-bag or out-of-fold predictions of the training rows in the last level.

    References
    ----------
    .. [1] Zhou & Feng, "Deep forest: towards an alternative to deep neural networks", IJCAI (2017).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = DeepForestRegressor(n_trees=20, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.3
    True
    """

    kinds = (RandomForestRegressor, ExtraTreesRegressor, HistGradientBoostingRegressor)

    def _score(self, stand: Stand, honest: Array) -> float:
        truth = stand.target.values[:, 0]
        weight = np.ones(len(truth)) if stand.weight is None else stand.weight
        middle = np.average(truth, weights=weight)
        spread = float(weight @ (truth - middle) ** 2)
        loss = float(weight @ (truth - honest[:, 0]) ** 2)
        return 1.0 - loss / spread if spread > 0 else 0.0

    def _answers(self, target: Target) -> Answers:
        return Answers(lambda raw: raw[:, 0])

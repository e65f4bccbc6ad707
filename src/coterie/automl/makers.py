"""How the members of the portfolio are made for a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from coterie.automl.encoding import as_numbers, filled
from coterie.automl.networks import NetworkClassifier, NetworkRegressor
from coterie.automl.prior import PriorClassifier, PriorRegressor
from coterie.automl.situation import Situation
from coterie.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RealAdaBoostClassifier,
)
from coterie.boosting.gradient.default_rules import TableFacts, columns, learning_rate, rounds
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor

Make = Callable[[Situation], Any]

MANY_ROWS = 5_000
_WIDE_BINS = 32  # a few hundred rows need no more, and a split costs as much as it has bins
_LOGS = tuple(10.0**k for k in range(-3, 5))


def gradient(*, large: dict[str, Any] | None = None, **settings: Any) -> Make:
    """Gradient boosting whose rounds are chosen later; `max_iter` is their limit.

    `large`, if given, takes the place of the other settings where there are many rows.
    """

    def make(s: Situation) -> Any:
        given: dict[str, Any] = {
            "max_iter": 600,
            "max_bins": s.max_bins,
            "categorical_features": s.categorical,
            "early_stopping": False,
            "random_state": s.seed,
            # Small tables need smaller leaves than scikit-learn's twenty rows.
            "min_samples_leaf": 20 if s.n_rows > MANY_ROWS else 5,
            "l2_regularization": 1.0,
        }
        if s.wide:
            sampled = columns(TableFacts(s.n_rows, s.n_columns, s.n_classes, "default")).value
            given |= {"max_bins": _WIDE_BINS, "colsample_bytree": sampled}
        given |= settings if large is None or s.n_rows <= MANY_ROWS else large
        if s.task == "regression":
            return HistGradientBoostingRegressor(**given | _loss(s))
        given.pop("loss", None)
        return HistGradientBoostingClassifier(**given)

    return make


def boosted(s: Situation) -> Any:
    """A model of those that `BoostedTrees*` averages: its rules, one shape of trees.

    The shape is set for each split in turn, and held-out rows choose the rounds; so the models of
    all splits together are what `BoostedTrees*` is by default.
    """
    facts = TableFacts(s.n_rows, s.n_columns, s.n_classes, "default", watched=True)
    given: dict[str, Any] = {
        "growth": "leaf",
        "learning_rate": learning_rate(facts).value,
        "max_iter": rounds(facts).value,
        "max_bins": _WIDE_BINS if s.wide else s.max_bins,
        "categorical_features": s.categorical,
        "early_stopping": False,
        "calibrate": False,
        "random_state": s.seed,
    }
    if s.task == "regression":
        return BoostedTreesRegressor(**given | _loss(s))
    return BoostedTreesClassifier(**given)


def _loss(s: Situation) -> dict[str, Any]:
    return {"loss": "absolute_error"} if s.metric == "mae" else {}


def forest(classifier: Any, regressor: Any, **settings: Any) -> Make:
    """A forest of as many trees as are worth their time."""

    def make(s: Situation) -> Any:
        given: dict[str, Any] = {
            "n_estimators": 200 if s.n_rows <= MANY_ROWS else 100,
            "max_bins": s.max_bins,
            "categorical_features": s.categorical,
            "random_state": s.seed,
        }
        if s.task == "regression":
            given["max_features"] = 0.5
        if s.wide:
            given["max_features"] = 0.1
        kind = regressor if s.task == "regression" else classifier
        return kind(**given | settings)

    return make


def linear(s: Situation) -> Any:
    """A penalised linear model."""
    if s.task == "regression":
        return make_pipeline(as_numbers(s), RidgeCV(alphas=_LOGS))
    return make_pipeline(
        as_numbers(s), LogisticRegression(C=10 / s.n_columns if s.wide else 1.0, max_iter=300)
    )


def linear_ranks(s: Situation) -> Any:
    """The same on normal scores of ranks, which tames long tails."""
    if s.task == "regression":
        return make_pipeline(as_numbers(s, ranks=True), RidgeCV(alphas=_LOGS))
    return make_pipeline(as_numbers(s, ranks=True), LogisticRegression(C=0.1, max_iter=300))


def network(sizes: Sequence[int], **settings: Any) -> Make:
    """Networks whose epochs follow the number of rows."""

    def make(s: Situation) -> Any:
        given: dict[str, Any] = {
            "hidden_layer_sizes": tuple(sizes),
            "max_iter": 40 if s.n_rows <= MANY_ROWS else 30,
            "n_numbers": int((s.cardinalities == 0).sum()),
            "random_state": s.seed % 2**32,
        }
        kind = NetworkRegressor if s.task == "regression" else NetworkClassifier
        return make_pipeline(filled(s), kind(**given | settings))

    return make


def neighbours(s: Situation) -> Any:
    """Near neighbours by ranks."""
    kind = KNeighborsRegressor if s.task == "regression" else KNeighborsClassifier
    return make_pipeline(
        as_numbers(s, ranks=True), kind(n_neighbors=15, weights="distance", n_jobs=1)
    )


def kernel(s: Situation) -> Any:
    """A kernel machine with probabilities."""
    if s.task == "regression":
        machine = TransformedTargetRegressor(
            SVR(C=10.0, epsilon=0.05), transformer=StandardScaler()
        )
        return make_pipeline(as_numbers(s), machine)
    # Its own probabilities, by pairs of classes, are far better than sigmoids of one class each.
    machine = SVC(C=10.0, probability=True, random_state=s.seed % 2**32)
    return make_pipeline(as_numbers(s), machine)


def adaboost(s: Situation) -> Any:
    """Boosting by weights of small trees."""
    tree = DecisionTreeClassifier(max_depth=2, categorical_features=s.categorical)
    return RealAdaBoostClassifier(
        tree,
        n_estimators=100,
        learning_rate=0.1,
        categorical_features=s.categorical,
        max_bins=s.max_bins,
        random_state=s.seed,
    )


def tree(s: Situation) -> Any:
    """A tree that people can read."""
    kind = DecisionTreeRegressor if s.task == "regression" else DecisionTreeClassifier
    return kind(
        max_depth=4,
        min_samples_leaf=max(1, min(20, s.n_rows // 50)),
        categorical_features=s.categorical,
        max_bins=s.max_bins,
        random_state=s.seed,
    )


def prior(s: Situation) -> Any:
    """The frequencies of the classes, or the mean; no column is looked at."""
    return PriorRegressor() if s.task == "regression" else PriorClassifier(s.n_classes)

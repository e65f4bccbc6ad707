"""Small good model files of every kind."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import coterie
from tests.contract.exported import ESTIMATORS, TARGETLESS, make, problem, shallow

TIMED = (coterie.TableClassifier, coterie.TableRegressor)
#: Members of others that a file may hold without being trusted by name.
CLASSIFIERS = [
    LogisticRegression(),
    GaussianNB(),
    KNeighborsClassifier(3),
    KNeighborsClassifier(3, algorithm="kd_tree"),
    KNeighborsClassifier(3, algorithm="ball_tree", weights="distance"),
    RandomForestClassifier(3, max_depth=3, random_state=0),
    GradientBoostingClassifier(n_estimators=2, random_state=0),
    DecisionTreeClassifier(max_depth=3),
    make_pipeline(StandardScaler(), MLPClassifier([4], max_iter=20, random_state=0)),
    SVC(),
    SVC(kernel="linear", decision_function_shape="ovo"),
    CalibratedClassifierCV(GaussianNB(), cv=2),
]
REGRESSORS = [
    LinearRegression(),
    RidgeCV(),
    KNeighborsRegressor(3),
    SVR(),
    DecisionTreeRegressor(max_depth=3),
]


def _foreign() -> Iterator[tuple[str, Any, Any, Any]]:
    """Ensembles of other packages' members."""
    X, y = problem(coterie.VotingClassifier, 50)
    for number, member in enumerate(CLASSIFIERS):
        pair = [("a", member), ("b", coterie.DecisionTreeClassifier(max_depth=2))]
        yield f"votes-{number}", coterie.VotingClassifier(pair), X, y
    X, y = problem(coterie.VotingRegressor, 50)
    for number, member in enumerate(REGRESSORS):
        pair = [("a", member), ("b", coterie.DecisionTreeRegressor(max_depth=2))]
        yield f"means-{number}", coterie.VotingRegressor(pair), X, y


def _leaves() -> Iterator[tuple[str, Any, Any, Any]]:
    """Leaves of every kind, and tables of every kind."""
    X, y = problem(coterie.RandomForestClassifier, 60)
    X[:, 1], X[:, 2] = np.digitize(X[:, 1], [-1, 0, 1]), np.where(X[:, 2] > 1, np.nan, X[:, 2])
    options = {"categorical_features": [1]}
    yield "categories", coterie.RandomForestClassifier(3, random_state=0, **options), X, y
    yield "tree", coterie.DecisionTreeClassifier(**options), X, y
    few = {"max_iter": 3, "min_samples_leaf": 5}
    booster = coterie.HistGradientBoostingClassifier
    yield "steps", booster(**few, **options), X, y
    yield "vectors", booster(**few, **options, multiclass="vector"), X, y
    yield "slopes", booster(**few, linear_leaves=True), X, y
    ordered = {"high_cardinality": "ordered", "max_bins": 3}
    yield "ordered", booster(**few, **options, **ordered), X, y
    numbers = coterie.HistGradientBoostingRegressor(**few, linear_leaves=True)
    yield "slopes-numbers", numbers, *problem(coterie.RandomForestRegressor, 60)
    few_cells = sparse.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    yield "sparse", booster(**few), few_cells, y
    yield "sparse-forest", coterie.RandomForestClassifier(3, random_state=0), few_cells, y
    pair = coterie.RandomForestRegressor(3, max_depth=3, random_state=0)
    yield "pair", pair, few_cells.toarray(), np.c_[y, -y].astype(float)
    medians = coterie.RandomForestRegressor(3, criterion="absolute_error", max_depth=3)
    yield "medians", medians, few_cells.toarray(), y.astype(float)


class _Ranked(coterie.LambdaMARTRanker):
    """A ranker that makes up its queries."""

    def fit(self, X: Any, y: Any) -> Any:
        return coterie.LambdaMARTRanker(**self.get_params()).fit(X, y, qid=np.arange(len(y)) // 10)


def _others() -> Iterator[tuple[str, Any, Any, Any]]:
    """What needs more than rows and a target, or less, or wraps a model."""
    X, y = problem(coterie.RandomForestClassifier, 60)
    for cls in TARGETLESS:
        small = {"n_projections": 9} if cls is coterie.LODADetector else {}
        if cls in (coterie.FeatureBaggingDetector, coterie.OutlierEnsemble):
            yield f"{cls.__name__}-foreign", make(cls), X, None  # refused without trust
            small = {"estimator": coterie.IsolationForest(n_estimators=5, random_state=0)}
            if cls is coterie.OutlierEnsemble:
                small = {
                    "estimators": [
                        ("a", small["estimator"]),
                        ("b", coterie.LODADetector(n_projections=9)),
                    ]
                }
        yield cls.__name__, make(cls, **small), X, None
    for loss in ("ndcg", "pairwise"):
        yield f"ranker-{loss}", _Ranked(loss=loss, max_iter=3, min_samples_leaf=5), X, y
    forest = coterie.RandomForestClassifier(5, max_depth=3, random_state=0)
    yield "sets", coterie.ConformalClassifier(forest, cv=3), X, y
    X, y = problem(coterie.RandomForestRegressor, 60)
    trees = coterie.RandomForestRegressor(20, max_depth=3, random_state=0)
    for method in ("jackknife+ab", "cv+", "split", "cqr"):
        yield f"intervals-{method}", coterie.ConformalRegressor(trees, cv=3, method=method), X, y
    aft = coterie.GradientBoostingSurvival(loss="aft", max_iter=3, min_samples_leaf=5)
    yield "failure-times", aft, X, y - y.min() + 1.0


def kinds() -> Iterator[tuple[str, Any, Any, Any]]:
    """Names, models that are not fitted yet, and what to fit them to."""
    for cls in ESTIMATORS:
        X, y = problem(cls, 50)
        if cls not in TIMED:
            yield cls.__name__, make(cls, **{**shallow(cls, 3)}), X, y
        else:
            names = ["extra trees", "linear", "neighbours"]
            yield cls.__name__, cls(members=names, time_limit=5, random_state=0), X, y
    yield from _leaves()
    yield from _others()
    if find_spec("skops"):
        yield from _foreign()


def newest() -> Iterator[tuple[str, Any, Any, Any]]:
    """A model of each kind that the golden files do not have."""
    yield from _leaves()
    yield from _others()
    survival = coterie.RandomSurvivalForest(3, max_depth=3, random_state=0)
    yield "survival", survival, *problem(coterie.RandomSurvivalForest, 50)
    deep = coterie.DeepForestRegressor(n_trees=3, max_layers=2, random_state=0)
    yield "deep", deep, *problem(coterie.RandomForestRegressor, 50)


def write_good(folder: Path, models: Iterable[tuple[str, Any, Any, Any]] | None = None) -> None:
    """Fit models of every kind, or those given, and save each with rows to try it on."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, model, X, y in kinds() if models is None else models:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            coterie.save(model.fit(X, y), folder / f"{name}.coterie")
        rows = X[:12]
        np.save(folder / f"{name}.npy", rows.toarray() if sparse.issparse(rows) else rows)

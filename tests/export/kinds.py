"""Small good model files of every kind."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
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
from tests.contract.exported import ESTIMATORS, make, problem, shallow

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


def kinds() -> Iterator[tuple[str, Any, Any, Any]]:
    """Names, models that are not fitted yet, and what to fit them to."""
    for cls in ESTIMATORS:
        X, y = problem(cls, 50)
        if cls not in TIMED:
            yield cls.__name__, make(cls, **{**shallow(cls, 3)}), X, y
        else:
            names = ["extra trees", "linear", "neighbours"]
            yield cls.__name__, cls(members=names, time_limit=5, random_state=0), X, y
    X, y = problem(coterie.RandomForestClassifier, 60)
    X[:, 1], X[:, 2] = np.digitize(X[:, 1], [-1, 0, 1]), np.where(X[:, 2] > 1, np.nan, X[:, 2])
    options = {"categorical_features": [1]}
    yield "categories", coterie.RandomForestClassifier(3, random_state=0, **options), X, y
    yield "steps", coterie.HistGradientBoostingClassifier(max_iter=3, **options), X, y
    yield "tree", coterie.DecisionTreeClassifier(**options), X, y
    if find_spec("skops"):
        yield from _foreign()


def write_good(folder: Path) -> None:
    """Fit models of every kind, and save each with rows to try it on."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, model, X, y in kinds():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            coterie.save(model.fit(X, y), folder / f"{name}.coterie")
        np.save(folder / f"{name}.npy", X[:12])

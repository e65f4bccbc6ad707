"""Sparse tables stay sparse: the models of full tables, bit for bit, without writing them out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import coterie
from coterie.native import SparseCodes

N_ROWS, N_COLUMNS = 240, 1100  # wide tables are hashed in another way than narrow ones


def words(n_columns=N_COLUMNS, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array(
        (N_ROWS, n_columns),
        density=0.03,
        rng=rng,
        data_sampler=lambda size: rng.poisson(0.5, size) + 1.0,
    )
    score = X @ np.linspace(-1.0, 1.0, n_columns)
    return X.tocsr(), score + 0.1 * rng.normal(size=N_ROWS)


@pytest.fixture
def never_full(monkeypatch):
    """Neither the codes nor the numbers of a table are written out."""

    def refuse(*args, **settings):
        raise AssertionError("a sparse table was written out")

    monkeypatch.setattr(SparseCodes, "toarray", refuse)
    monkeypatch.setattr("coterie.data.table.row_blocks", refuse)


TREES = {"n_estimators": 4, "random_state": 0}
FEW = {"max_iter": 4, "min_samples_leaf": 5, "early_stopping": False}
CLASSIFIERS = [
    coterie.DecisionTreeClassifier(random_state=0),
    coterie.DecisionTreeClassifier(max_leaf_nodes=8, criterion="entropy"),
    coterie.ExtraTreeClassifier(random_state=0),
    coterie.RandomForestClassifier(**TREES),
    coterie.RandomForestClassifier(oob_score=True, n_jobs=2, n_estimators=20, random_state=1),
    coterie.ExtraTreesClassifier(**TREES, min_samples_leaf=2),
    coterie.HistGradientBoostingClassifier(**FEW),
    coterie.GradientBoostingClassifier(n_estimators=4, subsample=0.7, random_state=0),
    coterie.AdaBoostClassifier(n_estimators=4, random_state=0),
    coterie.BaggingClassifier(**TREES, oob_score=False),
    coterie.RandomSubspaceClassifier(**TREES),
    coterie.LogitBoostClassifier(n_estimators=3),
    coterie.VotingClassifier(
        [
            ("forest", coterie.RandomForestClassifier(**TREES)),
            ("tree", coterie.DecisionTreeClassifier()),
        ],
        voting="soft",
    ),
]
REGRESSORS = [
    coterie.DecisionTreeRegressor(random_state=0),
    coterie.DecisionTreeRegressor(criterion="absolute_error", max_depth=3),
    coterie.RandomForestRegressor(**TREES, max_features=0.3),
    coterie.ExtraTreesRegressor(**TREES, min_samples_leaf=3),
    coterie.HistGradientBoostingRegressor(**FEW),
    coterie.HistGradientBoostingRegressor(**FEW, loss="absolute_error"),
    coterie.GradientBoostingRegressor(n_estimators=4),
    coterie.AdaBoostRegressor(n_estimators=4, random_state=0),
    coterie.BaggingRegressor(**TREES, max_features=0.5),
    coterie.IteratedBaggingRegressor(n_stages=2, n_members=3, random_state=0),
]


def name(estimator):
    return str(estimator).split("(", maxsplit=1)[0]


@pytest.mark.usefixtures("never_full")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name)
def test_classifiers_of_sparse_and_full_tables_are_the_same(estimator, classes, monkeypatch):
    X, score = words()
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    same_model(estimator, X, y, "predict_proba", monkeypatch)


@pytest.mark.usefixtures("never_full")
@pytest.mark.parametrize("estimator", REGRESSORS, ids=name)
def test_regressors_of_sparse_and_full_tables_are_the_same(estimator, monkeypatch):
    X, score = words(n_columns=300)
    same_model(estimator, X, score, "predict", monkeypatch)


def same_model(estimator, X, y, method, monkeypatch):
    from sklearn.base import clone

    few = clone(estimator).fit(X, y)
    voted = getattr(few, method)(X)
    monkeypatch.undo()
    full = clone(estimator).fit(X.toarray(), y)
    np.testing.assert_array_equal(voted, getattr(full, method)(X.toarray()))
    np.testing.assert_array_equal(voted, getattr(few, method)(X.toarray()))
    np.testing.assert_array_equal(voted, getattr(full, method)(X.tocsc()))
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    few, full = (clone(estimator).fit(form, y, sample_weight=weight) for form in (X, X.toarray()))
    np.testing.assert_array_equal(getattr(few, method)(X), getattr(full, method)(X))


@pytest.mark.slow
@pytest.mark.usefixtures("never_full")
@pytest.mark.parametrize(
    "estimator",
    [
        coterie.HistGradientBoostingClassifier(max_iter=2, early_stopping=False),
        coterie.RandomForestClassifier(n_estimators=1, max_depth=12, random_state=0),
    ],
    ids=name,
)
def test_memory_follows_the_filled_cells(estimator):
    n = 200_000
    rng = np.random.default_rng(0)
    place = rng.integers(0, n, 2 * n), rng.integers(0, n, 2 * n) % rng.integers(1, n, 2 * n)
    X = sparse.coo_array((np.ones(2 * n), place), shape=(n, n)).tocsr()
    y = (np.asarray(X[:, :50].sum(axis=1)).ravel() > 0).astype(int)
    model = estimator.fit(X, y)  # a byte for every cell would be 40 GB
    chance = model.predict_proba(X)[:, 1]
    assert chance[y == 1].mean() > 2 * chance[y == 0].mean()

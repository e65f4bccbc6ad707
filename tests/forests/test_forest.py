"""Forests: scikit-learn's accuracy, and what the textbooks say."""

import inspect

import numpy as np
import pytest
from sklearn import ensemble as sk
from sklearn.model_selection import cross_val_score, train_test_split

import coterie

NAMES = [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
CLASSES = [
    "sonar",
    "ionosphere",
    "vehicle",
    "soybean",
    "tic_tac_toe",
    "german_credit",
    "spambase",
    "letter",
    "magic",
    "adult",
    "covertype",
    "nycflights_late15",
    "mnist",
]
NUMBERS = ["abalone", "california_housing", "concrete"]


@pytest.mark.parametrize("name", NAMES)
def test_constructor_is_that_of_scikit_learn(name):
    theirs = inspect.signature(getattr(sk, name)).parameters
    ours = inspect.signature(getattr(coterie, name)).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    assert {n: p.default for n, p in theirs.items()} == {n: ours[n].default for n in theirs}
    assert {n: p.kind for n, p in theirs.items()} == {n: ours[n].kind for n in theirs}
    extra = ["max_bins", "categorical_features", "oob_patience", "tol", "draw"]
    assert list(ours)[len(theirs) :] == extra


def scores(kind, X, y):
    """Mean test score of both libraries' forests over a few splits."""
    found = []
    for library in (coterie, sk):
        each = []
        for seed in range(3 if len(y) > 500 else 15):
            parts = train_test_split(X, y, test_size=0.4, random_state=seed)
            forest = getattr(library, kind)(30, random_state=seed)
            each.append(forest.fit(parts[0], parts[2]).score(parts[1], parts[3]))
        found.append(np.mean(each))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["RandomForestClassifier", "ExtraTreesClassifier"])
@pytest.mark.parametrize("name", CLASSES)
def test_accuracy_is_that_of_scikit_learn(real_table, name, kind):
    X, y = real_table(name, 1200)
    ours, theirs = scores(kind, X, y)
    assert ours == pytest.approx(theirs, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["RandomForestRegressor", "ExtraTreesRegressor"])
@pytest.mark.parametrize("name", NUMBERS)
def test_error_is_that_of_scikit_learn(real_table, name, kind):
    X, y = real_table(name, 1000)
    ours, theirs = scores(kind, X, y)
    assert ours == pytest.approx(theirs, abs=0.03)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_all_columns_and_no_bootstrap_is_the_plain_tree(real_table, criterion):
    X, y = real_table("vehicle")
    forest = coterie.RandomForestClassifier(
        3, bootstrap=False, max_features=None, criterion=criterion, random_state=0
    )
    tree = coterie.DecisionTreeClassifier(criterion=criterion).fit(X, y).pool_.forest
    for member in forest.fit(X, y):
        np.testing.assert_array_equal(member.pool_.forest.nodes, tree.nodes)


def test_all_columns_is_bagged_plain_trees(real_table):
    # Bins for every value, as those of a bag alone would be others.
    X, y = real_table("concrete")
    exact = {"max_features": None, "max_bins": 2000}
    forest = coterie.RandomForestRegressor(3, random_state=0, **exact).fit(X, y)
    for tree, rows in enumerate(forest.estimators_samples_):
        plain = coterie.DecisionTreeRegressor(**exact)
        plain.fit(X, y, np.bincount(rows, minlength=len(y)))
        np.testing.assert_array_equal(plain.pool_.forest.nodes, forest[tree].pool_.forest.nodes)


@pytest.mark.slow
def test_tic_tac_toe(real_frame):
    pandas = pytest.importorskip("pandas")
    X, y = real_frame("tic_tac_toe")
    X = pandas.get_dummies(X).to_numpy(dtype=float)
    assert X.shape == (958, 27)

    def error(estimator):
        order = np.random.default_rng(0).permutation(958)
        return 1 - cross_val_score(estimator, X[order], y.to_numpy()[order], cv=10).mean()

    tree = error(coterie.DecisionTreeClassifier(criterion="entropy", random_state=0))
    bagging = error(coterie.RandomForestClassifier(50, max_features=None, random_state=0))
    forest = error(coterie.RandomForestClassifier(50, max_features="log2", random_state=0))
    loose = error(coterie.RandomForestClassifier(50, max_features=1, random_state=0))
    extra = error(coterie.ExtraTreesClassifier(50, random_state=0))
    assert bagging < tree < 0.10
    assert forest < 0.04 < loose < 0.13
    assert extra < 0.03


@pytest.mark.slow
def test_categories_as_such_do_no_worse_than_codes(real_frame, real_table):
    X, y = real_frame("german_credit")
    codes, _ = real_table("german_credit")
    forest = coterie.RandomForestClassifier(50, random_state=0)
    as_such = cross_val_score(forest, X, y, cv=4).mean()
    assert as_such > cross_val_score(forest, codes, y, cv=4).mean() - 0.02


def test_monotone_forests():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300)
    grid = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    for kind in (coterie.RandomForestRegressor, coterie.ExtraTreesRegressor):
        forest = kind(10, monotonic_cst=[1, 0], random_state=0).fit(X, y)
        assert np.all(np.diff(forest.predict(grid)) >= -1e-12)
    for kind in (coterie.RandomForestClassifier, coterie.ExtraTreesClassifier):
        forest = kind(10, monotonic_cst=[1, 0], random_state=0).fit(X, y > 0.5)
        assert np.all(np.diff(forest.predict_proba(grid)[:, 1]) >= -1e-12)


def test_more_columns_per_node_make_stronger_and_more_alike_trees(real_table):
    X, y = real_table("vehicle")
    parts = train_test_split(X, y, random_state=0)
    strength = [
        np.mean([tree.score(parts[1], parts[3]) for tree in forest])
        for forest in (
            coterie.RandomForestClassifier(20, max_features=k, random_state=0).fit(
                parts[0], parts[2]
            )
            for k in (1, "sqrt", None)
        )
    ]
    assert strength[0] < strength[1] < strength[2] + 0.01

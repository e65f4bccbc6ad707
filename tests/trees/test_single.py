import itertools

import numpy as np
import pytest
from sklearn import config_context
from sklearn import tree as sk
from sklearn.datasets import load_diabetes, load_iris, make_classification, make_regression
from sklearn.model_selection import cross_validate

import coterie
from tests.trees.parity import Problem

TREES = [coterie.DecisionTreeClassifier, coterie.ExtraTreeClassifier]


def test_pruning_path_is_that_of_scikit_learn():
    X, y = make_regression(300, 6, noise=20, random_state=0)
    X = X.astype(np.float32)
    params = {"min_samples_leaf": 4}
    ours = coterie.DecisionTreeRegressor(max_bins=300, **params)
    theirs = sk.DecisionTreeRegressor(random_state=0, **params)
    paths = [tree.cost_complexity_pruning_path(X, y) for tree in (ours, theirs)]
    np.testing.assert_allclose(paths[0].ccp_alphas, paths[1].ccp_alphas, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(paths[0].impurities, paths[1].impurities, rtol=1e-4)
    for alpha in np.sqrt(paths[0].ccp_alphas[1:-1] * paths[0].ccp_alphas[2:])[::7]:
        pruned = [tree.set_params(ccp_alpha=alpha).fit(X, y) for tree in (ours, theirs)]
        assert pruned[0].get_n_leaves() == pruned[1].get_n_leaves()
        np.testing.assert_allclose(pruned[0].predict(X), pruned[1].predict(X))


def test_path_ends_at_the_root():
    X, y = load_iris(return_X_y=True)
    path = coterie.DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    assert path.ccp_alphas[0] == 0
    assert np.all(np.diff(path.ccp_alphas) > 0)
    assert path.impurities[-1] == pytest.approx(2 / 3)
    assert coterie.DecisionTreeClassifier(ccp_alpha=1.0).fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
def test_monotone_regression(direction, criterion):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = np.exp(direction * X[:, 0] + rng.normal(size=400))
    tree = coterie.DecisionTreeRegressor(criterion=criterion, monotonic_cst=[direction, 0])
    check_monotone(tree.fit(X, y).predict, direction)
    free = coterie.DecisionTreeRegressor(criterion=criterion).fit(X, y)
    with pytest.raises(AssertionError):
        check_monotone(free.predict, direction)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("cls", TREES)
def test_monotone_classification(cls, direction):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = np.where(direction * X[:, 0] + rng.normal(size=400) > 0, "yes", "no")
    tree = cls(monotonic_cst=[direction, 0], random_state=0).fit(X, y)
    check_monotone(lambda x: tree.predict_proba(x)[:, 1], direction)


def check_monotone(predict, direction):
    grid = np.linspace(-1, 1, 101)
    for other in np.linspace(-1, 1, 9):
        steps = np.diff(predict(np.column_stack([grid, np.full(101, other)])))
        assert np.all(direction * steps >= -1e-12)


@pytest.mark.parametrize("criterion", ["squared_error", "gini", "entropy"])
@pytest.mark.parametrize("seed", range(5))
def test_categorical_split_is_the_best_of_all_subsets(criterion, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, 80)
    labels = criterion != "squared_error"
    y = rng.normal(size=80) + codes % 3
    if labels:
        y = (y > 1).astype(int)
    kind = coterie.DecisionTreeClassifier if labels else coterie.DecisionTreeRegressor
    tree = kind(criterion=criterion, max_depth=1, categorical_features=[0])
    view = tree.fit(codes[:, None].astype(float), y).tree_
    problem = Problem(codes[:, None], y, criterion)
    rows = np.arange(80)
    gains = [
        problem.gain(rows, np.isin(codes, subset))
        for size in range(1, 4)
        for subset in itertools.combinations(range(6), size)
    ]
    found = problem.gain(rows, np.isin(codes, view.categories_left(0)))
    assert found == pytest.approx(max(gains), rel=1e-6)


def test_missing_values_tell():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]] * 10)
    y = np.array([0, 0, 1, 1] * 10)
    tree = coterie.DecisionTreeClassifier().fit(X, y)
    assert tree.score(X, y) == 1
    assert tree.get_n_leaves() == 2


def test_unseen_missing_values_go_with_the_many():
    X = np.append(np.zeros(30), np.ones(10))[:, None]
    tree = coterie.DecisionTreeRegressor().fit(X, X[:, 0])
    assert tree.predict([[np.nan]]) == [0.0]


def test_apply_and_decision_path():
    X, y = load_iris(return_X_y=True)
    tree = coterie.DecisionTreeClassifier(max_depth=3).fit(X, y)
    leaves, path = tree.apply(X), tree.decision_path(X)
    assert path.shape == (150, tree.tree_.node_count)
    assert np.all(path.toarray()[np.arange(150), leaves] == 1)
    assert len(np.unique(leaves)) == tree.get_n_leaves()


def test_class_weights():
    X, y = make_classification(300, 5, weights=[0.9], flip_y=0.2, random_state=0)
    plain = coterie.DecisionTreeClassifier(max_depth=3).fit(X, y)
    balanced = coterie.DecisionTreeClassifier(max_depth=3, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.tree_.value[0, 0], [0.5, 0.5], rtol=1e-6)
    assert (balanced.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    counts = np.bincount(y)
    by_hand = dict(enumerate(len(y) / (2 * counts)))
    same = coterie.DecisionTreeClassifier(max_depth=3, class_weight=by_hand).fit(X, y)
    np.testing.assert_array_equal(same.predict_proba(X), balanced.predict_proba(X))


def test_check_input_is_accepted_and_no_metadata():
    X, y = load_diabetes(return_X_y=True)
    tree = coterie.DecisionTreeRegressor(max_depth=2).fit(X, y, check_input=False)
    assert tree.apply(X, check_input=False).shape == (442,)
    with config_context(enable_metadata_routing=True):
        tree.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        assert tree.get_metadata_routing().fit.requests == {"sample_weight": True}
        params = {"sample_weight": np.ones(442)}
        assert len(cross_validate(tree, X, y, params=params)["test_score"]) == 5


def test_trees_with_a_fit_of_their_own_are_fitted_by_it():
    class Counting(coterie.DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            self.n_seen_ = len(X)
            return super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True)
    bag = coterie.BaggingClassifier(Counting(), max_samples=50, bootstrap=False, random_state=0)
    assert [member.n_seen_ for member in bag.fit(X, y).estimators_] == [50] * 10

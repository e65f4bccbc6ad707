"""Single trees: split for split those of scikit-learn, and what the textbooks say."""

import inspect
import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from sklearn import clone, config_context, datasets
from sklearn import tree as sk
from sklearn.datasets import load_diabetes, load_iris, make_classification, make_regression
from sklearn.inspection import partial_dependence
from sklearn.model_selection import cross_val_score, cross_validate

import coterie
from coterie.native.forest import NODE, Forest
from tests.trees.parity import Problem, compare, search

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


NAMES = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
]


def digits(rows=700):
    X, y = datasets.load_digits(return_X_y=True)
    return X[:rows].astype(np.float32), y[:rows]


def breast_cancer():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    scale = 10.0 ** np.floor(np.log10(np.abs(X).max(axis=0)) - 1)
    return (np.round(X / scale) * scale).astype(np.float32), y


BUNDLED = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast_cancer": breast_cancer,
    "digits": digits,
}
SHARED = {"letter": 1500, "vehicle": 400, "soybean": None, "tic_tac_toe": None, "sonar": None}


def check_parity(X, y, criterion, *, weight=None, **params):
    """Fit both, walk both; a good part of the splits must be the same, not ties."""
    X = X.astype(np.float32)
    labels = criterion in ("gini", "entropy")
    kind = "DecisionTreeClassifier" if labels else "DecisionTreeRegressor"
    ours = getattr(coterie, kind)(criterion=criterion, **params).fit(X, y, weight)
    params.pop("max_bins", None)
    theirs = getattr(sk, kind)(criterion=criterion, random_state=0, **params)
    theirs.fit(X, y, weight)
    least = params.get("min_samples_leaf", 1)
    problem = Problem(X, y if labels else y.astype(float), criterion, weight, least)
    # Other limits look at the whole tree: a branch grown anew would be another one.
    local = not params.keys() - {"min_samples_leaf"}

    def regrow(rows):
        part = None if weight is None else weight[rows]
        return clone(theirs).fit(X[rows], y[rows], part).tree_

    report = compare(ours.tree_, theirs.tree_, problem, regrow if local else None)
    assert report.same >= 2 * report.ties, report


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", BUNDLED)
def test_classifier_equals_scikit_learn(name, criterion):
    X, y = BUNDLED[name]()
    check_parity(X, y, criterion)


@pytest.mark.slow("letter")
@pytest.mark.contract
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", SHARED)
def test_classifier_equals_scikit_learn_on_real_tables(real_table, name, criterion):
    X, y = real_table(name, SHARED[name])
    distinct = max(len(np.unique(column)) for column in X.T)
    check_parity(X, y, criterion, max_bins=max(255, distinct))


@pytest.mark.slow
@pytest.mark.contract
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
def test_regressor_equals_scikit_learn(real_table, criterion):
    X, y = datasets.load_diabetes(return_X_y=True)
    check_parity(X, y, criterion, max_bins=500)
    X, y = real_table("concrete")
    X = np.round(X / X.max(axis=0), 2)
    check_parity(X, y, criterion)


@pytest.mark.parametrize(
    "params",
    [
        {"max_depth": 4},
        {"min_samples_leaf": 7},
        {"min_samples_split": 0.1},
        {"min_weight_fraction_leaf": 0.05},
        {"min_impurity_decrease": 0.01},
        {"max_leaf_nodes": 12},
        {"ccp_alpha": 0.01},
    ],
    ids=lambda p: next(iter(p)),
)
def test_limits_equal_scikit_learn(params):
    X, y = breast_cancer()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    if "max_leaf_nodes" not in params:
        check_parity(X, y, "entropy", weight=weight, **params)
    check_parity(X, y, "gini", **params)


def test_many_bins_are_exact():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    assert max(len(np.unique(column)) for column in X.T) > 255
    check_parity(X, y, "gini", max_bins=1000)


@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="scikit-learn 1.6 puts some missing values on the wrong side, against its own counts",
)
def test_missing_values_equal_scikit_learn():
    X, y = breast_cancer()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    for criterion in ("gini", "entropy"):
        check_parity(X, y, criterion)
    X, y = datasets.load_diabetes(return_X_y=True)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    check_parity(X, y, "squared_error", min_samples_leaf=5, max_bins=500)


def test_weights_equal_scikit_learn():
    X, y = digits(400)
    check_parity(X, y, "gini", weight=np.random.default_rng(0).uniform(0.1, 3, len(y)))


def test_parity_notices_a_worse_split():
    X, y = breast_cancer()
    grown = coterie.DecisionTreeClassifier(max_features=1, random_state=0).fit(X, y)
    best = sk.DecisionTreeClassifier(random_state=0).fit(X, y)
    problem = Problem(X, y, "gini")
    with pytest.raises(AssertionError, match="gain"):
        compare(grown.tree_, best.tree_, problem)
    with pytest.raises(AssertionError, match="the best is"):
        search(grown.tree_, problem, 0, np.arange(len(y)))


def test_misclassification_splits_are_the_best():
    X, y = datasets.load_wine(return_X_y=True)
    fitted = coterie.DecisionTreeClassifier(criterion="misclassification").fit(X, y)
    assert search(fitted.tree_, Problem(X, y, "misclassification"), 0, np.arange(len(y))) > 3
    assert fitted.score(X, y) == 1


@pytest.mark.parametrize("name", NAMES)
def test_constructor_is_that_of_scikit_learn(name):
    theirs = inspect.signature(getattr(sk, name)).parameters
    ours = inspect.signature(getattr(coterie, name)).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    assert {n: p.default for n, p in theirs.items()} == {n: ours[n].default for n in theirs}
    assert list(ours)[len(theirs) :] == ["max_bins", "categorical_features", "n_jobs"]


# Watermelon 3.0 alpha: density, sugar content, ripe.
WATERMELON = np.array(
    [
        [0.697, 0.460], [0.774, 0.376], [0.634, 0.264], [0.608, 0.318], [0.556, 0.215],
        [0.403, 0.237], [0.481, 0.149], [0.437, 0.211], [0.666, 0.091], [0.243, 0.267],
        [0.245, 0.057], [0.343, 0.099], [0.639, 0.161], [0.657, 0.198], [0.360, 0.370],
        [0.593, 0.042], [0.719, 0.103],
    ]
)  # fmt: skip
RIPE = np.repeat([1, 0], [8, 9])


@pytest.mark.parametrize(
    ("criterion", "threshold", "depth", "gain"),
    [("entropy", 0.126, 4, 0.349294), ("gini", 0.2045, 3, None)],
)
def test_watermelon(criterion, threshold, depth, gain):
    fitted = coterie.DecisionTreeClassifier(criterion=criterion).fit(WATERMELON, RIPE)
    tree = fitted.tree_
    assert tree.feature[0] == 1
    assert tree.threshold[0] == pytest.approx(threshold)
    assert (fitted.get_depth(), fitted.get_n_leaves()) == (depth, 5)
    assert fitted.score(WATERMELON, RIPE) == 1
    if gain is not None:
        assert tree.impurity[0] == pytest.approx(0.997503, abs=1e-6)
        children = [tree.children_left[0], tree.children_right[0]]
        weight = tree.weighted_n_node_samples[children] / 17
        assert tree.impurity[0] - weight @ tree.impurity[children] == pytest.approx(gain, abs=1e-6)


def test_watermelon_stumps():
    stump = coterie.DecisionTreeClassifier(criterion="misclassification", max_depth=1)
    stump.fit(WATERMELON, RIPE)
    assert stump.tree_.feature[0] == 1
    assert stump.tree_.threshold[0] == pytest.approx(0.2045)
    assert round((1 - stump.score(WATERMELON, RIPE)) * 17) == 3
    density = coterie.DecisionTreeClassifier(criterion="entropy", max_depth=1)
    density.fit(WATERMELON[:, :1], RIPE)
    assert density.tree_.threshold[0] == pytest.approx(0.3815)


def test_gini_tree_is_the_one_hot_regression_tree():
    X, y = digits(300)
    labels = coterie.DecisionTreeClassifier().fit(X, y).tree_
    values = coterie.DecisionTreeRegressor().fit(X, np.eye(10)[y]).tree_
    assert np.array_equal(labels.feature, values.feature)
    assert np.array_equal(labels.threshold, values.threshold)
    assert np.allclose(labels.value[:, 0], values.value[:, :, 0])


@pytest.mark.parametrize("name", ["ExtraTreeClassifier", "ExtraTreeRegressor"])
def test_extra_tree_reproduces_distinct_rows(name):
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.arange(200) % 5
    for seed in range(3):
        fitted = getattr(coterie, name)(random_state=seed).fit(X, y)
        assert np.array_equal(fitted.predict(X), y)


def test_totally_random_trees_ignore_the_target():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.normal(size=300)
    trees = [
        coterie.ExtraTreeRegressor(max_features=1, max_depth=5, random_state=3).fit(X, target)
        for target in (y, rng.permutation(y))
    ]
    assert np.array_equal(trees[0].tree_.feature, trees[1].tree_.feature)
    assert np.array_equal(trees[0].tree_.threshold, trees[1].tree_.threshold)


def test_extra_tree_thresholds_lie_inside_the_node():
    X = np.random.default_rng(0).normal(size=(500, 4))
    fitted = coterie.ExtraTreeRegressor(random_state=0).fit(X, X.sum(axis=1))
    tree, path = fitted.tree_, fitted.decision_path(X).tocsc()
    for node in np.flatnonzero(tree.children_left >= 0):
        rows = path.indices[path.indptr[node] : path.indptr[node + 1]]
        values = X[rows, tree.feature[node]]
        assert values.min() < tree.threshold[node] < values.max()


@pytest.mark.slow
def test_extra_tree_thresholds_are_uniform():
    # One column with values 0 and 1 to 3: thresholds fall in (0, 3) evenly.
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    roots = [
        coterie.ExtraTreeRegressor(max_depth=1, random_state=s).fit(X, X[:, 0]).tree_.threshold[0]
        for s in range(600)
    ]
    shares = np.histogram(roots, bins=[0, 1, 2, 3])[0] / 600
    assert np.all(np.abs(shares - 1 / 3) < 0.07)


def test_tree_beats_chance_by_cross_validation():
    X, y = datasets.load_wine(return_X_y=True)
    assert cross_val_score(coterie.DecisionTreeClassifier(random_state=0), X, y).mean() > 0.85


def test_trees_with_a_fit_of_their_own_are_fitted_by_it():
    class Counting(coterie.DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            self.n_seen_ = len(X)
            return super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True)
    bag = coterie.BaggingClassifier(Counting(), max_samples=50, bootstrap=False, random_state=0)
    assert [member.n_seen_ for member in bag.fit(X, y).estimators_] == [50] * 10


def _fine(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4)).astype(np.float32)
    return X, X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=rows)


@pytest.mark.parametrize("rows", [200, 3000])
def test_fine_columns_are_split_as_by_scikit_learn(rows):
    X, values = _fine(rows)
    for ours, theirs, y, depth in (
        (coterie.DecisionTreeRegressor, sk.DecisionTreeRegressor, values, 6),
        (coterie.DecisionTreeClassifier, sk.DecisionTreeClassifier, values > 0, 3),
    ):
        mine = ours(max_depth=depth, min_samples_leaf=10).fit(X, y).tree_
        other = theirs(max_depth=depth, min_samples_leaf=10, random_state=0).fit(X, y).tree_
        assert mine.node_count == other.node_count
        # Nodes are numbered in another order; there are no ties in large ones.
        for name in ("threshold", "impurity", "n_node_samples"):
            np.testing.assert_allclose(
                np.sort(getattr(mine, name)[mine.children_left >= 0]),
                np.sort(getattr(other, name)[other.children_left >= 0]),
            )


@pytest.mark.parametrize("settings", [{}, {"max_leaf_nodes": 200}, {"splitter": "random"}])
def test_fine_columns_give_the_same_tree_for_any_number_of_threads(settings):
    X, y = _fine(5000)
    X[::9, 1] = np.nan
    first, *others = (
        coterie.DecisionTreeRegressor(random_state=0, n_jobs=n, **settings).fit(X, y)
        for n in (1, 2, 4)
    )
    for other in others:
        np.testing.assert_array_equal(other.tree_.threshold, first.tree_.threshold)
        np.testing.assert_array_equal(other.predict(X), first.predict(X))


def test_rows_that_differ_in_a_fine_column_are_told_apart():
    X = np.random.default_rng(0).normal(size=(4000, 1))
    y = np.arange(4000) % 2
    assert coterie.DecisionTreeClassifier().fit(X, y).score(X, y) == 1.0
    assert coterie.DecisionTreeClassifier(max_bins=255).fit(X, y).score(X, y) < 0.7
    assert coterie.ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y) == 1.0


def chain(depth, n_columns):
    """A tree with a level for every leaf, of which columns take turns."""
    n_nodes = 2 * depth + 1
    nodes = np.zeros(n_nodes, dtype=NODE)
    inner, step = np.arange(0, n_nodes - 1, 2), np.arange(depth)
    nodes["left"][inner], nodes["threshold"][inner] = inner + 1, step + 0.5
    nodes["column"][inner] = step % n_columns
    nodes["left"][np.append(np.arange(1, n_nodes, 2), n_nodes - 1)] = ~np.arange(depth + 1)
    rows = np.ones(n_nodes, dtype=np.int32)
    rows[inner] = depth + 1 - step
    weight, values = rows.astype(np.float32), np.arange(depth + 1.0)[:, None]
    ends, none = np.array([[0, n_nodes], [0, depth + 1], [0, 0]]), np.zeros(0, dtype=np.uint64)
    return Forest(nodes, rows, weight, np.ones_like(weight), values, *ends, none, n_columns)


@pytest.mark.slow
def test_chains_are_not_too_deep_for_anything(tmp_path):
    """Nothing recurses by level, nor looks at all nodes at every level."""
    depth = 20_000
    X = np.array([[0.0, 0.0], [depth / 2, depth / 2], [depth, depth]])
    tree = coterie.DecisionTreeRegressor().fit(X, [0.0, 1.0, 2.0])
    tree.pool_ = replace(tree.pool_, members=chain(depth, 2))
    expected = [0.0, depth / 2, depth]
    coterie.save(tree, tmp_path / "tree.coterie")
    for copy in (tree, pickle.loads(pickle.dumps(tree)), coterie.load(tmp_path / "tree.coterie")):
        assert copy.predict(X).tolist() == expected
    assert tree.get_depth() == tree.get_n_leaves() - 1 == depth
    assert np.diff(tree.decision_path(X).indptr).tolist() == [2, depth // 2 + 2, depth + 1]
    assert tree.apply(X).tolist() == [1, depth + 1, 2 * depth]
    assert f"branch of depth {depth - 10}" in coterie.export_text(tree)
    explained = coterie.shap_values(tree, X)
    np.testing.assert_allclose(explained.values.sum(axis=1) + explained.base_values, expected)
    known = partial_dependence(tree, X, [0], method="recursion")["average"][0]
    assert known[0] == 0.0
    assert 0 < known[1] < known[2] < depth
    assert len(tree.pool_.forest.prune(1e9).nodes) == 1
    assert "20000" in "".join(coterie.to_c(tree))
    assert coterie.to_onnx(tree).ByteSize() > depth

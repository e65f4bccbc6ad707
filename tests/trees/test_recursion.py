"""scikit-learn's own functions on coterie's trees: drawings and partial dependence."""

import matplotlib as mpl
import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.inspection import partial_dependence

import coterie

mpl.use("Agg")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4)).astype(np.float32).astype(float)
Y = X[:, 0] * 2 + (X[:, 1] > 0) * X[:, 2] + RNG.normal(size=200) / 5
LABELS = np.digitize(Y, [-1, 1])


@pytest.mark.parametrize("features", [[0], [(1, 2)]])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("DecisionTreeRegressor", {"max_depth": 4}),
        ("GradientBoostingRegressor", {"n_estimators": 5}),
        ("HistGradientBoostingRegressor", {"max_iter": 5}),
    ],
)
def test_the_recursion_is_scikit_learns(name, settings, features):
    home = sklearn.tree if name.startswith("Decision") else sklearn.ensemble
    found = []
    for cls in (getattr(coterie, name), getattr(home, name)):
        model = cls(random_state=0, **settings).fit(X, Y)
        for method in ("recursion", "auto"):
            found.append(partial_dependence(model, X, features, method=method)["average"])
    for one in found[1:]:
        np.testing.assert_allclose(one, found[0], rtol=1e-6, atol=1e-6)


def test_the_recursion_of_forests_and_classes():
    forest = coterie.RandomForestRegressor(5, random_state=0).fit(X, Y)
    ways = [partial_dependence(forest, X, [0], method=m)["average"] for m in ("recursion", "brute")]
    assert np.corrcoef(ways[0][0], ways[1][0])[0, 1] > 0.99
    each = [
        partial_dependence(tree, X, [0], method="recursion")["average"]
        for tree in forest.estimators_
    ]
    grid = [partial_dependence(forest, X, [0], method="recursion")["average"]]
    np.testing.assert_allclose(np.mean(each, axis=0), grid[0])
    ours = coterie.GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, LABELS)
    said = partial_dependence(ours, X, [0], method="recursion")["average"]
    rows = partial_dependence(
        ours, X, [0], method="brute", response_method="decision_function", kind="individual"
    )
    assert said.shape == (3, 100)
    assert rows["individual"].shape[0] == 3
    for ways in zip(said, rows["individual"].mean(axis=1), strict=True):
        assert np.corrcoef(*ways)[0, 1] > 0.99


def test_missing_values_follow_their_branch():
    holes = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
    tree = coterie.DecisionTreeRegressor(max_depth=1).fit(holes[:, :1], Y)
    said = tree.pool_.forest.dependence(np.array([[np.nan]]), np.array([0]), np.ones(1))
    np.testing.assert_allclose(said, tree.predict([[np.nan]])[:, None])


def test_splits_by_categories_are_refused():
    tree = coterie.DecisionTreeRegressor(categorical_features=[0]).fit(np.abs(X).round(), Y)
    with pytest.raises(ValueError, match="method='brute'"):
        partial_dependence(tree, np.abs(X).round(), [0], method="recursion")


def test_scikit_learn_draws_our_trees():
    tree = coterie.DecisionTreeClassifier(max_depth=2).fit(X, LABELS)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, LABELS)
    assert sklearn.tree.export_text(tree) == sklearn.tree.export_text(theirs)
    dots = [sklearn.tree.export_graphviz(one).count("->") for one in (tree, theirs)]
    assert dots[0] == dots[1] > 2
    assert len(sklearn.tree.plot_tree(tree)) == len(sklearn.tree.plot_tree(theirs))


@pytest.mark.parametrize(
    "name",
    [
        *("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier"),
        *("ExtraTreeRegressor", "RandomForestClassifier", "RandomForestRegressor"),
        *("ExtraTreesClassifier", "ExtraTreesRegressor", "GradientBoostingClassifier"),
        *("GradientBoostingRegressor", "HistGradientBoostingClassifier"),
        "HistGradientBoostingRegressor",
    ],
)
def test_clients_take_ours_for_theirs(name):
    theirs = getattr(sklearn.tree, name, None) or getattr(sklearn.ensemble, name)
    assert isinstance(getattr(coterie, name)(), theirs)

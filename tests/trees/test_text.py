import numpy as np
import pytest
from sklearn import tree as sk
from sklearn.datasets import make_classification, make_regression

import coterie
from coterie import export_text

NAMES = [f"column {j}" for j in range(5)]


@pytest.fixture(scope="module")
def classifiers():
    X, y = make_classification(300, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    X, y = X.astype(np.float32), np.array(["ash", "beech", "elm"])[y]
    params = {"min_samples_leaf": 15}
    weight = np.random.default_rng(0).uniform(0.5, 2, 300)  # so that no two splits tie
    ours = coterie.DecisionTreeClassifier(max_bins=300, **params).fit(X, y, weight)
    return ours, sk.DecisionTreeClassifier(random_state=0, **params).fit(X, y, weight)


@pytest.fixture(scope="module")
def regressors():
    X, y = make_regression(300, 5, n_targets=2, random_state=0)
    X, params = X.astype(np.float32), {"min_samples_leaf": 20}
    ours = coterie.DecisionTreeRegressor(max_bins=300, **params).fit(X, y)
    return ours, sk.DecisionTreeRegressor(random_state=0, **params).fit(X, y)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"feature_names": NAMES},
        {"max_depth": 1},
        {"max_depth": 0},
        {"spacing": 5, "decimals": 4},
        {"show_weights": True},
    ],
    ids=str,
)
def test_layout_is_that_of_scikit_learn(classifiers, regressors, options):
    for ours, theirs in (classifiers, regressors):
        assert export_text(ours, **options) == sk.export_text(theirs, **options)


def test_class_names(classifiers):
    ours, theirs = classifiers
    names = ["x", "y", "z"]
    assert export_text(ours, class_names=names) == sk.export_text(theirs, class_names=names)
    with pytest.raises(ValueError, match="as many items"):
        export_text(ours, class_names=["x"])
    with pytest.raises(ValueError, match="must contain 5 elements, got 1"):
        export_text(ours, feature_names=["x"])


def test_categories():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"wood": pandas.Categorical(["oak", "fir", "ash", "elm"] * 10)})
    tree = coterie.DecisionTreeRegressor().fit(frame, np.array([5.0, 1.0, 5.0, 1.0] * 10))
    text = export_text(tree, feature_names=frame.columns)
    assert text in (
        "|--- wood in {ash, oak}\n|   |--- value: [5.00]\n"
        "|--- wood not in {ash, oak}\n|   |--- value: [1.00]\n",
        "|--- wood in {elm, fir}\n|   |--- value: [1.00]\n"
        "|--- wood not in {elm, fir}\n|   |--- value: [5.00]\n",
    )


def test_several_class_outputs():
    X = np.arange(8.0)[:, None]
    both = np.column_stack([X[:, 0] > 3, X[:, 0] > 3])
    tree = coterie.DecisionTreeClassifier().fit(X, both)
    theirs = sk.DecisionTreeClassifier(random_state=0).fit(X, both)
    assert export_text(tree) == sk.export_text(theirs)


def test_very_deep_trees_are_cut_short():
    y = np.arange(3000.0) % 2
    tree = coterie.DecisionTreeRegressor(max_bins=3000).fit(np.arange(3000.0)[:, None], y)
    assert f"truncated branch of depth {tree.get_depth()}" in export_text(tree, max_depth=0)


def test_deep_trees_are_written_in_full():
    """A chain of more levels than Python recurses."""
    X = np.arange(1200.0)[:, None]
    tree = coterie.DecisionTreeRegressor().fit(X, X[:, 0] % 2)  # each split cuts off one row
    assert tree.get_depth() == 1199
    text = export_text(tree, max_depth=10**6)
    assert text.count("value:") == tree.get_n_leaves()

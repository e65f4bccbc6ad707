from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor as Cart

from coterie import (
    BaggingRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from coterie.bagging.quantiles import QuantilePredictor

X, y = load_diabetes(return_X_y=True)
RNG = np.random.default_rng(0)
WEIGHTS = {
    "none": None,
    "repetitions": RNG.integers(0, 4, len(y)),
    "importances": RNG.uniform(0.5, 2, len(y)),
}
MODELS = {
    "forest": RandomForestRegressor(20, min_samples_leaf=5, random_state=0),
    "patches": BaggingRegressor(n_estimators=10, max_features=0.5, random_state=0),
    "all rows": ExtraTreesRegressor(10, random_state=0),
    "wagging": BaggingRegressor(n_estimators=10, wagging="exponential", random_state=0),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_the_mean_of_the_distribution_is_the_prediction(model, weight):
    given = WEIGHTS[weight]
    fitted = MODELS[model].fit(X, y, given)
    weights = QuantilePredictor(fitted, X, y, given).weights(X[:40])
    used = y if given is None else y[given > 0]
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_allclose(weights @ used, fitted.predict(X[:40]))


def test_reweighted_members_and_groups():
    model = BaggingRegressor(n_estimators=8, random_state=0).fit(
        X, y, groups=np.arange(len(y)) // 3
    )
    model = model.reweighted(np.arange(8.0))
    weights = QuantilePredictor(model, X, y).weights(X[:9])
    np.testing.assert_allclose(weights @ y, model.predict(X[:9]))


@pytest.mark.parametrize("use", [None, "prune"])
def test_repeated_rows_of_groups(use):
    groups, times = np.arange(len(y)) // 3, WEIGHTS["repetitions"]
    model = BaggingRegressor(n_estimators=8, oob_use=use, random_state=0)
    model.fit(X, y, times, groups=groups)
    weights = QuantilePredictor(model, X, y, times).weights(X[:9])
    np.testing.assert_allclose(weights @ y[times > 0], model.predict(X[:9]))


def by_hand():
    """Two trees, the leaves of a query being {1, 2} and {2, 3} of y = (1, 2, 4, 9)."""
    leaves = np.array([[1, 1], [1, 2], [2, 2], [2, 1]])

    class Pool:
        weights = np.ones(2)

        def leaves(self, table, n_threads):
            return leaves if len(table) == 4 else np.array([[1, 2]])

    target = SimpleNamespace(values=np.array([[1.0], [2.0], [4.0], [9.0]]))
    model = SimpleNamespace(
        task="regression",
        n_outputs_=1,
        n_jobs=None,
        pool_=Pool(),
        bags_=SimpleNamespace(drawn=lambda tree: np.ones(4), draw=None),
        _again=lambda X, y, weight: (X, target, None, None),
        _admit=lambda X: X,
    )
    model._settled = lambda: model
    return QuantilePredictor(model, [0] * 4, None)


def test_quantiles_by_hand():
    predictor = by_hand()
    weights = predictor.weights([0]).toarray()
    np.testing.assert_allclose(weights, [[0.25, 0.5, 0.25, 0]])
    assert weights @ [1, 2, 4, 9] == pytest.approx(2.25)
    found = predictor.predict([0], [0.0, 0.25, 0.26, 0.5, 0.75, 0.8, 1.0])
    np.testing.assert_array_equal(found, [[1, 1, 2, 2, 2, 4, 4]])


@pytest.mark.slow
@pytest.mark.parametrize("weight", WEIGHTS)
def test_out_of_bag_quantiles_are_of_trees_that_did_not_see_a_row(weight):
    given = WEIGHTS[weight]
    forest = RandomForestRegressor(6, min_samples_leaf=5, random_state=0).fit(X, y, given)
    kept = np.arange(len(y)) if given is None else np.flatnonzero(given)
    found = QuantilePredictor(forest, X, y, given).predict_oob([0.2, 0.7])
    outside = np.stack([forest.bags_.unseen(tree) for tree in range(6)], axis=1)
    assert found.shape == (len(kept), 2)
    np.testing.assert_array_equal(np.isnan(found[:, 0]), ~outside.any(axis=1))
    for place in np.flatnonzero(outside.any(axis=1))[:12]:
        few = forest.reweighted(outside[place].astype(float))
        expected = QuantilePredictor(few, X, y, given).predict(X[kept[[place]]], [0.2, 0.7])
        np.testing.assert_array_equal(found[[place]], expected)


def test_without_bags_there_are_no_out_of_bag_quantiles():
    trees = ExtraTreesRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="every member saw every row"):
        QuantilePredictor(trees, X, y).predict_oob()


@pytest.mark.slow
def test_quantiles_rise_and_cover():
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(1500, 1))
    target = rows[:, 0] + rng.normal(size=1500) * (0.1 + rows[:, 0])
    forest = RandomForestRegressor(60, min_samples_leaf=20, random_state=0)
    forest.fit(rows[:1000], target[:1000])
    found = QuantilePredictor(forest, rows[:1000], target[:1000]).predict(
        rows[1000:], [0.1, 0.5, 0.9]
    )
    assert (np.diff(found, axis=1) >= 0).all()
    shares = (target[1000:, None] <= found).mean(axis=0)
    np.testing.assert_allclose(shares, [0.1, 0.5, 0.9], atol=0.06)
    width = found[:, 2] - found[:, 0]
    assert width[rows[1000:, 0] > 0.8].mean() > 2 * width[rows[1000:, 0] < 0.2].mean()


def test_refusals():
    with pytest.raises(ValueError, match="single-output regressor"):
        QuantilePredictor(RandomForestClassifier(2).fit(X, y > 100), X, y > 100)
    with pytest.raises(TypeError, match="native trees"):
        QuantilePredictor(BaggingRegressor(Cart(), 2).fit(X, y), X, y)
    forest = RandomForestRegressor(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="quantiles"):
        QuantilePredictor(forest, X, y).predict(X, [50])
    with pytest.raises(ValueError, match="pass the training data again"):
        QuantilePredictor(forest, X[:9], y[:9])

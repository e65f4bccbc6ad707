"""Ordered target statistics: what they are, and that they do not leak."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.boosting.gradient.statistics import OrderedColumns, OrderedTargetEncoder, many_labels
from coterie.data import Table, Target
from coterie.data.ordered import ordered_statistics


def random_categories(n=3000, levels=600, seed=0):
    """Categories that have nothing to do with the classes."""
    rng = np.random.default_rng(seed)
    names = np.array([f"shop {i}" for i in range(levels)])
    return names[rng.integers(0, levels, n)][:, None].astype(object), rng.integers(0, 2, n)


def test_plain_statistics_leak_and_ordered_ones_do_not():
    X, y = random_categories()
    X_new, y_new = random_categories(seed=1)
    encoder = OrderedTargetEncoder(random_state=0)
    ordered = encoder.fit_transform(X, y)[:, 0]
    plain = encoder.transform(X)[:, 0]
    assert roc_auc_score(y, plain) > 0.7
    assert 0.46 < roc_auc_score(y, ordered) < 0.54
    assert 0.46 < roc_auc_score(y_new, encoder.transform(X_new)[:, 0]) < 0.54


@pytest.mark.slow
def test_averages_over_many_orders_leak():
    X, y = random_categories(levels=300)
    many = OrderedTargetEncoder(n_permutations=200, random_state=0).fit_transform(X, y)[:, 0]
    within = many - np.array([many[X[:, 0] == name].mean() for name in X[:, 0]])
    assert roc_auc_score(y, within) < 0.2


def test_a_model_on_random_categories_learns_nothing():
    (X, y), (X_new, y_new) = (random_categories(levels=150, seed=seed) for seed in (0, 1))
    settings = {"max_iter": 30, "random_state": 0}

    def scores(**params):
        model = HistGradientBoostingClassifier(**settings, **params).fit(X, y)
        return roc_auc_score(y, model.decision_function(X)), roc_auc_score(
            y_new, model.decision_function(X_new)
        )

    train, test = scores(high_cardinality="split")
    ordered_train, ordered_test = scores(high_cardinality="ordered", max_bins=100)
    assert train > 0.6
    assert 0.45 < ordered_train < 0.55
    assert 0.45 < test < 0.55
    assert 0.45 < ordered_test < 0.55


def test_informative_categories_are_learnt():
    rng = np.random.default_rng(0)
    effect = rng.normal(size=400)
    codes, new = rng.integers(0, 400, 6000), rng.integers(0, 400, 2000)
    y, y_new = effect[codes] + rng.normal(size=6000), effect[new] + rng.normal(size=2000)
    settings = {"categorical_features": [0], "early_stopping": False, "random_state": 0}
    model = HistGradientBoostingRegressor(high_cardinality="ordered", **settings)
    model.fit(codes[:, None].astype(float), y)
    assert model.score(new[:, None].astype(float), y_new) > 0.35
    assert model.is_categorical_.tolist() == [True]


@pytest.mark.parametrize("labels", [None, ["a", "b"], ["a", "b", "c"]])
def test_estimators_see_statistics_in_place_of_categories(labels):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "shop": pandas.Categorical(rng.integers(0, 40, 500).astype(str)),
            "x": rng.normal(size=500),
            "town": pandas.Categorical(rng.integers(0, 5, 500).astype(str)),
        }
    )
    y = (
        rng.normal(size=500)
        if labels is None
        else np.array(labels)[rng.integers(0, len(labels), 500)]
    )
    cls = HistGradientBoostingRegressor if labels is None else HistGradientBoostingClassifier
    model = cls(high_cardinality="ordered", max_bins=20, max_iter=5, random_state=0).fit(frame, y)
    assert list(model.ordered_.statistics) == [0]
    more = 0 if labels is None else len(labels) - 2
    assert model.origin_.tolist() == [0, 1, 2] + [0] * more
    assert model.pool_.forest.n_features == 3 + more
    assert model.feature_importances_.shape == (3,)
    unseen = frame.assign(shop="nowhere")
    np.testing.assert_array_equal(model.predict(unseen), model.predict(frame.assign(shop=None)))
    assert len(model.estimators_) == 5
    again = clone(model).set_params(warm_start=True, max_iter=3).fit(frame, y)
    again.set_params(max_iter=5).fit(frame, y)
    assert np.array_equal(again.predict(frame), model.predict(frame))


def test_columns_of_a_table():
    X = np.array([[0.0, 5.0], [0.0, 6.0], [1.0, 7.0], [np.nan, 8.0]])
    table = Table.read(X, categorical=[0])
    target = Target.labels(np.array([0, 1, 2, 1]))
    columns, train = OrderedColumns.learn(
        table, target, None, many_labels(table, 1), np.random.default_rng(3)
    )
    order = np.random.default_rng(3).permutation(4)
    hot = np.array([[0, 0], [1, 0], [0, 1], [1, 0]], dtype=float)
    expected = ordered_statistics(np.array([0, 0, 1, -1]), hot, None, order, smooth=1.0)
    np.testing.assert_allclose(train.values[:, [0, 2]], expected)
    np.testing.assert_array_equal(train.values[:, 1], X[:, 1])
    assert train.schema.categorical is None
    np.testing.assert_allclose(
        columns.apply(table).values[:, 0], [(1 + 0.5) / 3] * 2 + [0.25, 0.75]
    )


def test_encoder_of_classes_and_numbers():
    X = [["a", 1], ["b", 1], ["a", 2], ["b", 2]]
    encoder = OrderedTargetEncoder(random_state=0)
    assert encoder.fit_transform(X, ["u", "v", "w", "v"]).shape == (4, 6)
    names = encoder.get_feature_names_out()
    assert names.tolist() == ["x0_u", "x0_v", "x0_w", "x1_u", "x1_v", "x1_w"]
    encoder = OrderedTargetEncoder(smooth=2.0, random_state=0).fit(X, [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_allclose(
        encoder.transform([["a", 2], ["z", None]]), [[7 / 4, 10 / 4], [2.0, 2.0]]
    )


def test_encoder_in_a_pipeline_and_a_frame():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"shop": rng.integers(0, 50, 300).astype(str)})
    y = rng.integers(0, 2, 300)
    pipeline = make_pipeline(
        OrderedTargetEncoder(random_state=0), HistGradientBoostingClassifier(max_iter=3)
    ).fit(frame, y)
    assert pipeline.predict(frame).shape == (300,)
    out = OrderedTargetEncoder(random_state=0).set_output(transform="pandas")
    assert out.fit_transform(frame, y).columns.tolist() == ["shop"]
    with pytest.raises(ValueError, match="feature names"):
        out.transform(frame.rename(columns={"shop": "place"}))


def test_weights_of_the_encoder():
    X, y = random_categories(400, 20)
    weight = np.random.default_rng(0).integers(0, 3, 400)
    heavy = OrderedTargetEncoder().fit(X, y, weight)
    repeated = OrderedTargetEncoder().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(heavy.transform(X), repeated.transform(X))


def test_encoder_refuses_sparse_tables():
    with pytest.raises(TypeError, match="Sparse X"):
        OrderedTargetEncoder().fit(sparse.csr_array(np.eye(3)), [0, 1, 0])


@pytest.mark.parametrize(
    ("params", "y"), [({"smooth": 0.0}, [0, 1]), ({"n_permutations": 0}, [0, 1]), ({}, None)]
)
def test_encoder_refuses(params, y):
    with pytest.raises(ValueError, match="smooth|n_permutations|requires y"):
        OrderedTargetEncoder(**params).fit([["a"], ["b"]], y)

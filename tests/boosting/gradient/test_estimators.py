"""The estimators: the same trees as scikit-learn's, losses, links, labels."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from threadpoolctl import threadpool_limits

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.losses import CustomLoss, SquaredError
from tests.boosting.gradient.tables import SMALL, counts, numbers, three_classes, two_classes


@pytest.fixture(autouse=True)
def one_thread():
    """scikit-learn's threads would wait for each other on a busy machine."""
    with threadpool_limits(1, "openmp"):
        yield


PEERS = {
    HistGradientBoostingClassifier: ensemble.HistGradientBoostingClassifier,
    HistGradientBoostingRegressor: ensemble.HistGradientBoostingRegressor,
}


def scores(model, X):
    """Raw scores; scikit-learn's regressors hide theirs behind the link."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    predicted = model.predict(X)
    return np.log(predicted) if model.loss in ("poisson", "gamma") else predicted


def check_same(cls, X, y, weight=None, **params):
    """Predictions of every round's trees agree to what float32 gradients allow."""
    ours = cls(**{**SMALL, **params}).fit(X, y, weight)
    theirs = PEERS[cls](**{**SMALL, **params}).fit(X, y, weight)
    np.testing.assert_allclose(scores(ours, X), scores(theirs, X), rtol=1e-5, atol=1e-5)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.n_trees_per_iteration_ == theirs.n_trees_per_iteration_
    return ours


TASKS = {
    "squared_error": (HistGradientBoostingRegressor, numbers, "squared_error"),
    "poisson": (HistGradientBoostingRegressor, counts, "poisson"),
    "log_loss": (HistGradientBoostingClassifier, two_classes, "log_loss"),
    "multinomial": (HistGradientBoostingClassifier, three_classes, "log_loss"),
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("task", TASKS)
def test_same_as_scikit_learn(task, missing, seed):
    cls, table, loss = TASKS[task]
    check_same(cls, *table(seed=seed, missing=missing), loss=loss)


@pytest.mark.parametrize(
    "params",
    [
        {"l2_regularization": 3.0},
        {"max_depth": 2},
        {"max_leaf_nodes": None, "max_depth": 4},
        {"min_samples_leaf": 40},
        {"learning_rate": 0.7},
        {"interaction_cst": "no_interactions"},
        {"interaction_cst": [{0, 1}, {1, 2}]},
    ],
    ids=str,
)
@pytest.mark.parametrize("task", ["squared_error", "log_loss"])
def test_same_as_scikit_learn_with_settings(task, params):
    cls, table, loss = TASKS[task]
    check_same(cls, *table(seed=2), loss=loss, **params)


@pytest.mark.parametrize("task", TASKS)
def test_same_as_scikit_learn_with_weights(task):
    cls, table, loss = TASKS[task]
    X, y = table(seed=3)
    weight = np.random.default_rng(0).uniform(0.2, 3, len(y))
    check_same(cls, X, y, weight, loss=loss)


@pytest.mark.slow
def test_same_as_scikit_learn_on_published_tables():
    X, y = load_iris(return_X_y=True)
    check_same(HistGradientBoostingClassifier, X, y)
    X, y = load_diabetes(return_X_y=True)
    check_same(HistGradientBoostingRegressor, np.round(X, 2), y)
    X, y = load_breast_cancer(return_X_y=True)
    X = np.round(X[:, :8] / X[:, :8].std(axis=0), 1)
    check_same(HistGradientBoostingClassifier, X, y, class_weight="balanced")


@pytest.mark.parametrize("task", TASKS)
def test_same_as_scikit_learn_with_categories(task):
    cls, table, loss = TASKS[task]
    X, y = table(600, seed=4)
    rng = np.random.default_rng(0)
    X[:, 3] = rng.choice(12, 600, p=rng.dirichlet(np.ones(12)))
    if cls is HistGradientBoostingRegressor:
        y = y + rng.integers(0, 3, 12)[X[:, 3].astype(int)]
    else:
        y = (y + (X[:, 3] % 3 == 0)) % (y.max() + 1)
    ours = check_same(cls, X, y, loss=loss, categorical_features=[3])
    assert ours.is_categorical_.tolist() == [False, False, False, True, False]
    assert ours.feature_importances_[3] > 0.05


def test_drop_in_signature():
    """scikit-learn's parameters are all there, with the same defaults."""
    for cls, peer in PEERS.items():
        ours, theirs = cls().get_params(), peer().get_params()
        assert {name: ours[name] for name in theirs} == theirs
        assert cls.__name__ == peer.__name__


NEWTON = [
    ({"l2_regularization": 1.0}, [0, 0, 4 / 3, 4 / 3]),
    ({}, [1 / 3, 1 / 3, 1 / 3, 3]),
    ({"l2_regularization": 1.0, "l1_regularization": 1.0}, [0, 0, 1, 1]),
    ({"l2_regularization": 1.0, "max_delta_step": 0.5}, [0, 0, 0.5, 0.5]),
    ({"l2_regularization": 1.0, "min_split_gain": 2.13}, [0, 0, 4 / 3, 4 / 3]),
    ({"l2_regularization": 1.0, "min_split_gain": 2.14}, [0.8] * 4),
    ({"l2_regularization": 1.0, "min_child_weight": 2.5}, [0.8] * 4),
]


@pytest.mark.parametrize(("params", "leaves"), NEWTON, ids=str)
@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
def test_four_points(params, leaves, growth):
    """Splits and leaves of regularised Newton trees, computed by hand."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0.0, 0.0, 1.0, 3.0])
    settings = {"min_samples_leaf": 1, "min_child_weight": 0.0, **params}
    model = HistGradientBoostingRegressor(
        max_iter=1, max_depth=1, learning_rate=1.0, init="zero", growth=growth, **settings
    )
    np.testing.assert_allclose(model.fit(X, y).predict(X), leaves, atol=1e-6)


def test_levels_are_filled_before_the_next():
    """Level-wise growth splits both children of the root, however little the left one gains."""
    X = np.arange(8.0)[:, None]
    y = np.array([0.0, 0.0, 0.0, 1.0, 100.0, 110.0, 120.0, 140.0])
    settings = {"max_iter": 1, "min_samples_leaf": 1, "max_leaf_nodes": 4}
    level = HistGradientBoostingRegressor(growth="level", **settings).fit(X, y)
    leaf = HistGradientBoostingRegressor(growth="leaf", **settings).fit(X, y)
    assert level.pool_.forest.depths().tolist() == [2]
    assert leaf.pool_.forest.depths().tolist() == [3]


@pytest.mark.parametrize(
    ("loss", "level"),
    [("absolute_error", 0.5), ("quantile", 0.2), ("quantile", 0.9)],
)
def test_refitted_leaves_are_quantiles_of_residuals(loss, level):
    X, y = numbers()
    quantile = level if loss == "quantile" else None
    settings = {**SMALL, "max_iter": 1, "learning_rate": 1.0}
    model = HistGradientBoostingRegressor(loss=loss, quantile=quantile, **settings).fit(X, y)
    leaves, predicted = model.apply(X)[:, 0], model.predict(X)
    assert len(np.unique(leaves)) > 2
    for leaf in np.unique(leaves):
        rest = (y - predicted)[leaves == leaf]
        assert (rest < -1e-12).mean() <= level + 1e-12
        assert (rest > 1e-12).mean() <= 1 - level + 1e-12


@pytest.mark.parametrize(
    "params",
    [
        {"loss": "squared_error"},
        {"loss": "absolute_error"},
        {"loss": "quantile", "quantile": 0.7},
        {"loss": "expectile", "quantile": 0.7},
        {"loss": "huber"},
        {"loss": "poisson"},
        {"loss": "gamma"},
        {"loss": "tweedie", "power": 1.2},
    ],
    ids=str,
)
def test_every_loss_falls_in_training(params):
    X, y = counts()
    y = y + 0.5
    model = HistGradientBoostingRegressor(
        early_stopping=True, validation_fraction=None, **{**SMALL, **params}
    ).fit(X, y)
    losses = -model.train_score_
    assert len(losses) == 21
    assert (np.diff(losses) < 1e-12).all()
    assert losses[-1] < losses[0] - 0.05


def test_links():
    X, y = two_classes()
    for loss, factor in (("log_loss", 1), ("exponential", 2)):
        model = HistGradientBoostingClassifier(loss, **SMALL).fit(X, y)
        score = model.decision_function(X)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(factor * score))
        assert np.array_equal(model.predict(X), (score > 0).astype(int))
    X, y = three_classes()
    model = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), softmax(model.decision_function(X), axis=1))


def test_string_labels():
    X, y = three_classes()
    names = np.array(["low", "mid", "top"])
    plain = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    named = HistGradientBoostingClassifier(**SMALL).fit(X, names[y])
    assert np.array_equal(named.predict(X), names[plain.predict(X)])
    assert named.classes_.tolist() == names.tolist()


def test_own_loss():
    X, y = numbers()
    own = CustomLoss(
        lambda y, f: 0.5 * (y - f) ** 2, lambda y, f: f - y, lambda y, f: np.ones_like(f)
    )
    expected = HistGradientBoostingRegressor(**SMALL).fit(X, y).predict(X)
    for loss in (own, SquaredError()):
        model = HistGradientBoostingRegressor(loss, **SMALL).fit(X, y)
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9)


def test_own_loss_of_classes():
    X, y = two_classes()
    own = CustomLoss(
        lambda y, f: np.logaddexp(0, f) - y * f,
        lambda y, f: expit(f) - y,
        lambda y, f: expit(f) * expit(-f),
        inverse=lambda raw: expit(raw[:, 0]),
    )
    expected = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    model = HistGradientBoostingClassifier(own, **SMALL).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-6)
    assert np.array_equal(model.predict(X), expected.predict(X))
    four = CustomLoss(lambda y, f: 0.5 * (f**2).sum(axis=1), lambda y, f: f, scores=4)
    with pytest.raises(ValueError, match="inverse"):
        HistGradientBoostingClassifier(four, **SMALL).fit(X, y).predict_proba(X)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"loss": "quantile"}, "quantile"),
        ({"loss": "quantile", "quantile": 1.0}, "quantile"),
        ({"loss": "poisson"}, "non-negative y"),
        ({"loss": "gamma"}, "strictly positive y"),
        ({"loss": "logistic"}, "loss"),
        ({"power": 2.0}, "power"),
    ],
)
def test_refused(params, message):
    X, y = numbers()
    with pytest.raises(ValueError, match=message):
        HistGradientBoostingRegressor(**params).fit(X, y)


def test_exponential_is_for_two_classes():
    with pytest.raises(ValueError, match="only suitable for a binary"):
        HistGradientBoostingClassifier("exponential").fit(*three_classes())


def test_class_weights_are_weights():
    X, y = two_classes()
    weight = np.where(y == 1, 3.0, 1.0)
    weighted = HistGradientBoostingClassifier(**SMALL).fit(X, y, weight)
    classes = HistGradientBoostingClassifier(class_weight={1: 3.0}, **SMALL).fit(X, y)
    assert np.array_equal(weighted.decision_function(X), classes.decision_function(X))

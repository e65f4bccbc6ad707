"""Friedman's algorithm: equality with scikit-learn's, invariants, starts, members and losses."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.ensemble import GradientBoostingClassifier as TheirClassifier
from sklearn.ensemble import GradientBoostingRegressor as TheirRegressor
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

from coterie import (
    DecisionTreeRegressor,
    FunctionalGradientBoostingClassifier,
    FunctionalGradientBoostingRegressor,
)
from coterie.losses import (
    CustomLoss,
    ExponentialLoss,
    LogLoss,
    MultinomialLoss,
    QuantileLoss,
    TweedieLoss,
)

# An odd number of rows: scikit-learn starts from the middle of two medians, we from the lower.
DIABETES = tuple(part[:441] for part in load_diabetes(return_X_y=True))
CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
EXACT_BINS = {"max_bins": 2000}


def stumps(**params):
    return {"estimator": DecisionTreeRegressor(max_depth=1), **EXACT_BINS, **params}


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_one_round_of_stumps_is_scikit_learns(loss):
    X, y = DIABETES
    ours = FunctionalGradientBoostingRegressor(**stumps(n_estimators=1, loss=loss)).fit(X, y)
    theirs = TheirRegressor(n_estimators=1, max_depth=1, loss=loss).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["squared_error", "huber"])
def test_many_rounds_are_scikit_learns(loss):
    X, y = DIABETES
    ours = FunctionalGradientBoostingRegressor(loss=loss, n_estimators=20, **EXACT_BINS).fit(X, y)
    theirs = TheirRegressor(loss=loss, n_estimators=20, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
    if loss == "squared_error":  # theirs is not halved
        np.testing.assert_allclose(2 * ours.train_score_, theirs.train_score_, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_loss_is_scikit_learns(n_classes):
    # Few columns and shallow trees, so that no two splits are equally good.
    X, y = make_classification(
        600, 5, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.1, random_state=0
    )
    tree = DecisionTreeRegressor(max_depth=2)
    ours = FunctionalGradientBoostingClassifier(tree, n_estimators=20, **EXACT_BINS).fit(X, y)
    theirs = TheirClassifier(n_estimators=20, max_depth=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
    expected = theirs.train_score_ / (2 if n_classes == 2 else 1)
    np.testing.assert_allclose(ours.train_score_, expected, rtol=1e-9)


def test_weights_are_scikit_learns():
    X, y = CANCER
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours = FunctionalGradientBoostingClassifier(**stumps(n_estimators=3)).fit(X, y, weight)
    theirs = TheirClassifier(n_estimators=3, max_depth=1).fit(X, y, weight)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


COUNTS = np.random.default_rng(1).poisson(np.exp(DIABETES[0][:, 2] * 10)).astype(float)


@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize(
    "loss",
    ["squared_error", "absolute_error", "quantile", "expectile", "poisson", "gamma", "tweedie"],
)
def test_exact_leaves_never_raise_the_loss(loss, rate):
    X, y = DIABETES
    y = COUNTS if loss in ("poisson", "tweedie") else y
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = FunctionalGradientBoostingRegressor(loss=loss, learning_rate=rate, n_estimators=25)
    losses = model.fit(X, y, weight).train_score_
    assert (np.diff(losses) <= 1e-12 * np.abs(losses[:-1])).all()


def test_exact_exponential_leaves_never_raise_the_loss():
    X, y = make_classification(400, flip_y=0.2, random_state=0)
    model = FunctionalGradientBoostingClassifier(loss="exponential", n_estimators=25).fit(X, y)
    assert (np.diff(model.train_score_) <= 0).all()
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_residuals_of_leaves_are_balanced_after_a_full_step(loss):
    X, y = DIABETES
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = FunctionalGradientBoostingRegressor(loss=loss, learning_rate=1.0, n_estimators=4)
    model.fit(X, y, weight)
    residual = y - model.predict(X)
    leaf = model.estimators_[-1].apply(X)
    for number in np.unique(leaf):
        r, w = residual[leaf == number], weight[leaf == number]
        if loss == "squared_error":
            assert np.average(r, weights=w) == pytest.approx(0, abs=1e-9)
        else:
            assert max(w[r > 1e-9].sum(), w[r < -1e-9].sum()) <= 0.5 * w.sum() + 1e-9


def test_a_line_search_of_least_squares_changes_nothing():
    X, y = DIABETES
    for search in ("leaf", "round", None):
        model = FunctionalGradientBoostingRegressor(n_estimators=5, line_search=search).fit(X, y)
        np.testing.assert_allclose(model.estimator_weights_, 0.1, rtol=1e-8)
        if search == "leaf":
            expected = model.predict(X)
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9)


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile", "poisson"])
def test_line_searches_per_round_lower_the_loss(loss):
    X, y = DIABETES
    model = FunctionalGradientBoostingRegressor(loss=loss, line_search="round", n_estimators=15)
    losses = model.fit(X, y).train_score_
    assert (np.diff(losses) <= 0).all()
    assert losses[-1] < 0.8 * losses[0]


MEMBERS = {
    "takes weights": LinearRegression(),
    "takes none": KNeighborsRegressor(),
    "pipeline": make_pipeline(SplineTransformer(n_knots=4), LinearRegression()),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MEMBERS)
def test_any_regressor_can_be_a_member(kind):
    X, y = (part[:200] for part in DIABETES)
    model = FunctionalGradientBoostingRegressor(
        MEMBERS[kind], loss="huber", n_estimators=8, learning_rate=0.5, random_state=0
    ).fit(X, y)
    assert model.train_score_[-1] < model.train_score_[0]
    assert model.score(X, y) > 0.3
    assert type(model.estimators_[0]) is type(MEMBERS[kind])
    flowers = FunctionalGradientBoostingClassifier(MEMBERS[kind], n_estimators=8, random_state=0)
    assert flowers.fit(*IRIS).score(*IRIS) > 0.8
    assert len(flowers.estimators_[0]) == 3


def test_linear_members_of_squares_are_linear_regression():
    X, y = DIABETES
    model = FunctionalGradientBoostingRegressor(LinearRegression(), learning_rate=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), LinearRegression().fit(X, y).predict(X), rtol=1e-9)
    assert model.n_rounds_ < 5  # then nothing is left to fit
    assert model.stop_reason_ in ("no_improvement", "too_weak")


def test_starts():
    X, y = DIABETES
    linear = LinearRegression().fit(X, y)
    from_line = FunctionalGradientBoostingRegressor(init=LinearRegression(), n_estimators=1)
    near = linear.predict(X) + 0.1 * from_line.fit(X, y).estimators_[0].predict(X)
    np.testing.assert_allclose(from_line.predict(X), near, rtol=1e-9)
    from_zero = FunctionalGradientBoostingRegressor(init="zero", n_estimators=1).fit(X, y)
    np.testing.assert_allclose(
        from_zero.predict(X), 0.1 * from_zero.estimators_[0].predict(X), rtol=1e-12
    )
    theirs = TheirRegressor(init="zero", n_estimators=1).fit(X, y)
    np.testing.assert_allclose(
        FunctionalGradientBoostingRegressor(init="zero", n_estimators=1, **EXACT_BINS)
        .fit(X, y)
        .predict(X),
        theirs.predict(X),
        rtol=1e-9,
    )


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["two", "three"])
def test_classifiers_start_from_probabilities(data):
    X, y = data
    first = GaussianNB()
    model = FunctionalGradientBoostingClassifier(init=first, learning_rate=1e-12, n_estimators=1)
    expected = first.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(X, y).predict_proba(X), expected, atol=1e-6)
    with pytest.raises(ValueError, match="init.*predict_proba"):
        FunctionalGradientBoostingClassifier(init=RidgeClassifier()).fit(X, y)


def test_starts_of_counts_are_means():
    X, _ = DIABETES
    model = FunctionalGradientBoostingRegressor(
        loss="poisson", init=DecisionTreeRegressor(max_depth=2), learning_rate=1e-12, n_estimators=1
    ).fit(X, COUNTS)
    tree = DecisionTreeRegressor(max_depth=2).fit(X, COUNTS)
    np.testing.assert_allclose(model.predict(X), tree.predict(X), rtol=1e-6)


def test_losses_as_objects_and_names():
    X, y = DIABETES
    named = FunctionalGradientBoostingRegressor(loss="quantile", alpha=0.3, n_estimators=5)
    given = FunctionalGradientBoostingRegressor(loss=QuantileLoss(0.3), n_estimators=5)
    np.testing.assert_array_equal(named.fit(X, y).predict(X), given.fit(X, y).predict(X))
    tweedie = FunctionalGradientBoostingRegressor(loss=TweedieLoss(1.2), n_estimators=5)
    named = FunctionalGradientBoostingRegressor(loss="tweedie", power=1.2, n_estimators=5)
    expected = tweedie.fit(X, COUNTS).predict(X)
    np.testing.assert_array_equal(named.fit(X, COUNTS).predict(X), expected)
    assert (expected > 0).all()


def half_square(y, f):
    return 0.5 * (y - f) ** 2


def minus_residual(y, f):
    return f - y


def logistic(y, f):
    return np.logaddexp(0.0, f) - y * f


def test_losses_of_the_user():
    X, y = DIABETES
    own = FunctionalGradientBoostingRegressor(
        loss=CustomLoss(half_square, minus_residual), n_estimators=5
    ).fit(X, y)
    known = FunctionalGradientBoostingRegressor(n_estimators=5).fit(X, y)
    np.testing.assert_allclose(own.predict(X), known.predict(X), rtol=1e-6)
    X, y = CANCER
    model = FunctionalGradientBoostingClassifier(loss=CustomLoss(logistic), n_estimators=5)
    known = FunctionalGradientBoostingClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_allclose(
        model.fit(X, y).decision_function(X), known.decision_function(X), atol=1e-4
    )
    with pytest.raises(ValueError, match="probabilities"):
        model.predict_proba(X)


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (FunctionalGradientBoostingRegressor(loss="poisson"), [-1.0, 0, 1, 2], "non-negative y"),
        (FunctionalGradientBoostingRegressor(loss="gamma"), [0.0, 1, 2, 3], "strictly positive y"),
        (FunctionalGradientBoostingClassifier(loss="exponential"), [0, 1, 2, 0], "3 classes"),
        (FunctionalGradientBoostingClassifier(loss=LogLoss()), [0, 1, 2, 0], "3 classes"),
        (FunctionalGradientBoostingClassifier(loss=MultinomialLoss(3)), [0, 1, 0, 1], "2 classes"),
    ],
)
def test_losses_that_do_not_suit_the_target(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(np.arange(4.0)[:, np.newaxis], y)


def test_exponential_loss_as_object_gives_probabilities():
    model = FunctionalGradientBoostingClassifier(loss=ExponentialLoss(), n_estimators=5)
    chance = model.fit(*CANCER).predict_proba(CANCER[0])
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)


def test_a_calibrated_start_with_text_labels():
    X, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    first = CalibratedClassifierCV(RidgeClassifier(), cv=3)
    model = FunctionalGradientBoostingClassifier(init=first, n_estimators=5).fit(X, names)
    assert model.score(X, names) > 0.95

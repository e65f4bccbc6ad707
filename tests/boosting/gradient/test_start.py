"""Where boosting starts."""

import numpy as np
import pytest
from scipy.special import logit, softmax
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import ExtraTreeRegressor

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tests.boosting.gradient.tables import SMALL, counts, numbers, three_classes, two_classes

STUCK = {**SMALL, "max_iter": 1, "min_samples_leaf": 10_000}  # one leaf: a step of zero


def test_constants():
    X, y = numbers()
    leaf = {**STUCK, "learning_rate": 1e-12}
    for init, expected in ((None, y.mean()), ("zero", 0.0), (3.0, 3.0), ([4.0], 4.0)):
        model = HistGradientBoostingRegressor(init=init, **leaf).fit(X, y)
        np.testing.assert_allclose(model.predict(X), expected, atol=1e-9)
    X, y = three_classes()
    model = HistGradientBoostingClassifier(init=[0.0, 1.0, 2.0], **leaf).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[0], softmax([0.0, 1.0, 2.0]))


def test_regressor_as_start():
    X, y = numbers()
    linear = LinearRegression().fit(X, y)
    model = HistGradientBoostingRegressor(init=LinearRegression(), **SMALL).fit(X, y)
    rest = HistGradientBoostingRegressor(init="zero", **SMALL).fit(X, y - linear.predict(X))
    np.testing.assert_allclose(model.predict(X), linear.predict(X) + rest.predict(X), rtol=1e-6)
    *_, last = model.staged_predict(X)
    np.testing.assert_allclose(last, model.predict(X), rtol=1e-9)


def test_start_of_a_log_link():
    X, y = counts()
    first = PoissonRegressor().fit(X, y)
    model = HistGradientBoostingRegressor(
        "poisson", init=PoissonRegressor(), **{**STUCK, "learning_rate": 1e-12}
    ).fit(X, y)
    np.testing.assert_allclose(model.predict(X), first.predict(X))


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_classifier_as_start(loss):
    X, y = two_classes()
    first = LogisticRegression().fit(X, y)
    stuck = {**STUCK, "learning_rate": 1e-12}
    model = HistGradientBoostingClassifier(loss, init=LogisticRegression(), **stuck).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), first.predict_proba(X), atol=1e-6)
    X, y = three_classes()
    first = LogisticRegression().fit(X, y)
    model = HistGradientBoostingClassifier(init=LogisticRegression(), **stuck).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), first.predict_proba(X), atol=1e-5)


def test_start_that_cannot_be_used():
    X, y = two_classes()
    with pytest.raises(ValueError, match="predict_proba"):
        HistGradientBoostingClassifier(init=LinearSVC(), **SMALL).fit(X, y)
    with pytest.raises(ValueError, match=r"The member 'init' \(Ridge\) failed"):
        HistGradientBoostingRegressor(init=Ridge(-1.0), **SMALL).fit(X, y)


@pytest.mark.slow
def test_start_of_random_models_and_of_models_without_weights():
    X, y = two_classes()
    model = HistGradientBoostingRegressor(
        init=make_pipeline(StandardScaler(), ExtraTreeRegressor(max_depth=3)), **SMALL
    )
    weight = np.random.default_rng(0).random(len(y))
    for given in (None, weight):
        first, second = (clone(model).fit(X, y, given).predict(X) for _ in range(2))
        np.testing.assert_array_equal(first, second)
    twice = HistGradientBoostingRegressor(init=KNeighborsRegressor(), **SMALL)
    twice.fit(X, y, np.full(len(y), 2.0))
    assert twice.init_.n_samples_fit_ == 2 * len(y)


def test_scores_given_to_fit():
    X, y = two_classes()
    base = np.full(len(y), logit(y.mean()))
    plain = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    given = HistGradientBoostingClassifier(**SMALL).fit(X, y, init_score=base)
    assert given.start_.tolist() == [0.0]
    np.testing.assert_allclose(
        given.decision_function(X) + base, plain.decision_function(X), rtol=1e-9
    )


def test_scores_given_for_rows_to_watch():
    X, y = numbers(300)
    offset = 5 * X[:, 0]
    settings = {**SMALL, "early_stopping": True}
    given = HistGradientBoostingRegressor(init="zero", **settings)
    given.fit(
        X[:200],
        y[:200] + offset[:200],
        X_val=X[200:],
        y_val=y[200:] + offset[200:],
        init_score=offset[:200],
        init_score_val=offset[200:],
    )
    plain = HistGradientBoostingRegressor(init="zero", **settings)
    plain.fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    np.testing.assert_allclose(given.validation_score_, plain.validation_score_, rtol=1e-9)
    # Rows that are held out bring their scores along.
    alone = HistGradientBoostingRegressor(init="zero", **settings).fit(X, y)
    moved = HistGradientBoostingRegressor(init="zero", **settings)
    moved.fit(X, y + offset, init_score=offset)
    np.testing.assert_allclose(moved.validation_score_, alone.validation_score_, rtol=1e-9)


def test_scores_of_weightless_rows_are_dropped():
    X, y = numbers(100)
    weight = np.ones(100)
    weight[::4] = 0
    offset = np.arange(100.0)
    model = HistGradientBoostingRegressor(**SMALL).fit(X, y + offset, weight, init_score=offset)
    kept = weight > 0
    expected = HistGradientBoostingRegressor(**SMALL)
    expected.fit(X[kept], (y + offset)[kept], init_score=offset[kept])
    np.testing.assert_allclose(model.predict(X), expected.predict(X), rtol=1e-9)


@pytest.mark.parametrize("bad", [np.ones(3), np.ones((100, 2)), np.full(100, np.nan)])
def test_bad_scores_are_refused(bad):
    X, y = numbers(100)
    with pytest.raises(ValueError, match="init_score"):
        HistGradientBoostingRegressor().fit(X, y, init_score=bad)

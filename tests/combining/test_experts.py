"""Mixtures of experts."""

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from coterie.data import Target

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(400, 1))
BENT = 2 * np.abs(X[:, 0]) + 0.1 * rng.normal(size=400)


def test_recovers_two_lines():
    model = MixtureOfExpertsRegressor(
        LinearRegression(), n_experts=2, max_iter=200, tol=1e-9, random_state=0
    ).fit(X, BENT)
    slopes = sorted(float(e.coef_[0]) for e in model.estimators_)
    np.testing.assert_allclose(slopes, [-2, 2], atol=0.05)
    np.testing.assert_allclose(model.variances_, 0.01, atol=0.002)
    assert model.score(X, BENT) > 0.96
    trust = model.gate(X)
    np.testing.assert_allclose(trust.sum(axis=1), 1)
    # Each side of the bend has its expert.
    assert (trust[X[:, 0] > 0.3].argmax(axis=1) != trust[X[:, 0] < -0.3].argmax(axis=1)[0]).all()
    mixed = sum(trust[:, j] * e.predict(X) for j, e in enumerate(model.estimators_))
    np.testing.assert_allclose(model.predict(X), mixed, rtol=1e-9)


def test_ever_more_likely():
    for model in (
        MixtureOfExpertsRegressor(LinearRegression(), n_experts=3, tol=0.0, random_state=1).fit(
            X, BENT
        ),
        MixtureOfExpertsClassifier(
            LogisticRegression(C=1e6, tol=1e-8), n_experts=2, tol=0.0, penalty=1e-6, random_state=1
        ).fit(X, BENT > 1),
    ):
        # The penalty and shares of whole multiples cost a little.
        assert (np.diff(model.log_likelihoods_) > -1e-5).all()
        assert model.log_likelihoods_[-1] > model.log_likelihoods_[0]
        assert model.n_iter_ == len(model.log_likelihoods_)


def test_densities_by_hand():
    model = MixtureOfExpertsRegressor()
    said, target = np.array([[[1.0]], [[3.0]]]), Target.numbers([2.5])
    dense = model._log_density(said, target, np.ones(2))
    logs = np.log([0.25, 0.75]) + dense[0]
    assert logsumexp(logs) == pytest.approx(-1.215950, abs=1e-6)
    np.testing.assert_allclose(np.exp(logs - logsumexp(logs)), [0.109232, 0.890768], atol=1e-6)
    labels = MixtureOfExpertsClassifier()._log_density(
        np.array([[[0.2, 0.8]]]), Target.labels([1, 0]).take([0]), np.ones(1)
    )
    np.testing.assert_allclose(labels, np.log([[0.8]]))
    assert log_softmax([0.0, 0.0])[0] == pytest.approx(np.log(0.5))


def test_one_expert_is_the_estimator():
    alone = MixtureOfExpertsRegressor(LinearRegression(), n_experts=1).fit(X, BENT)
    np.testing.assert_allclose(alone.predict(X), LinearRegression().fit(X, BENT).predict(X))
    labels = np.where(X[:, 0] > 0, "right", "left")
    one = MixtureOfExpertsClassifier(LogisticRegression(), n_experts=1).fit(X, labels)
    np.testing.assert_allclose(
        one.predict_proba(X), LogisticRegression().fit(X, labels).predict_proba(X), rtol=1e-4
    )


def test_no_line_parts_the_classes():
    table = rng.normal(size=(400, 2))
    labels = np.where(table[:, 0] * table[:, 1] > 0, "same", "other")
    model = MixtureOfExpertsClassifier(
        LogisticRegression(), n_experts=2, n_init=3, random_state=0
    ).fit(table, labels)
    assert LogisticRegression().fit(table, labels).score(table, labels) < 0.65
    assert model.score(table, labels) > 0.9


def test_rows_are_drawn_for_experts_that_take_no_weights():
    weighted = MixtureOfExpertsRegressor(LinearRegression(), n_experts=2, random_state=0)
    drawn = MixtureOfExpertsRegressor(
        make_pipeline(StandardScaler(), LinearRegression()), n_experts=2, random_state=0
    )
    assert LinearRegression().fit(X, BENT).score(X, BENT) < 0.5
    assert weighted.fit(X, BENT).score(X, BENT) > 0.9
    assert drawn.fit(X, BENT).score(X, BENT) > 0.9


def test_experts_that_are_mixtures():
    # Four pieces of a line: two experts of two experts each.
    table = np.linspace(-1, 1, 400)[:, None]
    zigzag = np.abs(np.abs(table[:, 0]) - 0.5)
    inner = MixtureOfExpertsRegressor(LinearRegression(), n_experts=2, max_iter=30)
    tree = MixtureOfExpertsRegressor(inner, n_experts=2, max_iter=10, random_state=0)
    tree.fit(table, zigzag)
    flat = MixtureOfExpertsRegressor(LinearRegression(), n_experts=2, random_state=0)
    assert flat.fit(table, zigzag).score(table, zigzag) < 0.6
    assert tree.score(table, zigzag) > 0.9

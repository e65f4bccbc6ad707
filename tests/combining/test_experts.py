"""Mixtures of experts."""

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from coterie.combining.experts import GateInputs, first_shares, fit_gate
from coterie.data import Table, Target

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(400, 1))
BENT = 2 * np.abs(X[:, 0]) + 0.1 * rng.normal(size=400)


def objective(inputs, target, share, coef, penalty):
    logs = log_softmax(inputs @ coef, axis=1)
    return -(share @ (target * logs).sum(axis=1)) + penalty / 2 * (coef**2).sum()


@pytest.mark.parametrize("n_columns", [3, 400])
def test_no_step_is_downhill_from_the_end(n_columns):
    inputs = np.hstack([np.ones((80, 1)), rng.normal(size=(80, n_columns))])
    target = rng.dirichlet(np.ones(3), 80)
    weight = rng.uniform(0.5, 2, 80)
    start = np.zeros((n_columns + 1, 3))
    found = fit_gate(inputs, target, weight, start, 1e-2)
    share = weight / weight.sum()
    best = objective(inputs, target, share, found, 1e-2)
    for _ in range(20):
        aside = found + 0.05 * rng.normal(size=found.shape)
        assert objective(inputs, target, share, aside, 1e-2) > best
    slope = inputs.T @ ((softmax(inputs @ found, axis=1) - target) * share[:, None]) + 1e-2 * found
    assert np.abs(slope).max() < (1e-12 if n_columns == 3 else 1e-3)


def test_inputs():
    table = Table.read([[1.0, 5.0, 1e308], [3.0, 5.0, -1e308], [np.nan, 5.0, 0.0]])
    learnt = GateInputs.learn(table, np.ones(3))
    assert learnt.columns.tolist() == [0, 2]  # a constant says nothing
    read = learnt.read(table)
    np.testing.assert_allclose(read[:, 0], 1)
    np.testing.assert_allclose(read[:, 1], [-1, 1, 0])
    assert np.isfinite(read).all()


def test_beginnings():
    inputs = np.hstack([np.ones((30, 1)), rng.normal(size=(30, 2))])
    shares = first_shares(inputs, 4, [0, 0])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    order = rng.permutation(30)
    np.testing.assert_array_equal(first_shares(inputs[order], 4, [0, 0]), shares[order])
    assert not np.array_equal(first_shares(inputs, 4, [0, 1]), shares)


@pytest.mark.slow
def test_every_expert_sees_every_row():
    least = []

    class Watching(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            least.append(float(sample_weight.min()))
            return super().fit(X, y, sample_weight)

    table = rng.normal(size=(60, 1))
    MixtureOfExpertsRegressor(Watching(), n_experts=3, random_state=0).fit(table, table[:, 0] ** 2)
    assert min(least) > 0


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_no_line_parts_the_classes():
    table = rng.normal(size=(400, 2))
    labels = np.where(table[:, 0] * table[:, 1] > 0, "same", "other")
    model = MixtureOfExpertsClassifier(
        LogisticRegression(), n_experts=2, n_init=3, random_state=0
    ).fit(table, labels)
    assert LogisticRegression().fit(table, labels).score(table, labels) < 0.65
    assert model.score(table, labels) > 0.9


@pytest.mark.slow
def test_rows_are_drawn_for_experts_that_take_no_weights():
    weighted = MixtureOfExpertsRegressor(LinearRegression(), n_experts=2, random_state=0)
    drawn = MixtureOfExpertsRegressor(
        make_pipeline(StandardScaler(), LinearRegression()), n_experts=2, random_state=0
    )
    assert LinearRegression().fit(X, BENT).score(X, BENT) < 0.5
    assert weighted.fit(X, BENT).score(X, BENT) > 0.9
    assert drawn.fit(X, BENT).score(X, BENT) > 0.9


@pytest.mark.slow
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

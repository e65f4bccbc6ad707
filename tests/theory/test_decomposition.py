"""Error less ambiguity: exact for every sample, on random numbers and on real trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

from coterie import RandomForestRegressor, diversity, theory
from coterie.data.errors import DataError
from tests.diversity.pools import FIGURE, forest_pool, random_pool


def check(parts):
    """The identity for every sample and on average."""
    left = parts.weights @ parts.errors - parts.weights @ parts.ambiguities
    np.testing.assert_allclose(parts.ensemble_errors, left, rtol=1e-12, atol=1e-12)
    scale = max(1.0, abs(parts.mean_error), abs(parts.mean_ambiguity))  # of what cancels
    assert parts.error == pytest.approx(parts.mean_error - parts.mean_ambiguity, abs=1e-12 * scale)


@given(st.integers(0, 10**6), st.sampled_from([(1, 4), (5, 8), (3, 4, 2)]), st.booleans())
def test_identity_on_numbers(seed, shape, signed):
    rng = np.random.default_rng(seed)
    outputs, y = rng.normal(size=shape), rng.normal(size=shape[1:])
    weights = rng.normal(size=shape[0]) + 0.1 if signed else rng.random(shape[0]) + 0.01
    if abs(weights.sum()) < 0.1:
        weights = np.ones(shape[0])
    check(theory.ambiguity(outputs, y, weights / weights.sum(), sample_weight=rng.random(shape[1])))


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 5))
def test_identity_on_votes(seed, n_members, n_classes):
    labels, y = random_pool(seed, n_members, 30, n_classes)
    weights = np.random.default_rng(seed).dirichlet(np.ones(n_members))
    check(theory.vote_ambiguity(labels, y, weights))


def test_real_numbers():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(11, random_state=0).fit(X[::2], y[::2])
    outputs = np.stack([tree.predict(X[1::2]) for tree in forest.estimators_])
    parts = theory.ambiguity(outputs, y[1::2])
    check(parts)
    assert parts.error == pytest.approx(((forest.predict(X[1::2]) - y[1::2]) ** 2).mean())
    assert 0 < parts.cancellation < 1


@pytest.mark.parametrize("table", ["german_credit", "tic_tac_toe"])
def test_real_votes(table):
    labels, y = forest_pool(table)
    parts = theory.vote_ambiguity(labels, y)
    check(parts)
    np.testing.assert_allclose(parts.member_errors, (labels != y).mean(axis=1))
    expected = (len(labels) - 1) / (2 * len(labels)) * diversity.mean_disagreement(labels)
    assert parts.mean_ambiguity == pytest.approx(expected, abs=1e-12)
    # The map can be read off the table of pairs.
    by_pairs = diversity.disagreement(labels).mean(axis=1) - parts.mean_ambiguity
    np.testing.assert_allclose(parts.member_ambiguities, by_pairs, atol=1e-12)


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("helps", (1 / 3, 2 / 9, 1 / 9, 2 / 3)),
        ("nothing", (1 / 3, 0, 1 / 3, 0)),
        ("hurts", (2 / 3, 2 / 9, 4 / 9, 1 / 3)),
    ],
)
def test_the_figure(pool, expected):
    parts = theory.vote_ambiguity(FIGURE[pool], [1, 1, 1])
    found = (parts.mean_error, parts.mean_ambiguity, parts.error, parts.cancellation)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    # Coded as -1 and 1 everything is four times as large.
    signed = theory.ambiguity(2 * np.array(FIGURE[pool]) - 1, [1, 1, 1])
    assert signed.error == pytest.approx(4 * expected[2])


def test_labels_are_one_hot_votes():
    labels, y = random_pool(0)
    weights = np.arange(1, 8) / 28
    hot = theory.vote_ambiguity(np.eye(3)[labels], y, weights, sample_weight=np.arange(60))
    plain = theory.vote_ambiguity(labels, y, weights, sample_weight=np.arange(60))
    for name in ("errors", "ambiguities", "ensemble_errors", "shares"):
        np.testing.assert_allclose(getattr(hot, name), getattr(plain, name), atol=1e-14)
    named = theory.vote_ambiguity(
        np.eye(3)[labels], np.array(["a", "b", "c"])[y], classes=list("abc")
    )
    assert named.error == pytest.approx(theory.vote_ambiguity(labels, y).error)


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(2, 5))
def test_plurality_is_wrong_at_most_four_times_as_often(seed, n_members, n_classes):
    labels, y = random_pool(seed, n_members, 30, n_classes)
    votes = np.stack([(labels == k).sum(axis=0) for k in range(n_classes)])
    own = votes[y, np.arange(30)].copy()
    votes[y, np.arange(30)] = -1
    wrong = (votes.max(axis=0) >= own).mean()
    assert wrong <= 4 * theory.vote_ambiguity(labels, y).error + 1e-12


def test_one_member_has_no_ambiguity():
    parts = theory.ambiguity([[1.0, 2.0]], [0.0, 2.0])
    assert (parts.mean_ambiguity, parts.error) == (0, 0.5)
    assert np.isnan(theory.ambiguity([[1.0]], [1.0]).cancellation)


def test_refusals():
    with pytest.raises(DataError, match="sum to one, not to 2"):
        theory.ambiguity([[1.0], [2.0]], [1.0], [1, 1])
    with pytest.raises(DataError, match="y must have shape"):
        theory.ambiguity([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(DataError, match="only for probabilities"):
        theory.vote_ambiguity([[1], [2]], [1], classes=[1, 2])
    with pytest.raises(DataError, match="not one of the classes"):
        theory.vote_ambiguity([[[0.5, 0.5]]], [2])
    with pytest.raises(DataError, match="increasing order"):
        theory.vote_ambiguity([[[0.5, 0.5]]], ["a"], classes=["b", "a"])

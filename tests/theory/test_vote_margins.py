"""Margins: by hand, against the error, and the bounds they give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import AdaBoostClassifier, theory
from coterie.data.errors import DataError
from tests.boosting.points import TEN_X, TEN_Y, error_stump
from tests.diversity.pools import random_pool


def test_by_hand():
    labels, y = [list("aab"), list("abc"), list("abc")], list("aaa")
    np.testing.assert_allclose(theory.margins(labels, y), [1, -1 / 3, -2 / 3])
    np.testing.assert_allclose(theory.margins(labels, y, [2, 1, 1]), [1, 0, -0.5])
    assert theory.margins([list("aa")], list("aa")).tolist() == [1, 1]


def test_ten_points():
    model = AdaBoostClassifier(error_stump(), n_estimators=3).fit(TEN_X, TEN_Y)
    votes = np.stack([tree.predict(TEN_X) for tree in model.estimators_])
    found = theory.margins(votes, TEN_Y, model.estimator_weights_)
    assert found.min() == pytest.approx(0.075332, abs=1e-6)
    score = model.decision_function(TEN_X)
    np.testing.assert_allclose(found, TEN_Y * score / model.estimator_weights_.sum())


def test_probabilities():
    labels, y = random_pool(0)
    weights = np.arange(7.0)
    hot = theory.margins(np.eye(3)[labels], y, weights)
    np.testing.assert_allclose(hot, theory.margins(labels, y, weights), atol=1e-14)
    names = np.array(["a", "b", "c"])
    named = theory.margins(np.eye(3)[labels], names[y], weights, classes=names)
    np.testing.assert_array_equal(named, hot)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 4))
def test_margins_and_the_vote(seed, n_members, n_classes):
    labels, y = random_pool(seed, n_members, 25, n_classes)
    margins = theory.margins(labels, y)
    assert (np.abs(margins) <= 1 + 1e-12).all()
    votes = np.stack([(labels == k).sum(axis=0) for k in range(n_classes)])
    error = (votes.argmax(axis=0) != y).mean()
    assert (margins < 0).mean() <= error <= (margins <= 0).mean()
    where, share = theory.margin_distribution(margins)
    assert share[-1] == 1
    np.testing.assert_allclose(share, [(margins <= t).mean() for t in where], atol=1e-12)


def test_distribution():
    where, share = theory.margin_distribution([0.5, -1, 0.5, 1], [-2, 0.5, 0.6, 3])
    assert where.tolist() == [-2, 0.5, 0.6, 3]
    assert share.tolist() == [0, 0.75, 0.75, 1]
    _, share = theory.margin_distribution([0.5, -1, 1], sample_weight=[1, 2, 1])
    assert share.tolist() == [0.5, 0.75, 1]


def by_formula(share, theta, n_samples, n_hypotheses, delta, draws):
    logs = np.log(draws * (draws + 1) ** 2 / delta) + draws * np.log(n_hypotheses)
    return share + 2 * np.exp(-draws * theta**2 / 8) + np.sqrt(logs / (2 * n_samples))


def test_margin_bound():
    margins = np.linspace(-0.1, 0.9, 50_000)
    theta = np.array([0.2, 0.4, 0.6])
    found = theory.margin_bound(margins, theta, n_hypotheses=40, delta=0.01)
    for t, value in zip(theta, found, strict=True):
        tried = by_formula((margins <= t).mean(), t, 50_000, 40, 0.01, np.arange(1.0, 5000))
        assert tried.min() - 1e-12 <= value <= tried.min() * 1.001
    assert theory.margin_bound(margins, 0.4, n_hypotheses=40, delta=0.01) == found[1]
    # More hypotheses, fewer samples, more caution: all make it looser.
    base = theory.margin_bound(margins, 0.4, n_hypotheses=40)
    assert base < theory.margin_bound(margins, 0.4, n_hypotheses=400)
    assert base < theory.margin_bound(margins[::2], 0.4, n_hypotheses=40)
    assert base < theory.margin_bound(margins, 0.4, n_hypotheses=40, delta=0.001)
    assert base < theory.margin_bound(margins, 0.4, vc_dimension=2) <= 1
    assert theory.margin_bound(margins[:20], 0.4, n_hypotheses=40) == 1


def test_refusals():
    for given_ in ({}, {"n_hypotheses": 3, "vc_dimension": 2}):
        with pytest.raises(ValueError, match="either n_hypotheses or vc_dimension"):
            theory.margin_bound([0.5], 0.1, **given_)
    with pytest.raises(ValueError, match="at least one"):
        theory.margin_bound([0.5], 0.1, vc_dimension=0)
    with pytest.raises(ValueError, match="delta"):
        theory.margin_bound([0.5], 0.1, vc_dimension=1, delta=0)
    with pytest.raises(DataError, match="above zero"):
        theory.margin_bound([0.5], 0.0, vc_dimension=1)
    with pytest.raises(DataError, match="only for probabilities"):
        theory.margins([[1]], [1], classes=[1])
    with pytest.raises(DataError, match="pass y"):
        theory.margins([[1]], None)
    with pytest.raises(DataError, match="y has 1 labels"):
        theory.margins([[[0.5, 0.5], [1, 0]]], [0])

"""AdaBoost.M1: the definition followed literally, and AdaBoost as the case of two classes."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from coterie import DecisionTreeClassifier
from coterie.boosting.adaboost import AdaBoost
from coterie.boosting.m1 import AdaBoostM1
from coterie.core import member_seeds
from coterie.core.boost import Settings, boost
from coterie.data import Table, Target
from coterie.learners import ForeignLearner


def run(rule, X, y, depth, rounds=8):
    learner = ForeignLearner(DecisionTreeClassifier(max_depth=depth))
    settings = Settings(keep_weights=True)
    seeds = member_seeds(0, 0, rounds)
    table, target = Table.read(X), Target.labels(y)
    return boost(rule, learner, table, target, None, seeds=seeds, settings=settings)


@pytest.mark.slow
def test_rounds_follow_the_definition():
    X, y = load_digits(return_X_y=True)
    done = run(AdaBoostM1(), X, y, depth=6)
    weight = np.full(len(y), 1 / len(y))
    votes = np.zeros((len(y), 10))
    bound = 1.0
    for t, member in enumerate(done.members):
        np.testing.assert_allclose(done.trace.weights[t], weight, rtol=1e-9)
        predicted = member.predict(Table.read(X)).argmax(axis=1)
        wrong = predicted != y
        error = weight[wrong].sum()
        beta = error / (1 - error)
        assert done.trace["error"][t] == pytest.approx(error)
        assert done.alphas[t] == pytest.approx(np.log(1 / beta))
        weight = np.where(wrong, weight, weight * beta)
        weight /= weight.sum()
        assert weight[wrong].sum() == pytest.approx(0.5)
        votes[np.arange(len(y)), predicted] += np.log(1 / beta)
        bound *= 2 * np.sqrt(error * (1 - error))
        assert done.trace["bound"][t] == pytest.approx(bound)
        assert np.mean(votes.argmax(axis=1) != y) <= bound
    np.testing.assert_allclose(done.state.raw, votes)
    expected = np.exp(votes) / np.exp(votes).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(AdaBoostM1().link(votes), expected)


@pytest.mark.slow
def test_two_classes_is_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    first, second = (run(rule, X, y, depth=1) for rule in (AdaBoostM1(0.5), AdaBoost(0.5)))
    np.testing.assert_allclose(first.alphas, second.alphas, rtol=1e-12)
    np.testing.assert_allclose(first.state.weight, second.state.weight, rtol=1e-9)
    np.testing.assert_allclose(first.trace["bound"], second.trace["bound"], rtol=1e-9)


def test_members_worse_than_even_are_refused():
    X, y = load_digits(return_X_y=True)
    done = run(AdaBoostM1(), X, y, depth=1)
    assert (done.members, done.trace.reason) == ([], "too_weak")
    shares = np.bincount(y) / len(y)
    np.testing.assert_allclose(AdaBoostM1().link(done.start[None, :])[0], shares)
    np.testing.assert_allclose(done.state.weight, 1 / len(y))

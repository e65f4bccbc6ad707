"""A booster as one member."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from coterie.boosting import AdaBoostClassifier
from coterie.data import Table, Target
from coterie.imbalance import EasyEnsembleClassifier
from coterie.imbalance.bags import Bag, BagLearner


def fit_bag(booster, X, y, seed=0, weight=None):
    table, target = Table.read(X), Target.labels(y)
    return BagLearner(booster).fit(table, target, weight, np.random.default_rng(seed)), table


def test_a_bag_votes_with_the_score_of_its_booster():
    X, y = load_breast_cancer(return_X_y=True)
    booster = AdaBoostClassifier(n_estimators=5)
    bag, table = fit_bag(booster, X, y)
    alone = AdaBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_allclose(bag.predict(table)[:, 0], alone.decision_function(X))
    np.testing.assert_array_equal(bag.estimator.predict_proba(X), alone.predict_proba(X))
    assert not hasattr(booster, "pool_")
    assert booster.random_state is None


def test_the_shift_is_taken_from_the_score():
    X, y = load_iris(return_X_y=True)
    bag, table = fit_bag(AdaBoostClassifier(n_estimators=3), X, y)
    shifted = Bag(bag.estimator, np.array([0.0, 1.0, 2.0]))
    np.testing.assert_allclose(bag.predict(table) - shifted.predict(table), [[0.0, 1.0, 2.0]] * 150)


def test_a_bag_without_members_has_a_score():
    bag, table = fit_bag(AdaBoostClassifier(), np.zeros((4, 1)), np.array([0, 1, 0, 1]))
    assert len(bag.estimator.pool_) == 0
    np.testing.assert_allclose(bag.predict(table), np.zeros((4, 1)))


def test_same_seed_same_bits():
    X, y = load_iris(return_X_y=True)
    booster = AdaBoostClassifier(n_estimators=3, weighting="resample")
    first, second, third = (pickle.dumps(fit_bag(booster, X, y, seed)[0]) for seed in (0, 0, 1))
    assert first == second
    assert first != third


def test_early_stopping_works_within_a_bag():
    X, y = load_breast_cancer(return_X_y=True)
    booster = AdaBoostClassifier(n_estimators=200, early_stopping=True, n_iter_no_change=3)
    bag, _ = fit_bag(booster, X, y)
    assert bag.estimator.stop_reason_ == "early_stopping"
    assert len(bag.estimator.pool_) < 200


def test_the_booster_is_checked():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="n_estimators"):
        EasyEnsembleClassifier(AdaBoostClassifier(n_estimators=0)).fit(X, y)

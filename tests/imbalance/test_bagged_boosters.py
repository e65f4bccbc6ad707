"""A booster as one member."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification

from coterie.boosting import AdaBoostClassifier
from coterie.data import Table, Target
from coterie.imbalance import BalanceCascadeClassifier, EasyEnsembleClassifier
from coterie.imbalance.bagged_boosters import Bag, BagLearner


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


@pytest.mark.parametrize("shift", [0.0, np.array([0.0, 1.0, 2.0])])
def test_shapley_values_add_up_to_the_score_of_a_bag(shift):
    X, y = load_iris(return_X_y=True)
    bag, table = fit_bag(AdaBoostClassifier(n_estimators=3), X, y)
    bag = Bag(bag.estimator, shift)
    np.testing.assert_allclose(bag.shap(table).sum(axis=1), bag.predict(table))


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


@pytest.mark.slow
@pytest.mark.parametrize("ensemble", [EasyEnsembleClassifier, BalanceCascadeClassifier])
def test_importances_are_those_of_all_members(ensemble):
    X, y = make_classification(600, 6, n_informative=2, weights=[0.8], random_state=0)
    model = ensemble(random_state=0).fit(X, y)
    members = [
        (weight, member.feature_importances_)
        for booster in model.estimators_
        for weight, member in zip(booster.estimator_weights_, booster.estimators_, strict=True)
    ]
    weights, each = (np.array(part) for part in zip(*members, strict=True))
    np.testing.assert_allclose(
        model.feature_importances_, np.average(each, axis=0, weights=weights)
    )
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_importances_without_members():
    model = EasyEnsembleClassifier(n_estimators=2).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert model.feature_importances_.tolist() == [0.0, 0.0]

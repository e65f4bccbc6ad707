"""Answers of everything that has a score come from one place, and agree with one another."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from coterie import (
    AdaBoostClassifier,
    AdaBoostRTRegressor,
    BalanceCascadeClassifier,
    BoostByFilteringClassifier,
    EasyEnsembleClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    MultiBoostClassifier,
    RUSBoostClassifier,
)
from coterie.boosting.predictions import StagedClasses, StagedScores

STAGED = [
    AdaBoostClassifier,
    LogitBoostClassifier,
    MultiBoostClassifier,
    RUSBoostClassifier,
    EasyEnsembleClassifier,
    BalanceCascadeClassifier,
]


def words(load):
    """A table with its classes as words."""
    X, y = load(return_X_y=True)
    return X, np.array(["ant", "bee", "cow"])[y]


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("cls", [*STAGED, BoostByFilteringClassifier])
def test_class_score_and_probability_agree(cls, load):
    X, y = words(load)
    model = cls(random_state=0).fit(X, y)
    score, proba = model.decision_function(X), model.predict_proba(X)
    choice = (score > 0).astype(int) if score.ndim == 1 else score.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[choice])
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    sure = proba.max(axis=1) > 0.5 + 1e-9
    np.testing.assert_array_equal(proba.argmax(axis=1)[sure], choice[sure])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(proba))


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("cls", STAGED)
def test_the_last_stage_is_the_whole(cls, load):
    X, y = words(load)
    model = cls(random_state=0).fit(X, y)
    assert isinstance(model, StagedClasses)
    stages = zip(
        model.staged_decision_function(X),
        model.staged_predict(X),
        model.staged_predict_proba(X),
        model.staged_score(X, y),
        strict=True,
    )
    *_, (score, predicted, proba, accuracy) = stages
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(predicted, model.predict(X))
    np.testing.assert_allclose(proba, model.predict_proba(X), rtol=1e-9)
    assert accuracy == model.score(X, y) == np.mean(predicted == y)


def test_weighted_staged_scores():
    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).uniform(size=len(y))
    model = AdaBoostRTRegressor(n_estimators=4).fit(X, y)
    *_, last = model.staged_score(X, y, weight)
    assert isinstance(model, StagedScores)
    assert last == pytest.approx(model.score(X, y, weight))
    X, y = load_iris(return_X_y=True)
    model = GentleBoostClassifier(n_estimators=2).fit(X, y)
    *_, last = model.staged_score(X, y, weight[:150])
    assert last == pytest.approx(model.score(X, y, weight[:150]))


def test_three_that_vote_have_a_score_without_stages():
    X, y = load_breast_cancer(return_X_y=True)
    model = BoostByFilteringClassifier().fit(X, y)
    assert not hasattr(model, "staged_predict")
    assert set((3 * model.decision_function(X)).round(9)) <= {-3, -1, 1, 3}
    alone = BoostByFilteringClassifier().fit(X, np.ones(len(X)))
    assert (alone.predict(X) == 1).all()
    assert alone.predict_proba(X).tolist() == [[1.0]] * len(X)


@pytest.mark.slow
def test_probabilities_are_linked_scores():
    X, y = load_breast_cancer(return_X_y=True)
    model = EasyEnsembleClassifier(n_estimators=4, random_state=0).fit(X, y)
    for size, (score, proba) in enumerate(
        zip(model.staged_decision_function(X), model.staged_predict_proba(X), strict=True), start=1
    ):
        np.testing.assert_allclose(proba[:, 1], expit(2 * score / size))

"""Ensembles round by round."""

import numpy as np
import pytest

import coterie
from coterie.studio.unrolled import codes_of_scores, margins_of_scores, trace_columns, unroll

CLASSIFIERS = [
    "AdaBoostClassifier",
    "AdaBoostMHClassifier",
    "BaggingClassifier",
    "BrownBoostClassifier",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "LPBoostClassifier",
    "LogitBoostClassifier",
    "MadaBoostClassifier",
    "RandomForestClassifier",
    "RobustBoostClassifier",
    "SoftBoostClassifier",
    "TotalBoostClassifier",
]


@pytest.mark.slow("ERLPBoost", "SoftBoost", "RobustBoost")
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_last_round_says_what_the_model_predicts(name, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(0, 0.5, 60) > 0).astype(int) + (X[:, 1] > 1) * (n_classes - 2)
    model = getattr(coterie, name)(n_estimators=6)
    # What would be chosen by a dozen fits is given.
    given = {"random_state": 0, "nu": 0.3, "error_goal": 0.2}
    model.set_params(**{name: given[name] for name in given.keys() & model.get_params().keys()})
    model.fit(X, y)
    told = unroll(model, X, 100)
    assert told.scores.shape == told.votes.shape
    np.testing.assert_array_equal(
        model.classes_[codes_of_scores(told.scores[-1])], model.predict(X)
    )


@pytest.mark.parametrize(
    "name", ["GradientBoostingRegressor", "BaggingRegressor", "AdaBoostRegressor"]
)
def test_last_round_of_numbers(name, wave):
    model = getattr(coterie, name)(n_estimators=5, random_state=0).fit(*wave)
    told = unroll(model, wave[0], 100)
    np.testing.assert_allclose(told.scores[-1, :, 0], model.predict(wave[0]))


def test_rounds_beyond_the_most_are_left_out(moons):
    model = coterie.AdaBoostClassifier(n_estimators=9).fit(*moons)
    assert unroll(model, moons[0], 4).n_rounds == 4
    assert len(trace_columns(model.trace_, 4)["error"]) == 4
    assert "seconds" not in trace_columns(model.trace_, 4)


def test_margins_of_many_classes():
    scores = np.array([[0.5, 0.3, 0.2], [0.1, 0.7, 0.2]])
    np.testing.assert_allclose(margins_of_scores(scores, np.array([0, 2])), [0.2, -0.5])

"""Bias and variance by training on other samples."""

import numpy as np
import pytest

from coterie import AdaBoostClassifier, BaggingRegressor, DecisionTreeRegressor, explore
from coterie.studio.explorer import Explorer
from coterie.studio.retraining import retrained
from coterie.studio.scene import Rows
from coterie.studio.toys import toy
from tests.studio.scenes import unpack


def test_bagging_lowers_the_variance_round_by_round():
    X, y = toy("wave", n=120, spread=0.3)
    model = BaggingRegressor(DecisionTreeRegressor(), n_estimators=8, random_state=0)
    found = retrained(model, Rows(X, y), (0,), resolution=20, repeats=6)
    assert found["rounds"] == 8
    assert found["half"] == 45
    np.testing.assert_allclose(
        np.add(found["bias"], found["variance"]), found["error"], rtol=1e-4, atol=1e-6
    )
    assert found["variance"][-1] < 0.7 * found["variance"][0]
    # Where all trainings agree there is no variance: it is the spread of their curves.
    curves = unpack(found)["curves"]
    assert curves.shape == (6, 8, 20)
    assert curves[:, -1].var(axis=0).mean() == pytest.approx(found["variance"][-1], rel=0.5)


def test_classes_are_counted(moons):
    page = explore(AdaBoostClassifier(n_estimators=3), *moons, resolution=8).retrain(3)
    found = page.scenes[0]["retrained"]
    held = len(moons[1]) // 4
    shares = np.array(found["bias"]) * held
    np.testing.assert_allclose(shares, np.round(shares), atol=1e-3)
    assert found["arrays"] == {}
    assert '"retrained"' in page.html()


def test_ensembles_that_stop_early_stay_as_they_are():
    # Separable: every booster stops after its first round.
    X = np.arange(80.0)[:, None]
    found = retrained(AdaBoostClassifier(n_estimators=5), Rows(X, X[:, 0] > 40), (0,), repeats=2)
    assert len(found["error"]) == found["rounds"]


def test_what_is_missing_is_said(moons):
    few = Rows(moons[0][:40], moons[1][:40])
    with pytest.raises(ValueError, match="60 rows or more"):
        retrained(AdaBoostClassifier(), few, (0, 1))
    with pytest.raises(ValueError, match="repeats must lie between 2 and 100, not 1"):
        retrained(AdaBoostClassifier(), Rows(*moons), (0, 1), repeats=1)
    with pytest.raises(ValueError, match="models are needed"):
        Explorer([{}]).retrain()

"""Scenes hold what the model did."""

import numpy as np
import pytest

import coterie
from coterie.studio.scene import Rows, scene_of
from tests.studio.scenes import unpack


def test_decisions_errors_and_weights_are_the_models(moons):
    X, y = moons
    model = coterie.AdaBoostClassifier(n_estimators=8, trace="weights").fit(X[:80], y[:80])
    scene = scene_of(model, Rows(X[:80], y[:80], X[80:], y[80:]), resolution=16)
    arrays = unpack(scene)
    for t, said in enumerate(model.staged_predict(X)):
        np.testing.assert_array_equal(arrays["decided"][t], said)
        assert scene["errors"]["train"][t] == pytest.approx((said[:80] != y[:80]).mean(), abs=1e-6)
        assert scene["errors"]["held"][t] == pytest.approx((said[80:] != y[80:]).mean(), abs=1e-6)
    np.testing.assert_allclose(scene["facts"]["alpha"], model.estimator_weights_, rtol=1e-5)
    size = (arrays["weights"] / 1000.0) ** 2
    np.testing.assert_allclose(size, np.array(model.trace_.weights) * 80, atol=0.01)
    members = [member.predict(X) for member in model.estimators_]
    np.testing.assert_array_equal(arrays["said"], members)
    assert scene["certificate"]["kind"] == "bound"


def test_regions_are_what_the_model_says_there(moons):
    X, y = moons
    model = coterie.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    scene = scene_of(model, Rows(X, y), resolution=12)
    codes = unpack(scene)["region"][-1] // 128
    x0, x1, y0, y1 = scene["box"]
    middle = (np.arange(12) + 0.5) / 12
    grid = np.array([[x0 + a * (x1 - x0), y0 + b * (y1 - y0)] for b in middle for a in middle])
    np.testing.assert_array_equal(codes, model.predict(grid))
    assert scene["emphasis"] == "number of times in the member's bag"


def test_margins_are_adaboosts(moons):
    X, y = moons
    model = coterie.AdaBoostClassifier(n_estimators=6).fit(X, y)
    arrays = unpack(scene_of(model, Rows(X, y), resolution=8))
    score = model.decision_function(X) / model.estimator_weights_.sum()
    np.testing.assert_allclose(
        arrays["margin"][-1] / 127, np.where(y > 0, 1, -1) * score, atol=0.005
    )


def test_one_column_is_a_band(wave):
    x, z = wave
    model = coterie.AdaBoostClassifier(n_estimators=3).fit(x, z > 0)
    scene = scene_of(model, Rows(x, z > 0), resolution=20)
    assert scene["flat"]
    assert unpack(scene)["region"].shape == (3, 20)


def test_numbers_have_curves_and_residuals(wave):
    x, z = wave
    model = coterie.GradientBoostingRegressor(n_estimators=4).fit(x, z)
    scene = scene_of(model, Rows(x, z), resolution=20)
    arrays = unpack(scene)
    assert scene["adds"]
    np.testing.assert_allclose(arrays["fitted"][-1], model.predict(x), rtol=1e-5)
    bag = coterie.BaggingRegressor(n_estimators=4, random_state=0).fit(x, z)
    assert not scene_of(bag, Rows(x, z), resolution=20)["adds"]


def test_labels_the_model_does_not_know_are_refused(moons):
    X, y = moons
    model = coterie.AdaBoostClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="does not know"):
        scene_of(model, Rows(X, y + 5), resolution=8)


def test_adaboost_from_elsewhere_is_replayed(moons):
    from sklearn.ensemble import AdaBoostClassifier

    X, y = moons
    model = AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    scene = scene_of(model, Rows(X, y), resolution=8)
    np.testing.assert_allclose(scene["facts"]["error"], model.estimator_errors_, rtol=1e-5)
    assert scene["emphasis"] == "weight before the round"


def test_a_stack_is_told_from_the_vote_of_its_members(moons):
    X, y = moons
    members = [(name, coterie.AdaBoostClassifier(n_estimators=1)) for name in "abcde"]
    members.append(("bag", coterie.BaggingClassifier(random_state=0)))
    stack = coterie.StackingClassifier(members).fit(X, y)
    assert "differently" in scene_of(stack, Rows(X, y), resolution=8)["note"]
    bag = coterie.BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert scene_of(bag, Rows(X, y), resolution=8)["note"] == ""

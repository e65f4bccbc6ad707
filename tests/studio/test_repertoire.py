"""Methods of the studio."""

import pytest

from coterie.studio.fitting import fit_with_weights
from coterie.studio.repertoire import METHODS, REGRESSORS, method
from coterie.studio.scene import Rows, scene_of
from coterie.studio.toys import toy


@pytest.mark.slow("ERLPBoost", "SoftBoost", "RobustBoost")
@pytest.mark.parametrize("name", METHODS)
def test_every_method_makes_a_scene(name):
    X, y = toy("moons", n=50, noise=0.2)
    model = fit_with_weights(method(name, 4, 2), X, y)
    scene = scene_of(model, Rows(X, y), resolution=8)
    # Some are done before the last round.
    assert 1 <= scene["rounds"] <= (1 if name == "one tree" else 4)
    assert scene["emphasis"]


@pytest.mark.parametrize("name", REGRESSORS)
def test_every_regressor_makes_a_scene(name):
    X, y = toy("wave", n=50)
    model = fit_with_weights(method(name, 4, 2, numbers=True), X, y)
    scene = scene_of(model, Rows(X, y), (0,), resolution=8)
    assert scene["rounds"] == (1 if name == "one tree" else 4)
    assert scene["task"] == "regression"


def test_unknown_methods_are_named():
    with pytest.raises(ValueError, match="no method 'x'"):
        method("x", 1, 1)

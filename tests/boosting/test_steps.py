"""Step rules: what each does along a line, and that every rule of boosting takes them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from coterie.boosting import BoostingClassifier
from coterie.boosting.costs import AdaC2
from coterie.boosting.generic import RULES
from coterie.boosting.line_search import Line
from coterie.boosting.logit import LogitBoost
from coterie.boosting.steps import Backtracking, FixedStep, LineSearch, OwnStep, step_rule
from coterie.core.rule import Rule
from coterie.losses import Exponential

LOADS = [load_breast_cancer, load_iris]
# The length of a step and the time that it takes are one question for these.
OWN = ["brown", "robust"]
STEERED = [name for name in RULES if name not in OWN]


def line_of(error, n=1000, loss=None):
    """The loss along a member that is wrong on this share of the rows."""
    right = np.where(np.arange(n) < error * n, -1.0, 1.0)
    return Line(loss or Exponential(), np.zeros(n), right, np.full(n, 1 / n))


def test_line_search_finds_the_formula_of_adaboost():
    assert LineSearch().length(line_of(0.2), 99.0) == pytest.approx(0.5 * np.log(4))
    # A member without error lowers the loss for ever: then the rule's own step is taken.
    assert LineSearch().length(line_of(0.0), 2.5) == 2.5
    assert LineSearch().length(line_of(0.6), 1.0) == 0.0


def test_backtracking_halves_until_the_loss_falls():
    line = line_of(0.2)
    assert Backtracking().length(line, 0.5) == 0.5
    at = Backtracking().length(line, 8.0)
    assert at in (8.0 / 2**k for k in range(1, 9))
    assert line.value(at) < line.value(0.0) <= line.value(2 * at)
    # It must fall by a share of what the slope promises.
    at = Backtracking(0.9).length(line, 0.5)
    promised = 0.9 * line.slope(0.0)
    assert line.value(at) <= line.value(0.0) + at * promised
    assert line.value(2 * at) > line.value(0.0) + 2 * at * promised
    # No step helps; one so short that the loss only seems to fall, by rounding, does no harm.
    assert Backtracking().length(line_of(0.5), 1.0) < 1e-6


def test_names_and_numbers():
    assert step_rule("own") == OwnStep()
    assert step_rule(0.25) == FixedStep(0.25)
    assert step_rule(Backtracking(0.1)) == Backtracking(0.1)
    assert FixedStep(0.3).length(line_of(0.9), 1.0) == 0.3
    assert OwnStep().length(line_of(0.9), 1.5) == 1.5


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("rule", ["adaboost", "m1", "m2", "mh"])
def test_a_formula_that_is_a_line_search(rule, load):
    """The members' weights of these rules minimise their losses where votes are -1 and +1."""
    X, y = load(return_X_y=True)
    stumps = {"n_estimators": 6, "rule": rule}
    own = BoostingClassifier(**stumps).fit(X, y)
    searched = BoostingClassifier(step="line_search", **stumps).fit(X, y)
    if rule == "m2":  # votes of probabilities: the formula minimises a bound on the loss
        gain = own.trace_["loss"][0] - searched.trace_["loss"][0]
        assert gain > (1e-6 if load is load_breast_cancer else -1e-12)
        return
    np.testing.assert_allclose(searched.estimator_weights_, own.estimator_weights_, rtol=1e-6)
    np.testing.assert_array_equal(searched.predict(X), own.predict(X))


@pytest.mark.parametrize("rule", OWN)
def test_rules_that_run_out_of_time_make_their_own_steps(rule):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="Use step='own'"):
        BoostingClassifier(rule=rule, step="line_search").fit(X, y)


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("step", ["line_search", "backtracking"])
@pytest.mark.parametrize("rule", [*STEERED, "logistic", "squared_hinge"])
def test_the_loss_never_rises(rule, step, load):
    X, y = load(return_X_y=True)
    model = BoostingClassifier(rule=rule, step=step, n_estimators=15).fit(X, y)
    losses = model.trace_["loss"]
    assert np.all(np.diff(losses) <= 1e-12)
    assert len(losses) > 1


def test_full_newton_steps_may_overshoot_and_others_do_not():
    """Without a limit on responses the third step of the iris flowers goes wrong."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    rule = LogitBoost(z_max=np.inf)
    full = BoostingClassifier(rule=rule, n_estimators=3).fit(X, y).trace_["loss"]
    np.testing.assert_allclose(full, [0.260605, 0.144471, 0.158699], atol=1e-6)
    for step in ("backtracking", "line_search"):
        model = BoostingClassifier(rule=rule, step=step, n_estimators=3).fit(X, y)
        assert np.all(np.diff(model.trace_["loss"]) < 0)


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("rule", [*STEERED, "savage"])
def test_fixed_steps(rule, load):
    X, y = load(return_X_y=True)
    params = {"n_estimators": 5, "learning_rate": 0.5}
    model = BoostingClassifier(rule=rule, step=0.2, **params).fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_, 0.1)
    np.testing.assert_allclose(model.trace_["alpha"], 0.1)
    if "bound" in model.trace_.names:
        assert np.all(model.trace_["train_error"] <= model.trace_["bound"] + 1e-12)


def test_steps_go_with_every_other_choice():
    X, y = load_breast_cancer(return_X_y=True)
    model = BoostingClassifier(
        rule="gentle",
        step="line_search",
        weighting="resample",
        learning_rate=0.5,
        n_estimators=10,
        random_state=0,
        warm_start=True,
    ).fit(X, y)
    first = model.estimator_weights_
    assert len(set(first.round(9))) == 10
    model.set_params(n_estimators=12).fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_[:10], first, rtol=1e-9)


class Lone(Rule):
    """A rule that knows no loss."""


def test_rules_without_a_loss_have_their_own_steps_only():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="Lone"):
        BoostingClassifier(rule=Lone(), step=0.1).fit(X, y)
    with pytest.raises(ValueError, match="AdaC2"):
        BoostingClassifier(rule=AdaC2(), step="line_search").fit(X, y)
    for bad in ("newton", 0.0, -1.0, None, True):
        with pytest.raises(ValueError, match="step"):
            BoostingClassifier(step=bad).fit(X, y)

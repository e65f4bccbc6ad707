"""Cost-sensitive boosting: worked examples, identities of every round, everyday use."""

import warnings
from contextlib import suppress
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from coterie.boosting import AdaBoostClassifier
from coterie.boosting.costs import (
    CSB2,
    RULES,
    AdaC1,
    AdaC2,
    AdaC3,
    AdaCost,
    CostSensitiveBoostClassifier,
    row_costs,
)
from coterie.core.params import ParameterError
from coterie.core.rule import normalised
from coterie.data import Target
from coterie.trees import DecisionTreeClassifier
from tests.boosting.points import TEN_X, TEN_Y

METHODS = list(RULES)
COST = {1: 1.0, -1: 0.5}
# "x1 <= 2.5 is positive" on the ten points: wrong on P3, P4 and P5.
FORCED = np.where(TEN_X[:, :1] <= 2.5, 1.0, -1.0)


def tell_forced(rule, weight=None):
    weight = np.full(10, 0.1) if weight is None else weight
    state = rule.begin(Target.labels(TEN_Y), weight)
    return state, rule.tell(state, FORCED, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("rule", "alpha", "weights"),
    [
        (AdaC1(cost=COST), 0.151140, (0.087326, 0.118147, 0.094181)),
        (AdaC2(cost=COST), 0.202733, (0.111111, 0.166667, 0.055556)),
        (AdaC3(cost=COST), 0.033346, (0.129050, 0.137950, 0.065610)),
    ],
)
def test_worked_examples(rule, alpha, weights):
    state, step = tell_forced(rule)
    assert step.alpha == pytest.approx(alpha, abs=1e-6)
    expected = [weights[0]] * 2 + [weights[1]] * 3 + [weights[2]] * 5
    np.testing.assert_allclose(state.weight, expected, atol=1e-6)


def test_worked_example_of_csb2():
    # Weights that are uniform once multiplied by the costs.
    initial = normalised(np.where(TEN_Y == 1, 0.5, 1.0))
    state, step = tell_forced(CSB2(cost={1: 2.0, -1: 1.0}), initial)
    assert step.alpha == pytest.approx(0.423649, abs=1e-6)
    expected = [0.047619] * 2 + [0.222222] * 3 + [0.047619] * 5
    np.testing.assert_allclose(state.weight, expected, atol=1e-6)


def test_adacost_with_costs_near_one_has_no_edge():
    rule = AdaCost(cost=None)
    cost = np.where(TEN_Y == 1, 1.0, 0.5)
    state = rule.begin(Target.labels(TEN_Y), np.full(10, 0.1))
    state.weight, state.cost = normalised(cost), cost
    before = state.raw
    step = rule.tell(state, FORCED, np.random.default_rng(0))
    assert step.facts["edge"] == pytest.approx(-0.316667, abs=1e-6)
    assert step.facts["error"] < 0.5
    assert (step.keep, step.stop) == (False, "too_weak")
    assert state.raw is before


def test_adacost_scales_costs_and_says_so():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(UserWarning, match="largest is 1/2"):
        CostSensitiveBoostClassifier(method="adacost", cost={0: 3.0}, n_estimators=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CostSensitiveBoostClassifier(
            method="adacost", cost={0: 0.5, 1: 0.1}, n_estimators=20
        )
        model.fit(X, y)
    assert len(model.estimators_) == 20
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("method", ["adac1", "adac2", "adac3", "csb2"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_equal_costs_make_it_adaboost(method, load):
    X, y = load(return_X_y=True)
    stumps = {"estimator": DecisionTreeClassifier(max_depth=1), "n_estimators": 10}
    plain = AdaBoostClassifier(**stumps).fit(X, y)
    model = CostSensitiveBoostClassifier(method=method, cost=None, **stumps).fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_, plain.estimator_weights_)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X))


def rounds(method, cost):
    """What is known before and after every round on a real table."""
    X, y = load_breast_cancer(return_X_y=True)
    model = CostSensitiveBoostClassifier(
        method=method, cost=cost, n_estimators=12, trace="weights"
    ).fit(X, y)
    row_cost = np.array([cost[label] for label in y])
    weights = model.trace_.weights
    assert len(weights) > 6
    for t, member in enumerate(model.estimators_[: len(weights) - 1]):
        right = np.where(member.predict(X) == y, 1.0, -1.0)
        yield model.estimator_weights_[t], weights[t], weights[t + 1], right, row_cost


def test_half_of_the_weight_of_adac2_is_on_the_mistakes():
    for alpha, before, after, right, cost in rounds("adac2", {0: 1.0, 1: 0.2}):
        assert after[right < 0].sum() == pytest.approx(0.5)
        costly = cost * before
        # The exact minimiser: the derivative vanishes.
        assert costly @ (right * np.exp(-alpha * right)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_updates_of_every_round(method):
    costs = {"csb2": {0: 5.0, 1: 1.0}, "adacost": {0: 0.5, 1: 0.1}}.get(method, {0: 1.0, 1: 0.2})
    for alpha, before, after, right, cost in rounds(method, costs):
        new = {
            "adac1": before * np.exp(-alpha * cost * right),
            "adac2": cost * before * np.exp(-alpha * right),
            "adac3": cost * before * np.exp(-alpha * cost * right),
            "csb2": before * np.exp(-alpha * right) * np.where(right < 0, cost, 1.0),
            "adacost": before * np.exp(-alpha * right * (0.5 - 0.5 * right * cost)),
        }[method]
        np.testing.assert_allclose(after, new / new.sum())


@pytest.mark.parametrize("method", ["csb2", "adacost"])
def test_costs_at_the_start(method):
    X, y = load_breast_cancer(return_X_y=True)
    cost = {0: 0.5, 1: 0.1}
    model = CostSensitiveBoostClassifier(method=method, cost=cost, n_estimators=1, trace="weights")
    first = model.fit(X, y).trace_.weights[0]
    expected = np.where(y == 0, 5.0, 1.0)
    np.testing.assert_allclose(first, expected / expected.sum())


# AdaC1 begins without costs and is slow to bring them in.
@pytest.mark.parametrize("method", ["cgada", *METHODS[1:]])
def test_costly_mistakes_become_rare(method):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :2]  # too little to tell the classes apart
    missed = []
    for cost in ({0: 0.05, 1: 0.5}, {0: 0.5, 1: 0.05}):
        model = CostSensitiveBoostClassifier(method=method, cost=cost, n_estimators=8).fit(X, y)
        missed.append(np.mean(model.predict(X[y == 0]) == 1))
    assert missed[1] < missed[0] - 0.1


def test_balanced_costs():
    target = Target.labels(np.array(["a", "a", "a", "b"]))
    np.testing.assert_allclose(row_costs("balanced", target, None), [2 / 3] * 3 + [2.0])
    np.testing.assert_allclose(row_costs({"b": 3.0}, target, None), [1, 1, 1, 3])
    weight = np.array([1.0, 1.0, 1.0, 3.0])
    np.testing.assert_allclose(row_costs("balanced", target, weight), 1.0)


@pytest.mark.parametrize("cost", [{0: -1.0}, {0: 0.0}, {0: np.nan}, {0: np.inf}, {7: 2.0}])
def test_bad_costs(cost):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ParameterError, match="cost="):
        CostSensitiveBoostClassifier(cost=cost).fit(X, y)


def test_trace_knows_error_and_cost():
    X, y = load_breast_cancer(return_X_y=True)
    model = CostSensitiveBoostClassifier(cost={0: 4.0}, n_estimators=6, method="adac2").fit(X, y)
    for t, predicted in enumerate(model.staged_predict(X)):
        cost = np.where(y == 0, 4.0, 1.0)
        wrong = predicted != y
        assert model.trace_["train_error"][t] == pytest.approx(wrong.mean())
        assert model.trace_["train_cost"][t] == pytest.approx(cost[wrong].sum() / cost.sum())


@pytest.mark.parametrize("method", ["cgada", "adamec", *METHODS])
def test_stages_and_warm_start(method):
    X, y = load_wine(return_X_y=True)
    settings = {"estimator": DecisionTreeClassifier(max_depth=1), "method": method}
    whole = CostSensitiveBoostClassifier(**settings, n_estimators=8).fit(X, y)
    stages = list(whole.staged_decision_function(X))
    shorter = CostSensitiveBoostClassifier(**settings, n_estimators=3).fit(X, y)
    np.testing.assert_allclose(stages[2], shorter.decision_function(X))
    shorter.set_params(warm_start=True, n_estimators=8).fit(X, y)
    np.testing.assert_array_equal(shorter.predict_proba(X), whole.predict_proba(X))


@pytest.mark.slow
def test_early_stopping_watches_the_cost():
    X, y = load_breast_cancer(return_X_y=True)
    model = CostSensitiveBoostClassifier(
        n_estimators=200, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert np.argmin(model.trace_["validation_error"]) == len(model.estimators_) - 1


@pytest.mark.slow
def test_any_classifier_is_a_member():
    X, y = load_breast_cancer(return_X_y=True)
    model = CostSensitiveBoostClassifier(KNeighborsClassifier(9), n_estimators=3, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.9


def test_an_unlearnable_target_is_answered_by_cost():
    X, y = np.zeros((30, 1)), np.array([0] * 20 + [1] * 10)
    cheap = CostSensitiveBoostClassifier(cost={0: 4.0}).fit(X, y)
    dear = CostSensitiveBoostClassifier(cost={1: 4.0}).fit(X, y)
    assert set(cheap.predict(X)) == {0}
    assert set(dear.predict(X)) == {1}


@pytest.mark.slow
@pytest.mark.contract
@pytest.mark.parametrize("method", ["adac1", "adac2", "adac3", "csb2", "adacost"])
def test_scikit_learn_checks(method):
    """The default, which is calibrated, is among all exported estimators."""
    small = CostSensitiveBoostClassifier(method=method, n_estimators=5)
    for estimator, check in estimator_checks_generator(small):
        with suppress(SkipTest):  # of what is not installed; the others go on
            check(estimator)

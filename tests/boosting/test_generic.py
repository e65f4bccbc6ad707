"""The generic booster: named rules are the named boosters, and rules of the user work."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV

from coterie.boosting.adaboost import AdaBoost, AdaBoostClassifier
from coterie.boosting.anyboost import AnyBoost, AnyBoostClassifier
from coterie.boosting.brown import BrownBoostClassifier
from coterie.boosting.costs import RULES as COST_RULES
from coterie.boosting.costs import CostSensitiveBoostClassifier
from coterie.boosting.generic import RULES, BoostingClassifier
from coterie.boosting.gentle import GentleBoostClassifier
from coterie.boosting.logit import LogitBoost, LogitBoostClassifier
from coterie.boosting.m2 import AdaBoostM2Classifier
from coterie.boosting.mada import MadaBoostClassifier
from coterie.boosting.mh import AdaBoostMHClassifier
from coterie.boosting.multiboost import MultiBoostClassifier
from coterie.boosting.real import RealAdaBoostClassifier
from coterie.boosting.robust import RobustBoostClassifier
from coterie.losses import MARGIN_LOSSES, Savage
from coterie.trees import DecisionTreeClassifier

NAMED = {
    "adaboost": AdaBoostClassifier,
    "m2": AdaBoostM2Classifier,
    "mh": AdaBoostMHClassifier,
    "real": RealAdaBoostClassifier,
    "gentle": GentleBoostClassifier,
    "logit": LogitBoostClassifier,
    "mada": MadaBoostClassifier,
    "brown": BrownBoostClassifier,
    # "auto" tries several goals, and steps are shorter by default.
    "robust": partial(RobustBoostClassifier, error_goal=0.1, learning_rate=1.0),
}
#: Rules that are content with a tenth of mistakes.
CLOCKED = ("brown", "robust")


def check_same(generic, named, load, **params):
    """Two boosters are one: members, weights, scores and traces."""
    X, y = load(return_X_y=True)
    params = {"n_estimators": 6, "random_state": 0, **params}
    generic.set_params(**params).fit(X, y)
    named.set_params(**params).fit(X, y)
    np.testing.assert_array_equal(generic.estimator_weights_, named.estimator_weights_)
    np.testing.assert_array_equal(generic.decision_function(X), named.decision_function(X))
    np.testing.assert_array_equal(generic.predict(X), named.predict(X))
    assert generic.stop_reason_ == named.stop_reason_
    facts, others = generic.trace_.columns(), named.trace_.columns()
    assert facts.keys() == others.keys()
    for name in facts.keys() - {"seconds"}:
        np.testing.assert_array_equal(facts[name], others[name])


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("params", [{}, {"learning_rate": 0.5, "subsample": 0.7}])
def test_named_rules_are_the_named_boosters(name, load, params):
    check_same(BoostingClassifier(rule=name), NAMED[name](), load, **params)
    resampled = {"weighting": "resample", "max_restarts": 2, "max_bins": 20}
    check_same(BoostingClassifier(rule=name), NAMED[name](), load, **resampled)


@pytest.mark.parametrize("name", MARGIN_LOSSES)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_losses_are_descended_as_anyboost_does(name, load):
    check_same(BoostingClassifier(rule=name), AnyBoostClassifier(loss=name), load)
    generic = BoostingClassifier(rule=MARGIN_LOSSES[name])
    check_same(generic, AnyBoostClassifier(loss=name), load, learning_rate=0.3)


@pytest.mark.parametrize("method", COST_RULES)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_costs_are_a_setting_as_well(method, load):
    named = CostSensitiveBoostClassifier(method=method)
    check_same(BoostingClassifier(rule=COST_RULES[method]()), named, load)


def test_every_rule_has_its_name():
    assert set(RULES) == {*NAMED, "m1"}
    X, y = load_breast_cancer(return_X_y=True)
    # Of two classes AdaBoost.M1 is AdaBoost; MultiBoost has no more than one sub-committee here.
    model = BoostingClassifier(rule="m1", n_estimators=3).fit(X, y)
    stump = DecisionTreeClassifier(max_depth=1)
    for named in (AdaBoostClassifier, MultiBoostClassifier):
        expected = named(stump, n_estimators=3).fit(X, y).decision_function(X)
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-12)


def test_rule_objects_bring_their_own_parameters():
    X, y = load_breast_cancer(return_X_y=True)
    generic = BoostingClassifier(rule=LogitBoost(0.5, z_max=2.0), n_estimators=5).fit(X, y)
    named = LogitBoostClassifier(learning_rate=0.5, z_max=2.0, n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(generic.decision_function(X), named.decision_function(X))
    savage = BoostingClassifier(rule=AnyBoost(loss=Savage()), n_estimators=5).fit(X, y)
    named = AnyBoostClassifier(loss="savage", n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(savage.decision_function(X), named.decision_function(X))


@dataclass(frozen=True)
class Timid(AdaBoost):
    """AdaBoost whose members all weigh little."""

    def tell(self, state, vote, rng):
        return type(self).__mro__[1](0.1).tell(state, vote, rng)


def test_rules_of_the_user():
    X, y = load_iris(return_X_y=True)
    model = BoostingClassifier(rule=Timid(), n_estimators=8, early_stopping=True, random_state=0)
    model.fit(X, y)
    assert model.score(X, y) > 0.6
    assert model.trace_["alpha"].max() < 1
    assert clone(model).rule == Timid()


@pytest.mark.slow
def test_rule_can_be_searched_for():
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(BoostingClassifier(n_estimators=5), {"rule": [*RULES, Timid()]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.parametrize("rule", ["bagging", AdaBoost, None, 1])
def test_rules_that_are_none(rule):
    with pytest.raises(ValueError, match="rule"):
        BoostingClassifier(rule=rule).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_longer_fits_go_on_from_shorter_ones(name, load):
    X, y = load(return_X_y=True)
    whole = BoostingClassifier(rule=name, n_estimators=8, random_state=0).fit(X, y)
    parts = BoostingClassifier(rule=name, n_estimators=3, random_state=0, warm_start=True)
    parts.fit(X, y).set_params(n_estimators=8).fit(X, y)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9)
    *_, last = whole.staged_predict_proba(X)
    np.testing.assert_allclose(last, whole.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("name", RULES)
def test_missing_values_and_categories(name):
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame.loc[::7, "a"] = np.nan
    frame["d"] = pandas.cut(X[:, 3], 4, labels=["w", "x", "y", "z"])
    model = BoostingClassifier(rule=name, n_estimators=10).fit(frame, y)
    assert model.score(frame, y) > (0.85 if name in CLOCKED else 0.9)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("weighting", ["reweight", "resample"])
def test_weighting_is_free_to_choose(name, weighting):
    X, y = load_breast_cancer(return_X_y=True)
    model = BoostingClassifier(
        rule=name, weighting=weighting, n_estimators=15, max_restarts=3, random_state=0
    )
    assert model.fit(X, y).score(X, y) > (0.9 if name in CLOCKED else 0.93)


@pytest.mark.parametrize("name", CLOCKED)
def test_rules_with_a_clock_do_not_go_beyond_their_steps(name):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="learning_rate=1.5 is too large"):
        BoostingClassifier(rule=name, learning_rate=1.5).fit(X, y)

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LogisticRegression

from coterie import (
    DecisionTreeRegressor,
    HistGradientBoostingRegressor,
    RuleFitClassifier,
    RuleFitRegressor,
)


@pytest.fixture(scope="module")
def steps():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(400, 4)), columns=["heat", "age", "dust", "rain"])
    y = 3.0 * ((X["heat"] > 0.5) & (X["age"] <= 0.4)) + 2.0 * X["rain"]
    return X, (y + 0.1 * rng.normal(size=400)).to_numpy()


def test_what_made_the_data_is_found(steps):
    X, y = steps
    model = RuleFitRegressor(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    first, second = model.terms_[:2]
    assert {first.kind, second.kind} == {"rule", "linear"}
    line = first if first.kind == "linear" else second
    assert line.text == "rain"
    assert line.coefficient == pytest.approx(2.0, abs=0.2)
    rule = second if first.kind == "linear" else first
    assert "heat > 0.5" in rule.text
    assert "age <= 0.4" in rule.text or "age <= 0.39" in rule.text
    assert model.feature_importances_[2] < 0.05
    assert f"times {line.text}" in model.to_text(2)
    assert len(model.to_text(2).splitlines()) == 3


def test_importance_is_what_a_rule_moves(steps):
    X, y = steps
    model = RuleFitRegressor(random_state=0).fit(X, y)
    for term in model.terms_:
        if term.kind == "rule":
            wanted = abs(term.coefficient) * np.sqrt(term.support * (1 - term.support))
            assert term.importance == pytest.approx(wanted)
    found = [term.importance for term in model.terms_]
    assert found == sorted(found, reverse=True)


@pytest.mark.slow
def test_penalty_and_parts(steps):
    X, y = steps
    few = RuleFitRegressor(random_state=0, alpha=0.5).fit(X, y)
    many = RuleFitRegressor(random_state=0, alpha=0.01).fit(X, y)
    assert 0 < len(few.terms_) < len(many.terms_)
    assert not RuleFitRegressor(random_state=0, alpha=1.0).fit(X, y).terms_
    rules = RuleFitRegressor(random_state=0, linear=False, max_conditions=1).fit(X, y)
    assert all(term.kind == "rule" for term in rules.terms_)
    assert not any(" and " in term.text for term in rules.terms_)


def test_rules_of_a_given_ensemble():
    X, y = make_friedman1(400, random_state=0)
    booster = HistGradientBoostingRegressor(max_iter=60, max_leaf_nodes=4)
    model = RuleFitRegressor(booster, random_state=0).fit(X[:200], y[:200])
    tree = DecisionTreeRegressor(random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > tree.score(X[200:], y[200:])
    with pytest.raises(TypeError, match="no native trees"):
        RuleFitClassifier(LogisticRegression()).fit(X, y > 14)


@pytest.mark.slow
def test_classes(steps):
    X, y = steps
    two = RuleFitClassifier(random_state=0).fit(X, np.where(y > 2, "high", "low"))
    assert two.score(X, np.where(y > 2, "high", "low")) > 0.9
    assert isinstance(two.terms_[0].coefficient, float)
    labels = np.digitize(y, [0.8, 2.5])
    three = RuleFitClassifier(random_state=0).fit(X, labels)
    assert three.score(X, labels) > 0.85
    assert len(three.terms_[0].coefficient) == 3
    np.testing.assert_allclose(three.predict_proba(X).sum(axis=1), 1)

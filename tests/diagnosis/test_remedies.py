import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import coterie
from coterie.diagnosis.case import Case
from coterie.diagnosis.ensemble_predictions import outcome_of
from coterie.diagnosis.remedies import remedies

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1200, 3))
SCORE = X[:, 0] + RNG.normal(size=1200)
Y = (SCORE > 0).astype(int)
ROWS = (X[:600], Y[:600], X[600:], Y[600:])


def tried(model, rows=ROWS):
    X_train, y_train, X_test, y_test = rows
    model.fit(X_train, y_train)
    case = Case.of(outcome_of(model, X_test), y_test)
    return remedies(model, case, X_test, X_train, y_train)


@pytest.mark.slow
def test_a_remedy_is_what_a_refit_gives():
    found = tried(DecisionTreeClassifier(random_state=0))
    assert {r.change for r in found} == {
        "min_samples_leaf=10",
        "max_depth=5",
        "a RandomForestClassifier",
    }
    errors = [r.error.value for r in found]
    assert errors == sorted(errors)
    shallow = DecisionTreeClassifier(max_depth=5, random_state=0).fit(*ROWS[:2])
    alone = DecisionTreeClassifier(random_state=0).fit(*ROWS[:2])
    error, own = 1 - shallow.score(*ROWS[2:]), 1 - alone.score(*ROWS[2:])
    (remedy,) = [r for r in found if r.change == "max_depth=5"]
    assert remedy.error.value == pytest.approx(error)
    assert remedy.gain.value == pytest.approx(own - error)


@pytest.mark.slow
def test_parameters_are_those_of_the_model():
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=8, random_state=0)),
        {"decisiontreeclassifier__min_samples_leaf": [4]},
        cv=2,
    )
    assert {r.change for r in tried(grid)} == {
        "decisiontreeclassifier__min_samples_leaf=20",
        "decisiontreeclassifier__max_depth=4",
    }
    share = tried(DecisionTreeRegressor(min_samples_leaf=0.01, max_depth=2))
    assert [r.change for r in share if "=" in r.change] == ["min_samples_leaf=30"]


def test_what_cannot_be_tried_is_not():
    assert tried(LogisticRegression()) == []
    few = tried(DecisionTreeClassifier(max_depth=2), tuple(part[:60] for part in ROWS))
    assert [r.change for r in few] == ["a RandomForestClassifier"]  # no leaves of ten rows


@pytest.mark.slow
def test_advice_is_verified():
    def told(model, **more):
        X_train, y_train, X_test, y_test = ROWS
        model.fit(X_train, y_train)
        found = coterie.diagnose(model, X_test, y_test, X_train=X_train, y_train=y_train, **more)
        return found["overfitting?"]

    deep = told(DecisionTreeClassifier(random_state=0))
    assert not deep.fine
    best = min(deep.numbers["remedies"], key=deep.numbers["remedies"].get)
    assert f"Use {best}: in a refit" in deep.advice
    assert deep.numbers["remedies"][best] < deep.numbers["error"]
    assert "Regularise" in told(DecisionTreeClassifier(random_state=0), verify=False).advice


@pytest.mark.slow
def test_learning_by_heart_may_be_harmless():
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(random_state=0).fit(X[::2], y[::2])
    found = coterie.diagnose(model, X[1::2], y[1::2], X_train=X[::2], y_train=y[::2])
    finding = found["overfitting?"]
    assert (finding.verdict, finding.fine, finding.advice) == ("harmless", True, "")
    assert finding.numbers["training"] < 0.01 < finding.numbers["error"]
    assert min(finding.numbers["remedies"].values()) > 0.5 * finding.numbers["error"]

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from coterie import SirusClassifier, SirusRegressor
from coterie.interpretation.sirus import independent


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_list(cancer):
    X, y = cancer
    first, second = (SirusClassifier(300, random_state=3).fit(X, y) for _ in range(2))
    assert first.to_text() == second.to_text()
    assert (np.diff(first.frequencies_) <= 0).all()
    assert (first.frequencies_ > 0.02).all()


@pytest.mark.slow
def test_lists_are_stable(cancer):
    """Two halves of the rows agree on most of the rules, up to where they are cut."""
    X, y = cancer
    coarse = np.round(X.rank(pct=True) * 10)  # the same cuts in both halves
    halves = [SirusClassifier(500, random_state=i).fit(coarse[i::2], y[i::2]) for i in range(2)]
    first, second = ({term.text for term in half.terms_[:10]} for half in halves)
    assert len(first & second) >= 4


def test_probabilities_are_the_mean_of_the_rules(cancer):
    X, y = cancer
    model = SirusClassifier(200, random_state=0).fit(X, y)
    member = model.pool_.member(0)
    held = member.rules(X)
    said = []
    for rule in held.T:
        inside, outside = y[rule].mean(), y[~rule].mean()
        said.append(np.where(rule, inside, outside))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], np.mean(said, axis=0))
    line = model.to_text(1)
    assert line == f"if {model.terms_[0].text} then {y[held[:, 0]].mean():.4g} else " + (
        f"{y[~held[:, 0]].mean():.4g}"
    )


def test_without_rules_the_base_rate_remains(cancer):
    X, y = cancer
    model = SirusClassifier(20, p0=1.0, random_state=0).fit(X, y)
    assert model.n_rules_ == 0
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], y.mean())
    X, y = load_diabetes(return_X_y=True)
    constant = SirusRegressor(20, p0=1.0, random_state=0).fit(X, y)
    np.testing.assert_allclose(constant.predict(X), y.mean())


@pytest.mark.slow
def test_rules_are_independent(cancer):
    X, y = cancer
    model = SirusClassifier(300, max_rules=40, random_state=0).fit(X, y)
    held = model.pool_.member(0).rules(X)
    assert np.linalg.matrix_rank(np.column_stack([np.ones(len(X)), held])) == 1 + held.shape[1]
    first = np.array([1, 1, 0, 0], dtype=bool)
    second = np.array([1, 0, 1, 0], dtype=bool)
    both = np.column_stack(
        [first, ~first, second, first & second, first | second, np.ones(4, bool)]
    )
    assert independent(both, np.full(4, 0.25), 9).tolist() == [0, 2, 3]
    assert independent(both, np.full(4, 0.25), 1).tolist() == [0]


@pytest.mark.slow
def test_regression_weights_are_not_negative():
    X, y = load_diabetes(return_X_y=True)
    model = SirusRegressor(300, random_state=0).fit(X, y)
    member = model.pool_.member(0)
    assert (member.weights >= 0).all()
    assert model.score(X, y) > 0.35
    assert np.mean(model.predict(X)) == pytest.approx(y.mean())
    ridged = SirusRegressor(300, ridge=100.0, random_state=0).fit(X, y)
    assert np.std(ridged.predict(X)) < np.std(model.predict(X))


def test_three_classes_and_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"kind": pd.Categorical(rng.choice(list("abc"), 150)), "x": rng.normal(size=150)}
    )
    y = X["kind"].map({"a": "ash", "b": "box", "c": "cob"}).to_numpy()
    model = SirusClassifier(200, p0=0.2, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert "kind in {" in model.to_text()
    assert model.feature_importances_[0] > 0.9

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression

from coterie import (
    DistilledClassifier,
    DistilledRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    fidelity,
)


@pytest.mark.parametrize("student", ["tree", "rules", "linear"])
def test_students_imitate_a_forest(student):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    model = DistilledClassifier(forest, student=student, prefit=True, max_size=8, random_state=0)
    model.fit(X[::2], y[::2])
    assert fidelity(model, forest, X[1::2]) > 0.9
    assert 0.85 < model.fidelity_ <= 1
    assert model.size_ <= (30 if student == "linear" else 8)
    assert any(name in model.to_text() for name in X.columns)


@pytest.mark.parametrize("student", ["tree", "rules", "linear"])
def test_students_of_regressors(student):
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(50, random_state=0).fit(X, y)
    model = DistilledRegressor(forest, student=student, prefit=True, random_state=0).fit(X, y)
    assert fidelity(model, forest, X) > 0.6
    assert model.to_text()


def test_the_mean_of_linear_models_is_found_again():
    X, y = load_diabetes(return_X_y=True)
    teacher = BaggingRegressor(LinearRegression(), n_estimators=5, random_state=0).fit(X, y)
    model = DistilledRegressor(teacher, student="linear", prefit=True, mu=0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), teacher.predict(X))
    wanted = np.mean([member.coef_ for member in teacher.estimators_], axis=0)
    found = {term.text: term.coefficient for term in model.terms_}
    np.testing.assert_allclose([found[f"x{j}"] for j in range(10)], wanted, rtol=1e-6)
    assert model.fidelity_ == pytest.approx(1)


@pytest.mark.slow
def test_larger_students_are_truer():
    X, y = load_breast_cancer(return_X_y=True)
    found = [
        DistilledClassifier(max_size=size, random_state=0).fit(X, y).fidelity_ for size in (2, 64)
    ]
    assert found[0] < found[1]


@pytest.mark.slow
def test_temperature_is_passed_on():
    X, y = load_breast_cancer(return_X_y=True)
    plain, warm = (
        DistilledClassifier(temperature=tau, random_state=0).fit(X, y).predict_proba(X)
        for tau in (1.0, 4.0)
    )
    assert np.abs(warm - 0.5).mean() < np.abs(plain - 0.5).mean()


def test_categories_have_terms_of_their_own():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": rng.choice(["ash", "elm", "oak"], 200), "x": rng.normal(size=200)})
    y = X["x"] + 2.0 * (X["kind"] == "elm")
    model = DistilledRegressor(student="linear", mu=0, random_state=0).fit(X, y)
    assert "if kind in {elm}" in model.to_text()
    assert model.score(X, y) > 0.9


def test_fidelity_compares_like_with_like():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="must be classifiers"):
        fidelity(forest, RandomForestRegressor(5).fit(X, y), X)
    assert fidelity(forest, forest, X) == 1.0

"""Negative correlation learning on real tables."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import cross_val_score

from coterie.bagging import NegativeCorrelationClassifier, NegativeCorrelationRegressor

PENALTIES = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0]


def halves():
    X, y = load_diabetes(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


def member_answers(model, X):
    return model.pool_.votes(model._admit(X))


def ambiguity(model, X):
    said = member_answers(model, X)
    return float(((said - said.mean(axis=0)) ** 2).sum(axis=2).mean())


def test_ambiguity_grows_with_the_penalty():
    X, y, X_new, _ = halves()
    models = [
        NegativeCorrelationRegressor(penalty=p, max_iter=100, random_state=0).fit(X, y)
        for p in PENALTIES
    ]
    assert np.all(np.diff([model.trace_["ambiguity"][-1] for model in models]) > 0)
    assert np.all(np.diff([ambiguity(model, X_new) for model in models]) > 0)


def test_ambiguity_of_classifiers_grows_with_the_penalty():
    X, y = load_breast_cancer(return_X_y=True)
    found = [
        ambiguity(
            NegativeCorrelationClassifier(penalty=p, max_iter=40, random_state=0).fit(
                X[::2], y[::2]
            ),
            X[1::2],
        )
        for p in (0.0, 0.5, 1.0)
    ]
    assert found[0] < found[1] < found[2]


def test_prediction_is_the_mean_and_ambiguity_what_it_gains():
    X, y, X_new, y_new = halves()
    model = NegativeCorrelationRegressor(max_iter=30, random_state=0).fit(X, y)
    said = member_answers(model, X_new)[:, :, 0]
    np.testing.assert_allclose(model.predict(X_new), said.mean(axis=0))
    gain = ((said - y_new) ** 2).mean() - ((model.predict(X_new) - y_new) ** 2).mean()
    assert gain == pytest.approx(ambiguity(model, X_new))


def test_learns_as_well_as_a_network_should():
    X, y = load_wine(return_X_y=True)
    model = NegativeCorrelationClassifier(random_state=0)
    assert cross_val_score(model, X, y, cv=5).mean() > 0.95
    X, y, X_new, y_new = halves()
    assert NegativeCorrelationRegressor(random_state=0).fit(X, y).score(X_new, y_new) > 0.35


def test_without_penalty_fewer_members_are_the_first_of_more():
    X, y, X_new, _ = halves()
    few, many = (
        NegativeCorrelationRegressor(n_members=n, penalty=0.0, max_iter=10, random_state=0).fit(
            X, y
        )
        for n in (2, 5)
    )
    np.testing.assert_allclose(member_answers(many, X_new)[:2], member_answers(few, X_new))
    joint = NegativeCorrelationRegressor(n_members=2, penalty=0.9, max_iter=10, random_state=0)
    assert not np.allclose(member_answers(joint.fit(X, y), X_new), member_answers(few, X_new))


def test_exact_gradient_is_the_other_with_another_penalty():
    X, y, X_new, _ = halves()
    exact = NegativeCorrelationRegressor(
        n_members=5, gradient="exact", penalty=0.5, max_iter=10, random_state=0
    )
    other = NegativeCorrelationRegressor(n_members=5, penalty=0.8, max_iter=10, random_state=0)
    np.testing.assert_allclose(exact.fit(X, y).predict(X_new), other.fit(X, y).predict(X_new))


@pytest.mark.parametrize(
    ("settings", "limit"),
    [({"penalty": 1.01}, "more than 1 "), ({"penalty": 0.63, "gradient": "exact"}, "0.625")],
)
def test_penalties_that_tear_members_apart_are_refused(settings, limit):
    X, y, *_ = halves()
    model = NegativeCorrelationRegressor(n_members=5, max_iter=1, **settings)
    with pytest.raises(ValueError, match=limit):
        model.fit(X, y)


def test_target_is_back_in_its_own_units():
    X, y, X_new, _ = halves()
    plain = NegativeCorrelationRegressor(max_iter=20, random_state=0).fit(X, y)
    moved = NegativeCorrelationRegressor(max_iter=20, random_state=0).fit(X, 1e6 + 1e3 * y)
    np.testing.assert_allclose(moved.predict(X_new), 1e6 + 1e3 * plain.predict(X_new), rtol=1e-6)


def test_several_numbers_at_once():
    X, y, X_new, _ = halves()
    model = NegativeCorrelationRegressor(max_iter=50, random_state=0)
    both = model.fit(X, np.column_stack([y, -y])).predict(X_new)
    assert both.shape == (len(X_new), 2)
    assert np.corrcoef(both.T)[0, 1] < -0.8


def test_categories_and_holes_are_inputs():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    x = rng.normal(size=300)
    x[::5] = np.nan
    y = np.where(colour == "red", "yes", np.where(np.isnan(x), "yes", "no"))
    frame = pandas.DataFrame({"x": x, "colour": colour})
    model = NegativeCorrelationClassifier(random_state=0).fit(frame[:200], y[:200])
    assert model.score(frame[200:], y[200:]) > 0.97
    assert len(model.estimators_) == 10

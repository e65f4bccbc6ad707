"""Output smearing: how much noise, and what is left without it."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVR

from coterie import BaggingClassifier, DecisionTreeClassifier, DecisionTreeRegressor
from coterie.bagging import OutputSmearingClassifier, OutputSmearingRegressor
from coterie.bagging.smearing import Smear, trimmed_deviation
from coterie.data import Target
from coterie.diversity import mean_disagreement


def test_deviation_without_the_extremes():
    values = np.arange(1.0, 41.0)[:, None]
    np.testing.assert_allclose(trimmed_deviation(values, None, 0.0), values.std())
    np.testing.assert_allclose(trimmed_deviation(values, None, 0.05), values[1:-1].std())
    wild = np.where(values > 39, 1e9, values)
    np.testing.assert_allclose(trimmed_deviation(wild, None, 0.05), values[1:-1].std())


def test_deviation_counts_weights_as_rows():
    rng = np.random.default_rng(0)
    values, times = rng.normal(size=(30, 2)), rng.integers(1, 5, 30)
    repeated = np.repeat(values, times, axis=0)
    np.testing.assert_allclose(
        trimmed_deviation(values, times.astype(float), 0.1),
        trimmed_deviation(repeated, None, 0.1),
    )


def test_noise_has_the_deviation_asked_for():
    rng = np.random.default_rng(0)
    smeared = Smear(np.array([2.0, 0.0]))(Target.numbers(np.zeros((50_000, 2))), rng)
    np.testing.assert_allclose(smeared.values.std(axis=0), [2.0, 0.0], rtol=0.02)


def test_labels_become_indicators_with_noise_by_class():
    X = np.zeros((10, 1))
    y = np.repeat([0, 1, 2], [5, 3, 2])
    change = OutputSmearingClassifier()._change(Target.labels(y), None)
    np.testing.assert_allclose(change.deviation, [0.5, 0.458258, 0.4], atol=1e-6)
    assert (
        OutputSmearingClassifier(n_estimators=101, random_state=0).fit(X, y).predict(X).tolist()
        == [0] * 10
    )


@pytest.mark.slow
def test_members_repeat_the_noise_they_were_given():
    X, y = load_diabetes(return_X_y=True)
    model = OutputSmearingRegressor(n_estimators=50, noise=0.5, random_state=0).fit(X, y)
    # Trees grown in full repeat what they were given.
    noise = np.stack([member.predict(X) for member in model.estimators_]) - y
    expected = 0.5 * trimmed_deviation(y[:, None], None, 0.05)[0]
    assert noise.std() == pytest.approx(expected, rel=0.03)
    assert abs(np.corrcoef(noise[0], noise[1])[0, 1]) < 0.2


def test_without_noise_all_members_are_the_tree():
    X, y = load_diabetes(return_X_y=True)
    model = OutputSmearingRegressor(n_estimators=3, noise=0.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), DecisionTreeRegressor().fit(X, y).predict(X))


def test_without_noise_members_are_gini_trees():
    X, y = load_wine(return_X_y=True)
    for depth in (1, 2, 4):
        model = OutputSmearingClassifier(
            DecisionTreeRegressor(max_depth=depth), n_estimators=3, noise=0.0
        )
        tree = DecisionTreeClassifier(max_depth=depth).fit(X, y)
        np.testing.assert_allclose(
            model.fit(X, y).predict_proba(X), tree.predict_proba(X), atol=1e-12
        )


@pytest.mark.slow
def test_better_than_one_tree():
    X, y = load_diabetes(return_X_y=True)
    tree = cross_val_score(DecisionTreeRegressor(random_state=0), X, y, cv=5).mean()
    assert cross_val_score(OutputSmearingRegressor(random_state=0), X, y, cv=5).mean() > tree + 0.3
    X, y = load_wine(return_X_y=True)
    assert cross_val_score(OutputSmearingClassifier(random_state=0), X, y, cv=5).mean() > 0.94


def test_members_differ_more_than_bagged_ones():
    X, y = load_wine(return_X_y=True)
    smeared = OutputSmearingClassifier(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    bagged = BaggingClassifier(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    ours = np.stack([m.predict(X[1::2]).argmax(axis=1) for m in smeared.estimators_])
    theirs = np.stack([m.predict(X[1::2]) for m in bagged.estimators_])
    assert mean_disagreement(ours) > 1.4 * mean_disagreement(theirs)


def test_probabilities_come_from_mean_outputs():
    X, y = load_wine(return_X_y=True)
    model = OutputSmearingClassifier(n_estimators=20, noise=1.0, random_state=0).fit(X, y)
    outputs = np.mean([member.predict(X) for member in model.estimators_], axis=0)
    positive = np.maximum(outputs, 0)
    expected = positive / positive.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected)
    np.testing.assert_array_equal(model.predict(X), outputs.argmax(axis=1))


def test_where_all_outputs_are_negative_the_class_shares_decide():
    X, y = load_wine(return_X_y=True)
    model = OutputSmearingClassifier(n_estimators=2, random_state=0).fit(X, y)
    found = model._probabilities(np.array([[-1.0, -2.0, -1.0], [-1.0, 3.0, 1.0]]))
    np.testing.assert_allclose(found, [np.bincount(y) / len(y), [0, 0.75, 0.25]])


@pytest.mark.parametrize("member", [Ridge(), SVR()])
def test_regressors_of_one_or_many_outputs(member):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = OutputSmearingClassifier(member, n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97


def test_classification_trees_are_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="DecisionTreeRegressor"):
        OutputSmearingClassifier(DecisionTreeClassifier()).fit(X, y)


@pytest.mark.slow
def test_with_bags_there_are_rows_outside():
    X, y = load_wine(return_X_y=True)
    model = OutputSmearingClassifier(bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    assert model.oob_score_ > 0.92
    np.testing.assert_allclose(model.oob_decision_function_.sum(axis=1), 1)

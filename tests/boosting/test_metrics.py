"""Metrics on held-out rows: what they say, which way is better, and when they end boosting."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import (
    balanced_accuracy_score,
    fbeta_score,
    log_loss,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
)
from sklearn.model_selection import train_test_split

from coterie.boosting import (
    AdaBoostClassifier,
    AdaBoostMHClassifier,
    AdaBoostRegressor,
    AdaBoostRTRegressor,
    AnyBoostClassifier,
    CostSensitiveBoostClassifier,
    LogitBoostClassifier,
    MultiBoostClassifier,
)
from coterie.boosting.metrics import Metric, read_metrics, some_metrics

X, Y = load_breast_cancer(return_X_y=True)
LEARN, HELD, Y_LEARN, Y_HELD = train_test_split(X, Y, test_size=0.4, random_state=0)


def test_names_and_their_directions():
    read = read_metrics(("error", "roc_auc", "log_loss", "neg_log_loss"))
    assert [(m.fact, m.larger) for m in read] == [
        ("validation_error", False),
        ("validation_roc_auc", True),
        ("validation_log_loss", False),
        ("validation_neg_log_loss", True),
    ]
    assert read_metrics(None) == (Metric("error"),)
    assert read_metrics(make_scorer(fbeta_score, beta=2))[0].fact == "validation_score_1"
    with pytest.raises(ValueError, match="twice"):
        read_metrics(["error", "error"])


def test_best_is_the_first_of_the_best():
    values = np.array([2.0, 1.0, 3.0, 1.0, 3.0])
    assert Metric("loss").best(values) == 1
    assert Metric("score", larger=True).best(values) == 2


@pytest.mark.parametrize("bad", ["nonsense", [], 3, ["error", 2], ["error", "nonsense"], ""])
def test_what_is_no_metric(bad):
    assert not some_metrics.admits(bad)
    with pytest.raises(ValueError, match="metrics"):
        AdaBoostClassifier(metrics=bad).fit(X, Y)


@pytest.mark.parametrize("booster", [AdaBoostClassifier, LogitBoostClassifier])
@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_are_those_of_the_stages(booster, weighted):
    weight = np.random.default_rng(0).uniform(0.2, 3, len(HELD)) if weighted else None
    names = ["error", "log_loss", "roc_auc", "balanced_accuracy"]
    model = booster(n_estimators=8, metrics=names)
    model.fit(LEARN, Y_LEARN, X_val=HELD, y_val=Y_HELD, sample_weight_val=weight)
    trace = model.trace_
    for t, proba in enumerate(model.staged_predict_proba(HELD)):
        chosen = proba.argmax(axis=1)
        expected = [
            np.average(chosen != Y_HELD, weights=weight),
            log_loss(Y_HELD, proba, sample_weight=weight),
            roc_auc_score(Y_HELD, proba[:, 1], sample_weight=weight),
            balanced_accuracy_score(Y_HELD, chosen, sample_weight=weight),
        ]
        measured = [trace[f"validation_{name}"][t] for name in names]
        np.testing.assert_allclose(measured, expected, rtol=1e-9, atol=1e-12)


def test_many_classes_and_text_labels():
    iris, species = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[species]
    model = AdaBoostClassifier(n_estimators=4, metrics=["log_loss", "roc_auc_ovr"])
    model.fit(iris[::2], names[::2], X_val=iris[1::2], y_val=names[1::2])
    proba = model.predict_proba(iris[1::2])
    assert model.trace_["validation_log_loss"][-1] == pytest.approx(log_loss(names[1::2], proba))
    area = roc_auc_score(names[1::2], proba, multi_class="ovr")
    assert model.trace_["validation_roc_auc_ovr"][-1] == pytest.approx(area)


def test_numbers():
    X, y = load_diabetes(return_X_y=True)
    for booster in (AdaBoostRegressor, AdaBoostRTRegressor):
        model = booster(n_estimators=6, metrics=["mean_squared_error", "r2", "error"])
        model.fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
        stages = list(model.staged_predict(X[1::2]))
        squares = [mean_squared_error(y[1::2], stage) for stage in stages]
        np.testing.assert_allclose(model.trace_["validation_mean_squared_error"], squares)
        scores = list(model.staged_score(X[1::2], y[1::2]))
        np.testing.assert_allclose(model.trace_["validation_r2"], scores)
        errors = [np.abs(y[1::2] - stage).mean() for stage in stages]
        np.testing.assert_allclose(model.trace_["validation_error"], errors)


def test_own_functions_see_the_ensemble_of_the_round():
    seen = []

    def margin(estimator, X, y):
        seen.append(estimator.decision_function(X).copy())
        assert estimator.predict(X).shape == y.shape == (len(HELD),)
        return np.mean(np.where(y == 1, seen[-1], -seen[-1]))

    model = AdaBoostClassifier(n_estimators=3, metrics=margin)
    model.fit(LEARN, Y_LEARN, X_val=HELD, y_val=Y_HELD)
    np.testing.assert_allclose(seen, list(model.staged_decision_function(HELD)), rtol=1e-9)
    assert np.all(np.diff(model.trace_["validation_margin"]) > 0)


def test_functions_may_ask_about_the_rows_held_out_only():
    def nosy(estimator, X, y):
        return float(np.mean(estimator.predict(X[:5]) == y[:5]))

    with pytest.raises(ValueError, match="rows it was given"):
        AdaBoostClassifier(metrics=nosy, early_stopping=True).fit(X, Y)


def fit_noisy(metrics, **params):
    noisy = np.where(np.random.default_rng(0).random(len(Y_LEARN)) < 0.2, 1 - Y_LEARN, Y_LEARN)
    model = AdaBoostClassifier(
        n_estimators=200, early_stopping=True, metrics=metrics, n_iter_no_change=5, **params
    )
    return model.fit(LEARN, noisy, X_val=HELD, y_val=Y_HELD)


def test_the_first_metric_decides():
    rounds = {}
    for names in (["error"], ["roc_auc"], ["error", "roc_auc"], ["roc_auc", "error"]):
        model = fit_noisy(names)
        assert model.stop_reason_ == "early_stopping"
        values = model.trace_[f"validation_{names[0]}"]
        best = values.min() if names[0] == "error" else values.max()
        assert values[-1] == best
        rounds[tuple(names)] = model.n_rounds_
    assert rounds["error", "roc_auc"] == rounds["error",]
    assert rounds["roc_auc", "error"] == rounds["roc_auc",]


def test_undefined_metrics_are_refused():
    def undefined(estimator, X, y):
        return np.nan

    with pytest.raises(ValueError, match="not defined"):
        AdaBoostClassifier(metrics=undefined, early_stopping=True).fit(X, Y)


def test_no_probabilities_no_log_loss():
    model = AnyBoostClassifier(loss="sigmoid", metrics="log_loss", early_stopping=True)
    with pytest.raises(ValueError, match="probabilities"):
        model.fit(X, Y)


def test_costs_are_the_error_of_cost_sensitive_boosting():
    model = CostSensitiveBoostClassifier(n_estimators=3, cost={0: 5.0})
    model.fit(LEARN, Y_LEARN, X_val=HELD, y_val=Y_HELD)
    wrong = model.predict(HELD) != Y_HELD
    expected = np.average(wrong, weights=np.where(Y_HELD == 0, 5.0, 1.0))
    assert model.trace_["validation_error"][-1] == pytest.approx(expected)


def test_sub_committees_are_measured_by_their_mean():
    model = MultiBoostClassifier(n_estimators=12, metrics=["log_loss", "error"], random_state=0)
    model.fit(LEARN, Y_LEARN, X_val=HELD, y_val=Y_HELD)
    expected = [log_loss(Y_HELD, proba) for proba in model.staged_predict_proba(HELD)]
    np.testing.assert_allclose(model.trace_["validation_log_loss"], expected)


def test_several_labels():
    iris, species = load_iris(return_X_y=True)
    labels = np.eye(3, dtype=int)[species]
    model = AdaBoostMHClassifier(n_estimators=3, metrics=["error", "f1_macro"])
    model.fit(iris[::2], labels[::2], X_val=iris[1::2], y_val=labels[1::2])
    wrong = model.predict(iris[1::2]) != labels[1::2]
    assert model.trace_["validation_error"][-1] == pytest.approx(wrong.mean())
    assert 0 < model.trace_["validation_f1_macro"][-1] <= 1

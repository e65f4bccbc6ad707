"""Metrics against scikit-learn's, and their intervals."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_wine
from sklearn.metrics import get_scorer
from sklearn.naive_bayes import GaussianNB

from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS, check_metric, find_metric
from coterie.core import ParameterError

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 300)
CHANCES = RNG.dirichlet([1, 1, 1], 300)
CHANCES[np.arange(300), CODES] += 0.5
CHANCES /= CHANCES.sum(axis=1, keepdims=True)
WEIGHT = RNG.uniform(0.1, 2, 300)
Y = RNG.gamma(2.0, size=300)
SAID = Y + RNG.normal(0, 0.3, 300)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_scores_are_those_of_scikit_learn(weight):
    own = {name: metric(CODES, CHANCES, weight) for name, metric in CLASS_METRICS.items()}
    said = CHANCES.argmax(axis=1)
    assert own["log_loss"] == pytest.approx(metrics.log_loss(CODES, CHANCES, sample_weight=weight))
    assert own["accuracy"] == pytest.approx(
        metrics.accuracy_score(CODES, said, sample_weight=weight)
    )
    assert own["error"] == pytest.approx(1 - own["accuracy"])
    squares = ((CHANCES - np.eye(3)[CODES]) ** 2).sum(axis=1)
    assert own["brier"] == pytest.approx(np.average(squares, weights=weight))
    assert own["f1"] == pytest.approx(
        metrics.f1_score(CODES, said, average="macro", sample_weight=weight)
    )
    assert own["roc_auc"] == pytest.approx(
        metrics.roc_auc_score(CODES, CHANCES, multi_class="ovr", sample_weight=weight)
    )
    numbers = {name: metric(Y, SAID, weight) for name, metric in NUMBER_METRICS.items()}
    assert numbers["rmse"] == pytest.approx(
        metrics.root_mean_squared_error(Y, SAID, sample_weight=weight)
    )
    assert numbers["mae"] == pytest.approx(
        metrics.mean_absolute_error(Y, SAID, sample_weight=weight)
    )
    assert numbers["r2"] == pytest.approx(metrics.r2_score(Y, SAID, sample_weight=weight))


def test_loss_turns_what_should_be_large():
    assert CLASS_METRICS["accuracy"].loss(CODES, CHANCES) == -CLASS_METRICS["accuracy"](
        CODES, CHANCES
    )
    assert CLASS_METRICS["log_loss"].loss(CODES, CHANCES) == CLASS_METRICS["log_loss"](
        CODES, CHANCES
    )


def test_two_classes_have_one_area():
    codes, second = CODES % 2, CHANCES[:, 1]
    both = np.column_stack([1 - second, second])
    assert CLASS_METRICS["roc_auc"](codes, both) == pytest.approx(
        metrics.roc_auc_score(codes, second)
    )
    assert np.isnan(CLASS_METRICS["roc_auc"](np.zeros(300, dtype=int), both))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log_loss", "accuracy", "roc_auc"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(name):
    """Of many samples from one population, about 95 % have it inside."""
    metric, rng = CLASS_METRICS[name], np.random.default_rng(1)
    n = 200_000
    codes = rng.integers(0, 2, n)
    second = 1 / (1 + np.exp(-(2 * codes - 1) - rng.normal(0, 1.5, n)))
    both = np.column_stack([1 - second, second])
    true, inside = metric(codes, both), []
    for start in range(0, 60 * 300, 300):
        rows = slice(start, start + 300)
        low, high = metric.interval(codes[rows], both[rows])
        assert low < metric(codes[rows], both[rows]) < high
        inside.append(low < true < high)
    assert np.mean(inside) > 0.85


@pytest.mark.parametrize("name", ["accuracy", "roc_auc"])
def test_intervals_reach_as_far_to_either_side(name):
    """Of a mean of rows, and of a score that is drawn again and again."""
    codes, second = CODES % 2, CHANCES[:, 1]
    both = np.column_stack([1 - second, second])
    low, high = CLASS_METRICS[name].interval(codes, both)
    assert low < high
    assert (low + high) / 2 == pytest.approx(CLASS_METRICS[name](codes, both))


def test_unknown_metrics_are_refused():
    with pytest.raises(ValueError, match="rmse"):
        find_metric("rmse", "classification")
    assert find_metric("auto", "classification").name == "log_loss"


@pytest.mark.parametrize("weight", [None, np.array([1.0, 2.0, 3.0, 1.0, 5.0])])
def test_classes_that_are_absent_from_some_rows_do_not_count(weight):
    """Of three classes only two are there, and the third is predicted."""
    codes, said = np.array([0, 0, 2, 2, 2]), np.array([0, 1, 2, 1, 2])
    balanced = CLASS_METRICS["balanced_accuracy"]
    assert np.isclose(
        balanced(codes, np.eye(3)[said], weight),
        metrics.recall_score(codes, said, labels=[0, 2], average="macro", sample_weight=weight),
    )


def test_one_row_has_no_interval_where_it_has_no_score():
    """Without a warning."""
    low, high = NUMBER_METRICS["r2"].interval(np.ones(1), np.ones((1, 1)))
    assert np.isnan([low, high]).all()


@pytest.mark.parametrize("name", ["f1_macro", "roc_auc_ovr", "neg_log_loss", "balanced_accuracy"])
def test_scorers_of_scikit_learn_are_metrics(name):
    X, y = load_wine(return_X_y=True)
    model = GaussianNB().fit(X[::2], y[::2])
    expected = get_scorer(name)(model, X[1::2], y[1::2])
    found = find_metric(name, "classification")(y[1::2], model.predict_proba(X[1::2]))
    assert found == pytest.approx(expected)


def test_names_that_are_nearly_right_are_told():
    with pytest.raises(ParameterError, match="Did you mean 'neg_mean_absolute_error'"):
        find_metric("neg_mean_absolut_error", "regression")


def test_a_metric_that_does_not_suit_the_target_is_refused_at_once():
    metric = find_metric("f1", "classification")
    assert metric is CLASS_METRICS["f1"]
    scorer = find_metric("precision", "classification")
    check_metric(scorer, np.array([0, 1, 1]), 2)
    with pytest.raises(ParameterError, match="metric='precision'"):
        check_metric(scorer, np.array([0, 1, 2]), 3)

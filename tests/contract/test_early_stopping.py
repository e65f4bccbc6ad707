"""One vocabulary of scoring and early stopping in every booster, and what it does."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import (
    balanced_accuracy_score,
    log_loss,
    mean_squared_error,
    roc_auc_score,
)
from sklearn.model_selection import train_test_split

from coterie import HistGradientBoostingClassifier, RUSBoostClassifier
from coterie.boosting import (
    AdaBoostClassifier,
    AdaBoostMHClassifier,
    AdaBoostRegressor,
    AdaBoostRTRegressor,
    AnyBoostClassifier,
    CostSensitiveBoostClassifier,
    FunctionalGradientBoostingClassifier,
    LogitBoostClassifier,
    MultiBoostClassifier,
)
from coterie.boosting.booster import Booster
from coterie.boosting.gradient.base import GradientBooster
from coterie.boosting.gradient.faces import ClassicBooster
from tests.contract.exported import ESTIMATORS, SURVIVAL, has_parameter, make, problem

X, Y = load_breast_cancer(return_X_y=True)
LEARN, HELD, Y_LEARN, Y_HELD = train_test_split(X, Y, test_size=0.4, random_state=0)

BOOSTERS = [
    cls
    for cls in ESTIMATORS
    # Times have measures of their own, see tests/survival.
    if has_parameter(cls, "early_stopping", "scoring") and cls not in SURVIVAL
]
every = pytest.mark.parametrize("cls", BOOSTERS)


def test_all_boosters_are_here():
    families = (Booster, GradientBooster)
    # As in scikit-learn, these stop early if n_iter_no_change is set.
    boosters = {cls for cls in ESTIMATORS if issubclass(cls, families) and cls not in SURVIVAL}
    assert {cls for cls in boosters if not issubclass(cls, ClassicBooster)} == set(BOOSTERS)


@pytest.mark.contract
@every
def test_the_words_are_the_same_everywhere(cls):
    names = ("validation_fraction", "n_iter_no_change", "tol", "random_state", "warm_start")
    assert has_parameter(cls, *names)
    words = inspect.signature(cls.fit).parameters
    assert {"X_val", "y_val", "sample_weight_val"} <= set(words)
    for early_stopping in ("auto", True, False):
        assert cls.allowed["early_stopping"].admits(early_stopping)
    for share in (0.2, 30, None):
        assert cls.allowed["validation_fraction"].admits(share)


def largest(estimator, X, y):
    """A score that any estimator has."""
    return float(np.mean(estimator.predict(X) == y))


@pytest.mark.contract
@every
@pytest.mark.parametrize("scoring", ["name", largest, None, "error", ["error", "name"]])
def test_every_booster_takes_scoring(cls, scoring):
    X, y = problem(cls)
    kind = ("accuracy", "f1_macro") if is_classifier(cls()) else ("r2", "mean_squared_error")
    named = {"name": kind[1], "largest": "largest", "None": kind[0], "error": "error"}
    first = scoring[0] if isinstance(scoring, list) else getattr(scoring, "__name__", str(scoring))
    scoring = [named[one] for one in scoring] if isinstance(scoring, list) else scoring
    scoring = named["name"] if scoring == "name" else scoring
    model = make(cls, scoring=scoring, early_stopping=True, validation_fraction=0.3).fit(X, y)
    values = model.trace_[f"validation_{named[first]}"]
    assert np.isfinite(values).all()
    if isinstance(scoring, list):
        assert f"validation_{scoring[1]}" in model.trace_.names
    if model.stop_reason_ == "early_stopping" and getattr(model, "keep_best", True):
        smaller = named[first] in ("error", "mean_squared_error")
        assert values[-1] == (values.min() if smaller else values.max())


def by_hand(scores, patience, tol):
    """How many scores are kept, larger being better: none of the last ones was an improvement."""
    for end in range(patience + 1, len(scores) + 1):
        reference = scores[end - patience - 1]
        if all(score <= reference + tol for score in scores[end - patience : end]):
            return int(np.argmax(scores[:end])) + 1
    return None


@pytest.mark.parametrize("tol", [0.0, 0.01])
@pytest.mark.parametrize(
    ("cls", "size", "scoring"),
    [
        (AdaBoostClassifier, "n_estimators", "log_loss"),
        (LogitBoostClassifier, "n_estimators", "neg_log_loss"),
        (RUSBoostClassifier, "n_estimators", "error"),
        (FunctionalGradientBoostingClassifier, "n_estimators", "loss"),
        (HistGradientBoostingClassifier, "max_iter", "log_loss"),
    ],
)
def test_boosting_ends_where_an_oracle_says(cls, size, scoring, tol):
    def score(chance):
        if scoring == "error":
            return np.mean(chance.argmax(axis=1) == Y_HELD)
        return -log_loss(Y_HELD, chance)

    before = issubclass(cls, GradientBooster)  # a score before the first round is known, too
    rng = np.random.default_rng(1)
    noisy = np.where(rng.random(len(Y_LEARN)) < 0.2, 1 - Y_LEARN, Y_LEARN)
    params = {size: 60, "learning_rate": 1.0, "random_state": 0, "scoring": scoring}
    whole = cls(early_stopping=False, **params).fit(LEARN, noisy)
    scores = [score(chance) for chance in whole.staged_predict_proba(HELD)]
    if before:
        start = np.full((len(HELD), 1), noisy.mean())
        scores.insert(0, score(np.hstack([1 - start, start])))
    expected = by_hand(scores, 4, tol)
    assert expected is not None
    assert expected < 50
    params |= {"keep_best": True} if before else {}
    model = cls(early_stopping=True, n_iter_no_change=4, tol=tol, **params)
    model.fit(LEARN, noisy, X_val=HELD, y_val=Y_HELD)
    assert model.stop_reason_ == "early_stopping"
    assert len(model.trace_) == expected - before


def test_metrics_is_the_former_name_of_scoring():
    new = AdaBoostClassifier(n_estimators=3, scoring=["log_loss"], early_stopping=True)
    old = AdaBoostClassifier(n_estimators=3, metrics=["log_loss"], early_stopping=True)
    with pytest.warns(
        FutureWarning, match=r"metrics is deprecated; use scoring=\['log_loss'\]"
    ) as said:
        old.set_params(random_state=0).fit(X, Y)
    assert said[0].filename == __file__
    new.set_params(random_state=0).fit(X, Y)
    assert old.trace_["validation_log_loss"].tolist() == new.trace_["validation_log_loss"].tolist()
    with (
        pytest.warns(FutureWarning, match="deprecated"),
        pytest.raises(ValueError, match="set only scoring"),
    ):
        old.set_params(scoring="roc_auc").fit(X, Y)


@pytest.mark.parametrize(
    "bad", ["nonsense", [], 3, ["error", 2], ["error", "nonsense"], "", "loss"]
)
def test_what_is_no_scoring(bad):
    with pytest.raises(ValueError, match="scoring"):
        AdaBoostClassifier(scoring=bad).fit(X, Y)


@pytest.mark.parametrize("booster", [AdaBoostClassifier, LogitBoostClassifier])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_the_stages(booster, weighted):
    weight = np.random.default_rng(0).uniform(0.2, 3, len(HELD)) if weighted else None
    names = ["error", "log_loss", "roc_auc", "balanced_accuracy"]
    model = booster(n_estimators=8, scoring=names)
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
    model = AdaBoostClassifier(n_estimators=4, scoring=["log_loss", "roc_auc_ovr"])
    model.fit(iris[::2], names[::2], X_val=iris[1::2], y_val=names[1::2])
    proba = model.predict_proba(iris[1::2])
    assert model.trace_["validation_log_loss"][-1] == pytest.approx(log_loss(names[1::2], proba))
    area = roc_auc_score(names[1::2], proba, multi_class="ovr")
    assert model.trace_["validation_roc_auc_ovr"][-1] == pytest.approx(area)


def test_numbers():
    X, y = load_diabetes(return_X_y=True)
    for booster in (AdaBoostRegressor, AdaBoostRTRegressor):
        model = booster(n_estimators=6, scoring=["mean_squared_error", "r2", "error"])
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

    model = AdaBoostClassifier(n_estimators=3, scoring=margin)
    model.fit(LEARN, Y_LEARN, X_val=HELD, y_val=Y_HELD)
    np.testing.assert_allclose(seen, list(model.staged_decision_function(HELD)), rtol=1e-9)
    assert np.all(np.diff(model.trace_["validation_margin"]) > 0)


def test_functions_may_ask_about_the_rows_held_out_only():
    def nosy(estimator, X, y):
        return float(np.mean(estimator.predict(X[:5]) == y[:5]))

    with pytest.raises(ValueError, match="rows it was given"):
        AdaBoostClassifier(scoring=nosy, early_stopping=True).fit(X, Y)


def fit_noisy(scoring, **params):
    noisy = np.where(np.random.default_rng(0).random(len(Y_LEARN)) < 0.2, 1 - Y_LEARN, Y_LEARN)
    model = AdaBoostClassifier(
        n_estimators=200, early_stopping=True, scoring=scoring, n_iter_no_change=5, **params
    )
    return model.fit(LEARN, noisy, X_val=HELD, y_val=Y_HELD)


def test_the_first_scoring_decides():
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


def test_undefined_scores_are_refused():
    def undefined(estimator, X, y):
        return np.nan

    with pytest.raises(ValueError, match="not defined"):
        AdaBoostClassifier(scoring=undefined, early_stopping=True).fit(X, Y)


def test_no_probabilities_no_log_loss():
    model = AnyBoostClassifier(loss="sigmoid", scoring="log_loss", early_stopping=True)
    with pytest.raises(ValueError, match="probabilities"):
        model.fit(X, Y)


def test_costs_are_the_error_of_cost_sensitive_boosting():
    model = CostSensitiveBoostClassifier(n_estimators=3, method="adac2", cost={0: 5.0})
    model.fit(LEARN, Y_LEARN, X_val=HELD, y_val=Y_HELD)
    wrong = model.predict(HELD) != Y_HELD
    expected = np.average(wrong, weights=np.where(Y_HELD == 0, 5.0, 1.0))
    assert model.trace_["validation_error"][-1] == pytest.approx(expected)


def test_sub_committees_are_measured_by_their_mean():
    model = MultiBoostClassifier(n_estimators=12, scoring=["log_loss", "error"], random_state=0)
    model.fit(LEARN, Y_LEARN, X_val=HELD, y_val=Y_HELD)
    expected = [log_loss(Y_HELD, proba) for proba in model.staged_predict_proba(HELD)]
    np.testing.assert_allclose(model.trace_["validation_log_loss"], expected)


def test_several_labels():
    iris, species = load_iris(return_X_y=True)
    labels = np.eye(3, dtype=int)[species]
    model = AdaBoostMHClassifier(n_estimators=3, scoring=["error", "f1_macro"])
    model.fit(iris[::2], labels[::2], X_val=iris[1::2], y_val=labels[1::2])
    wrong = model.predict(iris[1::2]) != labels[1::2]
    assert model.trace_["validation_error"][-1] == pytest.approx(wrong.mean())
    assert 0 < model.trace_["validation_f1_macro"][-1] <= 1


@pytest.mark.contract
@pytest.mark.parametrize(
    "cls",
    [cls for cls in ESTIMATORS if has_parameter(cls, "n_iter_no_change") and cls not in SURVIVAL],
)
def test_the_last_stage_is_the_model(cls):
    """After early stopping, too, and there are as many stages as rounds."""
    X, y = problem(cls, 60)
    size = "max_iter" if has_parameter(cls, "max_iter") else "n_estimators"
    stops = {"early_stopping": True} if has_parameter(cls, "early_stopping") else {}
    model = make(cls, n_iter_no_change=2, **{size: 40}, **stops).fit(X, y)
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, f"staged_{method}") and hasattr(model, method):
            stages = list(getattr(model, f"staged_{method}")(X))
            assert len(stages) == len(model.pool_)
            said = getattr(model, method)(X)
            if said.dtype.kind == "f":
                np.testing.assert_allclose(stages[-1], said, rtol=1e-12, atol=1e-12)
            else:
                np.testing.assert_array_equal(stages[-1], said)

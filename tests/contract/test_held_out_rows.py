"""Rows that are given to be measured, as every booster takes them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import log_loss

from coterie.boosting import AdaBoostClassifier, AdaBoostRegressor

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


@pytest.mark.parametrize(
    ("X_val", "y_val", "message"),
    [
        (X, None, "is provided, but"),
        (None, NAMES, "is provided, but"),
        (X[:, :2], NAMES, "features"),
        (X, ["weed"] * 150, "weed"),
        (X[:9], NAMES, "inconsistent"),
        (X, np.column_stack([NAMES, NAMES]), "2 columns"),
    ],
)
def test_rows_that_cannot_be_watched(X_val, y_val, message):
    model = AdaBoostClassifier(n_estimators=2).fit(X, NAMES)
    before = model.pool_
    with pytest.raises(ValueError, match=message):
        model.fit(X, NAMES, X_val=X_val, y_val=y_val)
    assert model.pool_ is before


def test_watching_does_not_change_what_is_learnt():
    model = AdaBoostClassifier(n_estimators=5).fit(X[::2], NAMES[::2])
    watched = AdaBoostClassifier(n_estimators=5)
    watched.fit(X[::2], NAMES[::2], X_val=X[1::2], y_val=NAMES[1::2])
    np.testing.assert_array_equal(watched.decision_function(X), model.decision_function(X))
    assert "validation_error" not in model.trace_.names
    expected = [1 - score for score in model.staged_score(X[1::2], NAMES[1::2])]
    np.testing.assert_allclose(watched.trace_["validation_error"], expected)


def test_given_rows_stop_early_and_are_not_kept():
    X, y = load_breast_cancer(return_X_y=True)
    settings = {"n_estimators": 300, "early_stopping": True, "n_iter_no_change": 5}
    model = AdaBoostClassifier(**settings).fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    assert model.stop_reason_ == "early_stopping"
    errors = [1 - s for s in model.staged_score(X[1::2], y[1::2])]
    np.testing.assert_allclose(model.trace_["validation_error"], errors)
    model.fit(X, y)  # without rows of its own again
    assert len(model.trace_["validation_error"]) == model.n_rounds_


def test_warm_start_with_given_rows():
    params = {"n_estimators": 3, "warm_start": True, "random_state": 0}
    model = AdaBoostClassifier(**params).fit(X[::2], Y[::2], X_val=X[1::2], y_val=Y[1::2])
    model.set_params(n_estimators=6).fit(X[::2], Y[::2], X_val=X[1::2], y_val=Y[1::2])
    whole = AdaBoostClassifier(n_estimators=6, random_state=0)
    whole.fit(X[::2], Y[::2], X_val=X[1::2], y_val=Y[1::2])
    np.testing.assert_array_equal(
        model.trace_["validation_error"], whole.trace_["validation_error"]
    )


def test_frames_and_numbers():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = AdaBoostRegressor(n_estimators=5).fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    expected = np.abs(model.predict(X[1::2]) - y[1::2]).mean()
    assert model.trace_["validation_error"][-1] == pytest.approx(expected)
    with pytest.raises(ValueError, match="feature names"):
        model.fit(X, y, X_val=X[X.columns[::-1]], y_val=y)
    frame = pd.DataFrame({"kind": ["a", "b", "c"] * 10, "x": range(30)})
    labels = np.where(frame["kind"] == "b", 1, 0)
    held = pd.DataFrame({"kind": ["c", "b"], "x": [1, 2]})  # other codes, the same labels
    booster = AdaBoostClassifier(n_estimators=2).fit(frame, labels, X_val=held, y_val=[0, 1])
    assert booster.trace_["validation_error"][-1] == 0


def test_training_rows_may_be_watched():
    settings = {"n_estimators": 30, "early_stopping": True, "validation_fraction": None}
    model = AdaBoostClassifier(n_iter_no_change=4, scoring="log_loss", **settings).fit(X, NAMES)
    assert not any(name.startswith("validation") for name in model.trace_.names)
    losses = [log_loss(NAMES, proba) for proba in model.staged_predict_proba(X)]
    np.testing.assert_allclose(model.trace_["train_log_loss"], losses)
    assert model.n_rounds_ == int(np.argmin(losses)) + 1


def test_a_number_of_rows_may_be_held_out_and_a_class_may_have_one_row():
    settings = {"n_estimators": 3, "early_stopping": True, "validation_fraction": 40}
    seen = []
    model = AdaBoostClassifier(scoring=lambda _, X, y: seen.append(len(y)) or 0.0, **settings)
    model.fit(X, NAMES)
    assert seen == [40] * 3
    lone = np.where(np.arange(150) == 7, "lone", NAMES)
    assert AdaBoostClassifier(**settings).fit(X, lone).n_rounds_ == 3


def test_auto_depends_on_the_rows():
    many, labels = np.tile(X, (67, 1)), np.tile(NAMES, 67)
    settings = {"n_estimators": 2, "early_stopping": "auto"}
    assert "validation_error" in AdaBoostClassifier(**settings).fit(many, labels).trace_.names
    assert "validation_error" not in AdaBoostClassifier(**settings).fit(X, NAMES).trace_.names

"""Rows to watch: a fair part of the rows, or those that were given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from coterie.base import Admitted
from coterie.boosting import AdaBoostClassifier, AdaBoostRegressor
from coterie.boosting.held_out import (
    Validation,
    admit_validation,
    draw_watched,
    split,
    under_classes,
    watch_seed,
)
from coterie.data import Table, Target

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def admitted(X, y, weight=None):
    return Admitted(Table.read(X), Target.labels(y), weight, None)


def test_a_part_of_every_class_is_held_out():
    learn, watch = split(admitted(X, Y, np.arange(1.0, 151)), 0.2, seed=0)
    assert np.bincount(watch.target.codes[:, 0]).tolist() == [10, 10, 10]
    assert sorted([*learn.weight, *watch.weight]) == list(range(1, 151))
    np.testing.assert_array_equal(X[watch.weight.astype(int) - 1], watch.table.values)
    again = split(admitted(X, Y, np.arange(1.0, 151)), 0.2, seed=0)[1]
    np.testing.assert_array_equal(again.weight, watch.weight)


def test_rows_are_in_one_part_and_ascend():
    strata = np.repeat([0, 1], [80, 20])
    learn, watch = draw_watched(100, 0.25, watch_seed(7), strata)
    assert np.bincount(strata[watch]).tolist() == [20, 5]
    assert np.all(np.diff(learn) > 0)
    assert np.all(np.diff(watch) > 0)
    assert sorted([*learn, *watch]) == list(range(100))
    assert watch_seed(7) != watch_seed(8)


def test_labels_get_the_codes_of_the_rows_to_learn_from():
    known = Target.labels(["a", "b", "c"])
    target = under_classes(known, Target.labels(["c", "b", "c"]))
    assert target.codes.tolist() == [[2], [1], [2]]
    assert target.classes is known.classes
    with pytest.raises(ValueError, match="y_val holds 'd', which is not one of the classes in y"):
        under_classes(known, Target.labels(["a", "d"]))


def test_given_rows_are_read_as_those_of_the_fit():
    learn = admitted(X, NAMES)
    weight = np.array([1.0, 0.0, 2.0])
    watch = admit_validation("me", learn, Validation(X[[0, 60, 120]], NAMES[[0, 60, 120]], weight))
    assert watch.target.codes.ravel().tolist() == [0, 2]
    assert watch.target.classes is learn.target.classes
    assert watch.weight.tolist() == [1.0, 2.0]
    np.testing.assert_array_equal(watch.table.values, X[[0, 120]])


@pytest.mark.parametrize(
    ("X_val", "y_val", "message"),
    [
        (X, None, "together"),
        (None, NAMES, "together"),
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
    assert not hasattr(model, "_given")


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
    assert not hasattr(model, "_given")
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

"""Errors by number of members: prefixes, the last of which is the model itself."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import BaggingRegressor, RandomForestClassifier

import coterie
from coterie.plotting import ErrorCurveDisplay
from coterie.plotting.error_curve import error_by_size, staged
from tests.plotting.pictures import CLASSIFIERS, check_picture, fitted, rows, texts

STAGED = [name for name in CLASSIFIERS if "stack" not in name and "list" not in name]


@pytest.mark.parametrize("ensemble", STAGED)
def test_the_last_error_is_that_of_the_model(ensemble):
    model, (X, y) = fitted(ensemble), rows("test")
    curve = error_by_size(staged(model, X), y, None, False)
    assert len(curve) == (3 if "votes" in ensemble or "probab" in ensemble else 5)
    assert curve[-1] == pytest.approx(np.mean(model.predict(X) != y))


@pytest.mark.slow
def test_prefixes_of_a_forest():
    (X, y), test = rows("train"), rows("test")
    model = RandomForestClassifier(6, max_depth=3, random_state=0).fit(X, y)
    display = ErrorCurveDisplay.from_estimator(model, *test, train=(X, y))
    for t in (1, 3, 6):
        chances = np.mean([tree.predict_proba(test[0]) for tree in model.estimators_[:t]], axis=0)
        wrong = np.mean(model.classes_[chances.argmax(axis=1)] != test[1])
        assert display.curves["test"][t - 1] == pytest.approx(wrong)
    said = np.stack([tree.predict(test[0]) for tree in model.estimators_]).astype(int)
    assert display.single == pytest.approx(np.mean(model.classes_[said] != test[1]))
    lines = {line.get_label().split(":")[0]: line.get_ydata() for line in display.ax_.lines}
    np.testing.assert_allclose(lines["test rows"], display.curves["test"])
    assert set(lines) == {"training rows", "out-of-bag rows", "test rows", "a single member"}
    check_picture(display.figure_)


def test_out_of_bag_errors_are_those_of_our_forest():
    X, y = rows("train")
    model = coterie.RandomForestClassifier(8, oob_score=True, random_state=0).fit(X, y)
    display = ErrorCurveDisplay.from_estimator(model, *rows("test"), train=(X, y))
    np.testing.assert_allclose(display.curves["out-of-bag"], model.oob_curve_.error)


@pytest.mark.slow
def test_out_of_bag_error_of_scikit_learn():
    X, y = rows("train")
    model = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, y)
    display = ErrorCurveDisplay.from_estimator(model, *rows("test"), train=(X, y))
    assert display.curves["out-of-bag"][-1] == pytest.approx(1 - model.oob_score_)


def test_numbers():
    X, y = load_diabetes(return_X_y=True)
    model = BaggingRegressor(n_estimators=5, random_state=0).fit(X[::2], y[::2])
    display = ErrorCurveDisplay.from_estimator(model, X[1::2], y[1::2], train=(X[::2], y[::2]))
    wanted = ((model.predict(X[1::2]) - y[1::2]) ** 2).mean()
    assert display.curves["test"][-1] == pytest.approx(wanted)
    assert "mean squared error" in texts(display.ax_)
    boosted = coterie.HistGradientBoostingRegressor(max_iter=4).fit(X, y)
    display = ErrorCurveDisplay.from_estimator(boosted, X, y)
    assert display.curves["test"][-1] == pytest.approx(((boosted.predict(X) - y) ** 2).mean())
    assert display.single is None


def test_rows_count_what_they_weigh():
    curve = ErrorCurveDisplay.from_predictions([[0, 1], [1, 1]], [0, 1], sample_weight=[3, 1])
    assert curve.curves["test"].tolist() == [0, 0.75]
    both = ErrorCurveDisplay.from_predictions([[0.0], [2.0]], [1.0], train=([[1.0]], [1.0]))
    assert list(both.curves) == ["training", "test"]


def test_refusals():
    with pytest.raises(TypeError, match="not a smaller ensemble"):
        ErrorCurveDisplay.from_estimator(fitted("stack"), *rows("test"))
    with pytest.raises(ValueError, match="2 rows, but"):
        ErrorCurveDisplay.from_predictions([[1, 0, 1]], [1, 0])

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from coterie.diagnosis import boosters, diagnose
from coterie.diagnosis.ensemble_predictions import answers_of

BINARY = load_breast_cancer(return_X_y=True)
SEVERAL = load_wine(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
TABLES = {"binary": BINARY, "several": SEVERAL, "numbers": NUMBERS}


def _part(name):
    X, y = TABLES[name]
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_lightgbm(name):
    lightgbm = pytest.importorskip("lightgbm")
    X, y, X_test, y_test = _part(name)
    kind = lightgbm.LGBMRegressor if name == "numbers" else lightgbm.LGBMClassifier
    model = kind(n_estimators=12, num_leaves=7, verbose=-1, n_jobs=1, random_state=0).fit(X, y)
    for given in (model, model.booster_):
        found = answers_of(given, X_test)
        assert (found.unit, found.n_parts) == ("round", 12)
        np.testing.assert_allclose(found.vote, model.predict(X_test))
        for size, said in zip(found.stages.sizes, found.stages.said, strict=True):
            np.testing.assert_allclose(said, model.predict(X_test, num_iteration=size), rtol=1e-9)
        if name != "numbers":
            np.testing.assert_allclose(found.chances, model.predict_proba(X_test))
        assert diagnose(given, X_test, y_test)["accurate?"].fine


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_xgboost(name):
    xgboost = pytest.importorskip("xgboost")
    X, y, X_test, y_test = _part(name)
    kind = xgboost.XGBRegressor if name == "numbers" else xgboost.XGBClassifier
    model = kind(n_estimators=12, max_depth=3, n_jobs=1, random_state=0).fit(X, y)
    for given in (model, model.get_booster()):
        found = answers_of(given, X_test)
        assert (found.unit, found.n_parts) == ("round", 12)
        np.testing.assert_allclose(found.vote, model.predict(X_test), rtol=1e-5)
        for size, said in zip(found.stages.sizes, found.stages.said, strict=True):
            expected = model.predict(X_test, iteration_range=(0, int(size)))
            np.testing.assert_allclose(said, expected, rtol=1e-4)
        if name != "numbers":
            np.testing.assert_allclose(found.chances, model.predict_proba(X_test), rtol=1e-4)
        assert diagnose(given, X_test, y_test)["accurate?"].fine


def test_counts_are_exponentials():
    lightgbm = pytest.importorskip("lightgbm")
    X, y, X_test, _ = _part("numbers")
    model = lightgbm.LGBMRegressor(
        n_estimators=5, objective="poisson", verbose=-1, n_jobs=1, random_state=0
    ).fit(X, y)
    found = answers_of(model, X_test)
    np.testing.assert_allclose(found.stages.said[-1], model.predict(X_test))


def test_early_stopping_leaves_rounds_out():
    xgboost = pytest.importorskip("xgboost")
    X, y, X_test, y_test = _part("numbers")
    model = xgboost.XGBRegressor(n_estimators=200, early_stopping_rounds=3, n_jobs=1)
    model.fit(X, y, eval_set=[(X_test, y_test)], verbose=False)
    found = answers_of(model, X_test)
    assert found.n_parts == model.best_iteration + 1 < 200
    np.testing.assert_allclose(found.stages.said[-1], model.predict(X_test), rtol=1e-5)


def test_strings_are_classes_and_columns_are_counted():
    lightgbm = pytest.importorskip("lightgbm")
    X, y, X_test, y_test = _part("several")
    words = np.array(["a", "b", "c"])
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1).fit(X, words[y])
    assert diagnose(model, X_test, words[y_test]).classes == ["a", "b", "c"]
    with pytest.raises(ValueError, match="X has 3 columns"):
        answers_of(model.booster_, X_test[:, :3])


def test_other_models_are_no_boosters():
    assert boosters.home([]) == ""
    assert not boosters.is_booster(object())
    assert not boosters.is_raw(object())

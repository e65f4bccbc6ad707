import numpy as np
import pandas as pd
import pytest

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).normal(size=(300, 4))
    X[::7, 1] = np.nan
    return X


@pytest.mark.parametrize("cuts", [[0.0], [-0.5, 0.5]])
def test_equals_predict_proba(rows, cuts):
    model = HistGradientBoostingClassifier(max_iter=10).fit(rows, np.digitize(rows[:, 0], cuts))
    fast = model.fast_predictor()
    for part in (rows, rows[:1], rows[3:5].astype(np.float32)):
        np.testing.assert_array_equal(fast(part), model.predict_proba(part))


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_equals_predict(rows, loss):
    model = HistGradientBoostingRegressor(loss=loss, max_iter=10).fit(rows, np.exp(rows[:, 0]))
    np.testing.assert_array_equal(model.fast_predictor()(rows), model.predict(rows))


def test_what_it_cannot_serve_is_refused(rows):
    fast = HistGradientBoostingRegressor(max_iter=2).fit(rows, rows[:, 0]).fast_predictor()
    with pytest.raises(ValueError, match="X has 3 columns"):
        fast(rows[:, :3])
    with pytest.raises(TypeError, match="two-dimensional array of floats"):
        fast(rows[0])
    with pytest.raises(TypeError, match="two-dimensional array of floats"):
        fast(rows.tolist())
    frame = pd.DataFrame({"kind": pd.Categorical(["a", "b"] * 150)})
    model = HistGradientBoostingRegressor(max_iter=2).fit(frame, rows[:, 0])
    with pytest.raises(ValueError, match="uses categories"):
        model.fast_predictor()

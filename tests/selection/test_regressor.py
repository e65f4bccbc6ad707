import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsRegressor

import coterie
from coterie import DynamicSelectionRegressor
from coterie.selection import local_error, select, weigh, weigh_selected

X, Y = make_friedman1(600, noise=0.5, random_state=0)


def pool():
    tree = coterie.DecisionTreeRegressor(max_depth=4)
    return coterie.BaggingRegressor(tree, n_estimators=12)


def test_local_errors_by_hand():
    errors = [[1.0, 4.0, 2.0], [0.0, 0.0, 6.0]]
    found = local_error(errors, [[0, 2]], [[0.5, 1.0]])
    assert found[:, 0] == pytest.approx([(2 * 1 + 2) / 3, 2.0])
    counted = local_error(errors, [[0, 2]], [[0.5, 1.0]], np.array([[1.0, 2.0]]))
    assert counted[:, 0] == pytest.approx([(2 * 1 + 2 * 2) / 4, 3.0])


def test_weights_by_hand():
    error = np.array([[1.0], [2.0], [4.0], [3.0]])
    assert select(error)[:, 0].tolist() == [1, 0, 0, 0]
    assert weigh(error)[:, 0] == pytest.approx([1, 0.5, 0.25, 1 / 3])
    assert weigh_selected(error)[:, 0] == pytest.approx([1, 0.5, 0, 0])


def test_no_error_has_all_the_weight():
    error = np.array([[0.0], [0.0], [1.0]])
    assert weigh(error)[:, 0].tolist() == [1, 1, 0]
    assert weigh(np.zeros((2, 1)))[:, 0].tolist() == [1, 1]
    assert weigh(np.full((2, 1), 1e-320))[:, 0].tolist() == [1, 1]


@pytest.mark.parametrize("method", ["select", "weight", "weight_select"])
def test_methods_predict(method):
    model = DynamicSelectionRegressor(pool(), method=method, random_state=0).fit(X[:400], Y[:400])
    assert model.score(X[400:], Y[400:]) > 0.5
    weights = model.member_weights(X[400:])
    said = np.stack([member.predict(X[400:]) for member in model.estimators_])
    wanted = (weights * said).sum(axis=0) / weights.sum(axis=0)
    np.testing.assert_allclose(model.predict(X[400:]), wanted)


@pytest.mark.parametrize("method", ["select", "weight", "weight_select"])
def test_noise_teaches_nothing(method):
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(1500, 4)), rng.normal(size=1500)
    model = DynamicSelectionRegressor(pool(), method=method, random_state=0)
    assert model.fit(noise[:500], y[:500]).score(noise[500:], y[500:]) < 0.02


def test_equal_weights_are_the_mean():
    model = DynamicSelectionRegressor(pool(), method=np.ones_like, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), model.ensemble_.predict(X))


def test_members_that_know_their_half_are_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (900, 1))
    y = np.abs(x[:, 0]) + rng.normal(scale=0.02, size=900)
    lines = [
        LinearRegression().fit(x[:300][s], y[:300][s]) for s in (x[:300, 0] < 0, x[:300, 0] > 0)
    ]
    model = DynamicSelectionRegressor(lines, method="select", prefit=True)
    model.fit(x[300:600], y[300:600])
    mean = np.mean([line.predict(x[600:]) for line in lines], axis=0)
    assert model.score(x[600:], y[600:]) > 0.98 > r2_score(y[600:], mean)


def test_lists_of_any_regressors():
    model = DynamicSelectionRegressor(
        [("line", LinearRegression()), ("near", KNeighborsRegressor())], random_state=0
    )
    assert model.fit(X[:400], Y[:400]).score(X[400:], Y[400:]) > 0.5

"""Leaves fitted again to other rows."""

import numpy as np
import pytest

from coterie import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from tests.boosting.gradient.tables import numbers, three_classes, two_classes

CASES = [
    (HistGradientBoostingRegressor, {}, numbers),
    (HistGradientBoostingRegressor, {"loss": "absolute_error"}, numbers),
    (HistGradientBoostingClassifier, {"l2_regularization": 1.0}, two_classes),
    (HistGradientBoostingClassifier, {}, three_classes),
    (HistGradientBoostingClassifier, {"multiclass": "vector"}, three_classes),
    (GradientBoostingRegressor, {}, numbers),
    (GradientBoostingClassifier, {}, three_classes),
]


def raw(model, X):
    return model._raw(X)


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "params", "table"), CASES)
def test_the_same_rows_ask_for_the_same_values(cls, params, table):
    X, y = table(missing=0.1)
    model = cls(**params).fit(X, y)
    again = model.refit_leaves(X, y, decay=0.0)
    np.testing.assert_allclose(raw(again, X), raw(model, X), rtol=1e-6, atol=1e-6)
    same = model.refit_leaves(X[:20], y[:20], decay=1.0)
    np.testing.assert_array_equal(raw(same, X), raw(model, X))


def test_values_follow_what_has_shifted():
    X, y = numbers(600)
    model = HistGradientBoostingRegressor(max_iter=50).fit(X[:300], y[:300])
    new = model.refit_leaves(X[300:], y[300:] + 5, decay=0.5)
    before, after = (np.mean((m.predict(X[300:]) - y[300:] - 5) ** 2) for m in (model, new))
    assert after < 0.2 * before
    np.testing.assert_array_equal(new.apply(X), model.apply(X))  # the trees are the same
    assert np.mean((model.predict(X[:300]) - y[:300]) ** 2) < before  # and so is the old model


@pytest.mark.slow
def test_lightgbm_refits_alike():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = numbers(500)
    ours = HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=8).fit(X[:250], y[:250])
    theirs = lightgbm.LGBMRegressor(
        n_estimators=5, num_leaves=8, verbose=-1, min_data_in_bin=1
    ).fit(X[:250], y[:250])
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    other = theirs.booster_.refit(X[250:], y[250:], decay_rate=0.6, verbose=-1)
    mine = ours.refit_leaves(X[250:], y[250:], decay=0.6)
    assert np.corrcoef(mine.predict(X), other.predict(X))[0, 1] > 0.95


def test_bad_decay():
    X, y = numbers()
    with pytest.raises(ValueError, match="decay"):
        HistGradientBoostingRegressor(max_iter=2).fit(X, y).refit_leaves(X, y, decay=2)

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from coterie.fusion.calibration_newton import newton_logistic


def test_equals_logistic_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X @ [1.0, -2.0, 0.5] + rng.logistic(size=200) > 0).astype(float)
    weight = rng.uniform(0.5, 2, 200)
    found = newton_logistic(X, y, weight, np.zeros(3), penalty=0.1)
    theirs = LogisticRegression(C=10.0, fit_intercept=False, tol=1e-10, max_iter=1000)
    assert found == pytest.approx(theirs.fit(X, y, weight).coef_[0], abs=1e-5)


def test_huge_features_do_not_overflow():
    X = np.array([[1e6], [-1e6], [2e6]])
    found = newton_logistic(X, np.array([0.9, 0.1, 0.9]), np.ones(3), np.zeros(1))
    assert np.isfinite(found).all()
    assert found[0] > 0

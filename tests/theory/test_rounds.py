"""AdaBoost's bounds: the ten points, the theorem, and real rounds."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from coterie import AdaBoostClassifier, DecisionTreeClassifier, theory
from coterie.data.errors import DataError
from tests.boosting.points import TEN_ERRORS


def test_ten_points():
    bound = theory.training_error_bound(TEN_ERRORS)
    np.testing.assert_allclose(bound, np.cumprod([0.916515, 0.820652, 0.686349]), atol=2e-6)
    assert bound[-1] == pytest.approx(0.516230, abs=1e-6)
    loose = theory.training_error_bound(TEN_ERRORS, kind="edge")
    np.testing.assert_allclose(loose, np.exp(-2 * np.cumsum((0.5 - TEN_ERRORS) ** 2)))
    assert (bound <= loose).all()


def test_real_rounds():
    X, y = load_breast_cancer(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    model = AdaBoostClassifier(stump, n_estimators=30).fit(X, y)
    bound = theory.training_error_bound(model.estimator_errors_)
    errors = np.array([(stage != y).mean() for stage in model.staged_predict(X)])
    assert (errors <= bound).all()
    # The bound is the exponential loss itself.
    score = model.decision_function(X) * (2 * y - 1)
    assert bound[-1] == pytest.approx(np.exp(-score).mean(), rel=1e-9)
    margins = score / model.estimator_weights_.sum()
    for theta in (-0.2, 0.0, 0.1, 0.3):
        at_most = theory.training_margin_bound(model.estimator_errors_, theta)[-1]
        assert (margins <= theta).mean() <= at_most
    np.testing.assert_allclose(theory.training_margin_bound(model.estimator_errors_, 0.0), bound)


def test_rounds_needed():
    assert np.log(10) / 0.08 == pytest.approx(28.8, abs=0.05)
    assert theory.rounds_needed(0.2, n_samples=10) == 29
    assert theory.rounds_needed(0.1, n_samples=1) == 1
    for kind in ("edge", "product"):
        for target in (0.5, 0.05, 1e-6):
            rounds = theory.rounds_needed(0.15, target, kind=kind)
            bound = theory.training_error_bound(np.full(rounds, 0.35), kind=kind)
            assert bound[-1] <= target < bound[-2]
    assert theory.rounds_needed(0.2, 0.01, kind="product") < theory.rounds_needed(0.2, 0.01)


def test_refusals():
    for gamma in (0.0, 0.5, np.nan):
        with pytest.raises(DataError, match="gamma"):
            theory.rounds_needed(gamma, 0.1)
    with pytest.raises(ValueError, match="either target or n_samples"):
        theory.rounds_needed(0.1)
    with pytest.raises(DataError, match="target"):
        theory.rounds_needed(0.1, 0.0)
    with pytest.raises(DataError, match="n_samples"):
        theory.rounds_needed(0.1, n_samples=0)
    with pytest.raises(ValueError, match="kind"):
        theory.rounds_needed(0.1, 0.1, kind="sum")
    with pytest.raises(ValueError, match="kind"):
        theory.training_error_bound([0.1], kind="sum")
    with pytest.raises(DataError, match="between zero and one"):
        theory.training_error_bound([1.1])
    with pytest.raises(DataError, match="theta"):
        theory.training_margin_bound([0.1], 2.0)

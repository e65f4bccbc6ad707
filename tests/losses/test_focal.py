"""The focal loss. Derivatives are in test_pointwise."""

import numpy as np
import pytest
from scipy.special import expit

from coterie import GradientBoostingClassifier, HistGradientBoostingClassifier
from coterie.core import ParameterError
from coterie.losses import FocalLoss, LogLoss, check_loss
from tests.boosting.gradient.tables import three_classes, two_classes

RNG = np.random.default_rng(0)
Y, RAW = RNG.integers(0, 2, 50).astype(float), RNG.normal(size=(50, 1))


def test_without_focus_it_is_the_log_loss():
    plain, log = FocalLoss(gamma=0.0), LogLoss()
    np.testing.assert_allclose(plain.value(Y, RAW), log.value(Y, RAW))
    for ours, theirs in zip(plain.slopes(Y, RAW), log.slopes(Y, RAW), strict=True):
        np.testing.assert_allclose(ours, theirs)
    assert plain.start(Y, np.ones(50)) == pytest.approx(log.start(Y, np.ones(50)), abs=1e-9)


def test_the_formula():
    share = np.where(Y > 0, expit(RAW[:, 0]), expit(-RAW[:, 0]))
    expected = -np.where(Y > 0, 0.3, 0.7) * (1 - share) ** 2 * np.log(share)
    np.testing.assert_allclose(FocalLoss(2.0, 0.3).value(Y, RAW), expected)


def test_where_it_is_convex_the_curvature_is_true():
    class True_(FocalLoss):
        true_hessian = True

    near = np.abs(RAW) * (2 * Y - 1)[:, None]  # right, or undecided
    check_loss(True_(2.0), Y, np.minimum(np.abs(near), 1.0) * np.sign(near))


def test_models():
    X, y = two_classes()
    for cls in (GradientBoostingClassifier, HistGradientBoostingClassifier):
        assert cls(loss="focal").fit(X, y).score(X, y) > 0.9
        with pytest.raises(ParameterError, match="two classes, but y has 3"):
            cls(loss="focal").fit(*three_classes())


@pytest.mark.parametrize("given", [{"gamma": -1.0}, {"alpha": 1.0}])
def test_parameters(given):
    with pytest.raises(ValueError, match="must"):
        FocalLoss(**given)

"""Losses of rows."""

import numpy as np
from sklearn.metrics import brier_score_loss, log_loss, zero_one_loss

from coterie.fusion.row_losses import brier_rows, error_rows, log_loss_rows, own_chance

RNG = np.random.default_rng(0)
CHANCES = RNG.dirichlet(np.ones(3), size=(2, 50))
CODES = RNG.integers(0, 3, 50)
HOT = np.eye(3)[CODES]


def test_means_are_those_of_scikit_learn():
    for member, chances in enumerate(CHANCES):
        assert np.isclose(log_loss_rows(CHANCES, HOT)[member].mean(), log_loss(CODES, chances))
        wrong = error_rows(CHANCES, HOT)[member].mean()
        assert np.isclose(wrong, zero_one_loss(CODES, chances.argmax(axis=1)))
    two = RNG.random(50)
    hot = np.eye(2)[(CODES > 0).astype(int)]
    ours = brier_rows(np.stack([1 - two, two], axis=1), hot).mean() / 2
    assert np.isclose(ours, brier_score_loss(hot[:, 1], two))


def test_support_need_not_add_up_and_may_vanish():
    np.testing.assert_allclose(log_loss_rows(5 * CHANCES, HOT), log_loss_rows(CHANCES, HOT))
    assert np.isfinite(log_loss_rows(np.array([[0.0, 1.0]]), np.array([[1, 0]]))).all()


def test_the_truth_may_be_codes():
    for loss in (log_loss_rows, brier_rows, error_rows, own_chance):
        np.testing.assert_array_equal(loss(CHANCES, CODES), loss(CHANCES, HOT))
    assert log_loss_rows(np.array([[0.0, 1.0]]), np.array([0]), 0.5)[0] == np.log(2)

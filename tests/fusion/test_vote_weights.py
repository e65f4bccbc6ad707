"""Weights for voting: the best for independent members, and for logarithmic loss."""

import numpy as np
import pytest

from coterie import fusion
from coterie.data.errors import DataError


def test_log_odds():
    found = fusion.log_odds_weights([0.9, 0.6, 0.6])
    np.testing.assert_allclose(found, [2.197225, 0.405465, 0.405465], atol=1e-6)
    assert fusion.log_odds_weights([0.3])[0] < 0
    # Of four classes a member that is right in a quarter of the cases knows nothing.
    assert fusion.log_odds_weights([0.25], n_classes=4)[0] == pytest.approx(0, abs=1e-12)
    assert fusion.log_odds_weights([1.0], n_samples=10)[0] == pytest.approx(np.log(19))
    assert np.isfinite(fusion.log_odds_weights([0.0, 1.0])).all()


def test_log_odds_beat_equal_weights_on_independent_members():
    rng = np.random.default_rng(0)
    accuracies = np.array([0.9, 0.9, 0.6, 0.6, 0.6])
    y = rng.integers(0, 2, 40_000)
    labels = np.where(rng.random((5, 40_000)) < accuracies[:, None], y, 1 - y)
    plain = (fusion.plurality(labels) == y).mean()
    weighted = (fusion.plurality(labels, fusion.log_odds_weights(accuracies)) == y).mean()
    assert plain == pytest.approx(0.87696, abs=0.006)
    assert weighted == pytest.approx(0.92664, abs=0.006)


def test_accuracy():
    np.testing.assert_allclose(fusion.accuracy_weights([0.9, 0.6, 0.5]), [0.45, 0.3, 0.25])


def test_log_loss():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    members = [
        (1 - share) * np.eye(3)[y] + share * rng.dirichlet(np.ones(3), 400)
        for share in (0.5, 0.7, 1)
    ]
    weights = fusion.log_loss_weights(members, y)
    assert weights.sum() == pytest.approx(1)

    def loss(weight):
        return -np.log(fusion.average(members, weight)[np.arange(400), y]).mean()

    # At the optimum each used member's mean ratio is one, and no other's is above.
    own = np.array(members)[:, np.arange(400), y]
    ratio = (own / (weights @ own)).mean(axis=1)
    assert ratio.max() <= 1 + 1e-6
    assert all(loss(weights) <= loss(one) + 1e-7 for one in np.eye(3))
    named = fusion.log_loss_weights(members, np.array(["a", "b", "c"])[y], classes=["a", "b", "c"])
    np.testing.assert_array_equal(named, weights)
    counts = rng.integers(0, 3, 400)
    repeated = fusion.log_loss_weights(np.repeat(members, counts, axis=1), np.repeat(y, counts))
    weighted = fusion.log_loss_weights(members, y, sample_weight=counts)
    np.testing.assert_allclose(weighted, repeated, atol=1e-8)


def test_refusals():
    with pytest.raises(DataError, match="between zero and one"):
        fusion.log_odds_weights([1.2])
    with pytest.raises(ValueError, match="n_classes"):
        fusion.log_odds_weights([0.5], n_classes=1)
    with pytest.raises(ValueError, match="n_samples"):
        fusion.log_odds_weights([0.5], n_samples=0)
    with pytest.raises(DataError, match="right on any sample"):
        fusion.accuracy_weights([0, 0])
    with pytest.raises(DataError, match="not one of the classes"):
        fusion.log_loss_weights([[[0.5, 0.5]]], [2])
    with pytest.raises(DataError, match="y must have shape"):
        fusion.log_loss_weights([[[0.5, 0.5]]], [0, 1])

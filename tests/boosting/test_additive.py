"""Signs, weights and shares of scores that stand side by side."""

import numpy as np
import pytest
from scipy.special import expit

from coterie.boosting.additive import (
    Additive,
    as_columns,
    class_shares,
    fit_weight,
    pair_signs,
    pair_sum,
)
from coterie.core.rule import State
from coterie.data import Target


def state_of(labels, weight=None):
    target = Target.labels(np.array(labels))
    weight = np.full(len(labels), 1 / len(labels)) if weight is None else np.array(weight)
    return Additive().begin(target, weight)


def test_begin_spreads_the_weight_over_all_pairs():
    two, three = state_of([0, 1, 1]), state_of([0, 1, 2], [0.5, 0.25, 0.25])
    assert two.raw.shape == (3, 1)
    assert two.weight.shape == (3,)
    assert three.raw.shape == three.weight.shape == (3, 3)
    np.testing.assert_allclose(three.weight.sum(axis=1), [0.5, 0.25, 0.25])


def test_signs_of_pairs():
    codes = np.array([0, 1, 2], dtype=np.int32)
    np.testing.assert_array_equal(pair_signs(codes, 3), 2 * np.eye(3) - 1)
    np.testing.assert_array_equal(pair_signs(codes[:2], 1), [[-1], [1]])


def test_weights_of_pairs_are_one_distribution():
    initial = np.array([0.25, 0.75])
    exponent = np.array([[0.0, 1.0], [2.0, -1.0]])
    expected = initial[:, None] * np.exp(exponent)
    weight, total = pair_sum(initial, exponent)
    np.testing.assert_allclose(weight, expected / expected.sum())
    assert total == pytest.approx(expected.mean(axis=1).sum())
    single = initial * np.exp(exponent[:, 0])
    weight, total = pair_sum(initial, exponent[:, :1])
    np.testing.assert_allclose(weight, single / single.sum())
    assert total == pytest.approx(single.sum())
    assert np.isfinite(pair_sum(initial, 1e4 * exponent)[0]).all()


def test_columns_are_fitted_at_mean_one():
    np.testing.assert_allclose(fit_weight(np.array([0.1, 0.3])), [0.5, 1.5])
    columns = fit_weight(np.array([[0.1, 0.0], [0.3, 0.0]]))
    np.testing.assert_allclose(columns, [[0.5, 1.0], [1.5, 1.0]])


def test_weights_as_a_matrix():
    assert as_columns(np.ones(4), 1).shape == (4, 1)
    assert as_columns(np.ones((4, 3)), 3).shape == (4, 3)


def test_shares_keep_away_from_the_ends():
    np.testing.assert_allclose(class_shares(state_of([0, 1, 1, 1])), [0.75])
    np.testing.assert_allclose(class_shares(state_of([0, 1, 2, 2])), [0.25, 0.25, 0.5])
    np.testing.assert_allclose(class_shares(state_of([5, 5])), [0.25])


@pytest.mark.parametrize("labels", [[0, 1, 1, 1], [0, 1, 2, 2]])
def test_fallback_gives_the_shares(labels):
    rule, state = Additive(), state_of(labels)
    chances = rule.link(rule.fallback(state)[None, :])[0]
    np.testing.assert_allclose(chances, np.bincount(labels) / 4)


def test_link_of_many_classes_adds_up_to_one():
    rule = Additive()
    raw = np.array([[0.3, -0.3], [-900.0, -901.0]])
    chances = rule.link(raw)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_allclose(chances[0], rule.link(np.array([[-0.3]]))[0])
    np.testing.assert_allclose(chances[1, 0], expit(2.0))


def test_training_error_is_weighted():
    state = state_of([0, 1, 1], [0.5, 0.3, 0.2])
    raw = np.array([[-1.0], [-1.0], [1.0]])
    state = State(state.target, state.initial, state.weight, raw)
    assert Additive().train_error(state) == pytest.approx(0.3)

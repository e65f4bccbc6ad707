import numpy as np
import pytest

from coterie.core.rule import (
    Rule,
    State,
    exponential_sum,
    exponential_weight,
    majority,
    rounding,
    smallest_error,
    two_sided,
)
from coterie.data import Target


def test_exponential_weights_survive_huge_exponents():
    initial = np.array([0.25, 0.75])
    weight, total = exponential_sum(initial, np.array([1.0, 0.0]))
    assert total == pytest.approx(0.25 * np.e + 0.75)
    np.testing.assert_allclose(weight, initial * np.exp([1.0, 0.0]) / total)
    np.testing.assert_allclose(exponential_weight(initial, np.array([5000.0, 0.0])), [1.0, 0.0])
    np.testing.assert_allclose(exponential_weight(initial, np.array([-5000.0, -5000.0])), initial)


def test_classes_of_scores():
    rule = Rule()
    np.testing.assert_array_equal(rule.decide(np.array([[-1.0], [0.0], [1e-9]])), [0, 0, 1])
    np.testing.assert_array_equal(rule.decide(np.array([[0.0, 2.0, 2.0]])), [1])
    np.testing.assert_array_equal(majority(np.array([[0.5, 0.5], [0.1, 0.9]])), [0, 1])
    np.testing.assert_allclose(two_sided(np.array([0.2])), [[0.8, 0.2]])


def test_state_shows_labels_as_signs():
    target = Target.labels(["no", "yes", "no"])
    state = State(target, np.ones(3) / 3, np.ones(3) / 3, np.zeros((3, 1)))
    np.testing.assert_array_equal(state.signs, [-1, 1, -1])
    assert smallest_error(state) == pytest.approx(1 / 6)
    assert 0 < rounding(state) < 1e-12

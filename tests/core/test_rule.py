import numpy as np
import pytest

from coterie.core.rule import (
    Rule,
    State,
    exponential_sum,
    exponential_weight,
    majority,
    rounding,
    share,
    smallest_error,
    two_sided,
)
from coterie.data import Target


def test_exponential_weights_survive_huge_exponents():
    initial = np.array([0.25, 0.75])
    weight, total = exponential_sum(initial, np.array([1.0, 0.0]))
    assert total == pytest.approx(0.25 * np.e + 0.75)
    np.testing.assert_allclose(weight, initial * np.exp([1.0, 0.0]) / total)
    exponent = np.array([1.0, 0.0])
    written, _ = exponential_sum(initial, exponent, out=exponent)
    assert written is exponent
    np.testing.assert_array_equal(written, weight)
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
    assert state.signs is state.signs  # made once
    np.testing.assert_array_equal(0.1 * state.signs, np.array([-0.1, 0.1, -0.1]))
    assert smallest_error(state) == pytest.approx(1 / 6)
    assert 0 < rounding(state) < 1e-12


@pytest.mark.parametrize("even", [False, True])
def test_weight_of_some_rows(even):
    rng = np.random.default_rng(0)
    weight = np.broadcast_to(1e-4, 10_000) if even else rng.dirichlet(np.ones(10_000))
    chosen = rng.random(10_000) < 0.3
    assert share(weight, chosen) == pytest.approx(weight[chosen].sum(), rel=1e-12)
    assert share(weight, np.zeros(10_000, dtype=bool)) == 0

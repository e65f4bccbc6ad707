"""Weights as a running product."""

import numpy as np
import pytest

from coterie.boosting.running import RunningState
from coterie.core.rule import State
from coterie.data import Target


def begun(weight):
    target = Target.numbers(np.zeros(len(weight)))
    return RunningState.start(target, np.asarray(weight), 1)


def test_factors_multiply_the_first_weights():
    state = begun([0.2, 0.3, 0.5])
    state.multiply(np.log([1.0, 2.0, 3.0]))
    state.multiply(np.log([5.0, 1.0, 1.0]))
    np.testing.assert_allclose(state.weight, np.array([1.0, 0.6, 1.5]) / 3.1)
    np.testing.assert_array_equal(state.initial, [0.2, 0.3, 0.5])


def test_a_weight_that_vanished_comes_back():
    state = begun([0.5, 0.5])
    state.multiply(np.array([-2000.0, 0.0]))
    assert state.weight.tolist() == [0.0, 1.0]
    state.multiply(np.array([2000.0, 0.0]))
    np.testing.assert_allclose(state.weight, 0.5)


def test_states_of_other_rules_are_refused():
    state = begun([1.0])
    assert RunningState.of(state) is state
    plain = State(state.target, state.initial, state.weight, state.raw)
    with pytest.raises(AssertionError, match="another rule"):
        RunningState.of(plain)

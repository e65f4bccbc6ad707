import numpy as np

from coterie.base.task import decide, split_outputs
from coterie.data import Target

VOTES = np.array([[0.2, 0.8, 0.5, 0.5, 0.0], [0.9, 0.1, 0.1, 0.2, 0.7]])


def test_outputs_are_side_by_side():
    target = Target.labels(np.array([[0, 0], [1, 1], [1, 2]]))
    parts = split_outputs(target, VOTES)
    assert [part.shape for part in parts] == [(2, 2), (2, 3)]


def test_ties_go_to_the_first_class():
    target = Target.labels(np.array([["no", "a"], ["yes", "b"], ["yes", "c"]]))
    np.testing.assert_array_equal(decide(target, VOTES), [["yes", "a"], ["no", "c"]])
    single = Target.labels(["n", "y"])
    assert decide(single, np.full((1, 2), 0.5)).tolist() == ["n"]

import pickle

import numpy as np
import pytest

from coterie.core.pool import Pool
from coterie.core.stages import StagedPool
from coterie.data import Table


class Says:
    """A member that says one thing, and counts how often it is asked."""

    def __init__(self, value):
        self.value, self.asked = value, 0

    def predict(self, table):
        self.asked += 1
        return np.full((table.n_rows, 1), self.value)


@pytest.fixture
def pool():
    members = [Says(1.0), Says(10.0), Says(100.0)]
    stages = [np.array([1.0]), np.array([0.5, 0.5]), np.array([0.25, 0.0, 0.75])]
    return StagedPool.staged(Pool.of(members), stages)


@pytest.fixture
def table():
    return Table.read(np.zeros((2, 1)))


def test_prefix_has_the_weights_of_its_round(pool, table):
    assert pool.weights.tolist() == [0.25, 0.0, 0.75]
    assert [pool[:t].weights.tolist() for t in (1, 2)] == [[1.0], [0.5, 0.5]]
    assert [float(pool[:t].raw(table)[0, 0]) for t in (1, 2, 3)] == [1.0, 5.5, 75.25]
    assert pool[:2][:1].weights.tolist() == [1.0]


def test_members_of_weight_zero_are_not_asked(pool, table):
    pool.raw(table)
    assert [member.asked for member in pool.members] == [1, 0, 1]


def test_other_parts_have_the_last_weights(pool):
    assert pool[1:].weights.tolist() == [0.0, 0.75]
    assert pool[2:3].weights.tolist() == [0.75]
    assert not isinstance(pool[1:], StagedPool)


def test_pickle_keeps_the_stages(pool):
    copy = pickle.loads(pickle.dumps(pool))
    assert copy.stage(2).tolist() == [0.5, 0.5]

import numpy as np
import pytest

from coterie.core.seeds import growing_stream
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.learners.tree import look_up
from coterie.native import Growth

RNG = np.random.default_rng(0)
TABLE = Table.read(RNG.normal(size=(200, 5))).bin()
TARGET = Target.numbers(RNG.normal(size=200))


def fit(learner, weight=None, seed=0):
    return learner.fit(TABLE, TARGET, weight, growing_stream(seed))


def test_randomness_comes_from_the_stream():
    learner = TreeLearner(Growth(max_features=1))
    first, again, other = fit(learner), fit(learner), fit(learner, seed=1)
    np.testing.assert_array_equal(first.nodes, again.nodes)
    assert not np.array_equal(first.nodes, other.nodes)


def test_weight_fraction_is_of_the_members_own_weight():
    weight = RNG.uniform(1, 5, 200)
    tree = fit(TreeLearner(Growth(), min_weight_fraction=0.1), weight)
    leaves = tree.nodes["left"] < 0
    assert tree.weight[leaves].min() >= 0.1 * weight.sum() * (1 - 1e-6)
    assert len(fit(TreeLearner(Growth(), min_weight_fraction=0.1)).nodes) > 3


def test_pruning():
    whole = fit(TreeLearner(Growth()))
    pruned = fit(TreeLearner(Growth(), ccp_alpha=0.01))
    assert 1 < len(pruned.values) < len(whole.values)


def test_threads_do_not_change_the_tree():
    trees = [fit(TreeLearner(Growth(), n_threads=n)) for n in (1, 3)]
    np.testing.assert_array_equal(trees[0].nodes, trees[1].nodes)


def test_stop_ends_growing():
    table = Table.read(RNG.normal(size=(50, 5))).bin()
    target = Target.numbers(RNG.normal(size=50))
    learner = TreeLearner(Growth(), stop=np.ones(1, dtype=np.uint8))
    with pytest.raises(KeyboardInterrupt):
        learner.fit(table, target, None, growing_stream(0))


def test_trees_can_be_kept_to_some_columns():
    tree = fit(TreeLearner(Growth()).among(np.array([3, 1, 1])))
    inner = tree.nodes["left"] >= 0
    assert set(tree.features[inner].tolist()) == {1, 3}
    assert tree.n_features == 5


@pytest.mark.parametrize("n_rows", [0, 5, 65_536, 150_000])
def test_leaves_are_looked_up_block_by_block(n_rows):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(7, 3))
    leaves = rng.integers(0, 7, n_rows).astype(np.int32)
    np.testing.assert_array_equal(look_up(values, leaves), values[leaves])

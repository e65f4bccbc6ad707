import pickle

import numpy as np
import pytest
from scipy import sparse

from coterie.core.pool import Pool
from coterie.core.seeds import growing_stream
from coterie.data import Table, Target
from coterie.learners import TreeLearner
from coterie.native import Forest, Growth

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(60, 4)), 2) * (RNG.random((60, 4)) < 0.5)
TABLE = Table.read(X).bin()
TARGET = Target.labels(RNG.integers(0, 3, 60))


def trees(count):
    learner = TreeLearner(Growth("gini", max_features=1))
    return [learner.fit(TABLE, TARGET, None, growing_stream(t)) for t in range(count)]


@pytest.fixture(scope="module")
def pool():
    return Pool.of(trees(6))


class Doubled:
    def predict(self, table):
        return 2 * table.values[:, :1]


def test_native_members_share_one_forest(pool):
    assert isinstance(pool.members, Forest)
    assert len(pool) == len(pool.forest) == 6
    assert np.shares_memory(pool[2:5].forest.nodes, pool.forest.nodes)
    np.testing.assert_array_equal(pool.weights, np.ones(6))


def test_taking_members_empties_their_list(pool):
    members = [pool.members[t] for t in range(len(pool))]
    taken = Pool.taking(members)
    assert members == []
    np.testing.assert_array_equal(taken.forest.nodes, pool.forest.nodes)
    np.testing.assert_array_equal(taken.weights, np.ones(len(pool)))


def test_raw_is_the_weighted_sum_of_votes(pool):
    votes = pool.votes(TABLE)
    assert votes.shape == (6, 60, 3)
    np.testing.assert_allclose(votes.sum(axis=2), 1)
    np.testing.assert_allclose(pool.raw(TABLE), votes.sum(axis=0))
    weighted = Pool(pool.members, np.arange(6.0))
    np.testing.assert_allclose(
        weighted.raw(TABLE, n_threads=2), np.tensordot(np.arange(6.0), votes, 1)
    )


def test_part_of_a_pool_is_a_pool(pool):
    np.testing.assert_array_equal(pool[:4].raw(TABLE), Pool.of(trees(4)).raw(TABLE))
    joined = pool[:2] + pool[2:]
    assert pickle.dumps(joined) == pickle.dumps(pool)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pool)).raw(TABLE), pool.raw(TABLE))


def test_part_of_a_pool_has_all_trees_of_its_rounds(pool):
    pairs = Pool(pool.members, np.ones(3), width=2)
    np.testing.assert_array_equal(pairs[1:].forest.nodes, pool.forest[2:].nodes)


def test_some_members_are_a_pool(pool):
    weighted = Pool(pool.members, np.arange(1.0, 7.0))
    some = weighted.take(np.array([4, 1]))
    assert len(some.forest) == 2
    expected = 5 * pool.votes(TABLE)[4] + 2 * pool.votes(TABLE)[1]
    np.testing.assert_allclose(some.raw(TABLE), expected)
    pairs = Pool(pool.members, np.ones(3), width=2).take(np.array([2]))
    np.testing.assert_array_equal(pairs.forest.nodes, pool.forest[4:6].nodes)
    foreign = Pool.of([Doubled(), Doubled()], np.array([1.0, 3.0])).take(np.array([1]))
    np.testing.assert_allclose(foreign.raw(TABLE), 6 * TABLE.values[:, :1])


def test_sparse_rows_give_the_same(pool, monkeypatch):
    thin = Table.read(sparse.csr_array(X))
    blocks = list(thin.blocks(40))
    assert len(blocks) == 6
    monkeypatch.setattr(Table, "blocks", lambda self: iter(blocks))
    np.testing.assert_array_equal(pool.raw(thin), sum(pool.votes(thin)))
    leaves, paths = pool.leaves(thin), pool.paths(thin).toarray()
    monkeypatch.undo()
    np.testing.assert_array_equal(leaves, pool.leaves(TABLE))
    np.testing.assert_array_equal(paths, pool.paths(TABLE).toarray())


def test_paths_end_in_leaves(pool):
    paths = pool.paths(TABLE)
    leaves = pool.leaves(TABLE, n_threads=2) + pool.forest.node_offsets[:-1]
    assert paths.shape == (60, len(pool.forest.nodes))
    assert np.all(paths.toarray()[np.arange(60)[:, None], leaves] == 1)
    roots = pool.forest.node_offsets[:-1]
    assert np.all(paths.toarray()[:, roots] == 1)


def test_foreign_members():
    pool = Pool.of([Doubled(), Doubled()], np.array([1.0, 0.5]))
    np.testing.assert_allclose(pool.raw(TABLE), 3 * X[:, :1])
    assert pool.votes(TABLE).shape == (2, 60, 1)
    assert len(pool + pool[:1]) == 3
    with pytest.raises(TypeError, match="not native trees"):
        pool.leaves(TABLE)


def test_natives_and_foreigners_do_not_mix(pool):
    with pytest.raises(TypeError, match="not both"):
        Pool.of([*trees(1), Doubled()])
    with pytest.raises(TypeError, match="not both"):
        pool + Pool.of([Doubled()])


def test_shapley_values_add_up_to_the_score(pool):
    weighted = Pool(pool.members, np.arange(1.0, 7.0), cast=lambda output: output**2)
    values = weighted.shap(TABLE)
    assert values.shape == (60, 5, 3)
    np.testing.assert_allclose(values.sum(axis=1), weighted.raw(TABLE), atol=1e-12)
    side_by_side = Pool(pool.members, np.array([1.0, -2.0]), width=3)
    values = side_by_side.shap(TABLE, background=TABLE.take(slice(5)), n_threads=2)
    np.testing.assert_allclose(values.sum(axis=1), side_by_side.raw(TABLE), atol=1e-12)
    expected = side_by_side.raw(TABLE.take(slice(5))).mean(axis=0)
    np.testing.assert_allclose(values[:, -1], np.tile(expected, (60, 1)))
    thin = Table.read(sparse.csr_array(X))
    np.testing.assert_array_equal(weighted.shap(thin), weighted.shap(TABLE))


def test_foreign_members_may_explain_themselves():
    class Linear(Doubled):
        def shap(self, table, *, background=None, n_threads=1):
            values = np.zeros((table.n_rows, 5, 1))
            values[:, 0] = self.predict(table)
            return values

    pool = Pool.of([Linear(), Linear()], np.array([1.0, 0.5]))
    np.testing.assert_allclose(pool.shap(TABLE).sum(axis=1), pool.raw(TABLE))
    with pytest.raises(TypeError, match="native trees"):
        Pool.of([Linear(), Doubled()]).shap(TABLE)

"""The trees of a round: splits by hand, vector leaves, refitted leaves."""

import numpy as np
import pytest

from coterie import HistGradientBoostingClassifier
from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.rows import Draw
from coterie.boosting.gradient.trees import GrowthTable, grow_singly, grow_together, limited
from coterie.data import Table
from coterie.losses import AbsoluteError
from coterie.native import Forest, NewtonGrowth, Slopes

X = np.arange(6.0)[:, None]
TABLE = Table.read(X).bin()


def test_one_tree_per_score():
    gradient = np.asfortranarray([[-1.0, 4.0]] * 3 + [[1.0, 4.0]] * 2 + [[1.0, -4.0]])
    ground = GrowthTable.of(TABLE, NewtonGrowth(max_leaf_nodes=2), 1)
    grown = []
    for tree, leaves in grow_singly(ground, gradient, None, Draw(), 0):
        grown.append(tree.values[leaves, 0].tolist())
    assert grown == [[1, 1, 1, -1, -1, -1], [-4] * 5 + [4]]


def test_all_scores_at_once_are_the_same_trees_and_votes():
    rng = np.random.default_rng(0)
    table = Table.read(rng.normal(size=(300, 4))).bin()
    ground = GrowthTable.of(table, NewtonGrowth(max_leaf_nodes=8, l2=1.0), 1)
    gradient = np.asfortranarray(rng.normal(size=(300, 3)))
    draw = Draw(np.arange(0, 300, 2, dtype=np.int32))
    for hessian in (None, np.asfortranarray(rng.random((300, 3))), rng.random((300, 1))):
        bend = None if hessian is None else np.broadcast_to(hessian, gradient.shape)
        raw, expected = np.ones((300, 3), order="F"), np.ones((300, 3), order="F")
        trees = []
        for k, (tree, leaves) in enumerate(grow_singly(ground, gradient, bend, draw, 7)):
            trees.append(limited(tree, 0.5))
            expected[:, k] += 0.1 * trees[k].values[leaves, 0]
        assert any(np.abs(tree.values).max() == 0.5 for tree in trees)
        forest = ground.grow_all(Slopes(gradient, hessian, draw.rows), 7, (raw, 0.1, 0.5))
        np.testing.assert_array_equal(forest.nodes, Forest.concatenate(trees).nodes)
        np.testing.assert_array_equal(forest.values, Forest.concatenate(trees).values)
        np.testing.assert_array_equal(raw, expected)


def test_slopes_at_once_must_fit_the_table():
    ground = GrowthTable.of(TABLE, NewtonGrowth(max_leaf_nodes=2), 1)
    short = np.ones((5, 2), order="F")
    with pytest.raises(ValueError, match="one row per row of the table"):
        ground.grow_all(Slopes(short), 0, (np.zeros((6, 2)), 1.0, np.inf))
    rows = np.array([4, 2], dtype=np.int32)
    with pytest.raises(ValueError, match="ascending"):
        ground.grow_all(Slopes(np.ones((6, 2)), None, rows), 0, (np.zeros((6, 2)), 1.0, np.inf))


def test_one_tree_for_all_scores():
    """Gains add up over scores; leaves are the steps of each by itself."""
    gradient = np.asfortranarray([[-1.0, 1.0]] * 3 + [[1.0, 1.0]] * 2 + [[1.0, -5.0]])
    hessian = np.asfortranarray(np.tile([[1.0, 3.0]], (6, 1)))
    ground = GrowthTable.of(TABLE, NewtonGrowth(max_leaf_nodes=2, l2=1.0), 1)
    tree, leaves = grow_together(ground, gradient, hessian, Draw(), 0)
    last = [(-1 + 0.0) / 2, 5 / 4]
    others = [1 / 6, -5 / 16]
    np.testing.assert_allclose(tree.values[leaves], [others] * 5 + [last])


def test_rows_that_were_not_drawn_have_leaves_too():
    gradient = np.asfortranarray([[-1.0, 1.0]] * 3 + [[1.0, -1.0]] * 3)
    ground = GrowthTable.of(TABLE, NewtonGrowth(max_leaf_nodes=2), 1)
    draw = Draw(np.array([0, 1, 4], dtype=np.int32))
    ones = np.ones_like(gradient)
    for grown in (
        lambda: grow_together(ground, gradient, ones, draw, 0),
        lambda: next(grow_singly(ground, gradient, None, draw, 0)),
    ):
        tree, leaves = grown()
        assert tree.n_samples[0] == 3
        np.testing.assert_allclose(tree.values[leaves, 0], tree.predict(X)[:, 0])
        assert tree.values[leaves[draw.rows], 0].tolist() == [1, 1, -1]


def test_columns_are_drawn_anew():
    table = Table.read(np.zeros((2, 9)) + np.arange(2)[:, None]).bin()
    ground = GrowthTable.of(table, NewtonGrowth(), 1)
    rng = np.random.default_rng(0)
    assert ground.of_columns(None, rng) is ground
    drawn = [ground.of_columns(4, rng).growth.columns for _ in range(50)]
    assert all(len(set(columns.tolist())) == 4 for columns in drawn)
    assert all((np.diff(columns) > 0).all() for columns in drawn)
    assert set(np.concatenate(drawn).tolist()) == set(range(9))


def test_refitted_leaves_keep_limits_and_directions():
    y = np.array([5.0, 6.0, 7.0, 1.0, 2.0, 9.0])
    board = Board.at(TABLE, y, None, np.zeros(1))
    gradient = np.array([[-1.0], [-1.0], [-1.0], [1.0], [1.0], [1.0]])

    def refitted(draw=None, **settings):
        plain = GrowthTable.of(TABLE, NewtonGrowth(max_leaf_nodes=2), 1)
        grown = next(grow_singly(plain, gradient, None, Draw(), 0))
        ground = GrowthTable.of(TABLE, NewtonGrowth(max_leaf_nodes=2, **settings), 1)
        slopes = gradient, None
        tree = ground.refit(grown, AbsoluteError(), board, draw or Draw(), 0, slopes)
        return tree.predict(X)[:, 0]

    assert refitted().tolist() == [6, 6, 6, 2, 2, 2]
    assert refitted(max_delta_step=3.0).tolist() == [3, 3, 3, 2, 2, 2]
    assert refitted(monotone=np.array([1], dtype=np.int8)).tolist() == [4] * 6
    rows = np.array([0, 3, 5], dtype=np.int32)
    assert refitted(Draw(rows)).tolist() == [5, 5, 5, 1, 1, 1]
    assert refitted(Draw(rows, rows[2:], 5.0)).tolist() == [5, 5, 5, 9, 9, 9]


def test_no_leaf_runs_away():
    # Of a class of 25 rows in 3,000, a Newton step from its share would be over a hundred.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] > 0).astype(int)
    y[np.argsort(X[:, 1])[-25:]] = 2
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    assert np.abs(model.pool_.forest.values).max() == 10.0
    assert np.isfinite(model.decision_function(X)).all()

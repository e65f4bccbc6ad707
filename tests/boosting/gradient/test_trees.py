"""The trees of a round: splits by hand, vector leaves, refitted leaves."""

import numpy as np

from coterie import HistGradientBoostingClassifier
from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.rows import Draw
from coterie.boosting.gradient.trees import GrowthTable, grow_scores, grow_together
from coterie.data import Table
from coterie.losses import AbsoluteError
from coterie.native import NewtonGrowth

X = np.arange(6.0)[:, None]
TABLE = Table.read(X).bin()


def test_one_tree_per_score():
    gradient = np.asfortranarray([[-1.0, 4.0]] * 3 + [[1.0, 4.0]] * 2 + [[1.0, -4.0]])
    ground = GrowthTable.of(TABLE, NewtonGrowth(max_leaf_nodes=2), 1)
    grown = []
    for tree, leaves in grow_scores(ground, gradient, None, Draw(), 0):
        grown.append(tree.values[leaves, 0].tolist())
    assert grown == [[1, 1, 1, -1, -1, -1], [-4] * 5 + [4]]


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
        lambda: next(grow_scores(ground, gradient, None, draw, 0)),
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
        grown = next(grow_scores(plain, gradient, None, Draw(), 0))
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

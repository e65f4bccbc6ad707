import pickle

import numpy as np
import pytest
from scipy import sparse

from coterie.native import Forest, LinearLeaves, SparseRows


def leaves(columns, slopes, centres):
    return LinearLeaves(
        np.array(columns, dtype=np.int32), np.array(slopes, float), np.array(centres, float)
    )


def stump(column: int, threshold: float, values: list[float], linear=None) -> Forest:
    """One split of two columns."""
    nodes = np.zeros(3, dtype=[("threshold", "<f8"), ("column", "<u4"), ("left", "<i4")])
    nodes["threshold"][0], nodes["column"][0] = threshold, column
    nodes["left"] = [1, ~0, ~1]
    offsets = [np.array([0, size]) for size in (3, 2, 0)]
    many = np.ones(3, dtype=np.int32)
    rest = np.ones(3), np.zeros(3), np.array(values, float)[:, None], *offsets
    empty = np.zeros(0, dtype=np.uint64)
    return Forest(nodes, many, *rest, empty, 2, linear=linear)


X = np.array([[0.0, 5.0], [2.0, 5.0], [2.0, np.nan], [np.inf, 7.0]])
# Left: 1 + 3 (x0 - 1). Right: 10 + 2 (x1 - 4) - x0.
ONE = stump(0, 1.0, [1.0, 10.0], leaves([[0, 0], [1, 0]], [[3, 0], [2, -1]], [[1, 0], [4, 0]]))
SAID = [1 - 3, 10 + 2 - 2, 10 + 0 - 2, 10 + 6 + 0]


def test_by_hand():
    np.testing.assert_array_equal(ONE.predict(X)[:, 0], SAID)
    np.testing.assert_array_equal(ONE.predict(X.astype(np.float32))[:, 0], SAID)
    weighted = ONE.predict(X, tree_weight=np.array([0.5]))
    np.testing.assert_array_equal(weighted[:, 0], np.array(SAID) / 2)


def test_forests_of_both_kinds():
    plain = stump(1, 6.0, [-1.0, 1.0])
    both = Forest.concatenate([plain, ONE, plain])
    alone = plain.predict(X)[:, 0]
    np.testing.assert_array_equal(both.predict(X)[:, 0], 2 * alone + SAID)
    np.testing.assert_array_equal(both[1].predict(X)[:, 0], SAID)
    np.testing.assert_array_equal(both[[0, 1]].predict(X)[:, 0], alone + SAID)
    np.testing.assert_array_equal(both[:1].predict(X)[:, 0], alone)
    by_turns = both[:2].predict(X, n_outputs=2)
    np.testing.assert_array_equal(by_turns, np.column_stack([alone, SAID]))
    again = pickle.loads(pickle.dumps(both))
    np.testing.assert_array_equal(again.predict(X), both.predict(X))
    raised = ONE.with_values(ONE.values + 1.0)
    np.testing.assert_array_equal(raised.predict(X)[:, 0], np.array(SAID) + 1)


def test_rows_go_block_by_block(monkeypatch):
    monkeypatch.setattr("coterie.native.linear._BLOCK", 2)
    np.testing.assert_array_equal(ONE.predict(X)[:, 0], SAID)


def test_sparse_rows():
    rows = np.array([[0.0, 5.0], [2.0, 0.0], [0.0, 0.0]])
    said = ONE.predict(SparseRows(sparse.csr_array(rows)))
    np.testing.assert_array_equal(said, ONE.predict(rows))


@pytest.mark.parametrize(
    "linear",
    [
        leaves([[0]], [[1]], [[0]]),  # of one leaf
        leaves([[0], [2]], [[1], [1]], [[0], [0]]),  # of a column that is not there
        leaves([[0], [-1]], [[1], [1]], [[0], [0]]),
        leaves([[0], [0]], [[1], [np.nan]], [[0], [0]]),
        leaves([[0], [0]], [[1], [1]], [[0, 0], [0, 0]]),
    ],
)
def test_damage_is_found(linear):
    with pytest.raises(ValueError, match="damaged forest"):
        stump(0, 1.0, [1.0, 10.0], linear)


def test_what_reads_values_alone_refuses():
    for ask in (
        lambda: ONE.shap(X),
        lambda: ONE.shap_interactions(X),
        lambda: ONE.dependence(X[:, :1], np.array([0]), np.ones(1)),
    ):
        with pytest.raises(TypeError, match="linear_leaves=False"):
            ask()

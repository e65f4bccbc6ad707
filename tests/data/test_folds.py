import numpy as np

from coterie.data import Table
from coterie.data.folds import deal, row_keys

X = np.random.default_rng(0).normal(size=(60, 3))


def test_keys_are_of_what_rows_hold():
    keys = row_keys(Table.read(X))
    assert len(set(keys.tolist())) == 60
    np.testing.assert_array_equal(row_keys(Table.read(np.asfortranarray(X))), keys)
    assert (row_keys(Table.read(X[:, ::-1].copy())) != keys).all()
    odd = Table.read([[0.0, np.nan], [-0.0, -np.nan], [1.0, np.nan]])
    a, b, c = row_keys(odd)
    assert a == b != c
    assert deal(np.array([3, 1, 2], dtype=np.uint64), np.zeros(3, dtype=np.intp), 3).tolist() == [
        2,
        0,
        1,
    ]

"""Labels of rows by the clusters that members put them in."""

import numpy as np

from coterie.clustering import Labellings
from coterie.clustering.lookup import TupleTable

GIVEN = np.array([[0, 0, 1, 1, 2], [3, 3, 3, 0, 0]], dtype=np.int32)
FOUND, PLACES = Labellings.read(GIVEN)
CODES = np.array([0, 1, 0, 1], dtype=np.int32)
TABLE = TupleTable.of(FOUND, CODES, GIVEN, PLACES)


def test_tuples_that_were_seen_keep_their_labels():
    np.testing.assert_array_equal(TABLE.find(GIVEN), CODES[PLACES])


def test_others_are_voted_on():
    # Cluster 0 of the first member is label 0; cluster 0 of the second is label 1.
    assert TABLE.find(np.array([[0, 1], [0, 7]], dtype=np.int32)).tolist() == [0, 0]
    assert TABLE.find(np.array([[-1], [0]], dtype=np.int32)).tolist() == [1]
    assert TABLE.find(np.array([[-1], [-1]], dtype=np.int32)).tolist() == [-1]


def test_confidence_is_a_mean_share():
    shares = TABLE.confidence(GIVEN, CODES[PLACES])
    # Rows 1 and 2: their first cluster is all label 0, of the second member's all three are.
    np.testing.assert_allclose(shares[:2], 1.0)
    np.testing.assert_allclose(shares[2], (0.5 + 1.0) / 2)


def test_more_clusters_than_small_numbers_can_count():
    given = np.array([[0, 40_000, 40_001, 40_001 - 2**16]], dtype=np.int32).clip(0)
    found, places = Labellings.read(given)
    codes = np.arange(found.n_tuples, dtype=np.int32)
    table = TupleTable.of(found, codes, given, places)
    np.testing.assert_array_equal(table.find(given), codes[places])
    np.testing.assert_allclose(table.confidence(given, codes[places]), 1.0)

import numpy as np
import pytest

from coterie.selection import NUMBER_ORDERS, ORDERS
from coterie.selection.pruning.curve import candidates
from tests.selection.pruning.signatures import as_votes, random_votes


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("gaps", [0.0, 0.6])
def test_every_order_is_one(name, gaps):
    labels, y = random_votes(7, 60, seed=1, gaps=gaps)
    found = ORDERS[name](as_votes(labels), y, sample_weight=np.ones(60))
    assert len(candidates(found, 7)[-1]) == 7
    if not isinstance(found, list):
        # Votes for each class say no more than labels.
        given = np.where(labels < 0, np.nan, labels)
        np.testing.assert_array_equal(found, ORDERS[name](given, y))


@pytest.mark.parametrize("name", NUMBER_ORDERS)
@pytest.mark.parametrize("gaps", [0.0, 0.6])
def test_every_order_of_numbers_is_one(name, gaps):
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    said = y + rng.normal(size=(7, 60))
    said[rng.random(said.shape) < gaps] = np.nan
    found = NUMBER_ORDERS[name](said[:, :, None], y, sample_weight=np.ones(60))
    assert len(candidates(found, 7)[-1]) == 7


@pytest.mark.parametrize("name", ORDERS)
def test_a_single_member(name):
    assert len(candidates(ORDERS[name]([[0, 1, 1]], [0, 1, 0]), 1)) == 1

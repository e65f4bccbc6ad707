import numpy as np
import pytest

from coterie import diversity
from coterie.selection import (
    accuracy_order,
    kappa_order,
    margin_diversity_order,
    orientation,
    orientation_order,
)
from coterie.selection.pruning.ballots import Ballot
from coterie.selection.pruning.rankings import heard_kappa, margin_diversity
from tests.selection.pruning.signatures import LABELS, Y, as_votes, random_votes


def test_accuracy():
    assert accuracy_order(LABELS, Y).tolist() == [0, 1, 4, 2, 3]


def test_kappa_is_that_of_diversity():
    labels, y = random_votes(seed=2)
    ballot = Ballot.read(labels, y)
    expected = diversity.kappa(labels, outputs="labels")
    above = np.triu_indices(len(labels), 1)
    np.testing.assert_allclose(heard_kappa(ballot)[above], expected[above])


def test_kappa_on_common_samples():
    labels, y = random_votes(seed=4, gaps=0.4)
    found = heard_kappa(Ballot.read(as_votes(labels), y))
    common = (labels[0] >= 0) & (labels[3] >= 0)
    expected = diversity.kappa(labels[[0, 3]][:, common], outputs="labels")[0, 1]
    assert found[0, 3] == pytest.approx(expected)


def test_kappa_order_by_hand():
    # -1/4 for (0, 3), (1, 3) and (3, 4): 0 is better than 3, then 1 and 4 are new; 2 is left.
    kappa = heard_kappa(Ballot.read(LABELS, Y))
    assert [kappa[i, j] for i, j in ((0, 3), (1, 3), (3, 4))] == pytest.approx([-0.25] * 3)
    assert [kappa[i, j] for i, j in ((0, 2), (1, 2))] == pytest.approx([-0.2] * 2)
    assert kappa_order(LABELS, Y).tolist() == [0, 3, 1, 4, 2]
    # Of a pair the better one comes first, whatever its number.
    swapped = kappa_order(LABELS[[3, 0, 1, 2, 4]], Y)
    assert swapped.tolist() == [1, 0, 2, 4, 3]
    assert kappa_order(LABELS[:1], Y).tolist() == [0]


def test_orientation_by_hand():
    # Mean signature (.6, .2, .6, .2, .2, -.2, -.2, -.2): sum 1.2, squares .96, so minus 1.25 of it.
    found = orientation(LABELS, Y)
    reference = np.array([0.25, 0.75, 0.25, 0.75, 0.75, 1.25, 1.25, 1.25])
    np.testing.assert_allclose(found.reference, reference)
    np.testing.assert_allclose(found.angles, [90, 90, 110.2848, 93.9759, 65.4161], atol=1e-4)
    assert orientation_order(LABELS, Y).tolist() == [4, 0, 1, 3, 2]


def test_orientation_without_direction_goes_by_accuracy():
    # Every sample has three right of five: the mean signature is on the diagonal.
    rows = ["111010", "110101", "011110", "001101", "100011"]
    hits = np.array([[int(c) for c in row] for row in rows])
    votes, y = 1 - hits, np.zeros(6, dtype=int)
    assert np.isnan(orientation(votes, y).angles).all()
    assert orientation_order(votes, y).tolist() == [0, 1, 2, 3, 4]
    assert (hits.sum(axis=1)[:3] == 4).all()


def test_margin_and_diversity_by_hand():
    scores = margin_diversity(Ballot.read(LABELS, Y), 0.2)
    np.testing.assert_allclose(scores, [3.0774, 3.0774, 2.0225, 2.7967, 4.1760], atol=1e-4)
    assert margin_diversity_order(LABELS, Y).tolist() == [4, 0, 1, 3, 2]
    with pytest.raises(ValueError, match="alpha"):
        margin_diversity_order(LABELS, Y, alpha=2)


@pytest.mark.parametrize(
    "order", [accuracy_order, kappa_order, orientation_order, margin_diversity_order]
)
def test_weights_are_repetitions(order):
    labels, y = random_votes(seed=7, gaps=0.2)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    repeated = order(as_votes(np.repeat(labels, times, axis=1)), np.repeat(y, times))
    assert order(as_votes(labels), y, sample_weight=times).tolist() == repeated.tolist()

import numpy as np
import pytest

from coterie.data import DataError
from coterie.selection.pruning.ballots import Ballot, Tally, by_score, first_least, tie_losses
from tests.selection.pruning.signatures import HITS, LABELS, Y, as_votes, random_votes, vote_error


def test_signatures_are_read():
    ballot = Ballot.read(LABELS, Y)
    np.testing.assert_array_equal(ballot.hits, HITS)
    np.testing.assert_array_equal(ballot.signs, np.where(HITS, 1, -1))
    np.testing.assert_allclose(ballot.errors, [0.375, 0.375, 0.5, 0.5, 0.375])


@pytest.mark.parametrize("kind", ["text", "numbers", "votes"])
def test_gaps_are_no_votes(kind):
    labels, y = random_votes(gaps=0.4)
    names = np.array(["a", "b", "c"], dtype=object)
    if kind == "text":
        given, truth = np.where(labels < 0, None, names[labels]), names[y].astype(str)
    elif kind == "numbers":
        given, truth = np.where(labels < 0, np.nan, labels), y
    else:
        given, truth = as_votes(labels), y
    ballot = Ballot.read(given, truth)
    np.testing.assert_array_equal(ballot.labels, labels)
    np.testing.assert_array_equal(ballot.truth, y)
    assert ballot.n_classes == 3
    np.testing.assert_array_equal(ballot.signs == 0, labels < 0)
    expected = [(labels[t] != y)[labels[t] >= 0].mean() for t in range(len(labels))]
    np.testing.assert_allclose(ballot.errors, expected)


@pytest.mark.parametrize("gaps", [0.0, 0.5])
def test_tally_counts_as_one_would_by_hand(gaps):
    labels, y = random_votes(7, 40, seed=3, gaps=gaps)
    weight = np.random.default_rng(0).uniform(0.5, 2, 40)
    tally, members = Tally(Ballot.read(as_votes(labels), y, weight)), []
    for member in (4, 0, 6, 2):
        left = np.array([t for t in range(7) if t not in members])
        expected = [vote_error(labels, y, [*members, t], weight) for t in left]
        np.testing.assert_allclose(tally.errors_with(left), expected)
        tally.add(member)
        members.append(member)
        assert tally.losses @ tally.ballot.row == pytest.approx(
            vote_error(labels, y, members, weight)
        )


def test_weighted_members():
    # 2 votes for b, then a with 2: tied; with 3 it wins, with 1 it loses.
    votes = [["b"], ["a"]]
    for weight, loss in ((1.0, 1.0), (2.0, 0.5), (3.0, 0.0)):
        tally = Tally(Ballot.read(votes, ["a"], None, [2.0, weight]))
        tally.add(0)
        assert tally.losses_with(np.array([1])).tolist() == [[loss]]


def test_ties_among_several_classes():
    assert tie_losses(np.ones(1), np.ones(1), np.array([2.0])).tolist() == pytest.approx([2 / 3])


def test_equal_scores_go_to_the_first():
    assert first_least(np.array([0.5, 0.1 + 0.2, 0.3])) == 1
    assert by_score(np.array([0.3, 0.1 + 0.2, 0.1])).tolist() == [2, 0, 1]


def test_what_cannot_be_read_is_refused():
    with pytest.raises(DataError, match="No member has a prediction"):
        Ballot.read(np.full((2, 3, 2), np.nan), [0, 1, 0])
    with pytest.raises(DataError, match="class indices"):
        Ballot.read(np.ones((2, 3, 2)), [0, 2, 0])
    with pytest.raises(DataError, match="class indices"):
        Ballot.read(np.ones((2, 3, 2)), list("aba"))
    with pytest.raises(DataError, match="shape"):
        Ballot.read([0, 1], [0, 1])
    with pytest.raises(DataError, match="labels"):
        Ballot.read([[0, 1]], [0])

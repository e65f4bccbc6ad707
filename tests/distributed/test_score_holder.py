import numpy as np

from coterie.boosting.gradient.rows import Draw
from coterie.data import Schema
from coterie.distributed.course import Step
from coterie.distributed.row_holder import Held
from coterie.distributed.score_holder import Outset, ScoreHolder, Vote
from coterie.losses import SquaredError
from coterie.native import NewtonGrowth, NewtonTable, Slopes, encode, find_bins, grow_newton
from tests.distributed.models import filled

N = 200


def start():
    """A holder that has begun, and two votes."""
    X = np.random.default_rng(0).normal(size=(N, 2)).round(1)
    bins = find_bins(X)
    codes = encode(X, bins)
    table, leaves = NewtonTable(codes, np.asfortranarray(codes), bins), np.empty(N, dtype=np.int32)
    trees = [
        grow_newton(table, Slopes(X[:, k].copy()), NewtonGrowth(), leaves=leaves) for k in (0, 1)
    ]
    votes = [Vote(0, tree, 0.1 * tree.values[:, 0]) for tree in trees]
    return X, Held(Schema(2), bins, N, 0), codes, votes


def begun(X, held, codes):
    holder = filled(ScoreHolder(held), codes)
    holder.settle(Outset(X[:, 0].copy(), None, np.array([0.5]), np.float64))
    return holder


def test_votes_are_added_once_however_often_they_are_told():
    *given, votes = start()
    one, other = begun(*given), begun(*given)
    assert one.scores(None).ravel().tolist() == [0.5] * N
    one.catch_up(0, votes)
    other.catch_up(0, votes[:1])
    other.catch_up(0, votes)
    other.catch_up(1, votes[1:])
    np.testing.assert_array_equal(one.scores(None), other.scores(None))
    assert one.scores(np.array([3])).shape == (1, 1)
    assert len(np.unique(one.scores(None))) > 2


def test_a_round_that_is_begun_anew_starts_where_it_did():
    *given, votes = start()
    one = begun(*given)
    one.catch_up(0, votes[:1])
    one.begin_round(1, SquaredError())
    first, before = one.gradients().copy(), one.scores(None).copy()
    one.catch_up(1, votes[1:])
    assert (one.scores(None) != before).any()
    one.begin_round(1, SquaredError())
    np.testing.assert_array_equal(one.gradients(), first)
    np.testing.assert_array_equal(one.scores(None), before)
    assert one.done == 1


def test_leaves_of_the_tree_that_was_grown_last_serve_its_vote():
    *given, votes = start()
    one, other = begun(*given), begun(*given)
    for holder in (one, other):
        holder.catch_up(0, votes[:1])
    one.begin_round(1, SquaredError())
    scale = one.begin_tree(0, NewtonGrowth())
    one.several(("step", Step((scale, 0))), ("leaf_sums", [0]))  # the tree stays a root
    one.several(("catch_up", 1, [Vote(0, votes[1].tree, np.full(99, 7.0))]))
    assert one.done == 2
    np.testing.assert_array_equal(one.scores(None), other.scores(None) + 7.0)
    one.catch_up(2, votes[1:])  # of no tree that was grown here: rows walk it
    assert len(np.unique(one.scores(None) - other.scores(None))) > 2


def test_slopes_are_made_here_and_scaled_as_drawn():
    *given, _ = start()
    one = begun(*given)
    one.begin_round(0, SquaredError())
    np.testing.assert_array_equal(one.gradients()[:, 0], 0.5 - given[0][:, 0])
    rows = np.array([1, 4], dtype=np.int32)
    one.draw(Draw(rows, rows[:1], 3.0))
    assert one.gradients()[1, 0] == 3.0 * (0.5 - given[0][1, 0])
    assert one.begin_tree(0, NewtonGrowth()).rows == 2

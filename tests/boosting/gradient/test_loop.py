"""The loop: scores that follow the trees, rounds that are replayed."""

import numpy as np
import pytest

from coterie.boosting.gradient import slopes
from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.dart import Dart
from coterie.boosting.gradient.loop import GradientRun, Plan
from coterie.boosting.gradient.rates import read_rates
from coterie.boosting.gradient.rows import Goss, SomeRows
from coterie.core import member_seeds
from coterie.data import Table
from coterie.losses import AbsoluteError, MultinomialLoss, SquaredError
from coterie.native import NewtonGrowth
from tests.boosting.gradient.tables import numbers, three_classes

RATES = read_rates(0.3, 8)
GROWTH = NewtonGrowth(max_leaf_nodes=6, min_samples_leaf=5)
PLANS = {
    "plain": Plan(SquaredError(), GROWTH, RATES),
    "refitted": Plan(AbsoluteError(), GROWTH, RATES),
    "subsample": Plan(SquaredError(), GROWTH, RATES, rows=SomeRows(0.5)),
    "refitted subsample": Plan(AbsoluteError(), GROWTH, RATES, rows=SomeRows(0.5)),
    "goss": Plan(SquaredError(), GROWTH, RATES, rows=Goss(0.2, 0.2)),
    "columns": Plan(SquaredError(), GROWTH, RATES, columns=2),
    "dart": Plan(SquaredError(), GROWTH, RATES, dart=Dart(0.5, 0.0)),
    "classes": Plan(MultinomialLoss(3), GROWTH, RATES),
    "classes with dart": Plan(MultinomialLoss(3), GROWTH, RATES, dart=Dart(0.5, 0.0)),
    "vector": Plan(MultinomialLoss(3), GROWTH, RATES, vector=True),
    "vector subsample": Plan(MultinomialLoss(3), GROWTH, RATES, vector=True, rows=SomeRows(0.5)),
}


def start(plan, n_rows=300):
    """A run that has not begun, with a few rows held out."""
    several = isinstance(plan.loss, MultinomialLoss)
    X, y = three_classes(n_rows, missing=0.1) if several else numbers(n_rows, missing=0.1)
    zero = np.zeros(3 if several else 1)
    train = Board.at(Table.read(X[50:]).bin(), y[50:].astype(float), None, zero)
    held = Board.at(Table.read(X[:50]), y[:50].astype(float), None, zero)
    return GradientRun(plan, train, [held])


@pytest.mark.parametrize("name", PLANS)
def test_scores_are_what_the_trees_say(name):
    run = start(PLANS[name])
    run.boost(member_seeds(0, 0, 8))
    assert len(run.members) == len(run.weights) == len(run.trace) == 8
    for board in (run.train, *run.held):
        np.testing.assert_allclose(board.raw, run.pool().raw(board.table), rtol=1e-9, atol=1e-9)
    before, after = (
        PLANS[name].loss.value(board.y, board.raw).mean()
        for board in (start(PLANS[name]).train, run.train)
    )
    assert after < before
    assert run.trace.reason == "max_iter"


@pytest.mark.parametrize("name", ["classes", "classes with dart"])
def test_classes_that_are_too_many_at_once_come_one_after_the_other(name, monkeypatch):
    runs = [start(PLANS[name]), start(PLANS[name])]
    runs[0].boost(member_seeds(0, 0, 4))
    monkeypatch.setattr(slopes, "_MANY", 1)
    runs[1].boost(member_seeds(0, 0, 4))
    assert ["gradient" in vars(run.slopes) for run in runs] == [True, False]
    np.testing.assert_array_equal(runs[0].train.raw, runs[1].train.raw)


def test_codes_are_held_in_one_form_only():
    run = start(PLANS["plain"])
    assert run.train.table.codes is run.ground.table.codes is None
    assert start(PLANS["vector"]).ground.table.codes is not None


@pytest.mark.parametrize("name", PLANS)
def test_replay_is_exact(name):
    whole = start(PLANS[name])
    whole.boost(member_seeds(0, 0, 5))
    again = start(PLANS[name])
    again.replay(whole.pool(), whole.trace, member_seeds(0, 0, 5))
    assert np.array_equal(again.train.raw, whole.train.raw)
    assert np.array_equal(again.held[0].raw, whole.held[0].raw)
    assert again.weights == whole.weights
    assert again.trace.rounds == whole.trace.rounds


def test_columns_of_a_tree_are_few():
    run = start(PLANS["columns"])
    run.boost(member_seeds(0, 0, 8))
    used = [set(m.features[m.nodes["left"] >= 0].tolist()) for m in run.members]
    assert max(map(len, used)) <= 2
    assert len(set.union(*used)) == 5


def test_a_watch_ends_it():
    plan = PLANS["plain"]
    run = start(plan)
    run.watches = [lambda trace: "enough" if len(trace) == 3 else ""]
    run.boost(member_seeds(0, 0, 8))
    assert len(run.members) == 3
    assert run.trace.reason == "enough"

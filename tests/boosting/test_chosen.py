"""A parameter chosen on rows held out: the choice by hand, ties, and what it may not depend on."""

import numpy as np
import pytest

from coterie.boosting import chosen
from coterie.boosting.chosen import Rows, choose, splits
from coterie.data import Table, Target

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.arange(60) % 2


def rows(X, y, weight=None):
    return Rows(Table.read(X), Target.labels(y), weight)


def never(candidate, learn, held):
    raise AssertionError("nothing is to be judged")


def above(cut, learn, held):
    """Mistakes of a rule that knows its cut already."""
    return (held.table.values[:, 0] > cut) != (held.target.codes[:, 0] == 1)


def test_the_fewest_mistakes_on_rows_held_out():
    y = (X[:, 0] > 0.5).astype(int)
    assert choose([0.0, 0.5, 1.0], above, rows(X, y)) == 0.5
    # Weights count: a heavy row that only another candidate is right about.
    heavy = np.where(np.argsort(np.argsort(np.abs(X[:, 0] - 0.25))) == 0, 1000.0, 1.0)
    y[heavy > 1] = 1
    assert choose([0.5, 0.0], above, rows(X, y)) == 0.5
    assert choose([0.5, 0.0], above, rows(X, y, heavy)) == 0.0


def test_rows_judge_once_and_none_that_was_learnt_from():
    seen, learnt = [], []

    def note(candidate, learn, held):
        seen.append(held.table.values[:, 0])
        learnt.append(np.intersect1d(learn.table.values[:, 0], held.table.values[:, 0]))
        shares = [np.bincount(part.target.codes[:, 0]) for part in (learn, held)]
        assert shares[0].tolist() == [20, 20]
        assert shares[1].tolist() == [10, 10]
        return np.zeros(held.table.n_rows, dtype=bool)

    assert choose(["usual", "other"], note, rows(X, Y)) == "usual"
    np.testing.assert_array_equal(np.sort(np.concatenate(seen[::2])), np.sort(X[:, 0]))
    assert not any(map(len, learnt))


def test_neither_order_nor_repetition_matters():
    times = RNG.integers(1, 4, 60)

    def judged(given):
        sums = {}

        def note(candidate, learn, held):
            weight = np.ones(held.table.n_rows) if held.weight is None else held.weight
            key = round(float(weight @ held.table.values[:, 0]), 9)
            sums[key] = round(float(weight.sum()), 9)
            return np.zeros(held.table.n_rows, dtype=bool)

        choose([0, 1], note, given)
        return sums

    weighted = judged(rows(X, Y, times.astype(float)))
    assert judged(rows(np.repeat(X, times, axis=0), np.repeat(Y, times))) == weighted
    order = RNG.permutation(60)
    assert judged(rows(X[order], Y[order], times[order].astype(float))) == weighted


def test_large_tables_are_judged_by_one_part(monkeypatch):
    monkeypatch.setattr(chosen, "_MANY", 30)
    monkeypatch.setattr(chosen, "_MOST", 20)
    sizes = []

    def note(candidate, learn, held):
        sizes.append((learn.table.n_rows, held.table.n_rows))
        return np.zeros(held.table.n_rows, dtype=bool)

    choose([0, 1], note, rows(X, Y))
    assert len(sizes) == 2
    assert sum(sizes[0]) == pytest.approx(20, abs=4)


def test_copies_of_a_row_are_in_all_folds():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    y = np.tile([0, 0, 1], 20)
    for learn, held in splits(rows(X, y)):
        for part, share in ((learn, 20), (held, 10)):
            weight = np.ones(part.table.n_rows) if part.weight is None else part.weight
            counts = np.bincount(part.table.values[:, 0].astype(int), weights=weight)
            np.testing.assert_allclose(counts, share, atol=1)


def test_the_first_is_taken_where_nothing_can_be_held_out():
    nothing = rows(X, np.zeros(60, dtype=int))
    assert choose(["usual", "other"], never, nothing) == "usual"
    assert choose(["only"], never, rows(X, Y)) == "only"

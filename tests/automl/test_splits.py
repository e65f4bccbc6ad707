"""Folds."""

import numpy as np

from coterie.automl.splits import (
    Plan,
    further_splits,
    make_folds,
    plan_splits,
    splits_of,
    thinned,
)
from coterie.automl.twins import find_twins
from coterie.boosting.gradient.default_rules import TableFacts
from coterie.boosting.gradient.default_rules import folds as default_folds
from coterie.data import Table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = RNG.integers(0, 3, 300)


def folds(X, strata, plan=Plan(5), seed=0, groups=None):  # noqa: B008
    return make_folds(Table.read(X), strata, plan, seed, groups)


def test_equal_rows_are_in_one_fold():
    (fold,) = folds(np.vstack([X, X]), np.append(Y, Y))
    np.testing.assert_array_equal(fold[:300], fold[300:])
    assert len(np.unique(fold)) == 5


def test_rows_of_few_values_are_in_every_fold():
    few, y = np.tile([[0.0], [1.0]], (150, 1)), np.tile([0, 1], 150)
    table = Table.read(few)
    (fold,) = make_folds(table, y, Plan(5), 0, twins=find_twins(table, y, [2]))
    counts = np.bincount(5 * y + fold)
    assert (counts == 30).all()


def test_fewer_rows_are_held_out_of_many_classes():
    rows = np.arange(50_000)
    for n_classes, most in ((20_000, 500), (5_000, 1_000), (2, 50_000), (0, 50_000)):
        ((train, test),) = thinned([(rows, rows)], n_classes)
        assert (len(train), len(test)) == (50_000, most)


def test_classes_are_spread_evenly():
    (fold,) = folds(X, Y)
    for k in range(3):
        counts = np.bincount(fold[k == Y], minlength=5)
        assert np.ptp(counts) <= 1


def test_order_and_repetition_of_rows_do_not_matter():
    order = RNG.permutation(300)
    (fold,), (turned,) = folds(X, Y), folds(X[order], Y[order])
    np.testing.assert_array_equal(fold[order], turned)


def test_seed_and_repeat_deal_anew():
    first, second = folds(X, Y, Plan(5, 2))
    assert (first != second).mean() > 0.5
    assert (first != folds(X, Y, seed=1)[0]).mean() > 0.5


def test_groups_stay_together():
    groups = RNG.integers(0, 30, 300).astype(np.int32)
    (fold,) = folds(X, Y, groups=groups)
    for group in range(30):
        assert len(np.unique(fold[groups == group])) == 1
    assert len(np.unique(fold)) == 5


def test_every_row_is_held_out_once_per_repeat():
    plan = Plan(5, 2)
    splits = splits_of(folds(X, Y, plan), plan)
    assert len(splits) == 10
    np.testing.assert_array_equal(np.bincount(np.concatenate([t for _, t in splits])), 2)
    for train, test in splits:
        assert len(np.intersect1d(train, test)) == 0
        assert len(train) + len(test) == 300
    one = Plan(5, hold_out=True)
    assert len(splits_of(folds(X, Y, one), one)) == 1


def test_fewer_models_for_larger_tables():
    plans = [plan_splits(n, 20, 2) for n in (100, 1_000, 10_000, 100_000, 1_000_000)]
    models = [1 if p.hold_out else p.n_folds * p.n_repeats for p in plans]
    assert models == sorted(models, reverse=True)
    assert models[0] > models[-1] == 1


def test_rows_in_order_are_split_into_blocks():
    plan = plan_splits(300, 4, 3, in_order=True)
    (fold,) = folds(X, Y, plan)
    assert plan.words == "5 blocks of consecutive rows"
    np.testing.assert_array_equal(fold, np.repeat([4, 3, 2, 1, 0], 60))
    large = plan_splits(1_000_000, 30, 2, in_order=True)
    assert large.words == "the last 1/8 of the rows held out"
    ((_, test),) = splits_of(folds(X, Y, Plan(8, hold_out=True, in_order=True)), large)
    np.testing.assert_array_equal(test, np.arange(262, 300))


def test_one_part_is_held_out_where_time_is_short():
    assert plan_splits(5_000, 10, 2, seconds=0.1).hold_out
    assert not plan_splits(5_000, 10, 2, seconds=1.0).hold_out
    assert plan_splits(300, 10, 2, seconds=10.0).n_repeats == 1
    assert plan_splits(300, 10, 2, seconds=100.0).n_repeats == 2


def test_there_are_as_many_folds_as_the_default_booster_has():
    for n_rows in (100, 400, 600, 4_000, 6_000, 60_000, 200_000):
        own = default_folds(TableFacts(n_rows, 10, 2, "default")).value
        for seconds in (20.0, 100.0, 1_000.0):
            assert plan_splits(n_rows, 10, 2, seconds=seconds).n_folds >= own


def test_moments_decide_about_the_order():
    table = Table.read(np.zeros((6, 1)))
    order = np.array([5, 4, 3, 2, 1, 0])
    (folds,) = make_folds(table, np.zeros(6, dtype=np.intp), Plan(3, in_order=True), 0, order=order)
    assert folds.tolist() == [0, 0, 1, 1, 2, 2]


def test_further_splits_are_of_other_parts():
    folds = np.arange(12) % 4
    held = further_splits([folds], Plan(4, hold_out=True), None)
    assert [test.tolist() for _, test in held] == [[1, 5, 9], [2, 6, 10], [3, 7, 11]]
    assert all(set(train) == set(range(12)) - set(test) for train, test in held)
    again = (np.arange(12) + 1) % 2
    assert len(further_splits([folds], Plan(2), again)) == 2
    assert further_splits([folds], Plan(4), None) == []

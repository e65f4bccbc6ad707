"""Drawing rows by class."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from coterie.core import View
from coterie.core.class_draw import class_sizes
from coterie.core.params import ParameterError
from coterie.data import Table, Target
from coterie.imbalance.undersample import Undersampled, Units
from coterie.learners import ForeignLearner

LABELS = np.array(["a", "b", "c"])


@pytest.mark.parametrize(
    ("strategy", "sizes"),
    [
        ("auto", [5, 5, 5]),
        (1.0, [5, 5, 5]),
        (0.5, [5, 10, 10]),
        (0.1, [5, 12, 50]),
        ({"b": 7, "c": 20}, [5, 7, 20]),
        ({"a": 30}, [30, 12, 80]),
    ],
)
def test_class_sizes(strategy, sizes):
    assert class_sizes(strategy, np.array([5, 12, 80]), LABELS).tolist() == sizes


def test_half_a_row_is_rounded_up():
    assert class_sizes(0.4, np.array([1, 80]), LABELS[:2]).tolist() == [1, 3]


@pytest.mark.parametrize("strategy", [{"z": 3}, {"a": 0}, {"a": 2.5}, {"a": -1}])
def test_bad_sizes(strategy):
    with pytest.raises(ParameterError, match="sampling_strategy"):
        class_sizes(strategy, np.array([5, 12, 80]), LABELS)


def laid(X, y, weight=None):
    table, target = Table.read(np.asarray(X, dtype=float)), Target.labels(np.asarray(y))
    return Units.lay(table, target, weight)


def numbered(n, n_small):
    return np.arange(n)[:, None], (np.arange(n) < n_small).astype(int)


def test_draws_the_sizes_without_replacement():
    units = laid(*numbered(100, 10))
    assert units.counts.tolist() == [90, 10]
    counts = units.draw(np.array([10, 10]), np.random.default_rng(0))
    assert counts.max() == 1
    assert (counts[:10].sum(), counts[10:].sum()) == (10, 10)
    other = units.draw(np.array([10, 10]), np.random.default_rng(1))
    assert not np.array_equal(counts, other)
    again = np.array([False, True])
    counts = units.draw(np.array([90, 10]), np.random.default_rng(0), again=again)
    assert counts[:10].max() > 1
    assert (counts[10:] == 1).all()


def test_draws_with_replacement_what_is_not_there():
    units = laid(*numbered(20, 5))
    counts = units.draw(np.array([15, 40]), np.random.default_rng(0))
    assert counts[:5].sum() == 40
    assert counts[5:].tolist() == [1] * 15


def test_one_row_is_drawn_in_proportion_to_its_weight():
    X, y = numbered(5, 0)
    units, weight = laid(X, y), np.array([1.0, 2.0, 3.0, 4.0, 0.0])
    rng = np.random.default_rng(0)
    drawn = sum(units.draw(np.array([1]), rng, weight) for _ in range(4000))
    assert drawn[4] == 0
    np.testing.assert_allclose(drawn / 4000, weight / 10, atol=0.03)


def test_two_rows_are_drawn_one_after_the_other():
    X, y = numbered(3, 0)
    units, weight = laid(X, y), np.array([1.0, 1.0, 2.0])
    rng = np.random.default_rng(0)
    drawn = sum(units.draw(np.array([2]), rng, weight) for _ in range(4000)) / 4000
    # The last is left out if the others come first: 1/4 * 1/3, in either order.
    assert drawn[2] == pytest.approx(1 - 2 * (1 / 4) * (1 / 3), abs=0.03)


def test_neither_order_nor_repetition_changes_a_draw():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), (np.arange(60) < 12).astype(int)
    times = rng.integers(1, 4, 60)
    order = rng.permutation(60)
    sizes = np.array([14, 14])
    weighted = laid(X[order], y[order], times[order].astype(float))
    repeated = laid(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.counts.tolist() == repeated.counts.tolist()
    heavy = rng.uniform(0.5, 2, 60)
    first = weighted.draw(sizes, np.random.default_rng(1), (heavy * times)[order])
    second = repeated.draw(sizes, np.random.default_rng(1), np.repeat(heavy, times))
    per_row = np.add.reduceat(second, np.append(0, np.cumsum(times)[:-1]))
    np.testing.assert_array_equal(first, per_row[order])


def test_weights_that_are_no_repetitions_do_not_change_a_draw():
    X, y = numbered(30, 8)
    weight = np.random.default_rng(0).uniform(0.5, 2, 30)
    units = laid(X, y, weight)
    assert units.counts.tolist() == [22, 8]
    assert units.importance is weight
    table, target = Table.read(X.astype(float)), Target.labels(y)
    counts = units.draw(np.array([8, 8]), np.random.default_rng(0))
    bag = units.bag(View(table, target), counts)
    np.testing.assert_array_equal(bag.table.values[:, 0], np.flatnonzero(counts))
    np.testing.assert_array_equal(bag.weight, weight[counts > 0])


def test_kept_units_are_drawn_from():
    units = laid(*numbered(10, 5))
    kept = units.keep(np.isin(units.rows, [0, 1, 7]))
    assert kept.counts.tolist() == [1, 2]
    counts = kept.draw(np.array([1, 1]), np.random.default_rng(0))
    assert set(np.flatnonzero(counts)) <= {0, 1, 7}


def test_members_that_take_no_weights_see_the_drawn_rows():
    X, y = numbered(40, 6)
    table, target = Table.read(X.astype(float)), Target.labels(y)
    units = Units.lay(table, target, None)
    trainer = Undersampled(ForeignLearner(KNeighborsClassifier(1)), units, np.array([6, 6]))
    weight = np.ones(40)
    member, vote = trainer.train(table, target, weight, np.random.default_rng(0), lambda out: -out)
    assert member.estimator.n_samples_fit_ == 12
    np.testing.assert_array_equal(vote, -member.predict(table))

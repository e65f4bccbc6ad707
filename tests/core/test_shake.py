import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from coterie.core.shake import (
    Balanced,
    Bootstrap,
    RowAxis,
    Subsample,
    View,
    balance,
    content_order,
    repetitions,
    untouched,
)
from coterie.data import Table, Target


def streams(count):
    return map(np.random.default_rng, range(count))


def axis(n, repeats=None):
    return RowAxis.lay(np.arange(n), repeats)


@pytest.mark.parametrize(("n", "expected"), [(2, 0.75), (3, 0.703704), (10, 0.651322)])
def test_chance_to_be_in_a_bag(n, expected):
    counts = np.array([Bootstrap(axis(n), n).counts(rng) for rng in streams(4000)])
    assert np.all(counts.sum(axis=1) == n)
    assert np.abs((counts > 0).mean(axis=0) - expected).max() < 0.03


def test_chance_that_a_bag_of_three_leaves_nobody_out():
    full = [np.all(Bootstrap(axis(3), 3).counts(rng) == 1) for rng in streams(4000)]
    assert np.mean(full) == pytest.approx(2 / 9, abs=0.03)


def test_bagged_median_of_three():
    y = np.array([1, 2, 6])
    medians = [np.median(np.repeat(y, Bootstrap(axis(3), 3).counts(r))) for r in streams(4000)]
    assert np.mean(medians) == pytest.approx(75 / 27, abs=0.1)


def test_long_draws_are_drawn_in_pieces(monkeypatch):
    monkeypatch.setattr("coterie.core.shake._CHUNK", 7)
    assert Bootstrap(axis(5), 100).counts(np.random.default_rng(0)).sum() == 100


def table_of(X, y):
    return Table.read(X).bin(), Target.numbers(y)


def test_order_and_repetition_do_not_change_a_bag():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    times = rng.integers(1, 4, 50)
    rows = rng.permutation(np.repeat(np.arange(50), times))
    once = RowAxis.lay(content_order(*table_of(X, y)), times)
    many = RowAxis.lay(content_order(*table_of(X[rows], y[rows])), None)
    assert once.length == many.length == len(rows)
    for draw in (Bootstrap, Subsample):
        weighted = draw(once, 40).counts(np.random.default_rng(1))
        repeated = draw(many, 40).counts(np.random.default_rng(1))
        np.testing.assert_array_equal(weighted, np.bincount(rows, repeated, minlength=50))


def test_content_order_tells_targets_apart():
    X = np.zeros((40, 2))
    y = np.tile([0.0, 1.0, -0.0, 2.0], 10)
    order = content_order(*table_of(X, y))
    assert np.count_nonzero(np.diff(y[order])) == 2  # equal rows are side by side, -0.0 is 0.0


def test_importance_tells_equal_rows_apart():
    weight = np.array([0.5, 2.5, 1.5, 0.5])
    same = table_of(np.zeros((4, 2)), np.zeros(4))
    assert weight[content_order(*same, weight)].tolist() == [0.5, 0.5, 1.5, 2.5]


def test_what_counts_as_repetition():
    assert repetitions(None) is None
    assert repetitions(np.array([1.0, 2.5])) is None
    assert repetitions(np.full(3, 1e6)) is None
    np.testing.assert_array_equal(repetitions(np.array([1.0, 200.0, 3.0])), [1, 200, 3])


def test_subsample_has_no_repetition():
    counts = Subsample(axis(20), 8).counts(np.random.default_rng(0))
    assert counts.sum() == 8
    assert counts.max() == 1


def view_of(labels, weight=None):
    target = Target.labels(labels)
    return View(Table.read(np.zeros((len(labels), 1))), target, weight)


def test_counts_multiply_weights():
    view = view_of([0, 1, 1], np.array([0.5, 1.0, 2.0]))
    draw = Bootstrap(axis(3), 3)
    counts = draw.counts(np.random.default_rng(4))
    np.testing.assert_array_equal(draw(view, np.random.default_rng(4)).weight, counts * view.weight)
    bare = draw(view_of([0, 1, 1]), np.random.default_rng(4))
    np.testing.assert_array_equal(bare.weight, counts)
    assert untouched(view, np.random.default_rng(0)) is view


def test_balance_is_that_of_scikit_learn():
    labels = np.array([0, 0, 0, 1, 1, 2])
    np.testing.assert_allclose(
        balance(Target.labels(labels), None), compute_sample_weight("balanced", labels)
    )
    both = np.column_stack([labels, labels % 2])
    np.testing.assert_allclose(
        balance(Target.labels(both), None), compute_sample_weight("balanced", both)
    )


def test_balanced_bags():
    view = view_of(np.repeat([0, 1], [90, 10]))
    shaken = Balanced(Bootstrap(axis(100), 100))(view, np.random.default_rng(0))
    totals = np.bincount(view.target.codes[:, 0], shaken.weight)
    assert totals[0] == pytest.approx(totals[1])
    assert totals.sum() == pytest.approx(100)
    plain = Balanced(untouched)(view, np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(view.target.codes[:, 0], plain.weight), [50, 50])


def test_balance_leaves_out_absent_classes():
    factors = balance(Target.labels([0, 1, 2]), np.array([1.0, 3.0, 0.0]))
    np.testing.assert_allclose(factors, [2.0, 2 / 3, 0.0])

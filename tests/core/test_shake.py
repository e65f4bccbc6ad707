import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from coterie.core.axis import RowAxis, content_order, split_weight
from coterie.core.shake import (
    Balanced,
    Bootstrap,
    Columns,
    Grouped,
    Patch,
    Reserve,
    Subsample,
    View,
    Wag,
    balance,
    untouched,
)
from coterie.data import Table, Target


def streams(count):
    return map(np.random.default_rng, range(count))


def axis(n, repeats=None):
    return RowAxis.lay(np.arange(n), repeats)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "expected"), [(2, 0.75), (3, 0.703704), (10, 0.651322)])
def test_chance_to_be_in_a_bag(n, expected):
    counts = np.array([Bootstrap(axis(n), n).counts(rng) for rng in streams(4000)])
    assert np.all(counts.sum(axis=1) == n)
    assert np.abs((counts > 0).mean(axis=0) - expected).max() < 0.03


@pytest.mark.slow
def test_chance_that_a_bag_of_three_leaves_nobody_out():
    full = [np.all(Bootstrap(axis(3), 3).counts(rng) == 1) for rng in streams(4000)]
    assert np.mean(full) == pytest.approx(2 / 9, abs=0.03)


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("kind", "mean", "variance"),
    # The Gaussian is cut at zero: E max(0, 1 + 2Z) = 1.3956, Var = 2.2137.
    [("exponential", 1, 0.98), ("poisson", 1, 1), ("gaussian", 1.3956, 2.2137)],
)
def test_random_weights(kind, mean, variance):
    weights = np.array([Wag(axis(50), kind).counts(rng) for rng in streams(800)])
    assert weights.mean() == pytest.approx(mean, rel=0.02)
    assert weights.var() == pytest.approx(variance, rel=0.05)
    share = {"exponential": 0.0, "poisson": np.exp(-1), "gaussian": 0.3085}[kind]
    assert (weights == 0).mean() == pytest.approx(share, abs=0.01)
    if kind == "exponential":
        np.testing.assert_allclose(weights.sum(axis=1), 50)


def test_random_weights_of_repeated_rows_add_up():
    once = Wag(RowAxis.lay(np.arange(2), np.array([3, 1]))).counts(np.random.default_rng(0))
    many = Wag(axis(4)).counts(np.random.default_rng(0))
    np.testing.assert_allclose(once, [many[:3].sum(), many[3]])


def test_a_member_is_never_left_without_rows():
    assert all(Wag(axis(1), "poisson").counts(rng).sum() >= 1 for rng in streams(50))


def test_groups_are_drawn_as_a_whole():
    groups = np.array([0, 1, 1, 2, 2, 2], dtype=np.int32)
    draw = Grouped(Bootstrap(axis(3), 3), groups)
    assert draw.spares
    for rng, again in zip(streams(20), streams(20), strict=True):
        counts = draw.counts(rng)
        np.testing.assert_array_equal(counts, Bootstrap(axis(3), 3).counts(again)[groups])
    shaken = draw(view_of(groups), np.random.default_rng(3))
    np.testing.assert_array_equal(shaken.weight, draw.counts(np.random.default_rng(3)))


def test_columns():
    for rng in streams(20):
        chosen = Columns(9, 4).draw(rng)
        assert len(set(chosen.tolist())) == 4
        assert (np.diff(chosen) > 0).all()
    twice = [len(set(Columns(4, 4, replace=True).draw(rng).tolist())) for rng in streams(50)]
    assert min(twice) < 4


def test_patches_do_not_change_the_rows():
    draw = Bootstrap(axis(5), 5)
    patch = Patch(draw, Columns(9, 4))
    view = view_of(np.arange(5))
    plain, patched = (one(view, np.random.default_rng(1)) for one in (draw, patch))
    np.testing.assert_array_equal(patched.weight, plain.weight)
    assert plain.columns is None
    assert len(patched.columns) == 4


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_rows_outside_are_divided(share):
    draw = Reserve(Bootstrap(axis(200), 200), share)
    assert draw.spares == (share < 1)
    view = view_of(np.arange(200) % 2)
    shares = []
    for seed in range(30):
        shaken = Patch(draw, Columns(9, 4))(view, np.random.default_rng(seed))
        counts = draw.counts(np.random.default_rng(seed))
        np.testing.assert_array_equal(shaken.weight, counts)
        seen = draw.seen(np.random.default_rng(seed))
        np.testing.assert_array_equal(seen, shaken.spare | (counts > 0))
        assert not (shaken.spare & (counts > 0)).any()
        shares.append(shaken.spare.sum() / (counts == 0).sum())
    assert np.mean(shares) == pytest.approx(share, abs=0.03)


def test_rows_outside_are_divided_by_group():
    groups = np.repeat(np.arange(40, dtype=np.int32), 3)
    draw = Reserve(Grouped(Bootstrap(axis(40), 40), groups), 0.5)
    spare = draw(view_of(groups), np.random.default_rng(0)).spare.reshape(40, 3)
    assert (spare == spare[:, :1]).all()
    assert 0 < spare.sum() < 3 * 15


@pytest.mark.parametrize("weight", [None, np.array([1.0, 3.0, 2.0]), np.array([0.5, 1.7, 0.2])])
@pytest.mark.parametrize("kind", [Bootstrap, Subsample])
def test_picks_are_the_rows_that_are_counted(kind, weight):
    repeats, importance = split_weight(weight)
    rows = RowAxis.lay(np.array([2, 0, 1]), importance if repeats is None else repeats)
    draw = kind(rows, 2)
    for seed in range(20):
        picks = draw.picks(np.random.default_rng(seed))
        counts = draw.counts(np.random.default_rng(seed))
        np.testing.assert_array_equal(np.bincount(picks, minlength=3), counts)

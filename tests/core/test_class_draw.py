"""Balanced bags: how many rows of each class, with or without replacement."""

import numpy as np
import pytest

from coterie.core import RowAxis
from coterie.core.class_draw import ClassDraw, bag_sizes, correct_prior

CODES = np.repeat([0, 1, 2], [60, 10, 25])
CLASSES = np.array(["a", "b", "c"])


def draw(method, strategy="auto", codes=CODES, repeats=None):
    axis = RowAxis.lay(np.random.default_rng(0).permutation(len(codes)), repeats)
    return ClassDraw.lay(axis, codes, method, strategy, CLASSES)


def class_counts(bag, codes=CODES):
    return np.bincount(codes, weights=bag, minlength=3).astype(int).tolist()


@pytest.mark.parametrize(
    ("method", "strategy", "sizes"),
    [
        ("under", "auto", [10, 10, 10]),
        ("balanced", 0.5, [20, 10, 20]),
        ("rough", "auto", [10, 10, 10]),
        ("over", "auto", [60, 60, 60]),
        ("over", 0.5, [60, 30, 30]),
        ("under", {"a": 12}, [12, 10, 25]),
        ("over", {"b": 40}, [60, 40, 25]),
    ],
)
def test_sizes_of_the_classes(method, strategy, sizes):
    assert bag_sizes(method, strategy, np.array([60, 10, 25]), CLASSES).tolist() == sizes
    if method != "rough":
        rng = np.random.default_rng(1)
        for _ in range(5):
            assert class_counts(draw(method, strategy).counts(rng)) == sizes


def test_class_without_rows_is_in_no_bag():
    sizes = bag_sizes("under", "auto", np.array([60, 0, 25]), CLASSES)
    assert sizes.tolist() == [25, 0, 25]
    codes = np.repeat([0, 2], [60, 25])
    for method in ("under", "balanced", "rough", "over"):
        found = class_counts(draw(method, codes=codes).counts(np.random.default_rng(0)), codes)
        assert found[1] == 0


def test_under_keeps_the_smallest_class_and_repeats_nothing():
    bag = draw("under").counts(np.random.default_rng(0))
    assert bag.max() == 1
    assert np.all(bag[CODES == 1] == 1)


def test_balanced_and_over_draw_with_replacement():
    for method in ("balanced", "over"):
        bags = [draw(method).counts(np.random.default_rng(seed)) for seed in range(50)]
        assert np.max(bags) > 1
        missing = np.mean([np.mean(bag[CODES == 1] == 0) for bag in bags])
        n_draws = 10 if method == "balanced" else 60
        assert missing == pytest.approx(0.9**n_draws, abs=0.05)


@pytest.mark.slow
def test_rough_numbers_are_negative_binomial():
    rng, rough = np.random.default_rng(0), draw("rough")
    found = np.array([class_counts(rough.counts(rng)) for _ in range(4000)])
    assert np.all(found[:, 1] == 10)
    for other in (0, 2):
        assert found[:, other].mean() == pytest.approx(10, rel=0.03)
        assert found[:, other].var() == pytest.approx(20, rel=0.1)


def test_repeated_rows_are_as_many_units():
    repeats = np.where(CODES == 1, 3, 1)
    found = draw("under", repeats=repeats)
    assert found.sizes == (25, 25, 25)
    wide = draw("under", repeats=np.where(CODES == 1, 2, 1))
    bag = wide.counts(np.random.default_rng(0))
    assert np.all(bag[CODES == 1] == 2)


def test_whether_rows_are_left_out():
    assert draw("under").spares
    assert not draw("under", codes=np.repeat([0, 1, 2], 5)).spares
    assert draw("over").spares


def test_prior_correction():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=7)
    share = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(correct_prior(p, share, share), p)
    even = np.full(3, 1 / 3)
    np.testing.assert_allclose(correct_prior(np.tile(even, (2, 1)), even, share), [share] * 2)
    there_and_back = correct_prior(correct_prior(p, even, share), share, even)
    np.testing.assert_allclose(there_and_back, p)
    with pytest.raises(ValueError, match="every class"):
        correct_prior(p, np.array([0.0, 0.5, 0.5]), share)

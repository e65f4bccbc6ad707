"""Folds by content, and what `cv` may be."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, RepeatedKFold, StratifiedKFold, TimeSeriesSplit

from coterie import RowFolds
from coterie.combining.splits import deal, make_splits
from coterie.data import Table, Target

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = np.arange(60) % 3


def folds_of(splitter, rows, labels=None):
    fold = np.full(len(rows), -1)
    for number, (train, test) in enumerate(splitter.split(rows, labels)):
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(rows)
        fold[test] = number
    return fold


def test_row_folds_follow_the_rows():
    fold = folds_of(RowFolds(4), X, y)
    assert fold.min() == 0
    assert np.bincount(fold * 3 + y, minlength=12).tolist() == [5] * 12  # stratified
    order = rng.permutation(60)
    assert folds_of(RowFolds(4), X[order], y[order]).tolist() == fold[order].tolist()
    twice = folds_of(RowFolds(4), np.vstack([X, X]), np.append(y, y))
    assert twice.tolist() == np.append(fold, fold).tolist()


def test_row_folds_of_groups_and_of_few_rows():
    groups = np.repeat(np.arange(20), 3)
    fold = np.full(60, -1)
    for number, (_, test) in enumerate(RowFolds(5).split(X, y, groups)):
        fold[test] = number
    assert all(len(set(fold[groups == g])) == 1 for g in range(20))
    assert list(RowFolds(5).split(np.ones((4, 2)))) == []
    assert len(list(RowFolds(5).split([[1.0], [2.0]]))) == 2
    with pytest.raises(ValueError, match="n_splits"):
        list(RowFolds(1).split(X))


def test_what_cv_may_be():
    table, target = Table.read(X), Target.labels(y)
    same = [(a.tolist(), b.tolist()) for a, b in StratifiedKFold(5).split(X, y)]
    for cv in (None, 5, StratifiedKFold(5), list(StratifiedKFold(5).split(X, y))):
        found = [(a.tolist(), b.tolist()) for a, b in make_splits(cv, table, target)]
        assert found == same
    assert len(make_splits("loo", table, target)) == 60
    assert len(make_splits(RepeatedKFold(n_splits=2, n_repeats=3), table, target)) == 6
    assert len(make_splits(TimeSeriesSplit(4), table, target)) == 4
    parts = make_splits(GroupKFold(3), table, target, np.repeat(np.arange(6), 10))
    assert len(parts) == 3
    masks = [(np.arange(60) < 40, np.arange(60) >= 40)]
    (train, test) = make_splits(masks, table, target)[0]
    assert train.tolist() == list(range(40))
    assert test.tolist() == list(range(40, 60))


def test_lists_count_rows_as_given():
    kept = np.array([0, 2, 3])
    table, target = Table.read(X[kept]), Target.labels(["a", "b", "a"])
    (train, test) = make_splits([([0, 1, 2], [3, 4])], table, target, None, kept)[0]
    assert train.tolist() == [0, 1]
    assert test.tolist() == [2]
    with pytest.raises(ValueError, match="row 9"):
        make_splits([([0], [9])], table, target)
    with pytest.raises(ValueError, match="negative"):
        make_splits([([0], [-1])], table, target)


def test_keys_are_dealt_in_turn():
    keys = np.array([3, 1, 2], dtype=np.uint64)
    assert deal(keys, np.zeros(3, dtype=np.intp), 3).tolist() == [2, 0, 1]

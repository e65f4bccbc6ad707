"""Folds, joint rounds and temperatures."""

import numpy as np
import pytest

from coterie.boosting.gradient.averaged import Model, best_rounds, deal
from coterie.boosting.gradient.fit import Fold
from coterie.data import Target


def test_folds_hold_out_every_row_once_and_every_class_by_its_share():
    codes = np.repeat([0, 1], [30, 9])
    folds = deal(Target.labels(codes, n_rows=39), 3, seed=1)
    held = np.concatenate([fold.watched for fold in folds])
    assert sorted(held) == list(range(39))
    for fold in folds:
        assert sorted([*fold.learn, *fold.watched]) == list(range(39))
        assert np.bincount(codes[fold.watched]).tolist() == [10, 3]


def test_numbers_are_spread_by_size():
    y = np.random.default_rng(0).permutation(20).astype(float)
    for fold in deal(Target.numbers(y, n_rows=20), 4, seed=0):
        assert sorted(y[fold.watched] // 4) == [0, 1, 2, 3, 4]


def test_rare_classes_are_held_out_by_none():
    codes = np.repeat([0, 1], [9, 2])
    folds = deal(Target.labels(codes, n_rows=11), 3, seed=0)
    assert all(np.isin([9, 10], fold.learn).all() for fold in folds)
    assert deal(Target.labels([0, 1], n_rows=2), 3, seed=0) == []
    assert deal(Target.numbers([0.0, 1.0], n_rows=2), 3, seed=0) == []


class Stub:
    def __init__(self, curve, rounds):
        self._curve = np.array(curve)
        self.pool_ = range(rounds)


def fold(n):
    return Fold(np.arange(0), np.arange(n))


@pytest.mark.parametrize(("weights", "best"), [((1, 1), 2), ((9, 1), 1)])
def test_rounds_are_best_for_all_rows_held_out(weights, best):
    models = [
        Model(Stub([-9, -1, -2, -4], 3), 0, fold(weights[0])),
        Model(Stub([-9, -5, -2], 2), 0, fold(weights[1])),
        Model(Stub([-9, -8, -7, -6, -5], 4), 1, fold(5)),
        Model(Stub([], 7), 2, None),
    ]
    assert best_rounds(models) == [best, best, 4, 7]
    assert best_rounds(models, keep_all=True) == [3, 2, 4, 7]

"""What a table decides about the members of the portfolio."""

import numpy as np
import pytest

from coterie import ExtraTreesClassifier, ExtraTreesRegressor
from coterie.automl.makers import boosted, forest, gradient, linear, network
from coterie.automl.situation import Situation


def situation(n_rows, task="binary", **more):
    return Situation(task, n_rows, 0 if task == "regression" else 2, np.zeros(3, dtype=int), **more)


def test_many_rows_may_have_settings_of_their_own():
    make = gradient(large={"learning_rate": 0.04}, learning_rate=0.3, subsample=0.5)
    few, many = make(situation(5_000)), make(situation(5_001))
    assert (few.learning_rate, few.subsample, few.min_samples_leaf) == (0.3, 0.5, 5)
    assert (many.learning_rate, many.subsample, many.min_samples_leaf) == (0.04, 1.0, 20)


@pytest.mark.parametrize(("metric", "loss"), [("rmse", "squared_error"), ("mae", "absolute_error")])
def test_the_loss_follows_the_metric(metric, loss):
    assert gradient()(situation(100, "regression", metric=metric)).loss == loss


def test_large_tables_have_smaller_forests_and_fewer_epochs():
    make = forest(ExtraTreesClassifier, ExtraTreesRegressor, max_leaf_nodes=9)
    assert [make(situation(n)).n_estimators for n in (5_000, 5_001)] == [200, 100]
    assert make(situation(10, "regression")).max_leaf_nodes == 9
    assert [network((8,))(situation(n))[-1].max_iter for n in (5_000, 5_001)] == [40, 30]


def test_tables_wider_than_long_are_sampled():
    wide = Situation("binary", 200, 2, np.zeros(20_000, dtype=int))
    booster = gradient()(wide)
    trees = forest(ExtraTreesClassifier, ExtraTreesRegressor)(wide)
    assert (booster.max_bins, booster.colsample_bytree) == (32, 0.25)
    assert (boosted(wide).max_bins, trees.max_features) == (32, 0.1)
    assert linear(wide)[-1].C == 10 / 20_000
    long = Situation("binary", 5_000, 2, np.zeros(20_000, dtype=int))
    assert (gradient()(long).max_bins, linear(long)[-1].C) == (255, 1.0)

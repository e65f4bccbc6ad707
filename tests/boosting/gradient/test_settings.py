"""From parameters to the engine's numbers."""

import numpy as np
import pytest

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.boosting.gradient.dart import Dart
from coterie.boosting.gradient.parameters import settings_of
from coterie.boosting.gradient.rows import Goss, SomeRows, all_rows
from coterie.boosting.gradient.settings import (
    per_features,
    resolve_dart,
    resolve_newton,
    resolve_rows,
)
from coterie.data import Schema, Target
from tests.boosting.gradient.tables import SMALL, numbers, three_classes

SCHEMA = Schema(10, tuple("abcdefghij"))
TARGET = Target.numbers(np.arange(100.0))


def settings(**params):
    return settings_of(HistGradientBoostingRegressor(**params), {})


def newton(**params):
    return resolve_newton(settings(**params), SCHEMA, TARGET, np.arange(10))


def test_numbers_of_the_engine():
    growth, columns = newton(
        l1_regularization=1,
        l2_regularization=2,
        min_split_gain=3,
        max_delta_step=4,
        min_child_weight=5,
        min_samples_leaf=6,
        max_depth=7,
        max_leaf_nodes=8,
        growth="level",
    )
    assert (growth.l1, growth.l2, growth.min_gain, growth.max_delta_step) == (1, 2, 3, 4)
    assert (growth.min_child_weight, growth.min_samples_leaf) == (5, 6)
    assert (growth.max_depth, growth.max_leaf_nodes, growth.level_wise) == (7, 8, True)
    assert columns is growth.max_features is growth.level_features is None


def test_columns_are_nested_shares():
    growth, columns = newton(colsample_bytree=0.8, colsample_bylevel=0.5, max_features=0.5)
    assert (columns, growth.level_features, growth.max_features) == (8, 4, 2)
    assert [per_features(v, 10) for v in (0.01, 0.11, 3, "sqrt", None)] == [1, 2, 3, 3, 10]


def test_limits_beyond_the_table_are_those_of_the_table():
    growth, _ = newton(max_depth=10**30, max_leaf_nodes=10**18, min_samples_leaf=10**30)
    assert (growth.max_depth, growth.max_leaf_nodes, growth.min_samples_leaf) == (100, 101, 101)


def test_rows_and_trees():
    assert resolve_rows(HistGradientBoostingRegressor()) is all_rows
    assert resolve_rows(HistGradientBoostingRegressor(subsample=0.5)) == SomeRows(0.5)
    goss = HistGradientBoostingRegressor(boosting="goss", learning_rate=0.3)
    assert resolve_rows(goss) == Goss(0.2, 0.1, begin=4)
    assert resolve_dart(goss) is None
    dart = HistGradientBoostingRegressor(boosting="dart", drop_rate=0.3)
    assert resolve_dart(dart) == Dart(0.3, 0.5, "tree")


def test_interactions_by_name_and_number():
    growth, _ = newton(interaction_cst=[["a", 1], ["b", "c"]])
    expected = np.zeros((3, 10), dtype=bool)
    expected[0, [0, 1]] = expected[1, [1, 2]] = expected[2, 3:] = True
    np.testing.assert_array_equal(growth.interactions, expected)
    assert newton(interaction_cst="pairwise")[0].interactions.sum(axis=1).tolist() == [2] * 45
    assert newton(interaction_cst="no_interactions")[0].interactions.sum() == 10


def test_made_columns_follow_the_one_they_come_from():
    origin = np.array([*range(10), 3])
    params = settings(monotonic_cst={"d": 0, "e": -1}, interaction_cst=[["d", "e"]])
    growth, _ = resolve_newton(params, SCHEMA, TARGET, origin)
    assert growth.monotone.tolist() == [0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0]
    assert growth.interactions[:, 10].tolist() == growth.interactions[:, 3].tolist()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"boosting": "goss", "subsample": 0.5}, "subsample"),
        ({"boosting": "goss", "top_rate": 0.6, "other_rate": 0.5}, "top_rate"),
        ({"monotonic_cst": {"a": 1}}, "names"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has shape .2,. but"),
        ({"monotonic_cst": [1, 0, 0, 3, 0]}, "Observed values: .0, 1, 3."),
        ({"interaction_cst": [{0, 7}]}, "Interaction constraints.*got 7"),
        ({"interaction_cst": [{0, "b"}]}, "Interaction constraints.*got 'b'"),
        ({"interaction_cst": [0, 1]}, "a sequence of tuples or lists"),
        ({"interaction_cst": ["ab"]}, "a sequence of tuples or lists"),
        ({"boosting": "random"}, "boosting"),
        ({"drop_rate": 1.5}, "drop_rate"),
        ({"callbacks": [3]}, "callbacks"),
        ({"init": [1.0, 2.0]}, "init"),
        ({"init": np.nan}, "init"),
    ],
)
def test_refused(params, message):
    X, y = numbers(50)
    with pytest.raises(ValueError, match=message):
        HistGradientBoostingRegressor(**params).fit(X, y)


def test_directions_are_for_one_score():
    with pytest.raises(ValueError, match="not supported for multiclass"):
        HistGradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0, 0]).fit(*three_classes(60))


def test_directions_by_name_are_checked():
    for given in ({"z": 1}, {"a": 2}):
        with pytest.raises(ValueError, match="monotonic_cst"):
            newton(monotonic_cst=given)
    categories = Schema(2, None, {0: np.array(["u", "v"])})
    with pytest.raises(ValueError, match="Categorical"):
        resolve_newton(settings(monotonic_cst=[1, 0]), categories, TARGET, np.arange(2))


@pytest.mark.parametrize(
    "params", [{"l1_regularization": 1.0}, {"max_delta_step": 1.0}, {"growth": "level"}]
)
def test_vector_leaves_refuse_what_they_cannot_do(params):
    X, y = three_classes(100)
    with pytest.raises(ValueError, match=next(iter(params))):
        HistGradientBoostingClassifier(multiclass="vector", **params, **SMALL).fit(X, y)


def test_directions_are_for_two_classes():
    X, y = three_classes(100)
    with pytest.raises(ValueError, match="multiclass"):
        HistGradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0, 0]).fit(X, y)

from types import SimpleNamespace

import numpy as np
import pytest

from coterie.core import ParameterError
from coterie.data import Table, Target
from coterie.trees.growth import (
    SHAPE,
    check_counts,
    resolve_count,
    resolve_growth,
    resolve_max_features,
    resolve_monotone,
)

LABELS = Target.labels([0, 1] * 20)
VALUES = Target.numbers(np.arange(40.0))
TABLE = Table.read(np.zeros((40, 9)))


def params(**changes):
    defaults = {
        "criterion": "gini",
        "max_depth": None,
        "max_leaf_nodes": None,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_impurity_decrease": 0,
        "max_features": None,
        "monotonic_cst": None,
    }
    return SimpleNamespace(**defaults | changes)


def resolve(target=LABELS, random_thresholds=False, **changes):
    return resolve_growth(params(**changes), TABLE, target, random_thresholds=random_thresholds)


@pytest.mark.parametrize(
    ("d", "log2", "breiman", "sqrt"),
    [(4, 2, 3, 2), (9, 3, 4, 3), (13, 3, 4, 3), (30, 4, 5, 5), (64, 6, 7, 8), (100, 6, 7, 10)],
)
def test_columns_per_node(d, log2, breiman, sqrt):
    words = {"log2": log2, "log2+1": breiman, "sqrt": sqrt, "third": d // 3, None: d}
    assert {word: resolve_max_features(word, d) for word in words} == words


def test_columns_per_node_stay_within_the_table():
    assert [resolve_max_features(w, 1) for w in ("log2", "log2+1", "sqrt", "third", 0.1)] == [1] * 5
    assert resolve_max_features(10**12, 5) == 5
    assert [resolve_max_features(f, 10) for f in (0.25, 0.01, 1.0)] == [2, 1, 10]


def test_counts_and_fractions():
    assert [resolve_count(v, 40) for v in (3, 0.1, 0.11, 1.0)] == [3, 4, 5, 40]
    growth = resolve(min_samples_leaf=0.1, min_samples_split=3)
    assert (growth.min_samples_leaf, growth.min_samples_split) == (4, 8)


def test_limits_beyond_the_table_are_cut():
    growth = resolve(max_depth=10**40, max_leaf_nodes=10**40, min_samples_leaf=10**40)
    assert growth.max_depth <= 40
    assert growth.max_leaf_nodes <= 41
    assert growth.min_samples_leaf == 41


def test_words_of_scikit_learn():
    assert resolve(criterion="log_loss").criterion == "entropy"
    assert resolve(VALUES, criterion="friedman_mse").criterion == "friedman_mse"
    assert resolve(max_features=9).max_features is None
    assert resolve(max_features="sqrt").max_features == 3
    assert resolve(random_thresholds=True).random_thresholds


def test_monotone():
    assert resolve_monotone(None, 3, LABELS) is None
    assert resolve_monotone([0, 0, 0], 3, LABELS) is None
    assert resolve_monotone([1, 0, -1], 3, VALUES).dtype == np.int8
    with pytest.raises(ParameterError, match="has shape 2 but"):
        resolve_monotone([1, 0], 3, VALUES)
    with pytest.raises(ParameterError, match="of -1, 0 or 1"):
        resolve_monotone([1, 0, 0.5], 3, VALUES)
    with pytest.raises(ValueError, match="multiple outputs"):
        resolve_monotone([1, 0, 0], 3, Target.numbers(np.zeros((4, 2))))
    with pytest.raises(ValueError, match="multiclass"):
        resolve_monotone([1, 0, 0], 3, Target.labels([0, 1, 2]))


def test_poisson_needs_counts():
    with pytest.raises(ValueError, match="negative"):
        check_counts(Target.numbers([1.0, -1.0]))
    with pytest.raises(ValueError, match="strictly positive"):
        resolve(Target.numbers(np.zeros(40)), criterion="poisson")
    check_counts(VALUES)


def test_words_do_not_admit_bools():
    assert not any(SHAPE[name].admits(True) for name in ("max_depth", "max_features", "n_jobs"))

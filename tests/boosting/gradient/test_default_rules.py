"""The rules of default settings."""

import numpy as np
import pytest

from coterie.base import Admitted
from coterie.boosting.gradient.default_rules import (
    COMMON,
    SHAPED,
    Choice,
    TableFacts,
    choose,
)
from coterie.data import Table, Target

AUTO = dict.fromkeys([*COMMON, *SHAPED["leaf"]], "auto")


def facts(n_rows=1000, n_columns=10, n_classes=2, effort="default", **more):
    return TableFacts(n_rows, n_columns, n_classes, effort, **more)


def test_facts_of_a_table():
    table = Table.read(np.zeros((4, 2)))
    target = Target.labels([0, 1, 2, 0], n_rows=4)
    weight = np.array([1.0, 2.0, 3.0, 1.0])
    whole = TableFacts.of(Admitted(table, target, weight, None), "single")
    assert whole == TableFacts(7.0, 2, 3, "single")
    assert whole.kind == "many classes"
    assert whole.trees_per_round == 3
    for other in (weight / 10, weight * 1e18):
        assert TableFacts.of(Admitted(table, target, other, None), "single").n_rows == 4.0


@pytest.mark.parametrize("effort", ["single", "fast", "default", "best"])
@pytest.mark.parametrize("n_classes", [0, 2, 3, 30])
def test_rules_hold_for_tables_of_all_sizes(effort, n_classes):
    for n_rows in (2, 50, 1_000, 100_000, 10**8):
        for n_columns in (1, 30, 10_000):
            settings, chosen = choose(facts(n_rows, n_columns, n_classes, effort), AUTO)
            assert all(isinstance(choice, Choice) for choice in chosen.values())
            for one in settings:
                assert 0 < one["learning_rate"] <= 0.3
                assert 0 < one["subsample"] <= 1
                assert 0 < one["colsample_bytree"] <= 1
                assert one["max_iter"] >= 100
                assert one["n_iter_no_change"] >= 10
                assert one["min_samples_leaf"] >= 1
                assert (one["max_leaf_nodes"] is None) == (one["growth"] == "symmetric")


def test_one_tree_for_all_classes_leaves_time_for_rounds():
    each, one = (
        choose(facts(n_classes=30), {**AUTO, "multiclass": word}) for word in ("auto", "vector")
    )
    assert [one["growth"] for one in each[0]] == ["leaf", "symmetric"]
    assert [one["growth"] for one in one[0]] == ["leaf"]  # others cannot have several scores
    assert each[1]["max_iter"].value < one[1]["max_iter"].value == 1000
    assert one[1]["learning_rate"].value < each[1]["learning_rate"].value


def test_what_is_given_is_not_chosen():
    given = {**AUTO, "growth": "symmetric", "max_depth": 3, "learning_rate": 0.5}
    (settings,), chosen = choose(facts(), given)
    assert settings["learning_rate"] == 0.5
    assert settings["growth"] == "symmetric"
    assert "max_depth" not in settings  # it stays what the user said
    assert not {"growth", "max_depth", "learning_rate"} & set(chosen)
    assert chosen["min_samples_leaf"].value == 1


def test_many_classes_take_fewer_rounds():
    (few, *_), _ = choose(facts(n_classes=3), AUTO)
    (many, *_), _ = choose(facts(n_classes=30), AUTO)
    assert many["max_iter"] < few["max_iter"]


def test_without_held_out_rows_the_path_follows_the_rows():
    steps = [choose(facts(n, effort="single"), AUTO)[0][0]["learning_rate"] for n in (500, 5_000)]
    assert steps[0] < steps[1]


@pytest.mark.parametrize("n_rows", [60, 700, 20_000, 10**6])
def test_more_effort_means_more_models_and_smaller_steps(n_rows):
    each = [choose(facts(n_rows, effort=e), AUTO)[0][0] for e in ("fast", "default", "best")]
    folds, steps, rounds = (
        [one[name] for one in each] for name in ("n_folds", "learning_rate", "max_iter")
    )
    assert folds == sorted(folds)
    assert steps == sorted(steps, reverse=True)
    assert rounds == sorted(set(rounds))

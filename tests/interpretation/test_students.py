import numpy as np
import pandas as pd
import pytest

from coterie.data import Schema, Table, Target
from coterie.interpretation.students import (
    RuleList,
    cooled,
    one_level_rules,
    soft_target,
    teach_linear,
    teach_list,
)
from coterie.interpretation.teaching import TransferSet


def transfer(X, said, weight=None):
    said = np.asarray(said, dtype=float).reshape(len(X), -1)
    return TransferSet(Table.read(X), said, weight, Target.numbers(said[:, 0]))


def test_the_first_rule_that_holds_decides():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(400, 3)), columns=list("abc"))
    y = np.where(X["a"] > 0.7, 5.0, np.where(X["b"] > 0.5, 2.0, 0.0))
    found = teach_list(transfer(X, y), 4, 2, 0)
    np.testing.assert_allclose(found.predict(Table.read(X))[:, 0], y, atol=0.2)
    assert len(found.rules) <= 4
    text = found.text().splitlines()
    assert text[0].startswith("if a > 0.")
    assert text[-1].startswith("else: ")
    held = found.rules(X)
    first = held.argmax(axis=1)
    covered = held.any(axis=1)
    said = found.predict(Table.read(X))
    np.testing.assert_array_equal(said[covered], found.values[:-1][first[covered]])
    np.testing.assert_array_equal(said[~covered], np.repeat(found.values[-1:], (~covered).sum(), 0))


def test_a_list_of_no_rules_says_the_mean():
    found = teach_list(
        transfer(np.zeros((4, 2)), [0.0, 1.0, 2.0, 3.0], np.array([1.0, 1, 1, 3])), 5, 2, 0
    )
    assert len(found.rules) == 0
    np.testing.assert_allclose(found.predict(Table.read(np.zeros((2, 2)))), 2.0)


def test_lists_name_classes():
    rules = one_level_rules(Schema(1, ("colour",), {0: np.array(["blue", "red"])}))
    listed = RuleList(rules[:1], np.array([[0.9, 0.1], [0.2, 0.8]]))
    assert listed.text(np.array(["cold", "warm"])) == (
        "if colour in {blue}: cold (0.90)\nelse: warm (0.80)"
    )


def test_every_category_is_a_rule():
    X = pd.DataFrame({"n": [1.0, 2.0, 3.0], "colour": ["red", "blue", None]})
    rules = one_level_rules(Table.read(X).schema)
    assert rules.text() == ["colour in {blue}", "colour in {red}"]
    np.testing.assert_array_equal(rules(X), [[False, True], [True, False], [False, False]])
    assert len(one_level_rules(Schema(2))) == 0


def test_a_linear_teacher_is_found_again():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * [1, 10, 100]
    said = 4.0 + X @ [1.0, -2.0, 0.5]
    member, _ = teach_linear(transfer(X, said), labels=False)
    np.testing.assert_allclose(member.constants, 4.0)
    np.testing.assert_allclose(member.coefs[0] / member.linear.scale, [1.0, -2.0, 0.5])
    new = X[:5] * 0.9  # within what was seen
    np.testing.assert_allclose(member.predict(Table.read(new))[:, 0], 4.0 + new @ [1.0, -2.0, 0.5])


def test_a_logistic_teacher_is_found_again():
    X = np.random.default_rng(0).normal(size=(80, 2))
    odds = 0.3 + X @ [1.0, -0.5]
    chance = 1 / (1 + np.exp(-odds))
    member, _ = teach_linear(transfer(X, np.column_stack([1 - chance, chance])), labels=True)
    np.testing.assert_allclose(member.predict(Table.read(X))[:, 1], chance, rtol=1e-6)


def test_temperature():
    said = np.array([[0.9, 0.1, 0.0]])
    np.testing.assert_allclose(cooled(said, 1.0), said)
    warm = cooled(said, 3.0)
    assert warm[0, 1] > 0.3
    assert warm[0, 2] == 0
    assert warm.sum() == pytest.approx(1)


def test_soft_targets_are_numbers():
    target = soft_target(transfer(np.zeros((2, 1)), [[0.2, 0.8], [0.5, 0.5]]))
    assert target.kind == "values"
    assert target.n_outputs == 2

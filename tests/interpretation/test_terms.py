import numpy as np
import pytest
from scipy.special import expit

from coterie import DecisionTreeClassifier, extract_rules
from coterie.data import Table
from coterie.interpretation.terms import Linear, RuleModel

X = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [3.0, 100.0]])


def model(n_classes=0):
    rules = extract_rules(DecisionTreeClassifier(max_depth=1).fit(X, [0, 0, 0, 1]))[:1]
    linear = Linear.learn(X, np.array([1]), np.full(4, 0.25), 0.25)
    return RuleModel(rules, linear, np.array([0.5]), np.array([[2.0, 1.0]]), n_classes)


def test_outliers_are_winsorised_and_gaps_are_means():
    linear = Linear.learn(X, np.array([0, 1]), np.full(4, 0.25), 0.25)
    assert (linear.low[1], linear.high[1]) == (1.0, 3.0)
    shown = linear(np.array([[0.0, 1e9], [1.0, 3.0], [1.0, np.nan]]))
    assert shown[0, 1] == shown[1, 1]
    assert shown[2, 1] == 0
    train = linear(X)
    np.testing.assert_allclose(train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(train.std(axis=0), 1)


def test_weights_move_quantiles_as_repetitions_do():
    times = np.array([1, 5, 2, 1])
    weighted = Linear.learn(X, np.array([1]), times / times.sum(), 0.1)
    repeated = Linear.learn(np.repeat(X, times, axis=0), np.array([1]), np.full(9, 1 / 9), 0.1)
    for name in ("low", "high", "mean", "scale"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name))


def test_columns_that_say_nothing_are_left_out():
    cells = np.column_stack([np.ones(4), np.full(4, np.nan), [0, 0, 0, 5e-324], np.arange(4)])
    linear = Linear.learn(cells, np.arange(4), np.full(4, 0.25), 0.0)
    assert linear.columns.tolist() == [3]


def test_scores_add_up():
    member = model()
    raw = member.predict(Table.read(X))
    held = member.rules(X)[:, 0]
    np.testing.assert_allclose(raw[:, 0], 0.5 + 2.0 * held + member.linear(X)[:, 0])
    # What is shown is the same sum in units of the column.
    rule, line = sorted(member.terms(np.array([0.75])), key=lambda term: term.kind, reverse=True)
    shown = member.constants[0] + rule.coefficient * held
    shown = shown + line.coefficient * np.clip(X[:, 1], member.linear.low, member.linear.high)
    np.testing.assert_allclose(shown, raw[:, 0])


def test_importances():
    member = model()
    rule, line = sorted(member.terms(np.array([0.75])), key=lambda term: term.kind, reverse=True)
    assert rule.importance == pytest.approx(2.0 * np.sqrt(0.25 * 0.75))  # 2 times .433013
    assert line.importance == pytest.approx(1.0)
    columns = member.column_importances(np.array([0.75]))
    assert columns.sum() == pytest.approx(1.0)


def test_scores_become_probabilities():
    raw = model().predict(Table.read(X))[:, 0]
    two = model(2).predict(Table.read(X))
    np.testing.assert_allclose(two[:, 1], expit(raw))
    np.testing.assert_allclose(two.sum(axis=1), 1)
    assert (model(1).predict(Table.read(X)) == 1).all()

import numpy as np
import pytest

from coterie.boosting.margin.margin_votes import MarginVotes
from coterie.core.rule import State
from coterie.data import Target


def state(labels):
    target = Target.labels(np.array(labels))
    weight = np.full(len(labels), 1 / len(labels))
    return State(target, weight, weight, np.zeros((len(labels), MarginVotes.n_scores(target))))


def test_hits_of_two_classes():
    output = np.array([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])
    two = state([0, 0, 1])
    hard, soft = MarginVotes("hard"), MarginVotes("soft")
    assert hard.hits(two, hard.vote(output)).tolist() == [1, -1, -1]
    assert soft.hits(two, soft.vote(output)) == pytest.approx([0.6, -0.4, 0])


def test_hits_of_many_classes_are_own_less_largest_other():
    output = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    three = state([0, 1, 2])
    hard, soft = MarginVotes("hard"), MarginVotes("soft")
    assert soft.hits(three, soft.vote(output)) == pytest.approx([0.2, -0.2, 0.7])
    assert hard.hits(three, hard.vote(output)).tolist() == [1, -1, 1]


def test_votes_are_hard_of_two_classes_and_soft_of_many():
    auto = MarginVotes()
    assert auto.for_target(state([0, 1]).target).gives == "label"
    assert auto.for_target(state([0, 1, 2]).target).gives == "proba"
    assert MarginVotes("soft").for_target(state([0, 1]).target).gives == "proba"


def test_shares_are_what_is_left_without_members():
    rule = MarginVotes("hard")
    two = rule.link(np.array([rule.fallback(state([0, 1, 1, 1]))]))
    assert two == pytest.approx(np.array([[0.25, 0.75]]))
    three = rule.link(np.array([rule.fallback(state([0, 1, 1, 2]))]))
    assert three == pytest.approx(np.array([[0.25, 0.5, 0.25]]))


def test_a_single_class_is_always_right():
    rule = MarginVotes("hard")
    one = state([4, 4])
    assert rule.hits(one, rule.vote(np.ones((2, 1)))).tolist() == [1, 1]

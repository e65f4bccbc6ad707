"""What the boosters with a clock share: questions, their weights, their answers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie.boosting.brown import BrownBoost, BrownBoostClassifier
from coterie.boosting.robust import RobustBoost, RobustBoostClassifier
from coterie.boosting.timed import edge_of, margins_of
from coterie.data import Target

RULES = [BrownBoost(), RobustBoost()]
CLASSIFIERS = [BrownBoostClassifier, RobustBoostClassifier]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_to_say_no_is_a_coin(rule):
    target = Target.labels(np.array([0, 1, 2, 3, 3, 3]))
    state = rule.begin(target, np.full(6, 1 / 6))
    assert state.pairs.sum() == pytest.approx(1)
    no = margins_of(state, -np.ones((6, 4)))
    assert edge_of(state.pairs.ravel(), no) == pytest.approx((0.5, 0.0))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_first_weights_are_the_given_ones(rule):
    weight = np.array([0.5, 0.3, 0.2])
    state = rule.begin(Target.labels(np.array(["a", "b", "a"])), weight)
    np.testing.assert_array_equal(state.weight, weight)
    np.testing.assert_allclose(rule.ask(state).weight, 3 * weight)


@pytest.mark.slow
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_many_classes(cls):
    X, y = load_iris(return_X_y=True)
    model = cls().set_params(**{_goal(cls): 0.03}).fit(X, y)
    assert model.score(X, y) > 0.96
    assert model.stop_reason_ == "time_exhausted"
    raw = model.decision_function(X)
    right = np.where(np.arange(3) == y[:, None], 1, -1) * raw > 0
    wrong = 0.5 * np.where(np.arange(3) == y[:, None], 1.0, 0.5) * ~right
    assert wrong.sum(axis=1).mean() <= 0.03  # of the answers, as promised
    np.testing.assert_array_equal(raw.argmax(axis=1), model.predict(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0]], [0, 1]),
        ([[0.0]] * 6, [0, 1] * 3),
        ([[0.0]] * 5, [0, 0, 0, 1, 1]),
        ([[0.0], [0.0], [1.0], [1.0]] * 8, [0, 1, 1, 1] * 8),
        ([[float(i)] for i in range(200)], [0] * 100 + [1] * 100),
        ([[1.0], [2.0]], ["only", "only"]),
        ([[float(i % 7), float(i % 5)] for i in range(60)], [i % 4 for i in range(60)]),
    ],
    ids=["two", "useless", "constant", "contradictions", "separable", "one class", "four"],
)
@pytest.mark.parametrize("goal", [1e-9, 0.1, 0.6])
def test_nothing_but_numbers(cls, X, y, goal):
    model = cls(n_estimators=30).set_params(**{_goal(cls): goal}).fit(X, y)
    for answer in (model.decision_function(X), model.predict_proba(X), model.estimator_weights_):
        assert np.isfinite(answer).all()
    for name in model.trace_.names:
        assert np.isfinite(model.trace_[name]).all(), name
    if len(np.unique(y)) == 1 or y == [0] * 100 + [1] * 100:
        assert (model.predict(X) == y).all()


@pytest.mark.slow
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_no_member_is_of_use(cls):
    model = cls().fit([[0.0]] * 4, [0, 1, 0, 1])
    assert (model.stop_reason_, model.n_rounds_) == ("too_weak", 0)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5]])


def _goal(cls):
    return "target_error" if cls is BrownBoostClassifier else "error_goal"

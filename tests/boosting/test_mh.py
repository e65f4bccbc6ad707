"""AdaBoost.MH: identities of every round, its bounds, and AdaBoost as the case of two classes."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as Reference

from coterie import DecisionTreeClassifier
from coterie.boosting import AdaBoostClassifier
from coterie.boosting.mh import AdaBoostMH, AdaBoostMHClassifier
from coterie.data import Table, Target


def answers(y, n_classes):
    return np.where(np.eye(n_classes)[y] > 0, 1.0, -1.0)


@pytest.mark.slow
@pytest.mark.parametrize("eta", [1.0, 0.3])
def test_rounds_follow_the_definition(eta):
    X, y = load_digits(return_X_y=True)
    model = AdaBoostMHClassifier(n_estimators=12, learning_rate=eta, trace="weights").fit(X, y)
    right = answers(y, 10)
    pairs = np.full(right.shape, 1 / right.size)
    for t, votes in enumerate(model.pool_.votes(Table.read(X))):
        assert set(np.unique(votes)) == {-1.0, 1.0}
        np.testing.assert_allclose(model.trace_.weights[t], pairs, rtol=1e-9)
        edge = np.sum(pairs * right * votes)
        alpha = eta * 0.5 * np.log((1 + edge) / (1 - edge))
        assert model.trace_["edge"][t] == pytest.approx(edge)
        assert model.estimator_weights_[t] == pytest.approx(alpha)
        pairs = pairs * np.exp(-alpha * right * votes)
        assert model.trace_["normaliser"][t] == pytest.approx(pairs.sum())
        pairs /= pairs.sum()
        if eta == 1:
            assert np.sum(pairs * right * votes) == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_product_of_normalisers_is_the_loss_and_bounds_the_hamming_loss():
    X, y = load_digits(return_X_y=True)
    model = AdaBoostMHClassifier(n_estimators=40).fit(X, y)
    trace, right = model.trace_, answers(y, 10)
    product = np.cumprod(trace["normaliser"])
    np.testing.assert_allclose(trace["loss"], product, rtol=1e-9)
    stages = list(model.staged_decision_function(X))
    np.testing.assert_allclose(
        [np.mean(np.exp(-right * raw)) for raw in stages], product, rtol=1e-9
    )
    np.testing.assert_allclose(trace["hamming"], [np.mean(right * raw <= 0) for raw in stages])
    assert np.all(trace["hamming"] <= product)
    np.testing.assert_allclose(trace["bound"], 5 * product)
    assert np.all(trace["train_error"] <= trace["bound"])
    assert trace["train_error"][-1] == pytest.approx(1 - model.score(X, y))
    assert trace["train_error"][-1] < 0.1


def test_two_classes_is_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    mh = AdaBoostMHClassifier(n_estimators=25).fit(X, y, weight)
    plain = AdaBoostClassifier(n_estimators=25).fit(X, y, weight)
    for name in ("error", "alpha", "normaliser", "loss", "train_error", "bound"):
        np.testing.assert_allclose(mh.trace_[name], plain.trace_[name], rtol=1e-9)
    np.testing.assert_allclose(mh.decision_function(X), plain.decision_function(X))
    np.testing.assert_allclose(mh.predict_proba(X), plain.predict_proba(X))


@pytest.mark.slow
def test_foreign_members_are_the_same_as_native_ones():
    X, y = load_iris(return_X_y=True)
    native = AdaBoostMHClassifier(n_estimators=6).fit(X, y)
    foreign = AdaBoostMHClassifier(Reference(max_depth=1), n_estimators=6).fit(X, y)
    np.testing.assert_allclose(foreign.decision_function(X), native.decision_function(X))
    assert len(foreign.pool_) == len(native.pool_) == 6


def test_probabilities():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostMHClassifier(n_estimators=10).fit(X, y)
    each = expit(2 * model.decision_function(X))
    np.testing.assert_allclose(
        model.predict_proba(X), each / each.sum(axis=1, keepdims=True), rtol=1e-12
    )
    far = AdaBoostMH().link(np.array([[-900.0, -901.0, -950.0], [900.0, -900.0, -900.0]]))
    np.testing.assert_allclose(far, [[expit(2), expit(-2), 0], [1, 0, 0]], atol=1e-12)


def test_a_class_without_weight_left_is_still_asked_for():
    rule = AdaBoostMH()
    target = Target.labels(np.array([0, 1, 2, 0]))
    state = rule.begin(target, np.full(4, 0.25))
    state.weight = np.array([[0.0, 0.2, 0.1], [0.0, 0.1, 0.2], [0.0, 0.2, 0.0], [0.0, 0.1, 0.1]])
    ask = rule.ask(state)
    np.testing.assert_allclose(ask.weight[:, 0], 1)
    np.testing.assert_allclose(ask.weight.mean(axis=0), 1)
    np.testing.assert_array_equal(ask.target.codes, np.eye(3)[[0, 1, 2, 0]])


def test_refused_member_leaves_the_state_alone():
    rule = AdaBoostMH()
    state = rule.begin(Target.labels([0, 1, 2]), np.full(3, 1 / 3))
    step = rule.tell(state, -answers(np.arange(3), 3), np.random.default_rng(0))
    assert not step.keep
    assert not state.raw.any()
    np.testing.assert_allclose(state.weight, 1 / 9)


def test_useless_members_leave_the_shares_of_the_classes():
    X = np.zeros((4, 1))
    y = np.array([0, 0, 1, 1])
    model = AdaBoostMHClassifier(DummyClassifier()).fit(X, y)
    assert (model.stop_reason_, model.n_rounds_) == ("too_weak", 0)
    np.testing.assert_allclose(model.predict_proba(X), 0.5)
    rule = AdaBoostMH()
    state = rule.begin(Target.labels([0, 1, 2]), np.array([0.5, 0.3, 0.2]))
    np.testing.assert_allclose(rule.link(rule.fallback(state)[None, :])[0], [0.5, 0.3, 0.2])


def test_perfect_members_are_kept_and_end_it():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostMHClassifier(DecisionTreeClassifier()).fit(X, y)
    assert (model.stop_reason_, model.n_rounds_) == ("perfect", 1)
    assert model.score(X, y) == 1.0


def test_warm_start_and_stages():
    X, y = load_iris(return_X_y=True)
    long = AdaBoostMHClassifier(n_estimators=9, random_state=0).fit(X, y)
    warm = AdaBoostMHClassifier(n_estimators=4, random_state=0, warm_start=True).fit(X, y)
    short = warm.decision_function(X)
    warm.set_params(n_estimators=9).fit(X, y)
    np.testing.assert_allclose(warm.decision_function(X), long.decision_function(X), rtol=1e-12)
    np.testing.assert_allclose(list(long.staged_decision_function(X))[3], short)


@pytest.mark.slow
def test_members_without_weights_and_early_stopping():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostMHClassifier(KNeighborsClassifier(), n_estimators=4, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.9
    model = AdaBoostMHClassifier(
        n_estimators=200, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert model.n_rounds_ < 200


@pytest.mark.parametrize("member", [None, Reference(max_depth=1)], ids=["native", "foreign"])
def test_members_answer_yes_or_no(member):
    X, y = load_iris(return_X_y=True)
    model = AdaBoostMHClassifier(member, n_estimators=4, random_state=0).fit(X, y)
    said = [
        np.column_stack([2 * one.predict(X) - 1 for one in members])
        for members in model.estimators_
    ]
    score = np.tensordot(model.estimator_weights_, said, axes=1)
    np.testing.assert_allclose(score, model.decision_function(X), atol=1e-12)


def labels_of(y):
    """An indicator matrix: some rows have several labels, some none."""
    return np.stack([y % 2 == 0, y >= 5, y % 5 == 1, y == 3], axis=1).astype(int)


@pytest.mark.slow
def test_several_labels_are_questions_side_by_side():
    X, y = load_digits(return_X_y=True)
    labels = labels_of(y)
    model = AdaBoostMHClassifier(n_estimators=30).fit(X, labels)
    raw, right = model.decision_function(X), 2.0 * labels - 1
    np.testing.assert_array_equal(model.predict(X), raw > 0)
    np.testing.assert_allclose(model.predict_proba(X), expit(2 * raw))
    trace = model.trace_
    np.testing.assert_allclose(trace["loss"], np.cumprod(trace["normaliser"]), rtol=1e-9)
    assert trace["loss"][-1] == pytest.approx(np.mean(np.exp(-right * raw)))
    hamming = np.mean(model.predict(X) != labels)
    assert hamming == pytest.approx(trace["hamming"][-1]) == pytest.approx(trace["train_error"][-1])
    assert np.all(trace["hamming"] <= trace["bound"])
    assert hamming < 0.1
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert len(model.estimators_[0]) == 4


def test_labels_of_one_class_each_are_many_classes():
    X, y = load_iris(return_X_y=True)
    classes = AdaBoostMHClassifier(n_estimators=5).fit(X, y)
    labels = AdaBoostMHClassifier(n_estimators=5).fit(X, np.eye(3, dtype=int)[y])
    np.testing.assert_allclose(labels.decision_function(X), classes.decision_function(X))
    np.testing.assert_allclose(labels.trace_["loss"], classes.trace_["loss"])


def test_outputs_of_many_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    both = np.column_stack([names, np.where(y == 1, "yes", "no")])
    model = AdaBoostMHClassifier(n_estimators=20, early_stopping=True, random_state=0)
    model.fit(X, both)
    assert model.decision_function(X).shape == (150, 4)
    three, two = model.predict_proba(X)
    assert (three.shape, two.shape) == ((150, 3), (150, 2))
    np.testing.assert_allclose(three.sum(axis=1), 1)
    predicted = model.predict(X)
    assert np.mean(predicted == both) > 0.9
    np.testing.assert_array_equal(predicted[:, 0], np.array(["a", "b", "c"])[three.argmax(axis=1)])
    assert np.all(model.trace_["train_error"] <= model.trace_["bound"])
    *_, last = model.staged_predict_proba(X)
    np.testing.assert_allclose(last[0], three)
    constant = AdaBoostMHClassifier(n_estimators=2).fit(X, np.column_stack([y, np.zeros(150)]))
    assert [p.shape for p in constant.predict_proba(X)] == [(150, 3), (150, 1)]
    assert not constant.predict(X)[:, 1].any()


@pytest.mark.slow
def test_warm_start_with_several_labels():
    X, y = load_digits(return_X_y=True)
    labels = labels_of(y)
    whole = AdaBoostMHClassifier(n_estimators=8).fit(X, labels)
    parts = AdaBoostMHClassifier(n_estimators=3, warm_start=True).fit(X, labels)
    parts.set_params(n_estimators=8).fit(X, labels)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X))

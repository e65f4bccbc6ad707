"""AdaBoost.M2: published values, the definition followed literally, and its limits."""

from itertools import product

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as Reference

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.boosting import AdaBoostClassifier
from coterie.boosting.m2 import AdaBoostM2, AdaBoostM2Classifier
from coterie.data import Target


class SureTree(Reference):
    """A tree whose probabilities are zeros and ones."""

    def predict_proba(self, X):
        """One for the class it predicts."""
        return np.eye(len(self.classes_))[super().predict_proba(X).argmax(axis=1)]


def test_published_values_on_iris():
    X, y = load_iris(return_X_y=True)
    # Published of members that are given the weights of rows, which is what others get.
    model = AdaBoostM2Classifier(Reference(max_depth=1), n_estimators=4, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        model.estimator_errors_,
        [0.25, 0.270139003161550, 0.270568199265314, 0.286253661231616],
        rtol=1e-12,
        atol=2e-15,
    )
    np.testing.assert_allclose(
        model.estimator_weights_,
        [0.549306144334059, 0.496958723838212, 0.495870843211405, 0.456824643135089],
        rtol=2e-14,
    )
    np.testing.assert_allclose(
        model.decision_function(X)[[0, 100]],
        [
            [1.393875268391962, 0.557069431281369, 0.048015654845434],
            [0, 0.600192648565954, 1.398767705952811],
        ],
        rtol=1e-12,
    )


def literal(model, X, y, eta=1.0):
    """Pseudo-losses, weights and row distributions by the definition, from the members."""
    n, k = len(y), len(model.classes_)
    pairs = np.full((n, k), 1 / (n * (k - 1)))
    pairs[np.arange(n), y] = 0
    losses, alphas, rows = [], [], []
    for member in model.estimators_:
        rows.append(pairs.sum(axis=1))
        proba = member.predict_proba(X)
        own = proba[np.arange(n), y][:, None]
        loss = 0.5 * np.sum(pairs * (1 - own + proba))
        alpha = eta * 0.5 * np.log((1 - loss) / loss)
        pairs *= np.exp(-alpha * (1 + own - proba))
        pairs /= pairs.sum()
        losses.append(loss)
        alphas.append(alpha)
    return losses, alphas, rows


@pytest.mark.parametrize("eta", [1.0, 0.3])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_rounds_follow_the_definition(load, eta):
    X, y = load(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2)
    model = AdaBoostM2Classifier(tree, n_estimators=8, learning_rate=eta, trace="weights")
    losses, alphas, rows = literal(model.fit(X, y), X, y, eta)
    np.testing.assert_allclose(model.estimator_errors_, losses, rtol=1e-10)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-10)
    np.testing.assert_allclose(model.trace_.weights, rows, rtol=1e-9)


def pairs_before(model, X, y, number):
    """The distribution on pairs that a member was fitted under."""
    n, k = len(y), len(model.classes_)
    pairs = np.full((n, k), 1 / (n * (k - 1)))
    for member, alpha in zip(model.estimators_, model.estimator_weights_, strict=True):
        pairs[np.arange(n), y] = 0
        if not number:
            return pairs / pairs.sum()
        proba = member.predict_proba(X)
        pairs *= np.exp(-alpha * (1 + proba[np.arange(n), y][:, None] - proba))
        number -= 1
    raise AssertionError("no such member")


def pseudo_loss(pairs, proba, y):
    return 0.5 * np.sum(pairs * (1 - proba[np.arange(len(y)), y][:, None] + proba))


def test_leaves_of_native_trees_have_the_least_pseudo_loss():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2)
    model = AdaBoostM2Classifier(tree, n_estimators=4).fit(X, y)
    choices = np.array(list(product((0.0, 1.0), repeat=3)))
    for number, member in enumerate(model.estimators_):
        pairs, leaves, said = pairs_before(model, X, y, number), member.apply(X), 0.0
        for leaf in np.unique(leaves):
            inside = leaves == leaf
            losses = [
                pseudo_loss(pairs[inside], np.tile(choice, (inside.sum(), 1)), y[inside])
                for choice in choices
            ]
            said += min(losses)
        assert model.estimator_errors_[number] == pytest.approx(said, rel=1e-12)


def test_native_stumps_split_by_label_weights():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostM2Classifier(DecisionTreeClassifier(max_depth=1), n_estimators=12).fit(X, y)
    for number in (0, 5, 11):
        pairs = pairs_before(model, X, y, number)
        rows = pairs.sum(axis=1)
        merits = -pairs / rows[:, None]
        merits[np.arange(len(y)), y] = 1.0
        alike = DecisionTreeRegressor(max_depth=1).fit(X, merits, sample_weight=rows * len(y))
        np.testing.assert_array_equal(
            model.estimators_[number].predict_proba(X), alike.predict(X) > 1e-12
        )


def test_trees_of_another_criterion_are_fitted_to_labels():
    X, y = load_iris(return_X_y=True)
    stump = {"criterion": "entropy", "max_depth": 1}
    native = AdaBoostM2Classifier(DecisionTreeClassifier(**stump), n_estimators=5).fit(X, y)
    other = AdaBoostM2Classifier(Reference(**stump), n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_allclose(native.estimator_errors_, other.estimator_errors_, rtol=1e-10)


@pytest.mark.slow
def test_stumps_tell_ten_classes_apart():
    X, y = load_digits(return_X_y=True)
    native = AdaBoostM2Classifier(n_estimators=100).fit(X[::2], y[::2])
    other = AdaBoostM2Classifier(DecisionTreeClassifier(criterion="entropy", max_depth=1))
    other.set_params(n_estimators=100).fit(X[::2], y[::2])
    assert native.score(X[1::2], y[1::2]) > other.score(X[1::2], y[1::2]) + 0.1


@pytest.mark.slow
def test_bound_on_the_training_error():
    X, y = load_digits(return_X_y=True)
    model = AdaBoostM2Classifier(n_estimators=60).fit(X, y)
    trace = model.trace_
    error = trace["error"]
    widest = 2 * np.sqrt(error * (1 - error))
    assert np.all(trace["normaliser"] <= widest + 1e-12)
    np.testing.assert_allclose(np.cumprod(trace["normaliser"]), trace["loss"], rtol=1e-9)
    np.testing.assert_allclose(trace["bound"], 9 * trace["loss"])
    assert np.all(trace["train_error"] <= trace["bound"])
    assert np.all(trace["train_error"] <= 9 * np.cumprod(widest))
    assert trace["train_error"][-1] == pytest.approx(1 - model.score(X, y))


@pytest.mark.slow
def test_members_worse_than_even_are_of_use():
    X, y = load_digits(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    model = AdaBoostM2Classifier(stump, n_estimators=100).fit(X[::2], y[::2])
    assert model.n_rounds_ == 100
    # A stump names two classes of ten, so it alone is right in a fifth of the cases at best.
    assert model.estimators_[0].score(X[1::2], y[1::2]) < 0.25
    assert model.score(X[1::2], y[1::2]) > 0.5


@pytest.mark.slow
def test_two_classes_and_sure_members_is_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    pairs = AdaBoostM2Classifier(SureTree(max_depth=1), n_estimators=15, trace="weights")
    plain = AdaBoostClassifier(Reference(max_depth=1), n_estimators=15, trace="weights")
    for model in (pairs, plain):
        model.set_params(random_state=0).fit(X, y)
    for name in ("error", "alpha", "normaliser", "loss", "train_error", "bound"):
        np.testing.assert_allclose(pairs.trace_[name], plain.trace_[name], rtol=1e-9)
    np.testing.assert_allclose(pairs.trace_.weights, plain.trace_.weights, rtol=1e-9)
    np.testing.assert_allclose(pairs.decision_function(X), plain.decision_function(X))
    np.testing.assert_allclose(pairs.predict_proba(X), plain.predict_proba(X))


def test_probabilities_are_the_softmax_of_twice_the_score():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostM2Classifier(n_estimators=10).fit(X, y)
    expected = softmax(2 * model.decision_function(X), axis=1)
    np.testing.assert_allclose(model.predict_proba(X), expected)


def test_useless_members_leave_the_shares_of_the_classes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostM2Classifier(DummyClassifier()).fit(X, y)
    assert (model.stop_reason_, model.n_rounds_) == ("too_weak", 0)
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)


def test_fallback_gives_the_shares():
    weight = np.array([0.5, 0.3, 0.2])
    for labels, shares in (([0, 1, 2], [0.5, 0.3, 0.2]), ([0, 1, 1], [0.5, 0.5])):
        rule = AdaBoostM2()
        state = rule.begin(Target.labels(labels), weight)
        np.testing.assert_allclose(rule.link(rule.fallback(state)[None, :])[0], shares)


def test_perfect_member_is_kept_and_ends_it():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostM2Classifier(DecisionTreeClassifier()).fit(X, y)
    assert (model.stop_reason_, model.n_rounds_) == ("perfect", 1)
    assert model.estimator_weights_[0] == pytest.approx(0.5 * np.log(2 * len(y) - 1))
    assert model.score(X, y) == 1.0


def test_refused_member_leaves_the_state_alone():
    rule = AdaBoostM2()
    state = rule.begin(Target.labels([0, 1, 2]), np.full(3, 1 / 3))
    pairs, raw = state.pairs.copy(), state.raw.copy()
    step = rule.tell(state, np.full((3, 3), 1 / 3), np.random.default_rng(0))
    assert not step.keep
    np.testing.assert_array_equal(state.pairs, pairs)
    np.testing.assert_array_equal(state.raw, raw)


def test_warm_start_and_stages():
    X, y = load_iris(return_X_y=True)
    long = AdaBoostM2Classifier(n_estimators=9, random_state=0).fit(X, y)
    warm = AdaBoostM2Classifier(n_estimators=4, random_state=0, warm_start=True).fit(X, y)
    short = warm.decision_function(X)
    warm.set_params(n_estimators=9).fit(X, y)
    np.testing.assert_allclose(warm.decision_function(X), long.decision_function(X), rtol=1e-12)
    stages = list(long.staged_decision_function(X))
    np.testing.assert_allclose(stages[3], short)
    np.testing.assert_allclose(stages[-1], long.decision_function(X))


def test_any_member_with_probabilities():
    X, y = load_iris(return_X_y=True)
    for weighting in ("auto", "resample"):
        model = AdaBoostM2Classifier(KNeighborsClassifier(), n_estimators=5, random_state=0)
        assert model.set_params(weighting=weighting).fit(X, y).score(X, y) > 0.9

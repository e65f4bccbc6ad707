import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import scale

from coterie import BaggingClassifier, BaggingRegressor
from coterie.bagging.epochs import EarlyStopping, StoppedLearner, Watched, loss_of
from coterie.data import Table, Target

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)


@pytest.mark.slow
def test_members_are_kept_in_their_best_state():
    rule = EarlyStopping(max_epochs=40, patience=3, tol=0.0)
    labels = np.where(np.random.default_rng(0).random(len(y)) < 0.3, 1 - y, y)
    model = BaggingClassifier(
        MLPClassifier((30,), learning_rate_init=0.03), 3, oob_use=rule, random_state=0
    ).fit(X, labels)
    target = Target.labels(labels)
    for number, member in enumerate(model.pool_.members):
        history = np.array(member.history)
        best = history.argmin()
        assert len(history) <= best + 1 + rule.patience
        assert len(history) < 40  # noise was learnt, and seen to be
        mine = np.flatnonzero((model.bags_.counts(number) == 0) & ~model.bags_.free(number))
        votes = member.predict(Table.read(X[mine]))
        assert loss_of(votes, target.take(mine)) == pytest.approx(history[best])
        assert member.estimator.t_ < history.size * 569


@pytest.mark.slow
def test_weights_are_passed_to_partial_fit():
    model = BaggingClassifier(SGDClassifier(), 3, oob_use="stop", random_state=0).fit(X, y)
    assert all(len(member.history) > 1 for member in model.pool_.members)
    assert model.score(X, y) > 0.9
    numbers = BaggingRegressor(SGDRegressor(), 3, oob_use="stop", random_state=0)
    Z, target = load_diabetes(return_X_y=True)
    assert numbers.fit(scale(Z), target).score(scale(Z), target) > 0.3


class Eager:
    """Takes `eval_set` as the boosting libraries do, and notes it."""

    def get_params(self, deep=True):
        return {}

    def __sklearn_clone__(self):
        return Eager()

    def fit(self, X, y, sample_weight=None, eval_set=None):
        self.shown, self.watched = (X, y, sample_weight), eval_set
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_eval_sets_hold_rows_outside_the_bag():
    model = BaggingClassifier(Eager(), 2, oob_use="stop", random_state=0).fit(X, y)
    for number, member in enumerate(model.estimators_):
        ((rows, labels),) = member.watched
        mine = (model.bags_.counts(number) == 0) & ~model.bags_.free(number)
        np.testing.assert_array_equal(rows, X[mine])
        np.testing.assert_array_equal(labels, y[mine])
        inside = model.bags_.counts(number)
        np.testing.assert_array_equal(member.shown[2], inside[inside > 0])


class Attentive(Eager):
    """Takes `X_val` and `y_val` as scikit-learn's boosting does."""

    def __sklearn_clone__(self):
        return Attentive()

    def fit(self, X, y, *, X_val=None, y_val=None):
        return super().fit(X, y, eval_set=[(X_val, y_val)])


def test_validation_rows_are_passed_by_name():
    model = BaggingClassifier(Attentive(), 2, oob_use="stop", random_state=0).fit(X, y)
    for number, member in enumerate(model.estimators_):
        mine = (model.bags_.counts(number) == 0) & ~model.bags_.free(number)
        np.testing.assert_array_equal(member.watched[0][0], X[mine])
        assert len(member.shown[1]) == 569  # repeated as drawn, as it takes no weights


def test_few_rows_outside_hold_out_a_part_of_the_bag():
    table, target = Table.read(X[:40]), Target.labels(y[:40])
    learner = StoppedLearner(Eager(), EarlyStopping()).watching(np.arange(40) < 3)
    weight = (np.arange(40) >= 3).astype(float)
    member = learner.fit(table, target, weight, np.random.default_rng(0)).estimator
    assert len(member.watched[0][0]) == 7  # a fifth of 37
    assert len(member.shown[0]) == 30


def test_a_bag_of_one_class():
    table, target = Table.read(X[:40]), Target.labels(np.r_[np.zeros(20), np.ones(20)])
    learner = StoppedLearner(SGDClassifier(), EarlyStopping()).watching(np.arange(40) >= 20)
    member = learner.fit(
        table, target, (np.arange(40) < 20).astype(float), np.random.default_rng(0)
    )
    np.testing.assert_array_equal(member.predict(table), [[1, 0]] * 40)
    assert not isinstance(member, Watched)


def test_losses():
    target = Target.labels([0, 1])
    votes = np.array([[0.5, 0.5], [0.25, 0.75]])
    assert loss_of(votes, target) == pytest.approx(-np.log([0.5, 0.75]).mean())
    assert loss_of(np.array([[1.0], [3.0]]), Target.numbers([1.0, 1.0])) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(loss_of(np.eye(2), Target.labels([1, 0])))

"""MultiBoost: its schedule, its sub-committees, and AdaBoost as the case of one of them."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from coterie import DecisionTreeClassifier
from coterie.boosting import AdaBoostClassifier
from coterie.boosting.multiboost import MultiBoostClassifier, Wagging, committee_ends
from coterie.data import Table, Target


def test_schedule():
    assert committee_ends(10).tolist() == [4, 7, 10]
    assert committee_ends(100).tolist() == list(range(10, 101, 10))
    assert committee_ends(3).tolist() == [3]
    for size in range(1, 200):
        ends = committee_ends(size)
        assert (len(ends), ends[-1]) == (int(np.sqrt(size)), size)
        assert np.ptp(np.diff(ends, prepend=0)) <= 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_one_sub_committee_is_adaboost(size):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    stump = DecisionTreeClassifier(max_depth=1)
    multi = MultiBoostClassifier(stump, n_estimators=size).fit(X, y, weight)
    plain = AdaBoostClassifier(n_estimators=size).fit(X, y, weight)
    np.testing.assert_allclose(multi.estimator_errors_, plain.estimator_errors_)
    np.testing.assert_allclose(multi.decision_function(X), plain.decision_function(X))
    np.testing.assert_allclose(multi.predict_proba(X), plain.predict_proba(X))


@pytest.mark.slow
@pytest.mark.parametrize(("load", "depth"), [(load_breast_cancer, 1), (load_digits, 6)])
def test_rounds_of_every_sub_committee(load, depth):
    X, y = load(return_X_y=True)
    model = MultiBoostClassifier(
        DecisionTreeClassifier(max_depth=depth), n_estimators=20, trace="weights", random_state=0
    ).fit(X, y)
    assert model.committees_.tolist() == np.repeat(range(4), 5).tolist()
    weights, votes = model.trace_.weights, np.zeros((len(y), len(model.classes_)))
    np.testing.assert_allclose(weights[0], 1 / len(y))
    for t, member in enumerate(model.estimators_):
        predicted = member.predict(X)
        wrong = predicted != y
        error = weights[t][wrong].sum()
        assert model.estimator_errors_[t] == pytest.approx(error)
        votes[np.arange(len(y)), predicted] += np.log((1 - error) / error)
        if t % 5 < 4:
            assert weights[t + 1][wrong].sum() == pytest.approx(0.5)
        elif t < 19:  # a new sub-committee begins, with weights of its own
            assert weights[t + 1].sum() == pytest.approx(1)
            assert abs(weights[t + 1].std() * len(y) - 1) < 0.25  # that of exponential noise
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))
    np.testing.assert_allclose(model.predict_proba(X), softmax(votes / 4, axis=1))
    if votes.shape[1] == 2:
        np.testing.assert_allclose(model.decision_function(X), (votes[:, 1] - votes[:, 0]) / 2)


def test_sub_committees_start_differently():
    X, y = load_breast_cancer(return_X_y=True)
    model = MultiBoostClassifier(n_estimators=16, trace="weights", random_state=0).fit(X, y)
    starts = np.array(model.trace_.weights)[::4]
    assert np.all(np.abs(np.corrcoef(starts[1:])[np.triu_indices(3, 1)]) < 0.2)


def test_wagging_keeps_the_given_weights_on_average():
    X, y = load_iris(return_X_y=True)
    table, target = Table.read(X).bin(), Target.labels(y)
    weight = np.where(y == 0, 0.5, 2.5)
    wagging = Wagging.of(table, target, weight)
    draws = np.array([wagging.draw(np.random.default_rng(seed)) for seed in range(400)])
    np.testing.assert_allclose(draws[:, y == 0].mean(), 0.5, rtol=0.05)
    np.testing.assert_allclose(draws[:, y > 0].mean(), 2.5, rtol=0.05)
    np.testing.assert_array_equal(draws[0], wagging.draw(np.random.default_rng(0)))


def test_wagging_of_repeated_rows_is_that_of_whole_weights():
    X, y = load_iris(return_X_y=True)
    times = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    once, again = (Table.read(x).bin(max_bins=60_000) for x in (X, X[rows]))
    first = Wagging.of(once, Target.labels(y), times.astype(float))
    second = Wagging.of(again, Target.labels(y[rows]), None)
    a = first.draw(np.random.default_rng(1))
    b = np.bincount(rows, second.draw(np.random.default_rng(1)))
    # Equal flowers may share their noise out differently, so they are counted together.
    _, group = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)
    np.testing.assert_allclose(np.bincount(group.ravel(), a), np.bincount(group.ravel(), b))


@pytest.mark.slow
def test_perfect_members_begin_again():
    X, y = load_digits(return_X_y=True)
    model = MultiBoostClassifier(DecisionTreeClassifier(), n_estimators=12, random_state=0)
    model.set_params(trace="weights").fit(X[::2], y[::2])
    assert (model.n_rounds_, model.stop_reason_) == (12, "max_rounds")
    np.testing.assert_allclose(model.estimator_weights_, np.log(2 * len(X[::2]) - 1))
    assert len(np.unique(np.array(model.trace_.weights)[:, 0])) == 12  # each from new weights
    lone = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > lone.score(X[1::2], y[1::2])


@pytest.mark.slow
def test_useless_members_leave_the_shares_of_the_classes():
    X, y = load_digits(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    model = MultiBoostClassifier(stump, n_estimators=9, random_state=0).fit(X, y)
    assert (model.n_rounds_, model.stop_reason_) == (0, "too_weak")
    np.testing.assert_allclose(model.predict_proba(X[:2]), [np.bincount(y) / len(y)] * 2)


def test_stages_and_a_shorter_fit():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2)
    model = MultiBoostClassifier(tree, n_estimators=10, random_state=0).fit(X, y)
    short = MultiBoostClassifier(tree, n_estimators=3, random_state=0).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    np.testing.assert_allclose(stages[-1], model.predict_proba(X))
    np.testing.assert_allclose(stages[2], short.predict_proba(X))  # in the first sub-committee
    raw = list(model.staged_decision_function(X))[5]
    np.testing.assert_allclose(stages[5], softmax(raw / 2, axis=1))


def test_warm_start_is_one_longer_fit():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2)
    warm = MultiBoostClassifier(tree, n_estimators=5, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=12).fit(X, y)
    long = MultiBoostClassifier(tree, n_estimators=12, random_state=warm.entropy_).fit(X, y)
    np.testing.assert_allclose(warm.decision_function(X), long.decision_function(X), rtol=1e-9)
    np.testing.assert_array_equal(warm.committees_, long.committees_)
    np.testing.assert_allclose(warm.trace_["bound"], long.trace_["bound"], rtol=1e-9)
    with pytest.raises(ValueError, match="n_estimators=3"):
        warm.set_params(n_estimators=3).fit(X, y)


@pytest.mark.slow
def test_early_stopping_and_time():
    X, y = load_breast_cancer(return_X_y=True)
    model = MultiBoostClassifier(
        n_estimators=100, early_stopping=True, n_iter_no_change=4, random_state=0
    ).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert model.n_rounds_ == np.argmin(model.trace_["validation_error"]) + 1 < 100
    assert len(model.committees_) == len(model.pool_) == model.n_rounds_
    score = expit(2 * model.decision_function(X) / len(np.unique(model.committees_)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], score)
    model = MultiBoostClassifier(n_estimators=100, max_time=1e-9).fit(X, y)
    assert model.stop_reason_ == "time_exhausted"
    assert model.n_rounds_ == 10  # one member of each sub-committee


def test_members_without_weights():
    X, y = load_iris(return_X_y=True)
    model = MultiBoostClassifier(KNeighborsClassifier(), n_estimators=5, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.9


class Counted(GaussianNB):
    """Naive Bayes that counts how often it is fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [(5, 12), (8, 9), (9, 9), (3, 25)])
def test_warm_start_fits_new_members_only(first, second):
    X, y = load_breast_cancer(return_X_y=True)
    params = {"trace": "weights", "random_state": 0}
    Counted.fits = 0
    warm = MultiBoostClassifier(Counted(), n_estimators=first, warm_start=True, **params).fit(X, y)
    began, Counted.fits = warm.trace_, 0
    kept = [dict(facts) for facts in began]
    warm.set_params(n_estimators=second).fit(X, y)
    sizes = (np.diff(committee_ends(size), prepend=0) for size in (first, second))
    old, new = sizes
    old = np.pad(old, (0, len(new) - len(old)))
    # At most one more for each sub-committee that finds out that its last run was over.
    assert np.maximum(new - old, 0).sum() <= Counted.fits < second + (first == 3) * 25
    assert Counted.fits == 0 if first == second else True
    whole = MultiBoostClassifier(GaussianNB(), n_estimators=second, **params).fit(X, y)
    np.testing.assert_allclose(warm.decision_function(X), whole.decision_function(X), rtol=1e-9)
    for name in ("error", "committee", "attempt", "train_error", "bound"):
        np.testing.assert_allclose(warm.trace_[name], whole.trace_[name], rtol=1e-9)
    np.testing.assert_allclose(warm.trace_.weights, whole.trace_.weights, rtol=1e-9)
    assert [dict(facts) for facts in began] == kept  # the former trace is left alone


@pytest.mark.slow
def test_warm_start_after_members_without_error():
    X, y = load_digits(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=12)
    warm = MultiBoostClassifier(tree, n_estimators=6, warm_start=True, random_state=0)
    warm.fit(X[::3], y[::3]).set_params(n_estimators=12).fit(X[::3], y[::3])
    whole = MultiBoostClassifier(tree, n_estimators=12, random_state=0).fit(X[::3], y[::3])
    perfect = whole.estimator_errors_ == 0
    assert perfect.any()
    assert not perfect.all()
    np.testing.assert_allclose(warm.trace_["attempt"], whole.trace_["attempt"])
    np.testing.assert_allclose(warm.decision_function(X), whole.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize(("load", "depth"), [(load_breast_cancer, 1), (load_digits, 6)])
@pytest.mark.parametrize("weighted", [False, True])
def test_training_error_and_its_bound(load, depth, weighted):
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.1, 2, len(y)) if weighted else None
    tree = DecisionTreeClassifier(max_depth=depth)
    model = MultiBoostClassifier(tree, n_estimators=16, random_state=0).fit(X, y, weight)
    trace = model.trace_
    errors = [np.average(stage != y, weights=weight) for stage in model.staged_predict(X)]
    np.testing.assert_allclose(trace["train_error"], errors)
    assert np.all(trace["train_error"] <= trace["bound"])
    # The first sub-committee is AdaBoost.M1, whose bound is the product of its normalisers.
    np.testing.assert_allclose(trace["bound"][:4], np.cumprod(trace["normaliser"][:4]))
    assert trace["bound"].max() < 1

"""Costs at the start or at the end, calibrated probabilities, and the least expected cost."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.metrics import log_loss

from coterie import DecisionTreeClassifier, fusion
from coterie.boosting import AdaBoostClassifier, CostSensitiveBoostClassifier
from coterie.boosting.calibrated_costs import CalibratedCosts, _map
from coterie.boosting.chosen import Rows, splits
from coterie.data import Table, Target


def overlapping(n=600, seed=0, **settings):
    settings = {"n_informative": 3, "flip_y": 0.3, "weights": [0.8], **settings}
    return make_classification(n, 8, random_state=seed, **settings)


@pytest.mark.slow
def test_members_are_adaboosts():
    X, y = load_breast_cancer(return_X_y=True)
    cost = np.where(y == 0, 3.0, 1.0)
    model = CostSensitiveBoostClassifier(method="adamec", cost={0: 3.0}, n_estimators=8).fit(X, y)
    plain = AdaBoostClassifier(n_estimators=8).fit(X, y)
    np.testing.assert_array_equal(model.estimator_weights_, plain.estimator_weights_)
    # Bins are quantiles of weighted rows, unless there is one for every value.
    model = CostSensitiveBoostClassifier(cost={0: 3.0}, n_estimators=8, max_bins=600).fit(X, y)
    plain = AdaBoostClassifier(n_estimators=8, max_bins=600).fit(X, y, sample_weight=cost)
    np.testing.assert_allclose(model.estimator_weights_, plain.estimator_weights_)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cgada", "adamec"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_the_least_expected_cost_is_predicted(method, load):
    X, y = load(return_X_y=True)
    cost = {0: 5.0, 1: 2.0}
    model = CostSensitiveBoostClassifier(method=method, cost=cost, n_estimators=9)
    proba = model.fit(X[::2], y[::2]).predict_proba(X[1::2])
    each = np.array([cost.get(label, 1.0) for label in model.classes_])
    expected = np.stack(
        [(proba * each * (np.arange(len(each)) != k)).sum(axis=1) for k in range(len(each))], axis=1
    )
    np.testing.assert_array_equal(model.predict(X[1::2]), expected.argmin(axis=1))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    score = model.decision_function(X[1::2])
    if len(each) == 2:
        np.testing.assert_allclose(score, np.log(proba[:, 1] * each[1] / (proba[:, 0] * each[0])))


@pytest.mark.slow
def test_calibration_is_platts_on_rows_held_out():
    X, y = overlapping()
    model = CostSensitiveBoostClassifier(method="adamec", cost=None, n_estimators=5).fit(X, y)
    scores, truth = [], []
    for learn, held in splits(Rows(Table.read(X), Target.labels(y), None), 10):
        plain = AdaBoostClassifier(n_estimators=5).fit(learn.table.values, learn.target.codes[:, 0])
        scores.append(2 * plain.decision_function(held.table.values))
        truth.append(held.target.codes[:, 0])
    by_hand = fusion.platt(np.concatenate(scores), np.concatenate(truth))
    own = 2 * AdaBoostClassifier(n_estimators=5).fit(X, y).decision_function(X)
    odds = -(by_hand.slope * own + by_hand.shift)
    # As if two hundred more rows had spoken for the link as it is.
    expected = expit((len(y) * odds + 200 * own) / (len(y) + 200))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_calibrated(classes):
    weights = [0.8] if classes == 2 else [0.6, 0.3]
    X, y = overlapping(1000, n_classes=classes, weights=weights)
    tree = DecisionTreeClassifier(max_depth=3)
    model = CostSensitiveBoostClassifier(tree, cost={0: 3.0}, n_estimators=40, method="adamec")
    model.fit(X[:500], y[:500])
    plain = AdaBoostClassifier(tree, n_estimators=40).fit(X[:500], y[:500])
    losses = [log_loss(y[500:], m.predict_proba(X[500:])) for m in (model, plain)]
    assert losses[0] < losses[1]
    if classes == 2:  # on average the probability is the share of the class, whatever it costs
        assert model.predict_proba(X[500:])[:, 1].mean() == pytest.approx(y[500:].mean(), abs=0.06)


@pytest.mark.slow
def test_the_costly_class_is_not_all_there_is():
    X, y = overlapping(1200)
    cost = np.where(y == 1, 2.0, 1.0)

    def lost(**settings):
        model = CostSensitiveBoostClassifier(cost={1: 2.0}, **settings).fit(X[:600], y[:600])
        return np.average(model.predict(X[600:]) != y[600:], weights=cost[600:])

    assert lost() < 0.6 * lost(method="adac2")


@pytest.mark.slow
def test_weights_are_rows():
    X, y = overlapping(90)
    times = np.random.default_rng(0).integers(1, 4, 90)
    weighted = CostSensitiveBoostClassifier(n_estimators=6).fit(X, y, sample_weight=times)
    repeated = CostSensitiveBoostClassifier(n_estimators=6)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)
    # Importances have no unit.
    importance = np.random.default_rng(1).uniform(0.5, 2.0, 90)
    one, other = (
        CostSensitiveBoostClassifier(n_estimators=6).fit(X, y, sample_weight=factor * importance)
        for factor in (1.0, 7.0)
    )
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-6)


@pytest.mark.slow
def test_trace_counts_mistakes_before_calibration():
    X, y = overlapping(200)
    cost = np.where(y == 1, 3.0, 1.0)
    for method in ("cgada", "adamec"):
        model = CostSensitiveBoostClassifier(method=method, cost={1: 3.0}, n_estimators=4).fit(X, y)
        bare = CalibratedCosts(at_start=method == "cgada", log_costs=model.rule_.log_costs)
        raw = model.pool_.raw(Table.read(X))
        wrong = bare.decide(bare.settle(raw)) != y
        assert model.trace_["train_error"][-1] == pytest.approx(wrong.mean())
        assert model.trace_["train_cost"][-1] == pytest.approx(cost[wrong].sum() / cost.sum())


def test_scores_that_point_the_wrong_way_say_nothing():
    codes = np.tile([0, 1], 1000)
    said = np.where(codes == 1, -3.0, 3.0)[:, None]
    assert _map(said, codes, np.ones(2000)) == (0.0, 0.0)
    assert _map(-said, codes, np.ones(2000))[0] > 1


def test_rows_begin_with_their_costs():
    target = Target.labels([0, 1, 1])
    rule = CalibratedCosts(log_costs=(np.log(4.0), 0.0))
    weight = np.array([0.2, 0.4, 0.4])
    np.testing.assert_allclose(rule.begin(target, weight).weight, [0.5, 0.25, 0.25])
    other = CalibratedCosts(at_start=False, log_costs=rule.log_costs)
    np.testing.assert_allclose(other.begin(target, weight).weight, weight)

"""BalanceCascade."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_classification
from sklearn.linear_model import LogisticRegression

from coterie.boosting import AdaBoostClassifier
from coterie.data import Table, Target
from coterie.imbalance import BalanceCascadeClassifier
from coterie.imbalance.cascade import hardest, own_margin, schedule
from coterie.imbalance.undersample import Units
from tests.imbalance.test_rusboost import gain, rare


@pytest.mark.parametrize("n_stages", [2, 4, 7])
@pytest.mark.parametrize("counts", [[12, 900], [500, 20], [30, 400, 2000], [9, 9]])
def test_the_last_stage_begins_with_equal_classes(counts, n_stages):
    counts = np.array(counts)
    plan = schedule(counts, n_stages)
    np.testing.assert_array_equal(plan[0], counts)
    np.testing.assert_array_equal(plan[n_stages - 1], counts.min())
    share = (counts.min() / counts) ** (1 / (n_stages - 1))
    np.testing.assert_allclose(counts * share ** (n_stages - 1), counts.min())
    np.testing.assert_allclose(plan[1], counts * share, atol=0.5)


def test_own_margins():
    raw = np.array([[1.0, 3.0, 2.0], [1.0, 3.0, 2.0]])
    np.testing.assert_array_equal(own_margin(raw, np.array([1, 0])), [1.0, -2.0])
    np.testing.assert_array_equal(
        own_margin(np.array([[0.4], [0.4]]), np.array([1, 0])), [0.4, -0.4]
    )


def test_the_hardest_are_kept():
    table = Table.read(np.arange(6.0)[:, None])
    units = Units.lay(table, Target.labels(np.array([0, 0, 0, 0, 1, 1])), None)
    margin = np.array([0.3, -0.1, 0.9, 0.5, 7.0, 8.0])
    kept, thresholds = hardest(units, margin, np.array([2, 2]))
    assert sorted(kept.rows) == [0, 1, 4, 5]
    assert thresholds.tolist() == [0.3, 0.0]


def large_first():
    return rare()


def large_second():
    X, y = rare()
    return X, 1 - y


@pytest.mark.parametrize("load", [large_first, large_second])
def test_scores_and_thresholds(load):
    X, y = load()
    model = BalanceCascadeClassifier(subtract_thresholds=True, random_state=0).fit(X, y)
    large = int(np.argmax(np.bincount(y)))
    sign = 1.0 if large == 0 else -1.0  # of scores for the small class
    scores = np.array([sign * booster.decision_function(X) for booster in model.estimators_])
    thresholds = -model.thresholds_[:, large]
    np.testing.assert_allclose(
        sign * model.decision_function(X), (scores - thresholds[:, None]).sum(axis=0)
    )
    # Rows below the threshold were set aside; of those at it, as many as it takes.
    first = scores[0][y == large]
    assert (first > thresholds[0]).sum() <= model.n_left_[1, large]
    assert (first >= thresholds[0]).sum() >= model.n_left_[1, large]
    assert model.thresholds_[:, 1 - large].tolist() == [0.0] * 4
    assert model.n_left_[3, 0] == model.n_left_[3, 1] == np.bincount(y).min()


def test_every_stage_is_balanced():
    X, y = rare()
    model = BalanceCascadeClassifier(random_state=0).fit(X, y)
    for booster in model.estimators_:
        np.testing.assert_allclose(booster.pool_.forest.node_values()[0], 0.5)
        assert booster.pool_.forest.n_samples[0] == 2 * (y == 1).sum()


@pytest.mark.slow
def test_finds_the_rare_class():
    assert gain(BalanceCascadeClassifier(random_state=0)) > 0.05


def test_equal_classes_lose_nothing():
    X, y = make_classification(400, random_state=0)
    rows = np.append(np.flatnonzero(y == 0)[:190], np.flatnonzero(y == 1)[:190])
    model = BalanceCascadeClassifier(random_state=0).fit(X[rows], y[rows])
    assert (model.n_left_ == 190).all()
    assert not model.thresholds_.any()
    assert model.score(X, y) > 0.9


def test_many_classes():
    X, y = make_classification(
        3000, n_informative=5, n_classes=3, weights=[0.9, 0.07, 0.03], random_state=0
    )
    model = BalanceCascadeClassifier(random_state=0).fit(X, y)
    assert np.ptp(model.n_left_[3]) == 0
    total = sum(b.decision_function(X) for b in model.estimators_)
    np.testing.assert_allclose(model.decision_function(X), total)
    model.set_params(subtract_thresholds=True).fit(X, y)
    lowered = total - model.thresholds_.sum(axis=0)
    np.testing.assert_allclose(model.decision_function(X), lowered)


def test_classes_of_like_size_are_both_predicted(real_table):
    """With thresholds subtracted, every second row of the larger class was taken for the other."""
    X, y = real_table("ionosphere")
    model = BalanceCascadeClassifier(random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.8


def test_weights_are_repetitions():
    X, y = load_wine(return_X_y=True)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = BalanceCascadeClassifier(random_state=0).fit(X, y, times)
    repeated = BalanceCascadeClassifier(random_state=0)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_array_equal(weighted.n_left_, repeated.n_left_)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_one_stage_is_one_balanced_booster():
    X, y = rare()
    model = BalanceCascadeClassifier(n_stages=1, random_state=0).fit(X, y)
    assert len(model.estimators_) == 1


def test_members_that_are_no_trees():
    X, y = rare()
    booster = AdaBoostClassifier(LogisticRegression(), n_estimators=2)
    model = BalanceCascadeClassifier(booster, random_state=0).fit(X, y)
    assert model.predict(X)[y == 1].mean() > 0.8

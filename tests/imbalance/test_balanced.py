"""Balanced bagging and balanced forests."""

import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, brier_score_loss
from sklearn.neighbors import KNeighborsClassifier

from coterie import BaggingClassifier, DecisionTreeClassifier, RandomForestClassifier
from coterie.imbalance import BalancedBaggingClassifier, BalancedRandomForestClassifier

METHODS = ["under", "balanced", "rough", "over"]
X, Y = make_classification(4000, n_informative=5, weights=[0.97], random_state=0)
LEARN, TRY = slice(None, None, 2), slice(1, None, 2)
RARE = int((Y[LEARN] == 1).sum())


def balanced_accuracy(model):
    return balanced_accuracy_score(Y[TRY], model.fit(X[LEARN], Y[LEARN]).predict(X[TRY]))


@pytest.mark.parametrize("method", METHODS)
def test_bags_are_balanced(method):
    model = BalancedBaggingClassifier(n_estimators=5, method=method, random_state=0)
    bags = model.fit(X[LEARN], Y[LEARN]).estimators_samples_
    counts = np.array([np.bincount(Y[LEARN][bag]) for bag in bags])
    size = len(Y[LEARN]) - RARE if method == "over" else RARE
    assert np.all(counts[:, 1] == size)
    if method != "rough":
        assert np.all(counts[:, 0] == size)
    assert not np.array_equal(bags[0], bags[1])


@pytest.mark.slow
def test_finds_the_rare_class():
    plain = balanced_accuracy(BaggingClassifier(n_estimators=20, random_state=0))
    for method in ("under", "balanced", "rough"):
        model = BalancedBaggingClassifier(n_estimators=20, method=method, random_state=0)
        assert balanced_accuracy(model) > plain + 0.08
    forest = balanced_accuracy(RandomForestClassifier(50, random_state=0))
    model = BalancedRandomForestClassifier(n_estimators=50, random_state=0)
    assert balanced_accuracy(model) > forest + 0.1


@pytest.mark.parametrize("replacement", [True, False])
def test_trees_of_the_forest_see_balanced_classes(replacement):
    forest = BalancedRandomForestClassifier(
        n_estimators=5, replacement=replacement, random_state=0
    ).fit(X[LEARN], Y[LEARN])
    for bag, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        assert np.bincount(Y[LEARN][bag]).tolist() == [RARE, RARE]
        assert (len(np.unique(bag)) == 2 * RARE) != replacement
        np.testing.assert_allclose(tree.tree_.value[0], [[0.5, 0.5]])
    assert forest.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.slow
def test_equal_classes_make_it_a_forest_of_stratified_bags():
    even = np.concatenate([np.flatnonzero(Y == 0)[:100], np.flatnonzero(Y == 1)[:100]])
    balanced = BalancedRandomForestClassifier(n_estimators=300, random_state=0)
    plain = RandomForestClassifier(300, random_state=0)
    one, other = (m.fit(X[even], Y[even]).predict_proba(X[TRY])[:, 1] for m in (balanced, plain))
    assert np.corrcoef(one, other)[0, 1] > 0.95


@pytest.mark.slow
def test_out_of_bag_rows_judge_the_forest():
    forest = BalancedRandomForestClassifier(oob_score="balanced_accuracy", random_state=0)
    found = balanced_accuracy(forest)
    assert forest.oob_score_ == pytest.approx(found, abs=0.08)


def test_out_of_bag_probabilities_of_bagging():
    model = BalancedBaggingClassifier(
        n_estimators=40, method="balanced", oob_score="balanced_accuracy", random_state=0
    )
    found = balanced_accuracy(model)
    assert model.oob_score_ == pytest.approx(found, abs=0.08)


@pytest.mark.parametrize(
    "model",
    [
        BalancedBaggingClassifier(n_estimators=30, random_state=0),
        BalancedRandomForestClassifier(n_estimators=50, random_state=0),
    ],
)
def test_prior_correction_gives_the_shares_of_the_table_back(model):
    raw = model.fit(X[LEARN], Y[LEARN]).predict_proba(X[TRY])[:, 1]
    right = model.set_params(prior_correction=True).fit(X[LEARN], Y[LEARN])
    right = right.predict_proba(X[TRY])[:, 1]
    assert raw.mean() > 4 * Y.mean()
    assert right.mean() < 2 * Y.mean()
    assert brier_score_loss(Y[TRY], right) < brier_score_loss(Y[TRY], raw)
    np.testing.assert_array_equal(np.argsort(raw, kind="stable"), np.argsort(right, kind="stable"))


def test_strategies_set_the_ratio():
    forest = BalancedRandomForestClassifier(
        n_estimators=2, sampling_strategy=0.25, random_state=0
    ).fit(X[LEARN], Y[LEARN])
    assert np.bincount(Y[LEARN][forest.estimators_samples_[0]]).tolist() == [4 * RARE, RARE]


def test_any_classifier():
    model = BalancedBaggingClassifier(LogisticRegression(max_iter=1000), random_state=0)
    assert balanced_accuracy(model) > 0.65


def test_warm_start_remembers_how_earlier_bags_were_drawn():
    model = BalancedBaggingClassifier(
        n_estimators=2, method="under", warm_start=True, random_state=0
    )
    first = model.fit(X[LEARN], Y[LEARN]).estimators_samples_
    model.set_params(n_estimators=4, sampling_strategy=0.5).fit(X[LEARN], Y[LEARN])
    later = model.estimators_samples_
    for one, other in zip(first, later[:2], strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.bincount(Y[LEARN][later[2]]).tolist() == [2 * RARE, RARE]


def test_many_classes():
    table, labels = make_classification(
        3000, n_informative=6, n_classes=3, weights=[0.9, 0.07, 0.03], random_state=0
    )
    names = np.array(["common", "odd", "rare"])[labels]
    model = BalancedRandomForestClassifier(n_estimators=30, random_state=0)
    model.fit(table[::2], names[::2])
    plain = RandomForestClassifier(30, random_state=0).fit(table[::2], names[::2])
    ours, theirs = (
        balanced_accuracy_score(names[1::2], m.predict(table[1::2])) for m in (model, plain)
    )
    assert ours > theirs + 0.08


def test_what_does_not_go_together_is_refused():
    groups = np.arange(len(Y[LEARN])) // 2
    for model in (BalancedBaggingClassifier(), BalancedRandomForestClassifier()):
        with pytest.raises(ValueError, match="groups"):
            model.fit(X[LEARN], Y[LEARN], groups=groups)
    bagging = BalancedBaggingClassifier(method="under", draw="half")
    with pytest.raises(ValueError, match="method and draw both"):
        bagging.fit(X[LEARN], Y[LEARN])


THREE = np.repeat(["a", "b", "c"], [60, 10, 25])
POINTS = np.random.default_rng(0).normal(size=(95, 2))


@pytest.mark.parametrize(
    ("strategy", "sizes"),
    [
        ("auto", [10, 10, 10]),
        ("not minority", [10, 10, 10]),
        ("all", [10, 10, 10]),
        ("majority", [10, 10, 25]),
        ("not majority", [60, 10, 10]),
        (0.5, [20, 10, 20]),
        ({"a": 30}, [30, 10, 25]),
        ({}, [60, 10, 25]),
        (lambda y: {"c": int(np.sum(y == "b"))}, [60, 10, 10]),
    ],
)
def test_every_strategy_of_imbalanced_learn(strategy, sizes):
    for model in (
        BalancedBaggingClassifier(bootstrap=False, sampling_strategy=strategy, random_state=0),
        BalancedRandomForestClassifier(2, sampling_strategy=strategy, random_state=0),
    ):
        bag = model.fit(POINTS, THREE).estimators_samples_[0]
        assert np.unique(THREE[bag], return_counts=True)[1].tolist() == sizes


def test_bags_are_drawn_first_and_then_balanced():
    model = BalancedBaggingClassifier(max_samples=0.5, bootstrap=False, random_state=0)
    for bag in model.fit(X[LEARN], Y[LEARN]).estimators_samples_:
        rare, others = np.sum(Y[LEARN][bag] == 1), np.sum(Y[LEARN][bag] == 0)
        assert rare == others < RARE
        assert len(np.unique(bag)) == len(bag)
    bootstrap = BalancedBaggingClassifier(random_state=0).fit(X[LEARN], Y[LEARN])
    sizes = {len(bag) for bag in bootstrap.estimators_samples_}
    assert len(sizes) > 3  # a bootstrap has another number of rare rows each time
    again = BalancedBaggingClassifier(bootstrap=False, replacement=True, random_state=0)
    bags = again.fit(X[LEARN], Y[LEARN]).estimators_samples_
    for bag in bags:
        rare = bag[Y[LEARN][bag] == 1]
        assert len(np.unique(rare)) == len(rare) == RARE  # "auto" leaves the smallest class alone
    assert any(len(np.unique(bag)) < len(bag) for bag in bags)


def test_columns_of_balanced_bagging():
    model = BalancedBaggingClassifier(
        DecisionTreeClassifier(), max_features=0.5, bootstrap_features=True, random_state=0
    ).fit(X[LEARN], Y[LEARN])
    assert {len(columns) for columns in model.estimators_features_} == {X.shape[1] // 2}
    assert any(len(np.unique(c)) < len(c) for c in model.estimators_features_)


def test_bootstrap_of_the_rows_a_tree_was_given():
    forest = BalancedRandomForestClassifier(
        5, bootstrap=True, max_samples=0.5, replacement=False, random_state=0
    ).fit(X[LEARN], Y[LEARN])
    assert {len(bag) for bag in forest.estimators_samples_} == {RARE}


def test_the_order_of_rows_does_not_matter_and_weights_are_repetitions():
    times = np.random.default_rng(0).integers(1, 4, len(POINTS))
    shuffled = np.random.default_rng(1).permutation(len(POINTS))
    model = BalancedBaggingClassifier(n_estimators=3, random_state=0)
    first = model.fit(POINTS, THREE, times).predict_proba(POINTS)
    other = model.fit(POINTS[shuffled], THREE[shuffled], times[shuffled]).predict_proba(POINTS)
    np.testing.assert_allclose(first, other)
    repeated = model.fit(np.repeat(POINTS, times, axis=0), np.repeat(THREE, times))
    np.testing.assert_allclose(first, repeated.predict_proba(POINTS))


class Halver(BaseEstimator):
    """Resamples by leaving every other row out."""

    def __init__(self, sampling_strategy="auto"):
        self.sampling_strategy = sampling_strategy

    def fit_resample(self, X, y):
        return X[::2], y[::2]


def test_samplers_of_imbalanced_learn():
    pytest.importorskip("imblearn")
    model = BalancedBaggingClassifier(
        KNeighborsClassifier(1), 3, sampler=Halver(), sampling_strategy="all", random_state=0
    ).fit(POINTS, THREE)
    for pipeline in model.estimators_:
        assert list(pipeline.named_steps) == ["sampler", "classifier"]
        assert pipeline["sampler"].sampling_strategy == "all"
        assert pipeline["classifier"].n_samples_fit_ == 48
    assert {len(bag) for bag in model.estimators_samples_} == {95}
    assert model.predict_proba(POINTS).shape == (95, 3)
    with pytest.raises(ValueError, match="prior_correction"):
        model.set_params(prior_correction=True).fit(POINTS, THREE)


def test_samplers_need_imbalanced_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn.pipeline", None)
    with pytest.raises(ImportError, match="pip install imbalanced-learn"):
        BalancedBaggingClassifier(sampler=Halver()).fit(POINTS, THREE)


def test_random_weights_cannot_be_balanced():
    X, y = make_classification(100, weights=[0.8], random_state=0)
    with pytest.raises(ValueError, match="cannot be balanced"):
        BalancedBaggingClassifier(wagging="exponential").fit(X, y)

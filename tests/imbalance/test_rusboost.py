"""RUSBoost: published values, identities of every round, everyday use."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier

from coterie.boosting import AdaBoostClassifier
from coterie.imbalance import RUSBoostClassifier


def unequal_iris():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:10, 50:100, 100:130]
    return X[rows], y[rows]


def rare(seed=0):
    return make_classification(3000, weights=[0.97], flip_y=0.01, random_state=seed)


def gain(model):
    """Balanced accuracy on new rows of hard problems, less that of AdaBoost: a mean of three."""
    gains = []
    for seed in range(3):
        X, y = make_classification(
            4000,
            n_informative=6,
            n_clusters_per_class=3,
            class_sep=0.8,
            weights=[0.97],
            flip_y=0.0,
            random_state=seed,
        )
        ours, plain = (
            balanced_accuracy_score(y[2000:], fitted.fit(X[:2000], y[:2000]).predict(X[2000:]))
            for fitted in (model, AdaBoostClassifier())
        )
        gains.append(ours - plain)
    return np.mean(gains)


def test_published_pseudo_losses():
    X, y = unequal_iris()
    model = RUSBoostClassifier(
        sampling_strategy={0: 10, 1: 50, 2: 30}, weighting="resample", n_estimators=6
    ).fit(X, y)
    published = [
        0.195372503840246,
        0.273203444497188,
        0.342324146410416,
        0.391679747239235,
        0.424713594905408,
        0.446828084418694,
    ]
    np.testing.assert_allclose(model.estimator_errors_, published, rtol=1e-12)


@pytest.mark.parametrize("weighting", ["reweight", "resample"])
@pytest.mark.parametrize("load", [unequal_iris, lambda: load_breast_cancer(return_X_y=True)])
def test_identities_of_every_round(load, weighting):
    X, y = load()
    model = RUSBoostClassifier(
        n_estimators=8, weighting=weighting, trace="weights", random_state=0
    ).fit(X, y)
    rows, n_classes = np.arange(len(y)), len(model.classes_)
    assert len(model.estimators_) == 8
    for t, member in enumerate(model.estimators_):
        P, before = member.predict_proba(X), model.trace_.weights[t]
        gap = P[rows, y][:, None] - P
        wrong = np.arange(n_classes) != y[:, None]
        pairs = wrong * before[:, None] / (n_classes - 1)
        loss = 0.5 * np.sum(pairs * (1 - gap))
        assert model.estimator_errors_[t] == pytest.approx(loss)
        alpha = 0.5 * np.log((1 - loss) / loss)
        assert model.estimator_weights_[t] == pytest.approx(alpha)
        if t < 7:
            factor = (wrong * np.exp(-alpha * (1 + gap))).sum(axis=1) / (n_classes - 1)
            after = before * factor
            np.testing.assert_allclose(model.trace_.weights[t + 1], after / after.sum())
    errors = [np.mean(labels != y) for labels in model.staged_predict(X)]
    np.testing.assert_allclose(model.trace_["train_error"], errors)


@pytest.mark.slow
@pytest.mark.parametrize("weighting", ["reweight", "resample"])
def test_finds_the_rare_class(weighting):
    assert gain(RUSBoostClassifier(weighting=weighting, random_state=0)) > 0.1


def test_members_see_balanced_classes():
    X, y = rare()
    model = RUSBoostClassifier(n_estimators=1, random_state=0).fit(X, y)
    # The root of the first member holds as many of either class.
    np.testing.assert_allclose(model.pool_.forest.node_values()[0], 0.5)
    model.set_params(sampling_strategy=0.25).fit(X, y)
    np.testing.assert_allclose(model.pool_.forest.node_values()[0], [0.8, 0.2])


def test_a_part_of_the_sample():
    X, y = rare()
    model = RUSBoostClassifier(n_estimators=1, subsample=0.5, random_state=0).fit(X, y)
    assert model.pool_.forest.n_samples[0] == 2 * np.ceil(0.5 * (y == 1).sum())


@pytest.mark.parametrize("weighting", ["reweight", "resample"])
def test_stages_and_warm_start(weighting):
    X, y = rare()
    settings = {"weighting": weighting, "random_state": 0}
    whole = RUSBoostClassifier(n_estimators=8, **settings).fit(X, y)
    stages = list(whole.staged_decision_function(X))
    model = RUSBoostClassifier(n_estimators=3, **settings).fit(X, y)
    np.testing.assert_allclose(stages[2], model.decision_function(X))
    model.set_params(warm_start=True, n_estimators=8).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("weighting", ["reweight", "resample"])
def test_weights_are_repetitions(weighting):
    X, y = unequal_iris()
    times = np.random.default_rng(0).integers(0, 4, len(y))
    settings = {"weighting": weighting, "n_estimators": 5, "random_state": 0}
    weighted = RUSBoostClassifier(**settings).fit(X, y, times)
    repeated = RUSBoostClassifier(**settings).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_fit_leaves_the_estimator_alone():
    X, y = unequal_iris()
    model = RUSBoostClassifier(n_estimators=2).fit(X, y, np.ones(len(y)))
    assert not hasattr(model, "_given")


def test_members_without_weights():
    X, y = rare()
    model = RUSBoostClassifier(KNeighborsClassifier(5), n_estimators=3, random_state=0).fit(X, y)
    assert balanced_accuracy_score(y, model.predict(X)) > 0.8
    with pytest.raises(ValueError, match="sample_weight"):
        model.set_params(weighting="reweight").fit(X, y)


def test_early_stopping():
    X, y = rare()
    model = RUSBoostClassifier(
        n_estimators=300, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert len(model.estimators_) < 300


def test_missing_values_and_categories():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 600, p=[0.5, 0.05, 0.45])
    frame = pandas.DataFrame({"x": rng.normal(size=600), "colour": pandas.Categorical(colour)})
    frame.loc[::7, "x"] = np.nan
    model = RUSBoostClassifier(n_estimators=5, random_state=0).fit(frame, colour == "green")
    assert model.score(frame, colour == "green") == 1.0


def test_a_parameter_of_former_times_warns():
    X, y = rare()
    with pytest.warns(FutureWarning, match="`algorithm` parameter is deprecated"):
        RUSBoostClassifier(n_estimators=2, algorithm="SAMME").fit(X, y)

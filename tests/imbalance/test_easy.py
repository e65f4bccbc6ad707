"""EasyEnsemble."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from coterie.boosting import AdaBoostClassifier
from coterie.imbalance import EasyEnsembleClassifier, RUSBoostClassifier
from tests.imbalance.test_rusboost import gain, rare


@pytest.mark.slow
def test_scores_are_the_sum_over_all_members_of_all_bags():
    X, y = rare()
    model = EasyEnsembleClassifier(n_estimators=3, random_state=0).fit(X, y)
    total = np.zeros(len(y))
    for booster in model.estimators_:
        assert len(booster.estimators_) == 50
        for alpha, member in zip(booster.estimator_weights_, booster.estimators_, strict=True):
            total += alpha * (2 * member.predict(X) - 1)
    np.testing.assert_allclose(model.decision_function(X), total)
    np.testing.assert_array_equal(model.predict(X), total > 0)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(2 * total / 3))


@pytest.mark.slow
def test_every_bag_is_balanced_and_another():
    X, y = rare()
    model = EasyEnsembleClassifier(n_estimators=4, random_state=0).fit(X, y)
    roots = [booster.pool_.forest.node_values()[0] for booster in model.estimators_]
    np.testing.assert_allclose(roots, 0.5)
    sizes = [booster.pool_.forest.n_samples[0] for booster in model.estimators_]
    assert sizes == [2 * (y == 1).sum()] * 4
    scores = [booster.decision_function(X) for booster in model.estimators_]
    assert not np.array_equal(scores[0], scores[1])


@pytest.mark.slow
def test_finds_the_rare_class():
    assert gain(EasyEnsembleClassifier(random_state=0)) > 0.1


@pytest.mark.slow
def test_many_classes():
    X, y = make_classification(
        2000, n_informative=5, n_classes=3, weights=[0.9, 0.07, 0.03], random_state=0
    )
    model = EasyEnsembleClassifier(random_state=0).fit(X, y)
    assert model.decision_function(X).shape == (2000, 3)
    plain = AdaBoostClassifier(n_estimators=100).fit(X, y)
    score = balanced_accuracy_score(y, model.predict(X))
    assert score > balanced_accuracy_score(y, plain.predict(X)) + 0.05


@pytest.mark.slow
def test_stages_are_smaller_ensembles():
    X, y = load_wine(return_X_y=True)
    model = EasyEnsembleClassifier(n_estimators=5, random_state=0).fit(X, y)
    smaller = EasyEnsembleClassifier(n_estimators=2, random_state=0).fit(X, y)
    for name in ("decision_function", "predict", "predict_proba"):
        stages = list(getattr(model, f"staged_{name}")(X))
        assert len(stages) == 5
        np.testing.assert_allclose(stages[1], getattr(smaller, name)(X))
        np.testing.assert_array_equal(stages[4], getattr(model, name)(X))
    assert list(model.staged_score(X, y))[-1] == model.score(X, y)


@pytest.mark.slow
def test_warm_start_adds_bags():
    X, y = load_wine(return_X_y=True)
    whole = EasyEnsembleClassifier(n_estimators=5, random_state=0).fit(X, y)
    model = EasyEnsembleClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, y)
    model.set_params(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(ValueError, match="larger or equal"):
        model.set_params(n_estimators=3).fit(X, y)


@pytest.mark.slow
def test_weights_are_repetitions():
    X, y = load_wine(return_X_y=True)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = EasyEnsembleClassifier(n_estimators=3, random_state=0).fit(X, y, times)
    repeated = EasyEnsembleClassifier(n_estimators=3, random_state=0)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.slow
def test_weights_that_are_no_repetitions_weigh():
    X, y = rare()
    half = np.where(X[:, 0] > 0, 0.001, 1.5)
    model = EasyEnsembleClassifier(n_estimators=2, random_state=0)
    light, even = model.fit(X, y, half).predict_proba(X), model.fit(X, y).predict_proba(X)
    assert not np.allclose(light, even)


@pytest.mark.parametrize(
    "booster", [RUSBoostClassifier(n_estimators=3), AdaBoostClassifier(n_estimators=3, n_jobs=2)]
)
def test_any_booster(booster):
    X, y = rare()
    before = dict(vars(booster))
    model = EasyEnsembleClassifier(2, booster, random_state=0).fit(X, y)
    assert vars(booster) == before
    assert type(model.estimators_[0]) is type(booster)
    assert balanced_accuracy_score(y, model.predict(X)) > 0.8


def test_grid_search_reaches_the_booster():
    X, y = load_wine(return_X_y=True)
    model = EasyEnsembleClassifier(2, AdaBoostClassifier(), random_state=0)
    search = GridSearchCV(model, {"estimator__n_estimators": [1, 8]}, cv=2).fit(X, y)
    assert search.best_params_ == {"estimator__n_estimators": 8}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("member", [LogisticRegression(max_iter=1000), LinearSVC()])
def test_any_classifier(member, classes):
    X, y = make_classification(
        600, n_informative=5, n_classes=classes, weights=[0.8, 0.1][: classes - 1], random_state=0
    )
    model = EasyEnsembleClassifier(3, member, random_state=0).fit(X, y)
    assert [type(one) for one in model] == [type(member)] * 3
    votes = [
        one.predict_proba(X) if hasattr(one, "predict_proba") else np.eye(classes)[one.predict(X)]
        for one in model.estimators_
    ]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(votes, axis=0), atol=1e-12)
    assert model.decision_function(X).shape == ((600,) if classes == 2 else (600, 3))
    assert type(model.estimator_) is type(member)
    assert balanced_accuracy_score(y, model.predict(X)) > 0.6
    with pytest.raises(AttributeError, match="permutation_importance"):
        _ = model.feature_importances_


def test_members_see_balanced_rows_with_or_without_replacement():
    X, y = rare()
    for replacement in (False, True):
        model = EasyEnsembleClassifier(
            1, KNeighborsClassifier(), replacement=replacement, random_state=0
        ).fit(X, y)
        (member,) = model.estimators_
        seen = member._fit_X
        assert len(seen) == 2 * (y == 1).sum()
        assert (len(np.unique(seen, axis=0)) < len(seen)) == replacement


def test_a_warm_start_that_adds_nothing_says_so():
    X, y = load_wine(return_X_y=True)
    model = EasyEnsembleClassifier(2, warm_start=True, random_state=0).fit(X, y)
    before = model.predict_proba(X)
    with pytest.warns(UserWarning, match="Warm-start fitting without increasing"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert len(model) == 2
